import { singleText } from '../values.ts';
import type { Call, Inner } from './inner.ts';

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
