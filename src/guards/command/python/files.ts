// Python's libraries for files and folders.

import {
  after,
  contentOf,
  copies,
  deletes,
  effects,
  keeps,
  modeOf,
  modes,
  moves,
  reads,
  writes,
} from '../script/actions.ts';
import { operate } from '../script/calls.ts';
import type { Call, Operation } from '../script/machine.ts';
import { itemsOf } from '../script/objects.ts';
import {
  concat,
  handle,
  hole,
  list,
  literal,
  literals,
  mapTexts,
  merge,
  none,
  originsOf,
  type TextThing,
  type Thing,
  text,
  texts,
  textsOf,
  truth,
  truthOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';

/** One path after the other, as `os.path.join` has it. */
export function joinPaths(parts: readonly Thing[], form: TextThing['form']): TextThing {
  const many = parts.some((part) => part.kind === 'text' && part.many);
  const made = parts.reduce<readonly string[]>(
    (held, part) => held.flatMap((left) => textsOf(part).map((right) => joined(left, right))).slice(0, 64),
    [''],
  );
  return texts(made, { form, many, origins: merge(...parts.map((part) => originsOf(part))) });
}

function joined(left: string, right: string): string {
  if (left === '' || right.startsWith('/')) return right;
  return left.endsWith('/') ? left + right : `${left}/${right}`;
}

/** The folder of a path; where the end of the path is not known, neither is the end of the folder. */
export function folderOf(given: string): string {
  const at = given.lastIndexOf('/');
  const folder = at > 0 ? given.slice(0, at) : at === 0 ? '/' : '';
  return given.slice(at + 1).includes(hole) ? folder + hole : folder;
}

/** What stands in a folder: its path with something unknown after it. */
function childOf(folder: Thing | undefined, form: TextThing['form']): TextThing {
  return texts(
    (folder ? textsOf(folder) : ['.']).map((path) =>
      path === '' || path === '.' ? `./${hole}` : joined(path, hole),
    ),
    { form, many: true, origins: originsOf(folder) },
  );
}

function path(thing: Thing): TextThing {
  if (thing.kind === 'text') return { ...thing, form: 'path' };
  return texts(textsOf(thing), { form: 'path', origins: originsOf(thing) });
}

const home = ({ machine }: Call): TextThing => text(machine.record.around.home ?? '~');

function expandUser(given: Thing | undefined, call: Call): Thing {
  const folder = call.machine.record.around.home;
  if (given?.kind !== 'text' || folder === null) return given ?? unknown;
  return { ...given, texts: given.texts.map((alternative) => alternative.replace(/^~(?=\/|$)/, folder)) };
}

function folderChanged(call: Call): Thing {
  call.machine.record.move(call.at(0, 'path'));
  return none;
}

/** An opened file, with the effect of opening it. */
function opens(call: Call, file: Thing | undefined, mode: Thing | undefined): Thing {
  const given = mode === undefined || mode.kind === 'none' ? ['r'] : textsOf(mode);
  const writing = given.some((letters) => /[wax+]/.test(letters) || letters.includes(hole));
  const reading = given.some((letters) => /[r+]/.test(letters) || letters.includes(hole));
  const appends = given.every((letters) => letters.includes('a'));
  const content = reading ? reads(call, file) : contentOf(call, file);
  if (writing) {
    writes(call, file, undefined, { detail: appends ? 'append' : reading ? 'edit' : 'overwrite' });
    if (given.every((letters) => letters.includes('w')) && file) keeps(call, file, text(''), false);
  }
  return handle('file', {
    path: file ?? unknown,
    name: file ?? unknown,
    content: writing && !reading ? text(hole) : content,
    items: list([unknownFrom(originsOf(content))], false),
    reading: reading ? text('yes') : none,
  });
}

function fileContent({ receiver }: Call): Thing {
  return (receiver.kind === 'handle' && receiver.fields.get('content')) || unknown;
}

function fileWrite(call: Call): Thing {
  const { receiver, args } = call;
  if (receiver.kind !== 'handle') return none;
  const [data = unknown] = args;
  const content =
    data.kind === 'list'
      ? concat(
          itemsOf(call.machine, data).items.map((item) => textsOf(item)),
          { origins: originsOf(data) },
        )
      : data;
  const file = receiver.fields.get('path');
  const origins = originsOf(content);
  if (origins.length > 0) writes(call, file, undefined, { origins, detail: 'overwrite' });
  keeps(call, file, content, true);
  return unknown;
}

/** What is written to a file object by another library. */
function dumps(call: Call, file: Thing | undefined, data: Thing | undefined): void {
  if (file?.kind === 'handle' && file.type === 'file')
    fileWrite({ ...call, receiver: file, args: [unknownFrom(originsOf(data))] });
}

const deletesFirst: Operation = (call) => {
  deletes(call, call.at(0, 'path'));
  return none;
};
const writesFirst =
  (detail: string, name = 'path'): Operation =>
  (call) => {
    writes(call, call.at(0, name), undefined, { detail });
    return none;
  };
const readsFirst: Operation = (call) => reads(call, call.args[0] ?? [...call.keywords.values()][0]);

/** Reads a file in which objects may stand that run code when they are made, where it is told so. */
function readsObjects(isTold: (call: Call) => boolean): Operation {
  return (call) => {
    if (isTold(call)) effects(call, 'run', { detail: 'deserialise', origins: ['unknown'] });
    return readsFirst(call);
  };
}
const listsFirst: Operation = (call) => {
  reads(call, call.args[0] ?? text('.'), { detail: 'list' });
  return list([text(hole, { many: true })], false);
};
const movesFirst: Operation = (call) => {
  moves(call, call.at(0, 'src'), call.at(1, 'dst'));
  return call.at(1, 'dst') ?? unknown;
};
const copiesFirst =
  (recursive = false): Operation =>
  (call) => {
    copies(call, call.at(0, 'src'), call.at(1, 'dst'), recursive);
    return call.at(1, 'dst') ?? unknown;
  };
const modesFirst: Operation = (call) => {
  modes(call, call.at(0, 'path'), modeOf(call.at(1, 'mode')));
  return none;
};
const ownerOf = (thing: Thing | undefined): string =>
  thing === undefined || thing.kind === 'none'
    ? ''
    : thing.kind === 'number'
      ? String(thing.value)
      : (literal(thing) ?? 'unknown');
const ownsFirst: Operation = (call) => {
  const owner = ownerOf(call.at(1, 'user') ?? call.keywords.get('uid'));
  const group = ownerOf(call.at(2, 'group') ?? call.keywords.get('gid'));
  modes(call, call.at(0, 'path'), group === '' ? owner : `${owner}:${group}`);
  return none;
};
const links: Operation = (call) => {
  // What is reached under another name is read as under its own.
  reads(call, call.at(0, 'src'), { detail: 'link' });
  writes(call, call.at(1, 'dst'), contentOf(call, call.at(0, 'src')), { detail: 'link' });
  return none;
};
const globs: Operation = (call) => {
  const pattern = call.at(0, 'pathname');
  reads(call, pattern?.kind === 'text' ? { ...pattern, many: true } : pattern, { detail: 'list' });
  if (pattern?.kind !== 'text') return list([text(hole, { many: true })], false);
  return list([{ ...pattern, many: true }], false);
};
const walks: Operation = (call) => {
  const top = call.at(0, 'top');
  reads(call, top, { detail: 'list', recursive: true });
  const below = childOf(top, 'string');
  const folder = texts([...textsOf(top), ...below.texts], { many: true, origins: below.origins });
  const names = list([text(hole, { many: true })], false);
  return list([list([folder, names, names])], false);
};
const scans: Operation = (call) => {
  const folder = call.at(0, 'path');
  reads(call, folder ?? text('.'), { detail: 'list' });
  return list(
    [handle('entry', { path: childOf(folder, 'string'), name: text(hole, { many: true }) })],
    false,
  );
};
const unpacks: Operation = (call) => {
  writes(call, call.at(0, 'path') ?? text('.'), undefined, { detail: 'unpack', recursive: true });
  return none;
};
const archives: Operation = (call) => {
  const mode = literal(call.at(1, 'mode')) ?? 'r';
  const file = call.at(0, call.name === 'tarfile.open' ? 'name' : 'file');
  const content = /[wax]/.test(mode)
    ? after(writes(call, file, undefined, { detail: 'pack' }), unknown)
    : reads(call, file);
  return handle('archive', { path: file ?? unknown, content });
};

/** The path that a method of a path is called on; where it is not known, an unknown one. */
const onPath =
  (act: (call: Call, file: Thing) => Thing): Operation =>
  (call) =>
    act(
      call,
      call.receiver.kind === 'text'
        ? call.receiver
        : text(hole, { form: 'path', origins: originsOf(call.receiver) }),
    );

const pathMethods: Readonly<Record<string, Operation>> = {
  unlink: onPath((call, file) => after(deletes(call, file), none)),
  rmdir: onPath((call, file) => after(deletes(call, file, { detail: 'empty-folder' }), none)),
  write_text: onPath((call, file) =>
    after(writes(call, file, call.at(0, 'data') ?? unknown, { detail: 'overwrite' }), unknown),
  ),
  write_bytes: onPath((call, file) =>
    after(writes(call, file, call.at(0, 'data') ?? unknown, { detail: 'overwrite' }), unknown),
  ),
  read_text: onPath((call, file) => reads(call, file)),
  read_bytes: onPath((call, file) => reads(call, file)),
  touch: onPath((call, file) => after(writes(call, file, undefined, { detail: 'touch' }), none)),
  symlink_to: onPath((call, file) => after(writes(call, file, call.args[0], { detail: 'link' }), none)),
  hardlink_to: onPath((call, file) => after(writes(call, file, call.args[0], { detail: 'link' }), none)),
  iterdir: onPath((call, file) => {
    reads(call, file, { detail: 'list' });
    return list([childOf(file, 'path')], false);
  }),
  rglob: onPath((call, file) => {
    reads(call, file, { detail: 'list', recursive: true });
    return list([childOf(file, 'path')], false);
  }),
};

/** Methods whose names alone do not tell that a path is meant. */
const knownPathMethods: Readonly<Record<string, Operation>> = {
  open: (call) => opens(call, call.receiver, call.at(0, 'mode')),
  chmod: (call) => after(modes(call, call.receiver, modeOf(call.at(0, 'mode'))), none),
  lchmod: (call) => after(modes(call, call.receiver, modeOf(call.at(0, 'mode'))), none),
  rename: (call) =>
    after(moves(call, call.receiver, call.at(0, 'target')), path(call.at(0, 'target') ?? unknown)),
  replace: (call) =>
    after(moves(call, call.receiver, call.at(0, 'target')), path(call.at(0, 'target') ?? unknown)),
  move: (call) =>
    after(moves(call, call.receiver, call.at(0, 'target')), path(call.at(0, 'target') ?? unknown)),
  copy: (call) =>
    after(copies(call, call.receiver, call.at(0, 'target')), path(call.at(0, 'target') ?? unknown)),
  mkdir: (call) => after(writes(call, call.receiver, undefined, { detail: 'folder' }), none),
  glob: (call) => {
    reads(call, call.receiver, { detail: 'list' });
    const pattern = joinPaths([call.receiver, call.args[0] ?? unknown], 'path');
    return list([{ ...pattern, many: true }], false);
  },
  walk: (call) => walks({ ...call, at: () => call.receiver }),
  joinpath: ({ receiver, args }) => joinPaths([receiver, ...args], 'path'),
  expanduser: (call) => expandUser(call.receiver, call),
  resolve: ({ receiver }) => receiver,
  absolute: ({ receiver }) => receiver,
  as_posix: ({ receiver }) => (receiver.kind === 'text' ? { ...receiver, form: 'string' } : unknown),
  with_suffix: ({ receiver, args }) =>
    mapTexts(receiver, (given) => given.replace(/(?:\.[^./]*)?$/, () => literal(args[0]) ?? hole)) ??
    receiver,
  with_name: ({ receiver, args }) =>
    joinPaths(
      [mapTexts(receiver, (given) => given.replace(/\/?[^/]*$/, '')) ?? unknown, args[0] ?? unknown],
      'path',
    ),
  relative_to: ({ receiver }) => receiver,
};

export const fileOperations: Record<string, Operation> = {
  'os.remove': deletesFirst,
  'os.unlink': deletesFirst,
  'os.rmdir': (call) => after(deletes(call, call.at(0, 'path'), { detail: 'empty-folder' }), none),
  'os.removedirs': (call) => after(deletes(call, call.at(0, 'name'), { detail: 'empty-folder' }), none),
  'shutil.rmtree': (call) => after(deletes(call, call.at(0, 'path'), { recursive: true, force: true }), none),
  'distutils.dir_util.remove_tree': (call) =>
    after(deletes(call, call.at(0, 'directory'), { recursive: true, force: true }), none),
  'send2trash.send2trash': (call) => after(deletes(call, call.at(0, 'paths'), { reversible: true }), none),
  'os.rename': movesFirst,
  'os.renames': movesFirst,
  'os.replace': movesFirst,
  'shutil.move': movesFirst,
  'shutil.copy': copiesFirst(),
  'shutil.copy2': copiesFirst(),
  'shutil.copyfile': copiesFirst(),
  'shutil.copyfileobj': (call) => {
    const [from, to] = call.args;
    if (to?.kind === 'handle') fileWrite({ ...call, receiver: to, args: [unknownFrom(originsOf(from))] });
    return none;
  },
  'shutil.copytree': copiesFirst(true),
  'shutil.copymode': () => none,
  'shutil.chown': ownsFirst,
  'shutil.make_archive': (call) => {
    const content = reads(call, call.at(2, 'root_dir') ?? text('.'), { recursive: true });
    const base = call.at(0, 'base_name');
    const end = literal(call.at(1, 'format')) ?? 'zip';
    const file = concat([textsOf(base), [`.${{ gztar: 'tar.gz', bztar: 'tar.bz2' }[end] ?? end}`]], {
      origins: originsOf(content),
    });
    writes(call, file, content, { detail: 'pack' });
    return file;
  },
  'shutil.unpack_archive': (call) => {
    reads(call, call.at(0, 'filename'));
    writes(call, call.at(1, 'extract_dir') ?? text('.'), undefined, { detail: 'unpack', recursive: true });
    return none;
  },
  'os.link': links,
  'os.symlink': links,
  'os.chmod': modesFirst,
  'os.lchmod': modesFirst,
  'os.chown': ownsFirst,
  'os.lchown': ownsFirst,
  'os.mkdir': writesFirst('folder'),
  'os.makedirs': writesFirst('folder', 'name'),
  'os.mkfifo': writesFirst('create'),
  'os.mknod': writesFirst('create'),
  'os.truncate': writesFirst('overwrite'),
  'os.utime': writesFirst('touch'),
  'os.setxattr': writesFirst('edit'),
  'os.chroot': (call) => after(effects(call, 'privilege', { detail: 'chroot' }), none),
  'os.chdir': folderChanged,
  'os.open': (call) => {
    const flags = call.at(1, 'flags');
    const number = flags?.kind === 'number' ? flags.value : 3;
    const file = call.at(0, 'path');
    if (number & 0x443) writes(call, file, undefined, { detail: 'overwrite' });
    const content = (number & 3) === 1 ? unknown : reads(call, file);
    return handle('file', { path: file ?? unknown, content });
  },
  'os.fdopen': ({ args: [given = unknown] }) => given,
  'os.write': (call) =>
    call.args[0]?.kind === 'handle'
      ? fileWrite({ ...call, receiver: call.args[0], args: call.args.slice(1) })
      : unknown,
  'os.read': ({ args: [given] }) => unknownFrom(originsOf(given)),
  'os.listdir': listsFirst,
  'os.scandir': scans,
  'os.walk': walks,
  'os.fwalk': walks,
  'os.readlink': readsFirst,
  'glob.glob': globs,
  'glob.iglob': globs,
  'builtins.open': (call) => opens(call, call.at(0, 'file'), call.at(1, 'mode')),
  'io.open': (call) => opens(call, call.at(0, 'file'), call.at(1, 'mode')),
  'codecs.open': (call) => opens(call, call.at(0, 'filename'), call.at(1, 'mode')),
  'gzip.open': (call) => opens(call, call.at(0, 'filename'), call.at(1, 'mode')),
  'bz2.open': (call) => opens(call, call.at(0, 'filename'), call.at(1, 'mode')),
  'lzma.open': (call) => opens(call, call.at(0, 'filename'), call.at(1, 'mode')),
  'aiofiles.open': (call) => opens(call, call.at(0, 'file'), call.at(1, 'mode')),
  'builtins.file': (call) => opens(call, call.at(0, 'file'), call.at(1, 'mode')),
  'linecache.getline': readsFirst,
  'linecache.getlines': readsFirst,
  'fileinput.input': (call) => {
    const files = call.at(0, 'files');
    const content = reads(call, files);
    if (call.keywords.has('inplace')) writes(call, files, undefined, { detail: 'edit' });
    return list([content], false);
  },
  'mmap.mmap': ({ args: [given] }) => unknownFrom(originsOf(given)),
  'zipfile.ZipFile': archives,
  'tarfile.open': archives,
  'tarfile.TarFile': archives,
  '<archive>.extractall': unpacks,
  '<archive>.extract': (call) => unpacks({ ...call, at: () => call.at(1, 'path') }),
  '<archive>.write': (call) => {
    const content = reads(call, call.at(0, 'filename'));
    if (call.receiver.kind === 'handle') call.machine.set(call.receiver.fields, 'content', content);
    return none;
  },
  '<archive>.add': (call) => {
    const content = reads(call, call.at(0, 'name'));
    if (call.receiver.kind === 'handle') call.machine.set(call.receiver.fields, 'content', content);
    return none;
  },
  'tempfile.mkdtemp': () => text(`/tmp/${hole}`),
  'tempfile.mktemp': () => text(`/tmp/${hole}`),
  'tempfile.gettempdir': () => text('/tmp'),
  'tempfile.mkstemp': () => list([unknown, text(`/tmp/${hole}`)]),
  'tempfile.TemporaryDirectory': () => text(`/tmp/${hole}`),
  'tempfile.NamedTemporaryFile': () =>
    handle('file', { path: text(`/tmp/${hole}`), name: text(`/tmp/${hole}`) }),
  'tempfile.TemporaryFile': () => handle('file', { path: text(`/tmp/${hole}`) }),

  '<file>.read': fileContent,
  '<file>.readline': fileContent,
  '<file>.readlines': (call) => list([unknownFrom(originsOf(fileContent(call)))], false),
  '<file>.write': fileWrite,
  '<file>.writelines': fileWrite,
  '<file>.truncate': () => none,
  '<file>.close': () => none,
  '<file>.fileno': ({ receiver }) => receiver,
  'json.load': ({ args: [file] }) => unknownFrom(originsOf(file)),
  'json.dump': (call) => after(dumps(call, call.at(1, 'fp'), call.at(0, 'obj')), none),
  'pickle.dump': (call) => {
    const file = call.at(1, 'file');
    if (file?.kind === 'text') writes(call, file, undefined, { detail: 'overwrite' });
    else dumps(call, file, call.at(0, 'obj'));
    return none;
  },
  'yaml.dump': (call) => after(dumps(call, call.at(1, 'stream'), call.at(0, 'data')), some(call)),
  'yaml.safe_load': ({ args: [given] }) => unknownFrom(originsOf(given)),

  'pathlib.Path': ({ args }) => (args.length === 0 ? text('.', { form: 'path' }) : joinPaths(args, 'path')),
  'pathlib.PurePath': ({ args }) => joinPaths(args, 'path'),
  'pathlib.PosixPath': ({ args }) => joinPaths(args, 'path'),
  'pathlib.PurePosixPath': ({ args }) => joinPaths(args, 'path'),
  'pathlib.Path.home': (call) => path(home(call)),
  'pathlib.Path.cwd': ({ machine }) => text(machine.record.around.cwd, { form: 'path' }),
  'os.path.join': ({ args }) => joinPaths(args, 'string'),
  'os.path.expanduser': (call) => expandUser(call.args[0], call),
  'os.path.expandvars': (call) => {
    const { home: folder } = call.machine.record.around;
    return (
      mapTexts(call.args[0], (given) =>
        given.replace(/\$(?:HOME\b|\{HOME\})/g, () => folder ?? '~').replace(/\$\{?\w+\}?/g, hole),
      ) ??
      call.args[0] ??
      unknown
    );
  },
  'os.path.abspath': (call) => fullPath(call),
  'os.path.realpath': (call) => fullPath(call),
  'os.path.normpath': ({ args: [given = unknown] }) => given,
  'os.path.basename': ({ args: [given = unknown] }) =>
    mapTexts(given, (known) => known.slice(known.lastIndexOf('/') + 1)) ??
    text(hole, { origins: originsOf(given), many: given.kind === 'text' && given.many }),
  'os.path.dirname': ({ args: [given = unknown] }) =>
    given.kind === 'text'
      ? texts(given.texts.map(folderOf), { origins: given.origins, many: given.many })
      : unknown,
  'os.path.splitext': ({ args: [given = unknown] }) => {
    const known = literal(given);
    const at = known === null ? -1 : known.lastIndexOf('.');
    return known === null || at <= 0
      ? list([given, text('')])
      : list([text(known.slice(0, at)), text(known.slice(at))]);
  },
  'os.path.split': ({ args: [given = unknown] }) => {
    const known = literal(given);
    if (known === null) return list([unknown, unknown]);
    return list([
      text(known.slice(0, Math.max(0, known.lastIndexOf('/')))),
      text(known.slice(known.lastIndexOf('/') + 1)),
    ]);
  },
  'os.fspath': ({ args: [given = unknown] }) => given,
  'os.fsencode': ({ args: [given = unknown] }) => given,
  'os.fsdecode': ({ args: [given = unknown] }) => given,
  'os.getcwd': ({ machine }) => text(machine.record.lost ? hole : machine.record.around.cwd),
  'os.getcwdb': ({ machine }) => text(machine.record.lost ? hole : machine.record.around.cwd),

  // Tables and pictures.
  '<any>.to_csv': onWrite('path_or_buf'),
  '<any>.to_json': onWrite('path_or_buf'),
  '<any>.to_excel': onWrite('excel_writer'),
  '<any>.to_parquet': onWrite('path'),
  '<any>.to_pickle': onWrite('path'),
  '<any>.savefig': onWrite('fname'),
  '<any>.save': onWrite('fp'),
  '<instance>.save': onWrite('fp'),
  'matplotlib.pyplot.savefig': onWrite('fname'),
  'numpy.save': onWrite('file'),
  'numpy.savetxt': onWrite('fname'),
  'numpy.savez': onWrite('file'),
  'numpy.load': readsObjects((call) => truthOf(call.at(2, 'allow_pickle') ?? truth(false)) !== false),
  'torch.load': readsObjects((call) => truthOf(call.keywords.get('weights_only') ?? truth(true)) === false),
  'numpy.loadtxt': readsFirst,
  'numpy.fromfile': readsFirst,
  'numpy.memmap': readsFirst,
  'numpy.genfromtxt': readsFirst,
  'pandas.read_csv': readsUnlessUrl,
  'pandas.read_json': readsUnlessUrl,
  'pandas.read_excel': readsUnlessUrl,
  'pandas.read_parquet': readsUnlessUrl,
  'logging.basicConfig': (call) => {
    if (call.keywords.has('filename'))
      writes(call, call.keywords.get('filename'), undefined, { detail: 'append' });
    return none;
  },
  'logging.FileHandler': (call) =>
    after(writes(call, call.at(0, 'filename'), undefined, { detail: 'append' }), unknown),
  'torch.save': (call) => after(writes(call, call.at(1, 'f'), undefined, { detail: 'overwrite' }), none),
};

for (const [name, operation] of Object.entries(pathMethods)) {
  fileOperations[`<path>.${name}`] = operation;
  fileOperations[`<unknown>.${name}`] = operation;
  fileOperations[`<bound>.${name}`] = operation;
  fileOperations[`pathlib.Path.${name}`] = asFunction(operation);
}
for (const [name, operation] of Object.entries(knownPathMethods)) {
  fileOperations[`<path>.${name}`] = operation;
  fileOperations[`pathlib.Path.${name}`] ??= asFunction(operation);
}

/** A method used as a function: `Path.unlink(p)`. */
function asFunction(operation: Operation): Operation {
  return (call) =>
    operation({
      ...call,
      receiver: call.args[0] ?? unknown,
      args: call.args.slice(1),
      at: (index, name) => call.at(index + 1, name),
    });
}

function some({ args }: Call): Thing {
  return text(hole, { origins: merge(...args.map((argument) => originsOf(argument))) });
}

function fullPath({ args: [given = unknown], machine }: Call): Thing {
  if (given.kind !== 'text') return given;
  const { cwd } = machine.record.around;
  return {
    ...given,
    texts: given.texts.map((known) =>
      /^[/~\uE000]/.test(known) ? known : machine.record.lost ? hole : joined(cwd, known),
    ),
  };
}

function onWrite(keyword: string): Operation {
  return (call) => {
    const file = call.at(0, keyword);
    if (file?.kind === 'text')
      writes(call, file, unknownFrom(originsOf(call.receiver)), { detail: 'overwrite' });
    return unknown;
  };
}

function readsUnlessUrl(call: Call): Thing {
  const [file] = call.args;
  const remote = literals(file)?.every((given) => /^(?:https?|ftp|s3):\/\//i.test(given)) ?? false;
  if (!remote) return unknownFrom(originsOf(reads(call, file)));
  return operate(call.machine, 'urllib.request.urlopen', unknown, [file ?? unknown], new Map(), call.span);
}
