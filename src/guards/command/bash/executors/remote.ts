// Programs that start another somewhere else: on a host, in a container, behind a connection, in a sandbox.

import { splitQuoted } from '../quoted.ts';
import { hole, knownText, mapWithHoles, singleText, type Text, unknownText } from '../values.ts';
import type { Call, Inner } from './inner.ts';
import { readLeading, wordsOf } from './shapes.ts';

/** The words behind the container of `exec` and the image of `run`. */
export function containers({ args }: Call): readonly Inner[] {
  const valued = 'ueEwvpmlhcnfaL';
  const long = wordsOf(
    'user env env-file workdir volume publish memory label hostname name network entrypoint mount cpus platform pull restart runtime device cap-add cap-drop security-opt ulimit add-host dns ip link log-driver log-opt pid ipc userns uts shm-size tmpfs gpus context host log-level file project-name profile index container namespace kubeconfig cluster image overrides service-account detach-keys cidfile',
  );
  let rest = readLeading(args, valued, long).rest;
  while (/^(?:compose|container|builder|exec|run|create|kubectl)$/.test(singleText(rest[0]))) {
    const verb = singleText(rest[0]);
    const reading = readLeading(rest.slice(1), verb === 'exec' ? 'uewncfL' : valued, long);
    rest = reading.rest;
    if (verb !== 'exec' && verb !== 'run' && verb !== 'create') continue;
    const dashes = rest.findIndex((word) => singleText(word) === '--');
    const behind = dashes === -1 ? rest.slice(1) : rest.slice(dashes + 1);
    const entry = reading.values.find(([name]) => name === '--entrypoint')?.[1];
    const argv = entry === undefined ? behind : [entry, ...behind];
    const [program] = argv;
    if (program === undefined || singleText(program).startsWith('-')) {
      const further = readLeading(argv, valued, long).rest;
      return further.length === 0 ? [] : [{ kind: 'argv', argv: further }];
    }
    const places = mountsIn(reading.values);
    return [{ kind: 'argv', argv: places.length === 0 ? argv : argv.map((word) => onHost(word, places)) }];
  }
  return [];
}

/** Where a folder of the host stands in a container. */
interface Mount {
  readonly source: string;
  readonly target: string;
}

const mostMounts = 16;

/** The folders that options of `run` put into a container, those that lie deepest first. */
function mountsIn(values: readonly (readonly [string, Text])[]): readonly Mount[] {
  const mounts = values.flatMap(([name, text]): readonly Mount[] => {
    const given = singleText(text);
    const part = (key: string) => new RegExp(`(?:^|,)(?:${key})=([^,]*)`).exec(given)?.[1] ?? '';
    const [source = '', target = ''] =
      name === '--mount'
        ? [part('source|src'), part('target|dst|destination')]
        : /^(?:-v|--volume)$/.test(name)
          ? given.split(':')
          : [];
    // What is no path is the name of a volume.
    return /^[/.~]/.test(source) && /^\/./.test(target)
      ? [{ source, target: target.replace(/\/$/, '') }]
      : [];
  });
  return mounts.sort((one, other) => other.target.length - one.target.length).slice(0, mostMounts);
}

/** A word for a program in a container, with the places of the host that it names there. */
function onHost(word: Text, mounts: readonly Mount[]): Text {
  return mapWithHoles(word, (text) =>
    mounts.reduce((changed, { source, target }) => {
      const plain = target.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const named = new RegExp(`(?<=^|[\\s"'=;&|(<>])${plain}(?=$|[/\\s"';&|)])`, 'g');
      return changed.replace(named, () => source);
    }, text),
  );
}

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
