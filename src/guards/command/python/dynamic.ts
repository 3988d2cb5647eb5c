// Python's ways to reach code and names by texts: exec, eval, getattr, import, pickle, the environment.

import { after, effects, prints } from '../script/actions.ts';
import { combine } from '../script/arithmetic.ts';
import { callThing, operate } from '../script/calls.ts';
import { inflate } from '../script/decode.ts';
import { variable } from '../script/environment.ts';
import type { Call, Operation } from '../script/machine.ts';
import { getAttribute, itemsOf, setAttribute, setItem } from '../script/objects.ts';
import { runCode } from '../script/run.ts';
import {
  asValue,
  dynamic,
  handle,
  joinAll,
  list,
  literal,
  literals,
  mapTexts,
  member,
  none,
  originsOf,
  type Thing,
  text,
  textsOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { canonical } from './names.ts';

/** A text is run as code. */
function runs(call: Call, code: Thing | undefined): Thing {
  const { machine, span } = call;
  const source = code?.kind === 'handle' && code.type === 'code' ? code.fields.get('source') : code;
  const known = literals(source);
  if (known) return joinAll(known.map((given) => runCode(machine, given, span)));
  if (source?.kind === 'function') return callThing(machine, source, [], new Map(), span);
  const origins = originsOf(source);
  effects(call, 'run', { origins: origins.length > 0 ? origins : ['unknown'] });
  machine.record.unknown('code that is not known', span);
  return unknownFrom(origins);
}

const printsAll: Operation = (call) => {
  prints(call, call.args);
  return none;
};

/** A folder in which modules are looked for from then on. */
function searches(call: Call, folders: Thing | undefined): Thing {
  for (const path of folders === undefined ? [] : itemsOrItself(call, folders))
    if (/^[/~]/.test(path))
      effects(call, 'run', {
        ...{ detail: 'loaded', origins: [] },
        target: { kind: 'path', path: asValue([`${path.replace(/\/+$/, '')}/*`]), glob: true },
      });
  return none;
}

function itemsOrItself({ machine }: Call, thing: Thing): readonly string[] {
  const things = thing.kind === 'list' ? itemsOf(machine, thing).items : [thing];
  return things.flatMap((one) => literals(one) ?? []);
}

const runsFirst: Operation = (call) => runs(call, call.args[0] ?? call.keywords.get('stmt'));
const runsStatements: Operation = (call) => {
  for (const code of [call.at(1, 'setup'), call.at(0, 'stmt')])
    if (code && code.kind !== 'number') runs(call, code);
  return unknown;
};
/** Data that may hold code is taken apart. */
const loads: Operation = (call) => {
  const [given] = call.args;
  const origins = originsOf(given);
  const path = given?.kind === 'handle' ? given.fields.get('path') : undefined;
  const { record } = call.machine;
  const own = origins.length === 0 || origins.every((origin) => origin === 'written');
  // What this code has just put there is its own.
  if (path !== undefined && own && record.wrote(path)) return unknown;
  effects(call, 'run', {
    ...(path === undefined ? {} : { target: record.path(path) }),
    ...{ detail: 'deserialise', origins: origins.length > 0 ? origins : ['unknown'] },
  });
  return unknownFrom(origins);
};
const loadsYaml: Operation = (call) => {
  const loader = call.at(1, 'Loader');
  if (loader?.kind === 'member' && /Safe|Base/.test(loader.name)) return unknownFrom(originsOf(call.args[0]));
  return loads(call);
};

/** The frame that `wbits` asks for. */
function framed(bits: Thing | undefined): 'gzip' | 'zlib' | 'bare' {
  if (bits?.kind !== 'number') return 'zlib';
  return bits.value < 0 ? 'bare' : bits.value > 15 ? 'gzip' : 'zlib';
}

function unpacked({ args: [given], machine }: Call, frame: 'gzip' | 'zlib' | 'bare'): Thing {
  machine.spend(textsOf(given).reduce((sum, { length }) => sum + length, 0));
  const plain = mapTexts(given, (bytes) => inflate(bytes, frame), { form: 'bytes' });
  return plain ?? unknownFrom(originsOf(given));
}

function imports(call: Call, whole: boolean): Thing {
  const given = call.at(0, 'name');
  const names = literals(given);
  if (!names) return { ...dynamic, origins: originsOf(given).length > 0 ? originsOf(given) : ['unknown'] };
  return joinAll(
    names.map((name) => {
      const full = canonical(name);
      call.machine.dialect.imported(full, call.span, call.machine);
      return member(whole ? full : canonical(name.split('.', 1)[0] ?? name));
    }),
  );
}

function attributeOf(call: Call): Thing {
  const [object = unknown, name, fallback] = call.args;
  const names = literals(name);
  if (names) return joinAll(names.map((given) => getAttribute(call.machine, object, given)));
  if (
    object.kind === 'member' ||
    (object.kind === 'unknown' && object.dynamic) ||
    (object.kind === 'handle' && object.type === 'native')
  )
    return { ...dynamic, origins: originsOf(name).length > 0 ? originsOf(name) : ['unknown'] };
  return fallback ?? unknownFrom(originsOf(object));
}

const namespace = (of: Thing): Thing => handle('namespace', { of });

/** What a name in a namespace stands for. */
export function namespaceItem(call: Pick<Call, 'machine'>, receiver: Thing, key: Thing): Thing {
  const of = receiver.kind === 'handle' ? receiver.fields.get('of') : undefined;
  const names = literals(key);
  if (!names) return dynamic;
  return joinAll(
    names.map((name) => {
      if (of && of.kind !== 'none') return getAttribute(call.machine, of, name);
      const found = call.machine.lookup(name);
      // The names of another module's globals are mostly the libraries that it brought in.
      return found.kind === 'unknown' ? member(canonical(name)) : found;
    }),
  );
}

/** A function or a library by a text such as `os:system`. */
function named(call: Call): Thing {
  const names = literals(call.args[0]);
  return names ? joinAll(names.map((name) => member(canonical(name.replace(':', '.'))))) : dynamic;
}

export const dynamicOperations: Record<string, Operation> = {
  'builtins.exec': runsFirst,
  'builtins.eval': runsFirst,
  'builtins.compile': (call) => handle('code', { source: call.at(0, 'source') ?? unknown }),
  'marshal.loads': (call) => handle('code', { source: unknownFrom(originsOf(call.args[0])) }),
  'types.FunctionType': (call) => ({
    kind: 'partial',
    callee: member('builtins.exec'),
    args: [call.args[0] ?? unknown],
    keywords: new Map(),
  }),
  'types.LambdaType': (call) => ({
    kind: 'partial',
    callee: member('builtins.exec'),
    args: [call.args[0] ?? unknown],
    keywords: new Map(),
  }),
  'types.CodeType': () => handle('code', { source: unknown }),
  'code.InteractiveInterpreter': () => handle('interpreter'),
  'code.InteractiveConsole': () => handle('interpreter'),
  'code.interact': (call) => after(effects(call, 'run', { origins: ['unknown'] }), none),
  '<interpreter>.runsource': runsFirst,
  '<interpreter>.runcode': runsFirst,
  '<interpreter>.push': runsFirst,
  'timeit.timeit': runsStatements,
  'timeit.repeat': runsStatements,
  'timeit.Timer': runsStatements,
  'cProfile.run': runsFirst,
  'profile.run': runsFirst,
  'pdb.run': runsFirst,
  'trace.Trace': () => handle('interpreter'),
  '<interpreter>.run': runsFirst,
  'pickle.loads': loads,
  'pickle.load': loads,
  'pickle.Unpickler': loads,
  'shelve.open': loads,
  'jsonpickle.decode': loads,
  'yaml.load': loadsYaml,
  'yaml.unsafe_load': loads,
  'yaml.full_load': ({ args: [given] }) => unknownFrom(originsOf(given)),
  'zlib.decompress': (call) => unpacked(call, framed(call.at(1, 'wbits'))),
  'gzip.decompress': (call) => unpacked(call, 'gzip'),

  'builtins.__import__': (call) => imports(call, call.keywords.has('fromlist') || call.args.length > 3),
  'importlib.__import__': (call) => imports(call, false),
  'importlib.import_module': (call) => imports(call, true),
  'importlib.reload': ({ args: [given = unknown] }) => given,
  'builtins.reload': ({ args: [given = unknown] }) => given,
  'importlib.load_source': (call) =>
    after(
      effects(call, 'run', { target: call.machine.record.path(call.args[1]), origins: ['unknown'] }),
      unknown,
    ),
  'importlib.util.spec_from_file_location': (call) =>
    handle('spec', { path: call.at(1, 'location') ?? unknown }),
  'importlib.util.module_from_spec': ({ args: [given = unknown] }) => given,
  '<any>.exec_module': (call) => {
    const [spec] = call.args;
    const file = spec?.kind === 'handle' ? spec.fields.get('path') : undefined;
    effects(call, 'run', {
      ...(file ? { target: call.machine.record.path(file) } : {}),
      origins: ['unknown'],
    });
    return none;
  },
  'builtins.getattr': attributeOf,
  // Called on a class, it is given the object; on an object, it has it.
  '<getattribute>': (call) =>
    attributeOf({ ...call, args: call.args.length > 2 ? call.args.slice(1) : call.args }),
  'inspect.getmembers': () => list([list([unknown, dynamic])], false),
  'gc.get_objects': () => list([dynamic], false),
  'gc.get_referrers': () => list([dynamic], false),
  'pkgutil.resolve_name': named,
  'pydoc.locate': named,
  'importlib.machinery.SourceFileLoader': (call) => handle('spec', { path: call.at(1, 'path') ?? unknown }),
  '<spec>.load_module': (call) => {
    const file = call.receiver.kind === 'handle' ? call.receiver.fields.get('path') : undefined;
    effects(call, 'run', { target: call.machine.record.path(file), origins: ['unknown'] });
    return dynamic;
  },
  'pandas.read_pickle': loads,
  'builtins.setattr': (call) => {
    const [object = unknown, name, value = unknown] = call.args;
    for (const given of literals(name) ?? []) setAttribute(call.machine, object, given, value);
    return none;
  },
  'operator.attrgetter': ({ args: [name = unknown] }) => ({
    kind: 'partial',
    callee: member('<attrgetter>'),
    args: [name],
    keywords: new Map(),
  }),
  '<attrgetter>': (call) => {
    const [name = unknown, object = unknown] = call.args;
    const known = literal(name);
    if (known === null) return attributeOf({ ...call, args: [object, name] });
    return known.split('.').reduce((held: Thing, part) => getAttribute(call.machine, held, part), object);
  },
  'operator.methodcaller': ({ args, keywords }) => ({
    kind: 'partial',
    callee: member('<methodcaller>'),
    args: [list(args)],
    keywords,
  }),
  '<methodcaller>': (call) => {
    const [given = unknown, object = unknown] = call.args;
    const [name = unknown, ...rest] = itemsOf(call.machine, given).items;
    return callThing(
      call.machine,
      attributeOf({ ...call, args: [object, name] }),
      rest,
      call.keywords,
      call.span,
    );
  },
  'operator.add': ({ machine, args: [left = unknown, right = unknown] }) =>
    combine(machine, '+', left, right),
  'operator.concat': ({ machine, args: [left = unknown, right = unknown] }) =>
    combine(machine, '+', left, right),
  'operator.xor': ({ machine, args: [left = unknown, right = unknown] }) =>
    combine(machine, '^', left, right),
  'operator.call': (call) =>
    callThing(call.machine, call.args[0] ?? unknown, call.args.slice(1), call.keywords, call.span),
  'builtins.globals': () => namespace(none),
  'builtins.locals': () => namespace(none),
  'builtins.vars': ({ args: [given = none] }) => namespace(given),
  'builtins.super': () => handle('super'),
  '<namespace>.get': (call) => namespaceItem(call, call.receiver, call.args[0] ?? unknown),
  '<namespace>.pop': (call) => namespaceItem(call, call.receiver, call.args[0] ?? unknown),
  '<namespace>.__getitem__': (call) => namespaceItem(call, call.receiver, call.args[0] ?? unknown),
  '<namespace>.values': () => list([dynamic], false),
  '<namespace>.items': () => list([list([unknown, dynamic])], false),
  '<modules>.get': (call) => imports(call, true),
  '<modules>.__getitem__': (call) => imports(call, true),
  '<modules>.values': () => list([dynamic], false),
  ...Object.fromEntries(
    [
      'builtins.print',
      'pprint.pprint',
      'pprint.pp',
      'sys.stdout.write',
      'sys.stderr.write',
      'rich.print',
    ].map((name): [string, Operation] => [name, printsAll]),
  ),
  '<search>.insert': (call) => searches(call, call.args[1]),
  '<search>.append': (call) => searches(call, call.args[0]),
  '<search>.extend': (call) => searches(call, call.args[0]),
  'site.addsitedir': (call) => searches(call, call.args[0]),
  'os.getenv': (call) => variable(call, call.at(0, 'key'), call.at(1, 'default')),
  '<environ>.get': (call) => variable(call, call.at(0, 'key'), call.at(1, 'default')),
  '<environ>.pop': (call) => variable(call, call.at(0, 'key'), call.at(1, 'default')),
  '<environ>.items': () => list([list([unknown, unknownFrom(['secret'])])], false),
  '<environ>.values': () => list([unknownFrom(['secret'])], false),
  '<environ>.keys': () => list([unknown], false),
  '<environ>.copy': ({ receiver }) => receiver,
  '<environ>.update': ({ args: [given], keywords, machine }) => {
    for (const [name, value] of [...(given?.kind === 'map' ? given.entries : []), ...keywords])
      machine.set(machine.environ.fields, name, value);
    return none;
  },
  'os.putenv': (call) => {
    setItem(call.machine, call.machine.environ, call.at(0) ?? unknown, call.at(1) ?? unknown);
    return none;
  },
  '<environ>.setdefault': (call) => variable(call, call.at(0, 'key'), call.at(1, 'default')),
  'dotenv.dotenv_values': (call) =>
    operate(call.machine, 'builtins.open', unknown, [call.args[0] ?? text('.env')], new Map(), call.span),
};
