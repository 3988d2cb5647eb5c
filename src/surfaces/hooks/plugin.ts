// The plugin for opencode and Kilo: it hands every moment to the client, and throws, which stops the tool, unless the client
// says that it may go on.

import type { HostName } from './host.ts';

/** The plugin's file for a host; it names the client by its absolute path. */
export function pluginText(host: HostName, script: string): string {
  return `// Sallyport's plugin for ${host}. 'sallyport init ${host}' writes it, 'sallyport doctor' checks it.
import { spawn } from 'node:child_process';

const client = ${JSON.stringify(script)};

/** Sessions whose last prompt may not go to the model, and why. */
const refused = new Map();

/** What the client answers; an error unless it says that it may go on. */
function ask(event, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(client, [event], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    let why = '';
    child.stdout.on('data', (piece) => {
      said += piece;
    });
    child.stderr.on('data', (piece) => {
      why += piece;
    });
    child.stdin.on('error', () => undefined);
    child.once('error', () => reject(new Error('Sallyport: its client cannot be started')));
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(why.trim() || 'Sallyport: denied'));
      try {
        resolve(said.trim() === '' ? {} : JSON.parse(said));
      } catch {
        reject(new Error('Sallyport: its client cannot be understood'));
      }
    });
    child.stdin.end(JSON.stringify(input));
  });
}

export const Sallyport = async ({ directory }) => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
    const sent = output.args ?? {};
    const { args } = await ask('tool.execute.before', { tool, sessionID, callID, directory, args: sent });
    if (args === undefined) return;
    // The host may hold on to the object itself, so the object is changed, not exchanged.
    for (const name of Object.keys(sent)) delete sent[name];
    output.args = Object.assign(sent, args);
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
    const input = { tool, sessionID, callID, directory, args: args ?? {}, output: output.output };
    const answer = await ask('tool.execute.after', input).catch((error) => ({
      output: '[output withheld] ' + error.message,
    }));
    if (answer.output !== undefined) output.output = answer.output;
  },
  // Once a part of the answer is complete: what stands there is shown and stays in the conversation.
  'experimental.text.complete': async ({ sessionID }, output) => {
    const input = { sessionID, directory, text: output.text ?? '' };
    const answer = await ask('experimental.text.complete', input).catch((error) => ({
      output: '[answer withheld] ' + error.message,
    }));
    if (answer.output !== undefined) output.text = answer.output;
  },
  // A throw here would read "Unexpected server error" and nothing else. So what was typed is taken out, which keeps it
  // from the model now and in later turns, and the next request to the model fails with the reason.
  'chat.message': async ({ sessionID }, { parts }) => {
    const texts = (parts ?? []).filter(({ type }) => type === 'text');
    refused.delete(sessionID);
    if (texts.length === 0) return;
    const prompt = texts.map(({ text }) => text).join('\\n');
    try {
      await ask('chat.message', { sessionID, directory, prompt });
    } catch (error) {
      refused.set(sessionID, error.message);
      parts.splice(0, parts.length, { ...texts[0], text: '[prompt withheld] ' + error.message });
    }
  },
  'chat.params': async ({ sessionID }) => {
    if (refused.has(sessionID)) throw new Error(refused.get(sessionID));
  },
  event: async ({ event }) => {
    if (event.type !== 'session.created') return;
    await ask('session.created', { sessionID: event.properties?.info?.id, directory }).catch(() => undefined);
  },
});
`;
}
