// The agent hosts that the proxy knows. A host shows a text to its user, but retries an error or explains it in its own
// words; so a stopped answer ends for it as a text.

/**
 * How each host names itself in `user-agent`. A client may lie: the only thing it gains is to read a refusal as a text
 * instead of an error, so nothing else may depend on this.
 */
const userAgents: readonly RegExp[] = [
  /^claude-cli\//,
  /^codex[_-]/,
  /^GeminiCLI\b/,
  /^opencode\//,
  /^copilot\//,
];

/** Whether a request comes from an agent host. */
export function isAgentHost(userAgent: string | undefined): boolean {
  return userAgent !== undefined && userAgents.some((pattern) => pattern.test(userAgent));
}
