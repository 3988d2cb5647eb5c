// Node's libraries and JavaScript's own functions: what each does, and what constants fold to.

import {
  after,
  connects,
  contentOf,
  copies,
  deletes,
  effects,
  modeOf,
  modes,
  moves,
  reads,
  rows,
  shells,
  starts,
  writes,
} from '../script/actions.ts';
import {
  fromBase64,
  fromHex,
  fromPercent,
  fromUtf8,
  inflate,
  toBase64,
  toHex,
  toPercent,
  toUtf8,
} from '../script/decode.ts';
import type { Call, Operation } from '../script/machine.ts';
import { statementKind } from '../script/sql.ts';
import {
  asValue,
  concat,
  dynamic,
  handle,
  hole,
  joinAll,
  list,
  literal,
  literals,
  map,
  mapTexts,
  member,
  merge,
  none,
  number,
  originsOf,
  restKey,
  rowOf,
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
import { library } from './names.ts';

type Operations = Record<string, Operation>;

const fromNetwork = unknownFrom(['network']);

/** A named entry of the first argument that is an object. */
function option(call: Call, name: string): Thing | undefined {
  for (const given of call.args) {
    const entry = given.kind === 'map' ? given.entries.get(name) : undefined;
    if (entry) return entry;
  }
  return undefined;
}

/** Calls the functions among the arguments; `this` is the given thing. */
function callBack(call: Call, values: readonly Thing[], self: Thing | null = null): void {
  for (const given of call.args)
    if (given.kind === 'function')
      call.machine.call(
        self && given.code.receiver === 'this' ? { ...given, self } : given,
        values,
        new Map(),
        call.span,
      );
}

// Files.

const removes =
  (recursive: boolean): Operation =>
  (call) => {
    const all = recursive || truthOf(option(call, 'recursive') ?? none) === true;
    deletes(call, call.args[0], {
      ...(all ? { recursive: true } : {}),
      ...(truthOf(option(call, 'force') ?? none) === true || recursive ? { force: true } : {}),
    });
    callBack(call, [none]);
    return none;
  };
const writesFile =
  (detail: string): Operation =>
  (call) => {
    const content = call.args[1]?.kind === 'function' ? undefined : call.args[1];
    writes(call, call.args[0], content, { detail });
    callBack(call, [none]);
    return none;
  };
const makes =
  (detail: string): Operation =>
  (call) => {
    writes(call, call.args[0], undefined, { detail });
    callBack(call, [none]);
    return none;
  };
const readsFile: Operation = (call) => {
  const content = reads(call, call.args[0]);
  callBack(call, [none, content]);
  return content;
};
const listsFolder: Operation = (call) => {
  reads(call, call.args[0], { detail: 'list' });
  const names = list([text(hole, { many: true })], false);
  callBack(call, [none, names]);
  return names;
};
const two =
  (act: (call: Call, from: Thing | undefined, to: Thing | undefined) => void): Operation =>
  (call) => {
    act(call, call.args[0], call.args[1]);
    callBack(call, [none]);
    return none;
  };
const changesMode: Operation = (call) => {
  modes(call, call.args[0], modeOf(call.args[1]));
  callBack(call, [none]);
  return none;
};
const changesOwner: Operation = (call) => {
  const [, user, group] = call.args;
  const name = (thing: Thing | undefined): string =>
    thing?.kind === 'number' ? String(thing.value) : 'unknown';
  modes(call, call.args[0], `${name(user)}:${name(group)}`);
  return none;
};
const opensFile: Operation = (call) => {
  const [file, flags] = call.args;
  const letters =
    flags === undefined || flags.kind === 'function'
      ? 'r'
      : flags.kind === 'number'
        ? flags.value & 0x443
          ? 'w'
          : 'r'
        : (literal(flags) ?? 'w+');
  if (/[wa+]/.test(letters))
    writes(call, file, undefined, { detail: letters.startsWith('a') ? 'append' : 'overwrite' });
  const content = /[r+]/.test(letters) ? reads(call, file) : unknown;
  return handle('file', { path: file ?? unknown, content });
};

const fileFunctions: Operations = {
  rm: removes(false),
  unlink: removes(false),
  rmdir: removes(false),
  remove: removes(true),
  emptyDir: removes(true),
  writeFile: writesFile('overwrite'),
  outputFile: writesFile('overwrite'),
  writeJson: writesFile('overwrite'),
  appendFile: writesFile('append'),
  truncate: makes('overwrite'),
  mkdir: makes('create'),
  mkdirp: makes('create'),
  ensureDir: makes('create'),
  ensureFile: makes('create'),
  utimes: makes('touch'),
  readFile: readsFile,
  readJson: readsFile,
  readlink: readsFile,
  readdir: listsFolder,
  opendir: listsFolder,
  rename: two(moves),
  move: two(moves),
  copyFile: two((call, from, to) => copies(call, from, to)),
  cp: two((call, from, to) => copies(call, from, to, true)),
  copy: two((call, from, to) => copies(call, from, to, true)),
  symlink: two((call, from, to) => writes(call, to, contentOf(call, from), { detail: 'link' })),
  link: two((call, from, to) => writes(call, to, contentOf(call, from), { detail: 'link' })),
  chmod: changesMode,
  lchmod: changesMode,
  chown: changesOwner,
  lchown: changesOwner,
  open: opensFile,
};

// Processes.

function processOf(output: Thing): Thing {
  return handle('process', { stdout: output, stderr: output, stdin: handle('stdin') });
}
const inShell: Operation = (call) => {
  const output = shells(call, call.args[0]);
  callBack(call, [none, output, output]);
  return call.name.endsWith('Sync') ? output : processOf(output);
};
const program: Operation = (call) => {
  const [command, given] = call.args;
  const shell = option(call, 'shell');
  const args = given?.kind === 'list' ? rows(given) : [];
  const input = option(call, 'input');
  let output: Thing;
  if (shell && truthOf(shell) !== false) {
    const line = concat([textsOf(command), ...args.flatMap((argument) => [[' '], textsOf(argument)])], {
      origins: merge(originsOf(command), originsOf(given)),
    });
    output = shells(call, line, input);
  } else output = starts(call, list([command ?? unknown, ...args]), input);
  callBack(call, [none, output, output]);
  return processOf(output);
};
const forksFile: Operation = (call) => {
  starts(
    call,
    list([
      text('node'),
      call.args[0] ?? unknown,
      ...rows(call.args[1]?.kind === 'list' ? call.args[1] : undefined),
    ]),
  );
  return processOf(unknown);
};

function runs(call: Call, code: Thing | undefined): Thing {
  const source = code?.kind === 'handle' && code.type === 'code' ? code.fields.get('source') : code;
  const known = literals(source);
  if (known) return joinAll(known.map((given) => call.machine.runCode(given, call.span)));
  const origins = originsOf(source);
  effects(call, 'run', { origins: origins.length > 0 ? origins : ['unknown'] });
  call.machine.record.unknown('code that is not known', call.span);
  return unknownFrom(origins);
}
const runsFirst: Operation = (call) => runs(call, call.args[0]);
const later: Operation = (call) => {
  const [given, , ...rest] = call.args;
  if (given?.kind === 'text') return runs(call, given);
  if (given) call.machine.call(given, rest, new Map(), call.span);
  return unknown;
};

function required(call: Call): Thing {
  const names = literals(call.args[0]);
  if (!names)
    return {
      ...dynamic,
      origins: originsOf(call.args[0]).length > 0 ? originsOf(call.args[0]) : ['unknown'],
    };
  return joinAll(
    names.map((name) => {
      const [, coded, body] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(name) ?? [];
      if (body !== undefined)
        return runs(call, coded === undefined ? text(fromPercent(body) ?? body) : unknown);
      const full = library(name);
      call.machine.dialect.imported(full, call.span, call.machine);
      return member(full);
    }),
  );
}

// Hosts.

function answer(): Thing {
  return handle('response', {
    body: handle('stream', { from: fromNetwork }),
    data: fromNetwork,
    text: member('<network>'),
    json: member('<network>'),
  });
}

/** The headers that carry what proves who asks. */
const proofs = /^(?:authorization|proxy-authorization|x-api-key|api-key|apikey|x-auth-token|private-token)$/i;
function headersSent(headers: Thing | undefined): Thing | undefined {
  return headers?.kind === 'map' ? map([...headers.entries].filter(([name]) => !proofs.test(name))) : headers;
}

/** The address in a request: a text, an URL, or an object with a host. */
function addressOf(call: Call): Thing {
  const [given = unknown] = call.args;
  if (given.kind === 'map')
    return (
      given.entries.get('url') ??
      given.entries.get('hostname') ??
      given.entries.get('host') ??
      text('localhost')
    );
  if (given.kind === 'handle') return given.fields.get('href') ?? unknown;
  return given;
}

const asks =
  (method: string | null): Operation =>
  (call) => {
    const said = literal(option(call, 'method'))?.toUpperCase();
    const body = option(call, 'body') ?? option(call, 'data') ?? option(call, 'json') ?? option(call, 'form');
    const given = method === 'POST' || method === 'PUT' || method === 'PATCH' ? call.args[1] : undefined;
    const used = method ?? said ?? (body ? 'POST' : 'GET');
    const address = addressOf(call);
    connects(call, address, used, [
      body,
      given?.kind === 'function' ? undefined : given,
      headersSent(option(call, 'headers')),
    ]);
    const response = handle('stream', { from: fromNetwork });
    callBack(call, [response]);
    return /^https?\./.test(call.name) ? handle('request', { host: address, from: fromNetwork }) : answer();
  };

const connectsSocket: Operation = (call) => {
  const [first, second] = call.args;
  const host =
    option(call, 'host') ??
    (first?.kind === 'text' && !second ? first : second?.kind === 'text' ? second : text('localhost'));
  connects(call, host, 'tcp');
  const socket =
    call.receiver.kind === 'handle' ? call.receiver : handle('socket', { host, from: fromNetwork });
  if (call.receiver.kind === 'handle') call.machine.set(call.receiver.fields, 'host', host);
  callBack(call, [], socket);
  return socket;
};
const serves: Operation = (call) => {
  const socket = handle('socket', { from: fromNetwork });
  callBack(call, [socket, handle('response')], socket);
  return handle('server');
};
const listens: Operation = (call) => {
  const [port] = call.args;
  effects(call, 'listen', {
    target: { kind: 'host', host: asValue(textsOf(call.args[1]?.kind === 'text' ? call.args[1] : unknown)) },
    ...(port?.kind === 'number' ? { detail: String(port.value) } : {}),
  });
  callBack(call, []);
  return call.receiver;
};
const sends: Operation = (call) => {
  const host = call.receiver.kind === 'handle' ? call.receiver.fields.get('host') : undefined;
  const [data] = call.args;
  if (originsOf(data).length > 0 && data?.kind !== 'function')
    connects(call, host ?? unknown, 'POST', [data]);
  return unknown;
};

/** One stream flows into another. */
const pipes: Operation = (call) => {
  const [to] = call.args;
  const origins = originsOf(call.receiver);
  if (to?.kind !== 'handle') return to ?? unknown;
  if (to.type === 'stdin') {
    if (origins.includes('network')) effects(call, 'run', { detail: 'shell', origins: ['network'] });
  } else if (to.type === 'file')
    writes(call, to.fields.get('path'), unknownFrom(origins), { detail: 'overwrite' });
  else if (to.fields.has('from')) connects(call, to.fields.get('host') ?? unknown, 'POST', [call.receiver]);
  return to;
};
/** Listeners of events are called with what the receiver carries. */
const hears: Operation = (call) => {
  callBack(call, [unknownFrom(originsOf(call.receiver))], call.receiver);
  return call.receiver;
};
const message: Operation = (call) => {
  const origins = merge(...call.args.map((thing) => originsOf(thing)));
  effects(call, 'message', origins.length > 0 ? { origins } : {});
  return unknown;
};

// Values.

function some(things: readonly (Thing | undefined)[], form: TextThing['form'] = 'string'): TextThing {
  return text(hole, { form, origins: merge(...things.map((thing) => originsOf(thing))) });
}
const folds =
  (apply: (given: string, call: Call) => string | null, form: TextThing['form'] = 'string'): Operation =>
  (call) => {
    call.machine.spend(textsOf(call.args[0]).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(call.args[0], (given) => apply(given, call), { form }) ?? some(call.args, form);
  };
const method =
  (apply: (given: string, call: Call) => string | null): Operation =>
  (call) => {
    call.machine.spend(textsOf(call.receiver).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(call.receiver, (given) => apply(given, call)) ?? some([call.receiver, ...call.args]);
  };
const numberAt = ({ args }: Call, index: number): number | undefined => {
  const given = args[index];
  return given?.kind === 'number' ? given.value : undefined;
};

function decoded(given: Thing | undefined, encoding: string): Thing {
  const by: Readonly<Record<string, (source: string) => string | null>> = {
    base64: fromBase64,
    base64url: fromBase64,
    hex: fromHex,
    utf8: toUtf8,
    'utf-8': toUtf8,
    latin1: (source) => source,
    binary: (source) => source,
    ascii: (source) => source,
  };
  const apply = by[encoding];
  return (apply && mapTexts(given, apply, { form: 'bytes' })) ?? some([given], 'bytes');
}
const buffer: Operation = (call) => {
  const [given, encoding] = call.args;
  if (given?.kind === 'list') {
    const { items, exact } = rowOf(given);
    if (exact && items.every((item) => item.kind === 'number'))
      return text(
        items.map((item) => String.fromCharCode(item.kind === 'number' ? item.value & 0xff : 0)).join(''),
        { form: 'bytes' },
      );
  }
  return decoded(given, encoding ? (literal(encoding) ?? '') : 'utf8');
};
const shown: Operation = (call) => {
  const { receiver, args } = call;
  if (receiver.kind === 'number') return text(receiver.value.toString(numberAt(call, 0) ?? 10));
  if (receiver.kind !== 'text') return some([receiver]);
  if (receiver.form !== 'bytes') return receiver;
  const encoding = args[0] ? (literal(args[0]) ?? '') : 'utf8';
  const by: Readonly<Record<string, (source: string) => string>> = {
    base64: toBase64,
    hex: toHex,
    utf8: fromUtf8,
    'utf-8': fromUtf8,
    ascii: fromUtf8,
    latin1: (source) => source,
    binary: (source) => source,
  };
  const apply = by[encoding];
  return (apply && mapTexts(receiver, apply, { form: 'string' })) ?? some([receiver]);
};

function eachItem(call: Call): Thing {
  const [by = unknown] = call.args;
  const { machine, span } = call;
  const { items, exact } = machine.itemsOf(call.receiver);
  if (!exact || !machine.exact || items.length > 1024)
    return list([machine.call(by, [joinAll(items), unknown], new Map(), span)], false);
  return list(items.map((item, index) => machine.call(by, [item, number(index)], new Map(), span)));
}
const changes =
  (apply: (items: readonly Thing[], call: Call) => readonly Thing[]): Operation =>
  (call) => {
    if (call.receiver.kind !== 'list') return unknown;
    const { items, exact } = rowOf(call.receiver);
    call.machine.setRow(call.receiver, apply(items, call), exact);
    return call.receiver;
  };
function joinItems(call: Call): Thing {
  const { items, exact } = call.machine.itemsOf(call.receiver);
  const by = call.args[0] ? textsOf(call.args[0]) : [','];
  call.machine.spend(items.length);
  const parts = items.flatMap((item, index) => (index === 0 ? [textsOf(item)] : [by, textsOf(item)]));
  return concat(exact ? parts : [...parts, [hole]], { origins: originsOf(call.receiver) });
}
function split(call: Call): Thing {
  const { receiver, args } = call;
  const by = literal(args[0]);
  const [source] = receiver.kind === 'text' && receiver.texts.length === 1 ? receiver.texts : [];
  if (source === undefined || by === null) return list([some([receiver])], false);
  call.machine.spend(source.length / 8);
  const parts = source.split(by);
  return list(
    parts.slice(0, 1024).map((part) => text(part, { origins: originsOf(receiver) })),
    !source.includes(hole) && parts.length <= 1024,
  );
}
const replace =
  (all: boolean): Operation =>
  (call) => {
    const { receiver, args } = call;
    const from = literal(args[0]);
    if (receiver.kind !== 'text' || from === null || from === '') return some([receiver, ...args]);
    const to = textsOf(args[1]);
    call.machine.spend(receiver.texts.reduce((sum, { length }) => sum + length / 8, 0));
    return texts(
      receiver.texts.flatMap((given) =>
        to.map((other) => (all ? given.replaceAll(from, () => other) : given.replace(from, () => other))),
      ),
      { form: receiver.form, origins: merge(receiver.origins, originsOf(args[1])) },
    );
  };
function joinPaths(call: Call, root: string): Thing {
  const made = call.args.reduce<readonly string[]>(
    (held, part) =>
      held
        .flatMap((left) =>
          textsOf(part).map((right) =>
            right.startsWith('/') && root !== ''
              ? right
              : left === ''
                ? right
                : `${left.replace(/\/$/, '')}/${right.replace(/^\//, '')}`,
          ),
        )
        .slice(0, 64),
    [''],
  );
  const many = call.args.some((part) => part.kind === 'text' && part.many);
  return texts(made, { many, origins: merge(...call.args.map((part) => originsOf(part))) });
}
function json(call: Call): Thing {
  const known = literal(call.args[0]);
  if (known === null) return unknownFrom(originsOf(call.args[0]));
  try {
    const value: unknown = JSON.parse(known);
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
      return list(value.map((item) => text(String(item))));
    if (typeof value === 'object' && value !== null)
      return map(
        Object.entries(value).map(
          ([key, entry]) => [key, typeof entry === 'string' ? text(entry) : unknown] as const,
        ),
      );
  } catch {
    return unknown;
  }
  return unknown;
}
const queries: Operation = (call) => {
  for (const sql of textsOf(call.args[0])) {
    const kind = statementKind(sql);
    if (kind)
      effects(call, 'database', {
        detail: kind,
        target: { kind: 'name', name: asValue([sql.slice(0, 80)]) },
      });
  }
  callBack(call, [none, unknown]);
  return unknown;
};
const then: Operation = (call) => {
  const { receiver, args, machine, span } = call;
  const results = args.map((by) => machine.call(by, [receiver], new Map(), span));
  return results[0] ?? receiver;
};

export const operations: Operations = {
  require: required,
  'module.require': required,
  'process.mainModule.require': required,
  'module.createRequire': () => member('require'),
  'process.getBuiltinModule': required,
  'process.binding': (call) => after(effects(call, 'run', { origins: ['unknown'] }), dynamic),
  'process.dlopen': (call) => after(effects(call, 'run', { origins: ['unknown'], detail: 'native' }), none),
  eval: runsFirst,
  Function: (call) => ({
    kind: 'partial',
    callee: member('<run>'),
    args: [call.args.at(-1) ?? text('')],
    keywords: new Map(),
  }),
  '<run>': (call) => runs(call, functionBody(call.args[0])),
  'vm.runInThisContext': runsFirst,
  'vm.runInNewContext': runsFirst,
  'vm.runInContext': runsFirst,
  'vm.compileFunction': (call) => ({
    kind: 'partial',
    callee: member('<run>'),
    args: call.args.slice(0, 1),
    keywords: new Map(),
  }),
  'vm.Script': (call) => handle('code', { source: call.args[0] ?? unknown }),
  '<code>.runInThisContext': (call) => runs(call, call.receiver),
  '<code>.runInNewContext': (call) => runs(call, call.receiver),
  '<code>.runInContext': (call) => runs(call, call.receiver),
  '<any>._compile': runsFirst,
  'worker_threads.Worker': (call) =>
    truthOf(option(call, 'eval') ?? none) === true ? runs(call, call.args[0]) : forksFile(call),
  'cluster.fork': (call) => after(call.machine.forks(call), unknown),
  setTimeout: later,
  setInterval: later,
  setImmediate: later,
  queueMicrotask: later,
  'process.nextTick': later,
  'process.on': hears,
  'process.exit': (call) => after(call.machine.stop(), none),
  'process.abort': (call) => after(call.machine.stop(), none),
  'process.chdir': (call) => after(call.machine.record.move(call.args[0]), none),
  'process.cwd': ({ machine }) => text(machine.record.lost ? hole : machine.record.surroundings.cwd),
  'process.kill': (call) => {
    const [pid, given] = call.args;
    const detail = given?.kind === 'number' ? String(given.value) : (literal(given) ?? 'SIGTERM');
    if (detail !== '0')
      effects(call, 'signal', { target: { kind: 'name', name: asValue(textsOf(pid)) }, detail });
    return truth(true);
  },
  'process.stdout.write': () => truth(true),
  'process.stderr.write': () => truth(true),
  'os.homedir': ({ machine }) => text(machine.record.surroundings.home ?? '~'),
  'os.tmpdir': () => text('/tmp'),

  'child_process.exec': inShell,
  'child_process.execSync': inShell,
  'child_process.execFile': program,
  'child_process.execFileSync': (call) => outputOf(program(call)),
  'child_process.spawn': program,
  'child_process.spawnSync': program,
  'child_process.fork': forksFile,
  execa: program,
  'execa.execa': program,
  'execa.execaSync': program,
  'execa.sync': program,
  'execa.command': inShell,
  'execa.execaCommand': inShell,
  'execa.commandSync': inShell,
  'execa.execaCommandSync': inShell,
  'execa.$': inShell,
  'shelljs.exec': inShell,
  'shelljs.rm': (call) => {
    const paths = call.args
      .flatMap((argument) => rows(argument))
      .filter((argument) => !textsOf(argument).every((given) => given.startsWith('-')));
    const flags = call.args
      .flatMap((argument) => textsOf(argument))
      .filter((given) => given.startsWith('-'))
      .join('');
    for (const path of paths)
      deletes(call, path, { recursive: /[rR]/.test(flags), force: flags.includes('f') });
    return none;
  },
  'zx.$': inShell,
  'Bun.$': inShell,
  'Bun.spawn': (call) => processOf(starts(call, call.args[0])),
  'Bun.spawnSync': (call) => processOf(starts(call, call.args[0])),
  'Deno.Command': (call) =>
    processOf(starts(call, list([call.args[0] ?? unknown, ...rows(option(call, 'args'))]))),
  'Deno.run': (call) => processOf(starts(call, option(call, 'cmd'))),
  'util.promisify': ({ args: [given = unknown] }) => given,
  rimraf: removes(true),
  'rimraf.sync': removes(true),
  'rimraf.rimraf': removes(true),
  'rimraf.rimrafSync': removes(true),
  del: removes(true),

  'fs.createWriteStream': (call) =>
    after(
      writes(call, call.args[0], undefined, { detail: 'overwrite' }),
      handle('file', { path: call.args[0] ?? unknown }),
    ),
  'fs.createReadStream': (call) => handle('stream', { content: reads(call, call.args[0]) }),
  'fs.existsSync': () => unknown,
  'fs.write': (call) =>
    call.args[0]?.kind === 'handle'
      ? after(writes(call, call.args[0].fields.get('path'), call.args[1], { detail: 'overwrite' }), unknown)
      : unknown,
  'fs.writeSync': (call) =>
    call.args[0]?.kind === 'handle'
      ? after(writes(call, call.args[0].fields.get('path'), call.args[1], { detail: 'overwrite' }), unknown)
      : unknown,
  '<file>.write': (call) =>
    after(
      writes(
        call,
        call.receiver.kind === 'handle' ? call.receiver.fields.get('path') : undefined,
        call.args[0],
        { detail: 'overwrite' },
      ),
      unknown,
    ),
  '<file>.writeFile': (call) =>
    after(
      writes(
        call,
        call.receiver.kind === 'handle' ? call.receiver.fields.get('path') : undefined,
        call.args[0],
        { detail: 'overwrite' },
      ),
      unknown,
    ),
  '<file>.end': (call) =>
    call.args[0]
      ? after(
          writes(
            call,
            call.receiver.kind === 'handle' ? call.receiver.fields.get('path') : undefined,
            call.args[0],
            { detail: 'overwrite' },
          ),
          unknown,
        )
      : unknown,
  '<file>.readFile': ({ receiver }) =>
    (receiver.kind === 'handle' && receiver.fields.get('content')) || unknown,

  fetch: asks(null),
  'undici.fetch': asks(null),
  'undici.request': asks(null),
  'http.request': asks(null),
  'https.request': asks(null),
  'http.get': asks('GET'),
  'https.get': asks('GET'),
  axios: asks(null),
  'axios.request': asks(null),
  got: asks(null),
  request: asks(null),
  XMLHttpRequest: () => handle('xhr'),
  '<xhr>.open': (call) => {
    if (call.receiver.kind === 'handle')
      call.machine.set(call.receiver.fields, 'host', call.args[1] ?? unknown);
    connects(call, call.args[1], literal(call.args[0]) ?? 'unknown');
    return none;
  },
  '<xhr>.send': sends,
  WebSocket: (call) =>
    after(
      connects(call, call.args[0], 'websocket'),
      handle('socket', { host: call.args[0] ?? unknown, from: fromNetwork }),
    ),
  ws: (call) =>
    after(
      connects(call, call.args[0], 'websocket'),
      handle('socket', { host: call.args[0] ?? unknown, from: fromNetwork }),
    ),
  'net.connect': connectsSocket,
  'net.createConnection': connectsSocket,
  'net.Socket': () => handle('socket', { from: fromNetwork }),
  'tls.connect': connectsSocket,
  '<socket>.connect': connectsSocket,
  '<socket>.write': sends,
  '<socket>.end': sends,
  '<socket>.send': (call) =>
    call.args.length > 2
      ? after(
          connects(
            call,
            call.args.findLast((argument) => argument.kind === 'text'),
            'udp',
            [call.args[0]],
          ),
          unknown,
        )
      : sends(call),
  'dgram.createSocket': () => handle('socket', { from: fromNetwork }),
  'dns.lookup': (call) => after(connects(call, call.args[0], 'dns'), unknown),
  'dns.resolve': (call) => after(connects(call, call.args[0], 'dns'), fromNetwork),
  'dns.resolveTxt': (call) => after(connects(call, call.args[0], 'dns'), fromNetwork),
  'net.createServer': serves,
  'http.createServer': serves,
  'https.createServer': serves,
  '<server>.listen': listens,
  '<request>.write': sends,
  '<request>.end': sends,
  '<request>.on': hears,
  '<stream>.on': hears,
  '<socket>.on': hears,
  '<server>.on': hears,
  '<any>.pipe': pipes,
  '<network>': () => fromNetwork,
  'nodemailer.createTransport': () => handle('mailer'),
  '<mailer>.sendMail': message,
  '<any>.query': queries,
  '<any>.execute': queries,
  URL: (call) => handle('url', { href: call.args[0] ?? unknown }),

  'Buffer.from': buffer,
  Buffer: buffer,
  'Buffer.concat': (call) =>
    concat(
      rows(call.args[0]).map((item) => textsOf(item)),
      { form: 'bytes', origins: originsOf(call.args[0]) },
    ),
  'zlib.gunzipSync': folds((given) => inflate(given, 'gzip'), 'bytes'),
  'zlib.inflateSync': folds((given) => inflate(given, 'zlib'), 'bytes'),
  'zlib.inflateRawSync': folds((given) => inflate(given, 'bare'), 'bytes'),
  'zlib.unzipSync': folds((given) => inflate(given, given.startsWith('\x1f') ? 'gzip' : 'zlib'), 'bytes'),
  atob: folds(fromBase64),
  btoa: folds(toBase64),
  decodeURIComponent: folds((given) => fromPercent(given)),
  decodeURI: folds((given) => fromPercent(given)),
  unescape: folds((given) => fromPercent(given)),
  encodeURIComponent: folds((given) => toPercent(given, '')),
  'String.fromCharCode': ({ args }) =>
    args.every((argument) => argument.kind === 'number')
      ? text(
          args
            .map((argument) => String.fromCharCode(argument.kind === 'number' ? argument.value : 0))
            .join(''),
        )
      : some(args),
  'String.fromCodePoint': ({ args }) =>
    args.every((argument) => argument.kind === 'number' && argument.value >= 0 && argument.value <= 0x10ffff)
      ? text(
          args
            .map((argument) => String.fromCodePoint(argument.kind === 'number' ? argument.value : 0))
            .join(''),
        )
      : some(args),
  'String.raw': ({ args: [given = unknown] }) => given,
  String: ({ args: [given] }) => (given ? texts(textsOf(given), { origins: originsOf(given) }) : text('')),
  parseInt: (call) => {
    const known = literal(call.args[0]);
    return known === null
      ? call.args[0]?.kind === 'number'
        ? number(Math.trunc(call.args[0].value))
        : unknown
      : number(Number.parseInt(known, numberAt(call, 1) ?? 10));
  },
  Number: (call) => {
    const known = literal(call.args[0]);
    return known === null ? (call.args[0] ?? number(0)) : number(Number(known));
  },
  'JSON.parse': json,
  'JSON.stringify': ({ args }) => some(args),
  'Object.keys': (call) => {
    const { items, exact } = call.machine.keysOf(call.args[0] ?? unknown);
    return list(items, exact);
  },
  'Object.values': ({ args: [given] }) =>
    given?.kind === 'map'
      ? list([...given.entries.values()], !given.entries.has(restKey))
      : list([unknownFrom(originsOf(given))], false),
  'Object.entries': ({ args: [given] }) =>
    given?.kind === 'map'
      ? list(
          [...given.entries].map(([key, entry]) => list([key === restKey ? unknown : text(key), entry])),
          !given.entries.has(restKey),
        )
      : list([list([unknown, unknownFrom(originsOf(given))])], false),
  'Object.assign': ({ args: [first = unknown, ...others], machine }) => {
    for (const other of others)
      if (other.kind === 'map' && first.kind === 'map')
        for (const [key, entry] of other.entries) machine.set(first.entries, key, entry);
    return first;
  },
  'Array.from': (call) => {
    const [source = unknown, by] = call.args;
    const { items, exact } = call.machine.itemsOf(source);
    const copied = list(items, exact);
    return by ? eachItem({ ...call, receiver: copied, args: [by] }) : copied;
  },
  'Array.isArray': () => unknown,
  'Promise.all': ({ args: [given = unknown] }) => given,
  'Promise.resolve': ({ args: [given = unknown] }) => given,
  'Reflect.get': (call) => {
    const names = literals(call.args[1]);
    return names
      ? joinAll(names.map((name) => call.machine.attribute(call.args[0] ?? unknown, name)))
      : dynamic;
  },
  'Reflect.apply': (call) =>
    call.machine.call(call.args[0] ?? unknown, rows(call.args[2]), new Map(), call.span),
  'path.join': (call) => joinPaths(call, ''),
  'path.resolve': (call) => joinPaths(call, '/'),
  'path.normalize': ({ args: [given = unknown] }) => given,
  'path.dirname': folds((given) => given.slice(0, Math.max(0, given.lastIndexOf('/'))) || '/'),
  'path.basename': folds((given) => given.slice(given.lastIndexOf('/') + 1)),

  '<call>': (call) => call.machine.call(call.args[0] ?? unknown, call.args.slice(2), new Map(), call.span),
  '<apply>': (call) => call.machine.call(call.args[0] ?? unknown, rows(call.args[2]), new Map(), call.span),
  '<bind>': ({ args: [callee = unknown, , ...args] }) => ({
    kind: 'partial',
    callee,
    args,
    keywords: new Map(),
  }),
  '<any>.then': then,
  '<any>.catch': (call) => {
    for (const by of call.args) call.machine.call(by, [unknown], new Map(), call.span);
    return call.receiver;
  },
  '<any>.finally': (call) => {
    for (const by of call.args) call.machine.call(by, [], new Map(), call.span);
    return call.receiver;
  },

  '<any>.toString': shown,
  '<text>.toString': shown,
  '<number>.toString': shown,
  '<text>.split': split,
  '<text>.replace': replace(false),
  '<text>.replaceAll': replace(true),
  '<text>.concat': ({ receiver, args }) =>
    concat([textsOf(receiver), ...args.map((argument) => textsOf(argument))], {
      origins: merge(originsOf(receiver), ...args.map((argument) => originsOf(argument))),
    }),
  '<text>.trim': method((given) => given.trim()),
  '<text>.toLowerCase': method((given) => given.toLowerCase()),
  '<text>.toUpperCase': method((given) => given.toUpperCase()),
  '<text>.slice': method((given, call) => given.slice(numberAt(call, 0), numberAt(call, 1))),
  '<text>.substring': method((given, call) => given.substring(numberAt(call, 0) ?? 0, numberAt(call, 1))),
  '<text>.substr': method((given, call) => given.slice(numberAt(call, 0) ?? 0).slice(0, numberAt(call, 1))),
  '<text>.charAt': method((given, call) => given.charAt(numberAt(call, 0) ?? 0)),
  '<text>.at': method((given, call) => given.at(numberAt(call, 0) ?? 0) ?? ''),
  '<text>.repeat': method((given, call) =>
    (numberAt(call, 0) ?? 0) * given.length > 65_536 || (numberAt(call, 0) ?? 0) < 0
      ? null
      : given.repeat(numberAt(call, 0) ?? 0),
  ),
  '<text>.padStart': method((given, call) =>
    given.padStart(Math.min(numberAt(call, 0) ?? 0, 1000), literal(call.args[1]) ?? ' '),
  ),
  '<text>.padEnd': method((given, call) =>
    given.padEnd(Math.min(numberAt(call, 0) ?? 0, 1000), literal(call.args[1]) ?? ' '),
  ),
  '<text>.charCodeAt': (call) => {
    const known = literal(call.receiver);
    return known === null ? unknown : number(known.charCodeAt(numberAt(call, 0) ?? 0));
  },
  '<text>.codePointAt': (call) => {
    const known = literal(call.receiver);
    return known === null ? unknown : number(known.codePointAt(numberAt(call, 0) ?? 0) ?? 0);
  },

  '<list>.join': joinItems,
  '<list>.push': changes((items, { args }) => [...items, ...args]),
  '<list>.unshift': changes((items, { args }) => [...args, ...items]),
  '<list>.reverse': changes((items) => items.toReversed()),
  '<list>.toReversed': ({ receiver }) =>
    receiver.kind === 'list' ? list(rowOf(receiver).items.toReversed(), rowOf(receiver).exact) : unknown,
  '<list>.sort': ({ receiver }) => (receiver.kind === 'list' ? list(rowOf(receiver).items, false) : unknown),
  '<list>.map': eachItem,
  '<list>.flatMap': (call) => {
    const made = eachItem(call);
    const inner = call.machine
      .itemsOf(made)
      .items.map((item) => (item.kind === 'list' ? rowOf(item) : { items: [item], exact: true }));
    return list(
      inner.flatMap(({ items }) => items),
      inner.every(({ exact }) => exact),
    );
  },
  '<list>.forEach': (call) => after(eachItem(call), none),
  '<list>.filter': (call) => {
    const { items } = call.machine.itemsOf(call.receiver);
    call.machine.call(call.args[0] ?? unknown, [joinAll(items)], new Map(), call.span);
    return list(items, false);
  },
  '<list>.reduce': (call) => {
    const [by = unknown, first] = call.args;
    const { items, exact } = call.machine.itemsOf(call.receiver);
    if (!exact) return call.machine.call(by, [unknown, joinAll(items)], new Map(), call.span);
    const [start = unknown, ...others] = first ? [first, ...items] : items;
    return others.reduce(
      (held: Thing, item) => call.machine.call(by, [held, item], new Map(), call.span),
      start,
    );
  },
  '<list>.concat': ({ receiver, args, machine }) => {
    const all = [receiver, ...args].map((thing) =>
      thing.kind === 'list' ? machine.itemsOf(thing) : { items: [thing], exact: true },
    );
    return list(
      all.flatMap(({ items }) => items),
      all.every(({ exact }) => exact),
    );
  },
  '<list>.slice': (call) => {
    const { items, exact } = call.machine.itemsOf(call.receiver);
    return list(exact ? items.slice(numberAt(call, 0), numberAt(call, 1)) : items, exact);
  },
  '<list>.at': (call) => call.machine.item(call.receiver, call.args[0] ?? unknown),
  '<list>.pop': (call) => {
    const { items } = call.machine.itemsOf(call.receiver);
    return items.at(-1) ?? unknown;
  },
};

for (const [name, operation] of Object.entries(fileFunctions)) {
  operations[`fs.${name}`] = operation;
  operations[`fs.${name}Sync`] = operation;
  const deno = `Deno.${name.replace('File', 'TextFile')}`;
  for (const spelling of [`Deno.${name}`, deno]) {
    operations[spelling] = operation;
    operations[`${spelling}Sync`] = operation;
  }
}
for (const verb of ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']) {
  for (const client of ['axios', 'got', 'request', 'superagent', 'needle'])
    operations[`${client}.${verb}`] = asks(verb.toUpperCase());
}

function outputOf(thing: Thing): Thing {
  return (thing.kind === 'handle' && thing.fields.get('stdout')) || unknown;
}

/** The body of `new Function('…')` may begin with `return`, which only a function may. */
function functionBody(code: Thing | undefined): Thing | undefined {
  return mapTexts(code, (given) => given.replace(/^\s*return\b/, '')) ?? code;
}
