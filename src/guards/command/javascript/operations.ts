// Node's libraries and JavaScript's own functions: what each does, and what constants fold to.

import { after, connects, deletes, effects, prints, reads, rows, starts, writes } from '../script/actions.ts';
import { callThing } from '../script/calls.ts';
import { fromBase64, fromPercent, inflate, toBase64, toPercent } from '../script/decode.ts';
import { variable } from '../script/environment.ts';
import type { Operation } from '../script/machine.ts';
import { getAttribute, getItem, itemsOf, keysOf } from '../script/objects.ts';
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
  member,
  merge,
  none,
  number,
  originsOf,
  restKey,
  rowOf,
  some,
  type Thing,
  text,
  texts,
  textsOf,
  truth,
  truthOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { fileFunctions, removes } from './files.ts';
import { asks, connectsSocket, hears, listens, message, pipes, queries, sends, serves } from './network.ts';
import { fromNetwork, type Operations, option } from './operation.ts';
import {
  forksFile,
  functionBody,
  inShell,
  later,
  outputOf,
  processOf,
  program,
  required,
  runs,
  runsFirst,
  runsInContext,
  runsWith,
  soon,
} from './processes.ts';
import {
  buffer,
  changes,
  eachItem,
  folds,
  joinItems,
  joinPaths,
  json,
  method,
  numberAt,
  replace,
  shown,
  split,
  thenDone,
} from './texts.ts';

/** Writes to the file that the first argument is a handle of. */
const writesHandle: Operation = (call) =>
  call.args[0]?.kind === 'handle'
    ? after(writes(call, call.args[0].fields.get('path'), call.args[1], { detail: 'overwrite' }), unknown)
    : unknown;

const printsAll: Operation = (call) => {
  prints(call, call.args);
  return none;
};

/** Writes to the file that the receiver is a handle of. */
const writesReceiver: Operation = (call) => {
  const { receiver, args } = call;
  const path = receiver.kind === 'handle' ? receiver.fields.get('path') : undefined;
  return after(writes(call, path, args[0], { detail: 'overwrite' }), unknown);
};

export const operations: Operations = {
  require: required,
  'module.require': required,
  'module._load': required,
  'process.mainModule.require': required,
  'module.createRequire': () => member('require'),
  'process.getBuiltinModule': required,
  'process.binding': (call) => after(effects(call, 'run', { origins: ['unknown'] }), dynamic),
  'process.dlopen': (call) => after(effects(call, 'run', { origins: ['unknown'], detail: 'native' }), none),
  eval: runsFirst,
  Function: (call) => ({
    kind: 'partial',
    callee: member('<run>'),
    args: [call.args.at(-1) ?? text(''), list(call.args.slice(0, -1))],
    keywords: new Map(),
  }),
  '<run>': (call) => {
    const [body, parameters, ...given] = call.args;
    const names = rows(parameters).flatMap((one) => (literal(one) ?? '').split(/[\s,]+/));
    return runsWith(
      call,
      functionBody(body),
      names.map((name, index) => [name, given[index] ?? unknown] as const),
    );
  },
  'vm.runInThisContext': runsFirst,
  'vm.runInNewContext': runsInContext,
  'vm.runInContext': runsInContext,
  'vm.compileFunction': ({ args: [code = unknown, parameters = list([])] }) => ({
    kind: 'partial',
    callee: member('<run>'),
    args: [code, parameters],
    keywords: new Map(),
  }),
  'vm.Script': (call) => handle('code', { source: call.args[0] ?? unknown }),
  '<code>.runInThisContext': (call) => runs(call, call.receiver),
  '<code>.runInNewContext': runsInContext,
  '<code>.runInContext': runsInContext,
  '<any>._compile': runsFirst,
  'worker_threads.Worker': (call) =>
    truthOf(option(call, 'eval') ?? none) === true ? runs(call, call.args[0]) : forksFile(call),
  'cluster.fork': (call) => after(call.machine.forks(call), unknown),
  setTimeout: later,
  setInterval: later,
  setImmediate: soon,
  queueMicrotask: soon,
  'process.nextTick': soon,
  'process.on': hears,
  'process.exit': (call) => after(call.machine.stop(), none),
  'process.abort': (call) => after(call.machine.stop(), none),
  'process.chdir': (call) => after(call.machine.record.move(call.args[0]), none),
  'process.cwd': ({ machine }) => text(machine.record.lost ? hole : machine.record.around.cwd),
  'process.kill': (call) => {
    const [pid, given] = call.args;
    const detail = given?.kind === 'number' ? String(given.value) : (literal(given) ?? 'SIGTERM');
    if (detail !== '0')
      effects(call, 'signal', { target: { kind: 'name', name: asValue(textsOf(pid)) }, detail });
    return truth(true);
  },
  'process.stderr.write': () => truth(true),
  'os.homedir': ({ machine }) => text(machine.record.around.home ?? '~'),
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
  'Deno.env.toObject': ({ machine }) => machine.environ,
  'Deno.env.get': (call) => variable(call, call.args[0]),
  'Deno.run': (call) => processOf(starts(call, option(call, 'cmd'))),
  'util.promisify': ({ args: [given = unknown] }) => given,
  rimraf: removes(true),
  'rimraf.sync': removes(true),
  'del.sync': removes(true),
  'del.deleteSync': removes(true),
  'del.deleteAsync': removes(true),
  'child_process.spawn.sync': program,
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
  'fs.write': writesHandle,
  'fs.writeSync': writesHandle,
  '<file>.write': writesReceiver,
  '<file>.writeFile': writesReceiver,
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
  ...Object.fromEntries(
    ['console.log', 'console.info', 'console.error', 'console.warn', 'console.dir', 'console.table'].map(
      (name): [string, Operation] => [name, printsAll],
    ),
  ),
  'process.stdout.write': printsAll,
  'Object.keys': (call) => {
    const { items, exact } = keysOf(call.args[0] ?? unknown);
    return list(items, exact);
  },
  'Object.getPrototypeOf': ({ args: [given = unknown] }) => given,
  'Object.values': ({ args: [given] }) =>
    given?.kind === 'map'
      ? list([...given.entries.values()], !given.entries.has(restKey))
      : list([given?.kind === 'member' ? dynamic : unknownFrom(originsOf(given))], false),
  'Object.entries': ({ args: [given] }) =>
    given?.kind === 'map'
      ? list(
          [...given.entries].map(([key, entry]) => list([key === restKey ? unknown : text(key), entry])),
          !given.entries.has(restKey),
        )
      : list([list([unknown, given?.kind === 'member' ? dynamic : unknownFrom(originsOf(given))])], false),
  'Object.assign': ({ args: [first = unknown, ...others], machine }) => {
    for (const other of others)
      if (other.kind === 'map' && first.kind === 'map')
        for (const [key, entry] of other.entries) machine.set(first.entries, key, entry);
    return first;
  },
  'Array.from': (call) => {
    const [source = unknown, by] = call.args;
    const { items, exact } = itemsOf(call.machine, source);
    const copied = list(items, exact);
    return by ? eachItem({ ...call, receiver: copied, args: [by] }) : copied;
  },
  'Array.isArray': () => unknown,
  'Promise.all': ({ args: [given = unknown] }) => given,
  'Promise.resolve': ({ args: [given = unknown] }) => given,
  'Reflect.get': (call) => {
    const names = literals(call.args[1]);
    return names
      ? joinAll(names.map((name) => getAttribute(call.machine, call.args[0] ?? unknown, name)))
      : dynamic;
  },
  'Reflect.apply': (call) =>
    callThing(call.machine, call.args[0] ?? unknown, rows(call.args[2]), new Map(), call.span),
  'path.join': (call) => joinPaths(call, ''),
  'path.resolve': (call) => joinPaths(call, '/'),
  'path.normalize': ({ args: [given = unknown] }) => given,
  'path.dirname': folds((given) => given.slice(0, Math.max(0, given.lastIndexOf('/'))) || '/'),
  'path.basename': folds((given) => given.slice(given.lastIndexOf('/') + 1)),

  '<call>': (call) =>
    callThing(call.machine, call.args[0] ?? unknown, call.args.slice(2), new Map(), call.span),
  '<apply>': (call) =>
    callThing(call.machine, call.args[0] ?? unknown, rows(call.args[2]), new Map(), call.span),
  '<bind>': ({ args: [callee = unknown, , ...args] }) => ({
    kind: 'partial',
    callee,
    args,
    keywords: new Map(),
  }),
  '<any>.then': thenDone,
  '<any>.catch': (call) => {
    for (const by of call.args) callThing(call.machine, by, [unknown], new Map(), call.span);
    return call.receiver;
  },
  '<any>.finally': (call) => {
    for (const by of call.args) callThing(call.machine, by, [], new Map(), call.span);
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
    const inner = itemsOf(call.machine, made).items.map((item) =>
      item.kind === 'list' ? rowOf(item) : { items: [item], exact: true },
    );
    return list(
      inner.flatMap(({ items }) => items),
      inner.every(({ exact }) => exact),
    );
  },
  '<list>.forEach': (call) => after(eachItem(call), none),
  '<list>.filter': (call) => {
    const { items } = itemsOf(call.machine, call.receiver);
    callThing(call.machine, call.args[0] ?? unknown, [joinAll(items)], new Map(), call.span);
    return list(items, false);
  },
  '<list>.reduce': (call) => {
    const [by = unknown, first] = call.args;
    const { items, exact } = itemsOf(call.machine, call.receiver);
    if (!exact) return callThing(call.machine, by, [unknown, joinAll(items)], new Map(), call.span);
    const [start = unknown, ...others] = first ? [first, ...items] : items;
    return others.reduce(
      (held: Thing, item) => callThing(call.machine, by, [held, item], new Map(), call.span),
      start,
    );
  },
  '<list>.concat': ({ receiver, args, machine }) => {
    const all = [receiver, ...args].map((thing) =>
      thing.kind === 'list' ? itemsOf(machine, thing) : { items: [thing], exact: true },
    );
    return list(
      all.flatMap(({ items }) => items),
      all.every(({ exact }) => exact),
    );
  },
  '<list>.slice': (call) => {
    const { items, exact } = itemsOf(call.machine, call.receiver);
    return list(exact ? items.slice(numberAt(call, 0), numberAt(call, 1)) : items, exact);
  },
  '<list>.at': (call) => getItem(call.machine, call.receiver, call.args[0] ?? unknown),
  '<list>.pop': (call) => {
    const { items } = itemsOf(call.machine, call.receiver);
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
