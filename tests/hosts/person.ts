// The person beside the host: answers the questions that Sallyport asks, at a terminal of their own, as a scenario says.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { prepareHome } from '../../src/config/index.ts';
import { ownerOf } from '../support/person.ts';

/** What the person says to a question. */
export type Reply = 'yes' | 'no';

/** A question that was answered. */
export interface Question {
  readonly id: string;
  readonly reply: Reply;
  /** What the command line printed for the answer. */
  readonly shown: string;
}

export interface Person {
  readonly questions: readonly Question[];
  /** Waits until nothing is left to answer, for a few seconds at most. */
  readonly settled: () => Promise<void>;
  readonly leave: () => Promise<void>;
}

const passphrase = 'correct horse battery';
const lookEveryMs = 200;
const answerTimeoutMs = 30_000;

const pause = () => new Promise((resolve) => setTimeout(resolve, lookEveryMs));

/** Leaves a passphrase as if the person had chosen it before; it costs as little as one may. */
export async function choosePassphrase(home: string): Promise<void> {
  prepareHome(home);
  await ownerOf({ home }, passphrase);
}

/** Answers question N with reply N, and every later one with the last. `command` starts the command line. */
export function startPerson(
  home: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  replies: readonly Reply[],
): Person {
  const questions: Question[] = [];
  const answered = new Set<string>();
  let present = true;
  const stay = async () => {
    while (present) {
      for (const id of await waiting(home)) {
        if (answered.has(id)) continue;
        const reply = replies[Math.min(answered.size, replies.length - 1)] ?? 'no';
        answered.add(id);
        const verb = reply === 'yes' ? 'approve' : 'deny';
        questions.push({ id, reply, shown: await atTerminal([...command, verb, id], env) });
      }
      await pause();
    }
  };
  const gone = stay();
  return {
    questions,
    settled: async () => {
      for (let looks = 0; looks < 40; looks++) {
        await pause();
        if ((await waiting(home)).length === 0 && questions.length === answered.size) return;
      }
    },
    leave: () => {
      present = false;
      return gone;
    },
  };
}

/** Runs a command at a terminal, reads every page, types the passphrase when it is asked for, and gives what was shown. */
function atTerminal(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const line = command.map((word) => `'${word}'`).join(' ');
  return new Promise((resolve) => {
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const late = setTimeout(() => child.kill('SIGKILL'), answerTimeoutMs);
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (/assphrase[^\n]*: $/.test(shown)) child.stdin.write(`${passphrase}\r`);
      else if (/Enter shows them[^\n]*: $/.test(shown)) child.stdin.write('\r');
    });
    child.once('error', (error) => resolve(String(error)));
    child.once('close', () => {
      clearTimeout(late);
      resolve(shown);
    });
  });
}

/** The ids of the questions that wait; none where the daemon does not answer. */
async function waiting(home: string): Promise<readonly string[]> {
  const answer = await askDaemon(home, '/v1/approvals');
  const { approvals = [] } = answer === null ? {} : JSON.parse(answer);
  return approvals.map(({ id }: { id: string }) => id);
}

/** What the daemon answers, or null where none does. */
export function askDaemon(home: string, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
    const sent = request(
      {
        socketPath: join(home, 'run', 'sallyport.sock'),
        path,
        headers: { authorization: `Bearer ${token}` },
        timeout: 5000,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve(answer.statusCode === 200 ? text : null));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('the daemon does not answer')));
    sent.on('error', () => resolve(null));
    sent.end();
  });
}
