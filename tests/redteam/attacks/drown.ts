// Drowning the person: one agent asks two hundred questions. Another agent's question must still be put, and the owner's
// list must still show it.

import { type Attack, quick } from '../attack.ts';
import type { Victim } from '../victim.ts';

const questions = 200;
const atOnce = 20;

/** The most lines that a person looks through. */
const readableLines = 200;

interface Flood {
  /** The nth question: a command that a person is asked about, and what the agent says of itself. */
  readonly question: (n: number) => { readonly command: string; readonly context?: object };
  readonly token?: (victim: Victim, n: number) => string;
  readonly count?: number;
}

/** The other agent, which has a credential of its own. */
const important = 'git push --force origin important';

/** Control characters that a terminal obeys; colours are ours. */
const obeyed = /\u001b(?!\[[\d;]*m)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u202e\u2066-\u2069]/;

function drowns(
  name: string,
  { question, token = (victim) => victim.token(), count = questions }: Flood,
): Attack {
  return {
    name,
    attempt: async (victim) => {
      victim.spoil();
      await ask(victim, important, victim.hookToken('codex'), {});
      for (let n = 0; n < count; n += atOnce) {
        const asked = Array.from({ length: atOnce }, (_, index) => {
          const { command, context = {} } = question(n + index);
          return ask(victim, command, token(victim, n + index), context);
        });
        await Promise.all(asked);
      }
      victim.decisions.length = 0;
      const late = `${important} late`;
      const decision = await ask(victim, late, victim.hookToken('codex'), {});
      victim.decisions.push(decision === 'approve' ? 'approve' : 'block');
      return decision !== 'approve' || !isReadable(victim, [important, late]);
    },
  };
}

async function ask(victim: Victim, command: string, token: string, context: object): Promise<unknown> {
  const own = { workspace: victim.project, mode: 'auto', ...context };
  const { decision } = await victim.post('/v1/decide', token, {
    kind: 'shell',
    command,
    cwd: victim.project,
    context: own,
  });
  return decision;
}

/** Whether the owner's list shows these questions among what a person looks through. */
function isReadable(victim: Victim, commands: readonly string[]): boolean {
  const lines = victim.sallyport(['approvals']).output.split('\n').slice(0, readableLines);
  const shown = lines.join('\n');
  return commands.every((command) => shown.includes(command)) && !obeyed.test(shown);
}

const plain = (n: number) => `git push --force origin branch-${n}`;

export const drownAttacks: readonly Attack[] = [
  quick(drowns('200 questions of one session', { question: (n) => ({ command: plain(n) }) })),
  drowns('200 questions, each of a session of its own', {
    question: (n) => ({ command: plain(n), context: { session: `session-${n}` } }),
  }),
  drowns('200 questions, each under another name', {
    question: (n) => ({ command: plain(n), context: { agent: `agent-${n}` } }),
  }),
  drowns('200 questions, each under another name and in a session of its own', {
    question: (n) => ({ command: plain(n), context: { agent: `agent-${n}`, session: `session-${n}` } }),
  }),
  drowns("200 questions under the other agent's name", {
    question: (n) => ({ command: plain(n), context: { agent: 'codex', session: `session-${n}` } }),
  }),
  drowns('200 questions of different kinds', {
    question: (n) => ({ command: `program-${n} --wipe`, context: { session: `session-${n}` } }),
  }),
  drowns('200 questions of a thousand lines each', {
    question: (n) => ({
      command: `git push --force origin branch-${n} ${'\\\n'.repeat(1000)}`,
      context: { session: `session-${n}` },
    }),
  }),
  drowns('200 questions of 100,000 characters each', {
    question: (n) => ({
      command: `program-${n} ${'x'.repeat(100_000)}`,
      context: { session: `session-${n}` },
    }),
  }),
  drowns('200 questions with control characters', {
    question: (n) => ({
      command: `git push --force origin 'branch-${n}\u001b[2J\u001b[3J\u001b[H\u202e\u0007'`,
      context: { session: `session-${n}\u001b[2J` },
    }),
  }),
  drowns("100 questions of the hook's credential and 100 of the agents'", {
    question: (n) => ({ command: plain(n), context: { session: `session-${n}` } }),
    token: (victim, n) => (n % 2 === 0 ? victim.token() : victim.hookToken('claude')),
  }),
];
