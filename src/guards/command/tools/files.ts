// Tools that make, change, move and delete files.

import type { Effect, Value } from '../effects.ts';
import {
  after,
  beginningOf,
  type Call,
  changeMode,
  contentOf,
  effect,
  fromInput,
  inert,
  landingPlace,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  pathTarget,
  type Reading,
  read,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  within,
  write,
} from './tool.ts';

/** Effects for each operand; a tool without operands still names an unknown one where `always` says so. */
function each(operands: readonly Value[], effects: (operand: Value) => readonly Effect[]): readonly Effect[] {
  return operands.flatMap((operand) => effects(operand));
}

/** What is moved or copied, and to where: into `-t FOLDER`, or to the last operand. Null where either is missing. */
function carriedBy({ operands, last }: Reading): {
  readonly sources: readonly Value[];
  readonly destination: Value;
  readonly intoFolder: boolean;
} | null {
  const folder = last('target-directory');
  const sources = folder ? operands : operands.slice(0, -1);
  const destination = folder ?? operands.at(-1);
  if (!destination || sources.length === 0) return null;
  return { sources, destination, intoFolder: folder !== undefined || sources.length > 1 };
}

const rmOptions = options(
  'r/R/recursive f/force i interactive? I d/dir v/verbose one-file-system preserve-root? no-preserve-root F P W x',
);
const rm: Tool = (call) => {
  const given = rmOptions(call.args);
  const recursive = given.has('recursive');
  const force = given.has('force');
  return orInert(
    call,
    each(given.operands, (path) => remove(call, path, { recursive, force })),
  );
};

const rmdirOptions = options('p/parents v/verbose ignore-fail-on-non-empty');
const rmdir: Tool = (call) =>
  orInert(
    call,
    each(rmdirOptions(call.args).operands, (path) => remove(call, path, { detail: 'empty-folder' })),
  );

const unlink: Tool = (call) =>
  orInert(
    call,
    each(rmdirOptions(call.args).operands, (path) => remove(call, path)),
  );

/** Tools that put things where they can be taken back from. */
const trash: Tool = (call) => {
  const given = rmOptions(call.args);
  if (call.program === 'trash' && given.has('e', 'empty'))
    return remove(call, literal('~/.Trash'), { recursive: true });
  const paths = call.program === 'gio' ? given.operands.slice(1) : given.operands;
  return orInert(
    call,
    each(paths, (path) => remove(call, path, { recursive: true, reversible: true })),
  );
};

const shredOptions = options(
  'f/force n/iterations= random-source= s/size= u remove? v/verbose x/exact z/zero r R',
);
const shred: Tool = (call) => {
  const given = shredOptions(call.args);
  const force = given.has('force');
  return orInert(
    call,
    each(given.operands, (path) => {
      const written = write(call, path, { detail: 'shred', force });
      const destroyed = written.some(({ kind }) => kind === 'device') || path.kind !== 'literal';
      if (written.length === 0) return [];
      return destroyed
        ? [...written, ...remove(call, path, { detail: 'shred', force, reversible: false })]
        : remove(call, path, { detail: 'shred', force, reversible: false, recursive: given.has('r', 'R') });
    }),
  );
};

const moveOptions = options(
  'f/force i/interactive n/no-clobber u t/target-directory= T/no-target-directory S/suffix= b backup? update? v/verbose strip-trailing-slashes Z context? exchange no-copy',
);
const mv: Tool = (call) => {
  const given = moveOptions(call.args);
  const carried = carriedBy(given);
  if (carried === null) return inert(call);
  const { sources, destination, intoFolder } = carried;
  const lost = /^\/dev\/(?!shm\/)/.test(beginningOf(destination));
  return [
    ...each(sources, (path) => [
      ...remove(call, path, {
        detail: 'move',
        recursive: true,
        ...(lost ? { reversible: false } : { reversible: true }),
      }),
      ...read(call, path, { detail: 'move' }).filter(({ kind }) => kind === 'secret'),
    ]),
    ...each(sources.slice(0, 16), (path) => landing(call, path, destination, intoFolder, 'move')),
  ];
};

/** Where a copied or moved file ends up: a folder that is clearly one takes the name of the source. */
function landing(
  call: Call,
  source: Value,
  destination: Value,
  intoFolder: boolean,
  detail: string,
): readonly Effect[] {
  return write(call, landingPlace(call, source, destination, intoFolder), {
    detail,
    content: contentOf(source),
  });
}

/** Devices that give bytes for ever. */
const endlessDevice = /^\/dev\/(?:zero|u?random|full)$/;

const copyOptions = options(
  'a/archive f/force i/interactive n/no-clobber l/link s/symbolic-link r/R/recursive u t/target-directory= T/no-target-directory S/suffix= b backup? p preserve? no-preserve= v/verbose x/one-file-system d H L/dereference P/no-dereference sparse= reflink? remove-destination parents Z context? update? attributes-only strip-trailing-slashes',
);
const cp: Tool = (call) => {
  const given = copyOptions(call.args);
  const carried = carriedBy(given);
  if (carried === null) return inert(call);
  const { sources, destination, intoFolder } = carried;
  const recursive = given.has('recursive', 'archive');
  const sourceEffects = each(sources, (path) => read(call, path, { recursive }));
  const origins = sourceEffects.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
  // Only a full disk ends the copy of such a device.
  const endless = !recursive && sources.some((path) => endlessDevice.test(textOf(path) ?? ''));
  return [
    ...sourceEffects,
    ...(endless ? [effect(call, 'bomb', { detail: 'disk' })] : []),
    ...each(sources.slice(0, 16), (path) =>
      landing(call, path, destination, intoFolder, 'copy').map((made) =>
        made.kind === 'write' && origins.length > 0 ? { ...made, origins } : made,
      ),
    ),
  ];
};

const installOptions = options(
  'b backup? c C/compare d/directory D g/group= m/mode= o/owner= p/preserve-timestamps s/strip strip-program= S/suffix= t/target-directory= T/no-target-directory v/verbose Z',
);
const install: Tool = (call) => {
  const given = installOptions(call.args);
  const mode = given.last('mode');
  const special = /^[0-7]?[2467][0-7]{3}$|s/.test(beginningOf(mode ?? literal('')));
  if (given.has('directory'))
    return orInert(
      call,
      each(given.operands, (path) => write(call, path, { detail: 'create' })),
    );
  const carried = carriedBy(given);
  if (carried === null) return inert(call);
  const { sources, destination, intoFolder } = carried;
  return [
    ...each(sources, (path) => read(call, path)),
    ...each(sources, (path) => landing(call, path, destination, intoFolder, 'copy')),
    ...(mode ? changeMode(call, destination, { detail: beginningOf(mode) }) : []),
    ...(special
      ? [effect(call, 'privilege', { detail: 'setuid', target: { kind: 'path', path: destination } })]
      : []),
  ];
};

const linkOptions = options(
  's/symbolic f/force n/no-dereference t/target-directory= T/no-target-directory r/relative v/verbose b backup? S/suffix= i/interactive L/logical P/physical h',
);
const ln: Tool = (call) => {
  const given = linkOptions(call.args);
  const folder = given.last('target-directory');
  const force = given.has('force');
  const [first] = given.operands;
  if (!first) return inert(call);
  const sources = folder || given.operands.length === 1 ? given.operands : given.operands.slice(0, -1);
  const destination = folder ?? (given.operands.length > 1 ? given.operands.at(-1) : undefined);
  // What a symbolic link holds is read from where the link is.
  const relative = given.has('symbolic') && !given.has('relative');
  return [
    ...each(sources, (path) => read(call, path, { detail: 'link' })),
    ...each(sources, (path) => {
      const place = destination ? landingPlace(call, path, destination, folder !== undefined) : nameOf(path);
      const content = contentOf(relative ? within(folderOf(place), path) : path);
      return write(call, place, { detail: 'link', content, ...(destination ? {} : { force }) });
    }),
  ];
};

/** The last part of a path. */
function nameOf(path: Value): Value {
  const name = textOf(path)?.replace(/\/+$/, '').split('/').at(-1);
  return name ? literal(name) : unknownValue;
}

/** The folder that a path is in, where it names one. */
function folderOf(path: Value): Value | undefined {
  const slash = textOf(path)?.lastIndexOf('/') ?? -1;
  return slash > 0 ? mapValue(path, (text) => text.slice(0, slash)) : undefined;
}

/** `dd` takes its operands as `name=value`. */
const dd: Tool = (call) => {
  const effects: Effect[] = [];
  let count: string | null = null;
  let endless = false;
  let output: Value | undefined;
  let origins = call.io.stdinOrigins;
  let content = fromInput;
  for (const argument of call.args) {
    const text = beginningOf(argument);
    const equals = text.indexOf('=');
    const value = after(argument, equals + 1);
    if (argument.kind === 'unknown') output ??= unknownValue;
    else if (text.startsWith('of=')) output = value;
    else if (text.startsWith('count=')) count = textOf(value);
    else if (text.startsWith('if=')) {
      endless = endlessDevice.test(textOf(value) ?? '');
      const sources = read(call, value);
      content = contentOf(value);
      if (sources.some(({ kind }) => kind === 'secret')) origins = [...origins, 'secret'];
      effects.push(...sources);
    }
  }
  if (output) effects.push(...write(call, output, { detail: 'overwrite', origins, content }));
  if (endless && count === null && (!output || effects.some(({ kind }) => kind === 'write')))
    effects.push(effect(call, 'bomb', { detail: 'disk', ...(output ? { target: pathTarget(output) } : {}) }));
  return orInert(call, effects);
};

const teeOptions = options('a/append i/ignore-interrupts p output-error?');
const tee: Tool = (call) => {
  const given = teeOptions(call.args);
  const detail = given.has('append') ? 'append' : 'overwrite';
  return orInert(
    call,
    each(given.operands, (path) =>
      write(call, path, { detail, origins: call.io.stdinOrigins, content: fromInput }),
    ),
  );
};

const truncateOptions = options('c/no-create o/io-blocks r/reference= s/size=');
const truncate: Tool = (call) => {
  const given = truncateOptions(call.args);
  const size = textOf(given.last('size') ?? unknownValue);
  const grows = size !== null && /^\+/.test(size);
  return orInert(
    call,
    each(given.operands, (path) => write(call, path, { detail: grows ? 'append' : 'truncate' })),
  );
};

const touchOptions = options('a c/no-create d/date= f h/no-dereference m r/reference= t= time=');
const touch: Tool = (call) =>
  orInert(
    call,
    each(touchOptions(call.args).operands, (path) => write(call, path, { detail: 'touch' })),
  );

const mkdirOptions = options('m/mode= p/parents v/verbose Z context?');
const mkdir: Tool = (call) =>
  orInert(
    call,
    each(mkdirOptions(call.args).operands, (path) => write(call, path, { detail: 'folder' })),
  );

const fallocateOptions = options(
  'c/collapse-range d/dig-holes i/insert-range l/length= n/keep-size o/offset= p/punch-hole v/verbose x/posix z/zero-range',
);
const fallocate: Tool = (call) => {
  const given = fallocateOptions(call.args);
  const huge = /^\d+(?:\.\d+)?(?:T|P|E|TB|TiB|PB|PiB)|^\d{13,}|^[1-9]\d{2,}G/i.test(
    textOf(given.last('length') ?? literal('')) ?? '',
  );
  return [
    ...each(given.operands, (path) =>
      write(call, path, { detail: given.has('p', 'z', 'c') ? 'truncate' : 'create' }),
    ),
    ...(huge ? [effect(call, 'bomb', { detail: 'disk' })] : []),
  ];
};

const splitOptions = options(
  'a/suffix-length= additional-suffix= b/bytes= C/line-bytes= d numeric-suffixes? x hex-suffixes? e/elide-empty-files filter= l/lines= n/number= t/separator= u verbose f/prefix= k/keep-files s/quiet z',
);
const split: Tool = (call) => {
  const given = splitOptions(call.args);
  const [input, second, name] = given.operands;
  const numbered = call.program === 'csplit';
  const prefix = numbered ? given.last('prefix') : second;
  // A service has a command line of the same name.
  if (second && textOf(second) === 'delete')
    return [effect(call, 'cloud', { detail: 'delete', target: nameTarget(name) })];
  return [
    ...(input ? read(call, input) : []),
    ...write(call, prefix ?? literal(numbered ? 'xx' : 'x'), { detail: 'split' }),
  ];
};

const mktempOptions = options('d/directory u/dry-run q/quiet suffix= p/tmpdir= t');
const mktemp: Tool = (call) => {
  const given = mktempOptions(call.args);
  const folder = given.last('tmpdir');
  return folder
    ? write(call, within(folder, given.operands[0] ?? literal('tmp.XXXXXX')), { detail: 'create' })
    : inert(call, 'temporary');
};

const mknod: Tool = (call) =>
  each(mkdirOptions(call.args).operands.slice(0, 1), (path) =>
    write(call, path, { detail: call.program === 'mkfifo' ? 'create' : 'device-node' }),
  );

const renameOptions = options('n/nono f/force v/verbose e= E= s= d o/no-overwrite i a l u');
const rename: Tool = (call) => {
  const [, ...paths] = renameOptions(call.args).operands;
  return orInert(
    call,
    each(paths, (path) => write(call, path, { detail: 'move' })),
  );
};

/** Edits in place, from a command such as `sed -i` that others read. */
const patchOptions = options(
  'p/strip= i/input= d/directory= o/output= R/reverse r/reject-file= b/backup N/forward E t f/force s/silent dry-run B/prefix= z/suffix= F/fuzz= D/ifdef= u c n e l',
);
const patch: Tool = (call) => {
  const given = patchOptions(call.args);
  if (given.has('dry-run')) return inert(call, 'dry-run');
  const input = given.last('input') ?? given.operands[1];
  const target = given.last('output') ?? given.operands[0] ?? given.last('directory') ?? literal('.');
  return [
    ...(input ? read(call, input) : []),
    ...write(call, target, { detail: 'edit', origins: call.io.stdinOrigins }),
  ];
};

const dos2unixOptions = options('n/newfile o/oldfile k q f c= i?');
const dos2unix: Tool = (call) => {
  const given = dos2unixOptions(call.args);
  if (!given.has('newfile'))
    return orInert(
      call,
      each(given.operands, (path) => write(call, path, { detail: 'edit' })),
    );
  return given.operands.flatMap((path, at) =>
    at % 2 === 0
      ? read(call, path)
      : write(call, path, { detail: 'overwrite', content: contentOf(given.operands[at - 1] ?? path) }),
  );
};

export const fileTools: Tools = {
  rm,
  grm: rm,
  unlink,
  rmdir,
  'trash-put': trash,
  trash,
  gtrash: trash,
  rimraf: (call) =>
    orInert(
      call,
      each(rmOptions(call.args).operands, (path) => remove(call, path, { recursive: true, force: true })),
    ),
  'del-cli': (call) =>
    orInert(
      call,
      each(rmOptions(call.args).operands, (path) => remove(call, path, { recursive: true, force: true })),
    ),
  shred,
  wipe: shred,
  srm: rm,
  scrub: shred,
  mv,
  gmv: mv,
  cp,
  gcp: cp,
  ditto: cp,
  install,
  ginstall: install,
  ln,
  link: ln,
  dd,
  dcfldd: dd,
  dc3dd: dd,
  tee,
  truncate,
  touch,
  mkdir,
  mkfifo: mknod,
  mknod,
  fallocate,
  split,
  csplit: split,
  mktemp,
  tempfile: mktemp,
  rename,
  prename: rename,
  'perl-rename': rename,
  patch,
  dos2unix,
  unix2dos: dos2unix,
};
