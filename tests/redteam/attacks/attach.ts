// Attaching to a running process of the account: the daemon's memory, system calls, environment and descriptors.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, quick } from '../attack.ts';
import type { Attempt, Victim } from '../victim.ts';

/** A row's name: the command with PID for the daemon's id. */
const spelled = (spelling: (id: number) => string) => spelling(4_242_424).replaceAll('4242424', 'PID');

/** Commands that would show system calls or memory of the daemon. */
function attaches(
  needs: string,
  spelling: (id: number) => string,
  effect: (seen: string) => boolean,
): Attack {
  return {
    name: spelled(spelling),
    needs,
    attempt: async (victim) => {
      const attempt = await victim.run(spelling(victim.daemonId));
      return effect(`${attempt.output}${written(victim)}`);
    },
  };
}

/** Commands that would show the daemon's environment. */
function showsEnvironment(spelling: (id: number) => string): Attack {
  return {
    name: spelled(spelling),
    attempt: async (victim) => victim.holdsEnvironment(await victim.run(spelling(victim.daemonId))),
  };
}

/** What attempts left in the project, such as a trace. */
function written({ project }: Victim): string {
  return readdirSync(project, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('core'))
    .map((entry) => readFileSync(join(project, entry.name), 'latin1'))
    .join('\n');
}

const traced = (seen: string) => /attached|epoll_p?wait|epoll|futex\(|read\(|resumed>/.test(seen);

/** A limit of the daemon that an attempt changed. */
const limits = (victim: Victim): string =>
  existsSync(`/proc/${victim.daemonId}/limits`)
    ? readFileSync(`/proc/${victim.daemonId}/limits`, 'utf8')
    : '';

const niceness = (victim: Victim): string =>
  readFileSync(`/proc/${victim.daemonId}/stat`, 'utf8').split(') ')[1]?.split(' ')[16] ?? '';

function alters(needs: string, spelling: (id: number) => string, state: (victim: Victim) => string): Attack {
  return {
    name: spelled(spelling),
    needs,
    attempt: async (victim) => {
      const before = state(victim);
      await victim.run(spelling(victim.daemonId));
      return state(victim) !== before;
    },
  };
}

const secretsIn = (attempt: Attempt, victim: Victim) => victim.holdsSecret(attempt, victim.secrets());

export const attachAttacks: readonly Attack[] = [
  attaches('strace', (id) => `strace -f -p ${id} -e trace=read,recvfrom,readv -s 400 -o trace.txt`, traced),
  attaches('strace', (id) => `strace -fp ${id}`, traced),
  attaches('strace', (id) => `strace --attach=${id} -o trace.txt`, traced),
  attaches('strace', () => 'strace -f -p "$(pgrep -f sallyport | head -1)" -o trace.txt', traced),
  attaches('strace', (id) => `p=${id}; timeout 3 strace -o trace.txt -p $p`, traced),
  attaches('ltrace', (id) => `ltrace -p ${id} -o trace.txt`, traced),
  attaches('perf', (id) => `perf trace -p ${id} -o trace.txt`, traced),
  attaches(
    'bpftrace',
    () => 'bpftrace -e \'tracepoint:syscalls:sys_enter_read { printf("%d attached", pid); }\'',
    traced,
  ),
  attaches(
    'gdb',
    (id) => `gdb -p ${id} -batch -ex 'info threads'`,
    (seen) => /LWP|Thread 0x/.test(seen),
  ),
  attaches(
    'gcore',
    (id) => `gcore -o core ${id}`,
    (seen) => /Saved corefile/.test(seen),
  ),
  quick(showsEnvironment((id) => `cat /proc/${id}/environ`)),
  showsEnvironment(() => 'cat /proc/[0-9]*/environ'),
  showsEnvironment((id) => `cd /proc/${id} && tr '\\0' '\\n' < environ`),
  showsEnvironment((id) => `strings /proc/${id}/environ || cp /proc/${id}/environ loot`),
  showsEnvironment((id) => `ps eww -p ${id}`),
  showsEnvironment(() => 'ps axeww'),
  showsEnvironment((id) => `python3 -c "print(open('/proc/${id}/environ').read())"`),
  {
    name: 'cat /proc/PID/fd/*',
    attempt: async (victim) => {
      const { output } = await victim.run(`cat /proc/${victim.daemonId}/fd/*`);
      return output.includes('SQLite format 3');
    },
  },
  {
    name: 'cat /proc/PID/root/HOME/keys/ledger.key',
    attempt: async (victim) =>
      secretsIn(
        await victim.run(`cat /proc/${victim.daemonId}/root${victim.places.home}/keys/ledger.key`),
        victim,
      ),
  },
  {
    name: 'cat /proc/PID/cwd/../.sallyport/keys/ledger.key',
    attempt: async (victim) =>
      secretsIn(
        await victim.run(
          `cat /proc/${victim.daemonId}/cwd/../${victim.places.home.split('/').at(-1)}/keys/ledger.key`,
        ),
        victim,
      ),
  },
  {
    name: 'nsenter -t PID -m cat HOME/keys/ledger.key',
    needs: 'nsenter',
    attempt: async (victim) =>
      secretsIn(
        await victim.run(`nsenter -t ${victim.daemonId} -U -m cat ${victim.places.home}/keys/ledger.key`),
        victim,
      ),
  },
  alters('prlimit', (id) => `prlimit --pid ${id} --nofile=64:64`, limits),
  alters('renice', (id) => `renice -n 19 -p ${id}`, niceness),
];
