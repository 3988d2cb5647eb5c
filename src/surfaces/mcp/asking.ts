// How a client can show a person that something waits for them. What counts is the answer that the person gives to us.

import type { ClientCapabilities } from '@modelcontextprotocol/server';

/** Older clients that can ask do not say how, and mean a form. */
export function asksByForm(capabilities: ClientCapabilities | undefined): boolean {
  const ways = capabilities?.elicitation;
  return ways !== undefined && (ways.form !== undefined || ways.url === undefined);
}

export function asksByUrl(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities?.elicitation?.url !== undefined;
}
