// Archives and compressed files: what is packed is read, what is unpacked is written.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  contentOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  read,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  within,
  write,
} from './tool.ts';

const tarOptions = options(
  'A/catenate/concatenate c/create d/diff/compare delete r/append t/list u/update x/extract/get f/file= C/directory= z/gzip/gunzip j/bzip2 J/xz Z a/auto-compress zstd lzma lz4 I/use-compress-program= O/to-stdout to-command= overwrite recursive-unlink U/unlink-first remove-files P/absolute-names T/files-from= X/exclude-from= exclude= strip-components= transform/xform= s= v/verbose w k p m/touch h/dereference W L/tape-length= F/info-script/new-volume-script= checkpoint? checkpoint-action= g/listed-incremental= N/newer= H/format= V/label= b/blocking-factor= K/starting-file= rsh-command= owner= group= mode= mtime= one-top-level? wildcards no-recursion numeric-owner same-owner suffix= backup? anchored ignore-failed-read null totals? sort= pax-option= warning= exclude-vcs l o B i n S R q',
);
/** `tar xzf a.tgz`: the first word may be a bundle without its dash, whose values follow in order. */
function withDash(args: readonly Value[]): readonly Value[] {
  const [first, ...rest] = args;
  const text = textOf(first);
  if (text === null || text.startsWith('-') || !/^[A-Za-z]+$/.test(text)) return args;
  const values = [...text].filter((letter) => 'fCTXbNVKLFHgI'.includes(letter));
  const taken = rest.slice(0, values.length);
  const flags = [...text].filter((letter) => !values.includes(letter)).join('');
  return [
    ...(flags ? [literal(`-${flags}`)] : []),
    ...values.flatMap((letter, at) => [literal(`-${letter}`), taken[at] ?? literal('')]),
    ...rest.slice(values.length),
  ];
}

/** The files whose names stand on the standard input. */
function namedOnInput(call: Call): readonly Effect[] {
  const names = (textOf(call.io.stdin) ?? '').split('\n').filter((name) => name !== '');
  return names.slice(0, 64).flatMap((name) => read(call, literal(name)));
}

const tar: Tool = (call) => {
  const given = tarOptions(withDash(call.args));
  const archive = given.last('file');
  const folder = given.last('directory');
  const effects: Effect[] = [];
  if (archive && /^[\w.-]+(?:@[\w.-]+)?:/.test(beginningOf(archive)))
    effects.push(
      effect(call, 'connect', {
        target: hostTarget(hostOf(archive)),
        detail: given.has('create', 'append', 'update') ? 'upload' : 'download',
      }),
    );
  for (const shell of given.all('rsh-command'))
    effects.push(effect(call, 'run', { detail: 'helper', target: nameTarget(shell) }));
  for (const path of given.all('files-from'))
    effects.push(...(textOf(path) === '-' ? namedOnInput(call) : read(call, path)));
  if (given.has('extract')) {
    if (archive) effects.push(...read(call, archive));
    if (!given.has('to-stdout')) {
      const place = folder ?? given.last('one-top-level') ?? literal('.');
      effects.push(
        ...write(call, given.has('absolute-names') ? literal('/') : place, {
          detail: 'unpack',
          recursive: true,
          force: given.has('overwrite', 'recursive-unlink'),
          origins: archive ? [] : call.io.stdinOrigins,
        }),
      );
      if (given.has('recursive-unlink'))
        effects.push(...remove(call, place, { recursive: true, detail: 'unpack' }));
    }
  } else if (given.has('create', 'append', 'update', 'catenate')) {
    const members = given.operands.flatMap((path) => read(call, within(folder, path), { recursive: true }));
    const origins = members.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
    effects.push(...members);
    if (archive) effects.push(...write(call, archive, { detail: 'pack', origins }));
    if (given.has('remove-files'))
      effects.push(
        ...given.operands.flatMap((path) =>
          remove(call, within(folder, path), { recursive: true, detail: 'pack' }),
        ),
      );
  } else if (given.has('delete')) {
    if (archive) effects.push(...write(call, archive, { detail: 'edit' }));
  } else if (archive) effects.push(...read(call, archive));
  if (given.has('listed-incremental'))
    effects.push(
      ...given.all('listed-incremental').flatMap((path) => write(call, path, { detail: 'overwrite' })),
    );
  return orInert(call, effects);
};

const unzipOptions = options('d= x o n l t Z p c f u v j q a b C L X K P= T M z A B D E F I= O= S U V W Y');
const unzip: Tool = (call) => {
  const given = unzipOptions(call.args);
  const [archive] = given.operands;
  if (!archive) return inert(call);
  if (given.has('l', 't', 'Z', 'p', 'c', 'v', 'z')) return read(call, archive);
  return [
    ...read(call, archive),
    ...write(call, given.last('d') ?? literal('.'), {
      detail: 'unpack',
      recursive: true,
      force: given.has('o'),
    }),
  ];
};

const zipOptions = options(
  'r/recurse-paths q e/encrypt P/password= d/delete m/move u/update f/freshen j x/exclude= i/include= y/symlinks 0 1 9 o T TT/unzip-command= b/temp-path= t= tt= n/suffixes= s/split-size= O/output-file= v X D F FF g l',
);
const zip: Tool = (call) => {
  const given = zipOptions(call.args);
  const [archive, ...members] = given.operands;
  if (!archive) return inert(call);
  if (given.has('delete')) return write(call, archive, { detail: 'edit' });
  const reads = [
    ...members.flatMap((path) => read(call, path, { recursive: given.has('r') })),
    ...(call.args.some((argument) => textOf(argument) === '-@') ? namedOnInput(call) : []),
  ];
  return [
    ...reads,
    ...write(call, given.last('output-file') ?? archive, {
      detail: 'pack',
      origins: reads.some(({ kind }) => kind === 'secret') ? ['secret'] : [],
    }),
    ...(given.has('move')
      ? members.flatMap((path) => remove(call, path, { recursive: given.has('r'), detail: 'pack' }))
      : []),
  ];
};

const sevenOptions = options('y r? aoa aos aou sdel');
const sevenZip: Tool = (call) => {
  const given = sevenOptions(call.args.filter((argument) => !/^-[opmtxiwsv]/.test(beginningOf(argument))));
  const out = call.args.find((argument) => /^-o./.test(beginningOf(argument)));
  const [action, archive, ...members] = given.operands;
  if (!archive) return inert(call);
  const place = out ? mapValue(out, (text) => text.slice(2)) : literal('.');
  switch (textOf(action ?? unknownValue)) {
    case 'x':
    case 'e':
      return [...read(call, archive), ...write(call, place, { detail: 'unpack', recursive: true })];
    case 'a':
    case 'u':
      return [
        ...members.flatMap((path) => read(call, path, { recursive: true })),
        ...write(call, archive, { detail: 'pack' }),
        ...(call.args.some((argument) => textOf(argument) === '-sdel')
          ? members.flatMap((path) => remove(call, path, { recursive: true, detail: 'pack' }))
          : []),
      ];
    case 'd':
    case 'rn':
      return write(call, archive, { detail: 'edit' });
    default:
      return read(call, archive);
  }
};

const compressOptions = options(
  'c/stdout/to-stdout d/decompress/uncompress k/keep f/force l/list t/test S/suffix= o= output-dir-flat= r/recursive n q v N a 1 2 3 4 5 6 7 8 9 T/threads= rm z D= M/memlimit= F/format= p/processes= m b= e Q',
);
/** gzip and its kin replace a file by another, unless told to keep it or to write to the stream. */
const compress: Tool = (call) => {
  const given = compressOptions(call.args);
  const keeps = /^(?:un)?(?:zstd|lz4)|^brotli/.test(call.program) ? !given.has('rm') : given.has('keep');
  const reads = given.operands.flatMap((path) => read(call, path, { recursive: given.has('recursive') }));
  if (given.has('stdout', 'list', 'test')) return orInert(call, reads);
  const output = given.last('o');
  return orInert(call, [
    ...reads,
    ...given.operands.flatMap((path) => unpackedFrom(call, path, given.has('decompress'))),
    ...(output
      ? write(call, output, { detail: 'overwrite' })
      : given.operands.flatMap((path) =>
          write(call, path, {
            detail: 'compress',
            force: given.has('force'),
            ...(keeps ? {} : { reversible: true }),
          }),
        )),
  ]);
};

/** The file that comes out of a compressed one, by its name. */
function unpackedFrom(call: Call, path: Value, decompresses: boolean): readonly Effect[] {
  const plain = mapValue(path, (text) =>
    text
      .replace(/\.(?:t(?:gz|bz2|xz|zst))$/, '.tar')
      .replace(/\.(?:gz|bz2|xz|lzma|zst|lz4|lz|lzo|br|Z|z)$/, ''),
  );
  const unpacks = decompresses || /^un|^b?unzip/.test(call.program) || /unzip2?$/.test(call.program);
  return unpacks && beginningOf(plain) !== beginningOf(path)
    ? write(call, plain, { detail: 'create', content: contentOf(path) })
    : [];
}

const readAll: Tool = (call) =>
  orInert(
    call,
    compressOptions(call.args).operands.flatMap((path) => read(call, path)),
  );

/** A path as it is below another folder. */
function belowRoot(path: Value): Value {
  return mapValue(path, (text) => text.replace(/^[~/]+/, ''));
}

/** Files whose names come in, put below a folder under the names that they have. */
function passedTo(call: Call, folder: Value): readonly Effect[] {
  const known = textOf(call.io.stdin);
  const names = (known ?? '').split('\n').filter((name) => name !== '');
  const sources = known === null ? [call.io.stdin] : names.slice(0, 64).map((name) => literal(name));
  return [
    ...write(call, folder, { detail: 'copy', recursive: true }),
    ...sources.flatMap((source) =>
      write(call, known === null ? folder : within(folder, belowRoot(source)), {
        detail: 'copy',
        recursive: true,
        content: contentOf(source),
      }),
    ),
  ];
}

const cpioOptions = options(
  'i/extract o/create p/pass-through t/list d/make-directories u/unconditional F/file= I= O= D/directory= v m a 0 null H/format= R/owner= E/pattern-file= L l A B c C= M= V n quiet k no-absolute-filenames rsh-command=',
);
const cpio: Tool = (call) => {
  const given = cpioOptions(call.args);
  const folder = given.last('directory') ?? literal('.');
  const effects: Effect[] = [
    ...given.all('F', 'I').flatMap((path) => (given.has('create') ? [] : read(call, path))),
    ...(given.has('create', 'pass-through') ? namedOnInput(call) : []),
  ];
  if (given.has('create'))
    effects.push(...given.all('F', 'O').flatMap((path) => write(call, path, { detail: 'pack' })));
  else if (given.has('pass-through')) effects.push(...passedTo(call, given.operands[0] ?? folder));
  else if (given.has('extract') && !given.has('list'))
    effects.push(
      ...write(call, folder, { detail: 'unpack', recursive: true, origins: call.io.stdinOrigins }),
    );
  return orInert(call, effects);
};

const arTool: Tool = (call) => {
  const [action, archive, ...members] = call.args;
  if (!archive || !action) return inert(call);
  const text = beginningOf(action).replace(/^-/, '');
  if (/^[tp]/.test(text)) return read(call, archive);
  if (text.startsWith('x'))
    return [...read(call, archive), ...write(call, literal('.'), { detail: 'unpack' })];
  return [...members.flatMap((path) => read(call, path)), ...write(call, archive, { detail: 'pack' })];
};

/** unrar, unar, arj, lha, …: the second word is the archive. */
const unpackOptions = options('o/output-directory= d= f/force y');
const unpack: Tool = (call) => {
  const given = unpackOptions(call.args);
  const archive = given.operands.find((path) => /\.\w+$/.test(beginningOf(path))) ?? given.operands.at(-1);
  if (!archive) return inert(call);
  if (/^(?:l|lb|lt|v|vb|t|p)$/.test(textOf(given.operands[0] ?? unknownValue) ?? ''))
    return read(call, archive);
  return [
    ...read(call, archive),
    ...write(call, given.last('output-directory', 'd') ?? literal('.'), {
      detail: 'unpack',
      recursive: true,
    }),
  ];
};

const paxOptions = options('r w f= d k l v a u n i s= t o= p= b= x= E= B= U= G= T= H L X c');
const pax: Tool = (call: Call) => {
  const given = paxOptions(call.args);
  const archive = given.last('f');
  const writes = given.has('w');
  if (given.has('r') && writes)
    return [
      ...write(call, given.operands.at(-1) ?? unknownValue, { detail: 'copy', recursive: true }),
      ...given.operands.slice(0, -1).flatMap((path) =>
        write(call, within(given.operands.at(-1), belowRoot(path)), {
          detail: 'copy',
          recursive: true,
          content: contentOf(path),
        }),
      ),
    ];
  if (writes)
    return orInert(call, [
      ...given.operands.flatMap((path) => read(call, path, { recursive: true })),
      ...(given.operands.length === 0 ? namedOnInput(call) : []),
      ...(archive ? write(call, archive, { detail: 'pack' }) : []),
    ]);
  if (given.has('r'))
    return [
      ...(archive ? read(call, archive) : []),
      ...write(call, literal('.'), { detail: 'unpack', recursive: true }),
    ];
  return orInert(call, archive ? read(call, archive) : []);
};

export const archiveTools: Tools = {
  tar,
  gtar: tar,
  gnutar: tar,
  bsdtar: tar,
  star: tar,
  unzip,
  zip,
  zipinfo: readAll,
  '7z': sevenZip,
  '7za': sevenZip,
  '7zr': sevenZip,
  '7zz': sevenZip,
  gzip: compress,
  gunzip: compress,
  pigz: compress,
  unpigz: compress,
  bzip2: compress,
  bunzip2: compress,
  pbzip2: compress,
  lbzip2: compress,
  xz: compress,
  unxz: compress,
  pixz: compress,
  lzma: compress,
  unlzma: compress,
  lzip: compress,
  lzop: compress,
  zstd: compress,
  unzstd: compress,
  pzstd: compress,
  lz4: compress,
  unlz4: compress,
  brotli: compress,
  compress,
  uncompress: compress,
  zcat: readAll,
  gzcat: readAll,
  bzcat: readAll,
  xzcat: readAll,
  lzcat: readAll,
  zstdcat: readAll,
  lz4cat: readAll,
  zless: readAll,
  zmore: readAll,
  bzless: readAll,
  xzless: readAll,
  cpio,
  ar: arTool,
  unrar: unpack,
  rar: unpack,
  unar: unpack,
  lsar: readAll,
  arj: unpack,
  lha: unpack,
  cabextract: unpack,
  unsquashfs: unpack,
  pax,
  jar: (call) => {
    const [verb, archive] = call.args;
    const unpacks = /^(?:-?[a-wyz]*x|--extract$)/.test(beginningOf(verb ?? literal('')));
    if (!unpacks) return inert(call, 'project');
    const named = archive && /f/.test(beginningOf(verb ?? literal(''))) ? read(call, archive) : [];
    return [...named, ...write(call, literal('.'), { detail: 'unpack', recursive: true })];
  },
  rpm2cpio: readAll,
};
