// Programs that start another somewhere else: on a host, in a container, behind a connection, in a sandbox.

import { splitQuoted } from '../quoted.ts';
import { hole, knownText, singleText, unknownText } from '../values.ts';
import type { Call, Inner } from './inner.ts';

/** `socat`'s addresses that run something. */
export function socat({ args }: Call): readonly Inner[] {
  return args.flatMap((arg) =>
    arg.alternatives.flatMap((text): readonly Inner[] => {
      const run = /^(?:EXEC|SYSTEM|SHELL):"?([^",]*)/i.exec(text);
      return run === null ? [] : [networkFed(run[1] ?? '')];
    }),
  );
}

function networkFed(command: string): Inner {
  const argv = splitQuoted(command).map((word) => knownText(word));
  return { kind: 'argv', argv, input: unknownText(['network']) };
}

export function netcat({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = singleText(args[index + 1]);
    const attached = /^--(?:exec|sh-exec|lua-exec)=(.*)$/.exec(text)?.[1];
    if (attached !== undefined) inner.push(networkFed(attached));
    else if (/^(?:-\w*[ec]|--exec|--sh-exec)$/.test(text) && next !== hole) inner.push(networkFed(next));
  }
  return inner;
}

const bubblewrapCounts: Readonly<Record<string, number>> = {
  '--bind': 2,
  '--ro-bind': 2,
  '--dev-bind': 2,
  '--bind-try': 2,
  '--ro-bind-try': 2,
  '--dev-bind-try': 2,
  '--symlink': 2,
  '--setenv': 2,
  '--file': 2,
  '--bind-data': 2,
  '--ro-bind-data': 2,
  '--chmod': 2,
  '--dev': 1,
  '--proc': 1,
  '--tmpfs': 1,
  '--dir': 1,
  '--chdir': 1,
  '--unsetenv': 1,
  '--uid': 1,
  '--gid': 1,
  '--hostname': 1,
  '--mqueue': 1,
  '--remount-ro': 1,
  '--seccomp': 1,
  '--lock-file': 1,
  '--sync-fd': 1,
  '--args': 1,
  '--userns': 1,
  '--cap-add': 1,
  '--cap-drop': 1,
  '--perms': 1,
};

export function bubblewrap({ args }: Call): readonly Inner[] {
  let index = 0;
  while (singleText(args[index]).startsWith('--')) {
    const text = singleText(args[index]);
    index += 1 + (bubblewrapCounts[text] ?? 0);
    if (text === '--') break;
  }
  const argv = args.slice(index);
  return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
}
