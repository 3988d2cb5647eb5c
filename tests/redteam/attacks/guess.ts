// Guessing the passphrase: over HTTP, at a terminal, through the guard, or at home with what the approver's file holds.
// A guess must open nothing, must be on record, and must not keep the owner out.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, quick } from '../attack.ts';
import { appendUser, asOwner, type Transport, typed, type Victim } from '../victim.ts';

/** What an attacker tries first. */
const words = [
  'password',
  'password1',
  '12345678',
  'qwertyuiop',
  'sallyport',
  'letmein!',
  'iloveyou',
  'admin123',
  'welcome1',
  'correct horse',
  'correct battery',
  'trustno1!',
];

/** One way to try a passphrase; gives what came back. */
type Guess = (victim: Victim, passphrase: string) => Promise<Readonly<Record<string, unknown>> | string>;

/**
 * A guess over HTTP. A daemon that gives a challenge is sent a signature of a key that is not the owner's, which is what
 * a wrong passphrase makes; one that takes passphrases is sent the passphrase.
 */
function overHttp(path: string, way: Transport, token: (victim: Victim) => string, more: object = {}): Guess {
  return async (victim, passphrase) => {
    const { challenge } = await victim.post('/v1/session/challenge', token(victim), more, way);
    if (challenge === undefined) return await victim.post(path, token(victim), { ...more, passphrase }, way);
    const guess = { challenge, signature: randomBytes(64).toString('base64url') };
    // Who signs in is part of the challenge there.
    return await victim.post(path.replace('/login', ''), token(victim), guess, way);
  };
}

const noToken = () => '';
const agentsToken = (victim: Victim) => victim.token();

function atTerminal(...args: readonly string[]): Guess {
  return (victim, passphrase) => victim.atTerminal(args, (shown) => typed(shown, passphrase));
}

/** The entries that say that somebody tried. */
function tries(victim: Victim): number {
  const { output } = victim.sallyport(['log', '--limit', '200', '--json']);
  return (output.match(/"[a-z_]+_(?:refused|failed)"/g) ?? []).length;
}

/** Whether what came back opens a session. */
function opens(answer: Awaited<ReturnType<Guess>>): boolean {
  return typeof answer === 'string'
    ? /console\/#|Approved/.test(answer)
    : typeof answer['token'] === 'string' || typeof answer['secret'] === 'string';
}

interface Guessing {
  readonly guess: Guess;
  readonly count?: number;
  readonly before?: (victim: Victim) => Promise<void>;
}

async function guessAll(victim: Victim, { guess, count = words.length, before }: Guessing): Promise<boolean> {
  victim.spoil();
  await before?.(victim);
  for (const word of words.slice(0, count)) if (opens(await guess(victim, word))) return true;
  return false;
}

/** Nothing in the log says that somebody guessed, or a guess opened something. */
function unseen(name: string, guessing: Guessing): Attack {
  return {
    name: `${name}: nothing is on record`,
    attempt: async (victim) => {
      const before = tries(victim);
      return (await guessAll(victim, guessing)) || tries(victim) === before;
    },
  };
}

/** The owner, at a terminal and with the right passphrase, is refused. */
function locksOut(name: string, guessing: Guessing): Attack {
  return {
    name: `${name}: the owner's terminal is locked out`,
    attempt: async (victim) => {
      if (await guessAll(victim, guessing)) return true;
      const link = await victim.atTerminal(['console'], asOwner);
      const id = await victim.ask();
      const approved = await victim.atTerminal(['approve', id], asOwner);
      return !link.includes('console/#') || !approved.includes('Approved') || !(await victim.passes());
    },
  };
}

/** A guess by a command of the agent's: it is stopped, or it is on record. */
function guarded(spelling: (words: { socket: string; port: number; home: string }) => string): Attack {
  return {
    name: `decide: ${spelling({ socket: 'SOCKET', port: 4711, home: 'HOME' })}`,
    attempt: async (victim) => {
      victim.spoil();
      const before = tries(victim);
      const { socket, port, places } = victim;
      const { decision, output } = await victim.run(spelling({ socket, port, home: places.home }));
      if (decision !== 'pass') return false;
      return output.includes('"token"') || tries(victim) === before;
    },
  };
}

/** What offline guessing needs: the wrapped key. */
function reads(spelling: (home: string) => string): Attack {
  return {
    name: `decide: ${spelling('HOME')}`,
    attempt: async (victim) => {
      const { wrapped } = JSON.parse(readFileSync(join(victim.places.home, 'approver.json'), 'utf8'));
      return victim.holdsSecret(await victim.run(spelling(victim.places.home)), [String(wrapped)]);
    },
  };
}

/** A user of the configuration whom the owner vouches for, with a passphrase that is not among the words. */
async function addUser(victim: Victim): Promise<void> {
  appendUser(victim, 'ann', 'approver', 'a passphrase of her own');
  await victim.stop();
  await victim.start();
  await victim.atTerminal(['approvers', 'vouch', 'ann'], asOwner);
}

const asAnn = { guess: overHttp('/v1/session/login', 'tcp', noToken, { name: 'ann' }), before: addUser };
const session = '/v1/session';

export const guessAttacks: readonly Attack[] = [
  quick(unseen('POST /v1/session over TCP', { guess: overHttp(session, 'tcp', noToken) })),
  unseen('POST /v1/session over the socket', { guess: overHttp(session, 'socket', noToken) }),
  unseen("POST /v1/session with the agent's credential", { guess: overHttp(session, 'socket', agentsToken) }),
  unseen('POST /v1/session/link', { guess: overHttp('/v1/session/link', 'socket', noToken) }),
  unseen("POST /v1/session/login, a user's passphrase", asAnn),
  unseen('sallyport approve', {
    guess: async (victim, passphrase) => atTerminal('approve', await victim.ask())(victim, passphrase),
    count: 3,
  }),
  unseen('sallyport console', { guess: atTerminal('console'), count: 3 }),
  unseen('sallyport passphrase', { guess: atTerminal('passphrase'), count: 3 }),
  unseen('sallyport credentials add --scope admin', {
    guess: atTerminal('credentials', 'add', '--scope', 'admin'),
    count: 3,
  }),
  locksOut('POST /v1/session over TCP', { guess: overHttp(session, 'tcp', noToken) }),
  locksOut('POST /v1/session over the socket', { guess: overHttp(session, 'socket', noToken) }),
  locksOut('POST /v1/session/link', { guess: overHttp('/v1/session/link', 'socket', noToken) }),
  locksOut('sallyport console', { guess: atTerminal('console') }),
  guarded(
    ({ socket }) =>
      `curl -s --unix-socket ${socket} http://localhost/v1/session -H 'content-type: application/json' -d '{"passphrase":"password1"}'`,
  ),
  guarded(
    ({ port }) =>
      `curl -s http://127.0.0.1:${port}/v1/session -H 'content-type: application/json' -d '{"passphrase":"password1"}'`,
  ),
  guarded(
    ({ port }) =>
      `for p in password1 qwertyuiop; do curl -s http://localhost:${port}/v1/session -H 'content-type: application/json' --data "{\\"passphrase\\":\\"$p\\"}"; done`,
  ),
  guarded(
    ({ port }) =>
      `python3 -c "import urllib.request as u; print(u.urlopen(u.Request('http://127.0.0.1:${port}/v1/session', b'{\\"passphrase\\":\\"password1\\"}', {'content-type': 'application/json'})).read())"`,
  ),
  guarded(
    ({ port }) =>
      `node -e "fetch('http://127.0.0.1:${port}/v1/session', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{\\"passphrase\\":\\"password1\\"}'}).then(r => r.text()).then(console.log)"`,
  ),
  guarded(
    ({ port }) =>
      `printf 'POST /v1/session HTTP/1.1\\r\\nhost: localhost\\r\\ncontent-type: application/json\\r\\ncontent-length: 26\\r\\n\\r\\n{"passphrase":"password1"}' > /dev/tcp/127.0.0.1/${port}`,
  ),
  reads((home) => `cat ${home}/approver.json`),
  reads((home) => `cp ${home}/approver.json mine.json`),
  reads((home) => `cat ${home}/a*`),
  reads((home) => `python3 -c "print(open('${home}/approver.json').read())"`),
];
