// JavaScript as the machine knows it: free names, attributes, items and operators.

import { isOwnProgram } from '../../../detect/protect.ts';
import { calculated } from '../script/arithmetic.ts';
import { variable } from '../script/environment.ts';
import type { Dialect, Machine, Operation } from '../script/machine.ts';
import { getAttribute, inherited } from '../script/objects.ts';
import { runCode } from '../script/run.ts';
import {
  concat,
  dynamic,
  handle,
  hole,
  join,
  list,
  literal,
  literals,
  member,
  merge,
  none,
  number,
  originsOf,
  rowOf,
  type Thing,
  text,
  textsOf,
  truth,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { lower } from './lower.ts';
import { operations } from './operations.ts';
import type { ParseJavascript } from './tree.ts';

const known: ReadonlyMap<string, Operation> = new Map(Object.entries(operations));

/** What stands free of any import. */
const free = new Set(
  'require module process Buffer fetch eval Function JSON Object Array String Number Math Promise Reflect setTimeout setInterval setImmediate queueMicrotask atob btoa decodeURIComponent decodeURI encodeURIComponent unescape parseInt WebSocket XMLHttpRequest URL Bun Deno console'.split(
    ' ',
  ),
);
/** Libraries that `node -e` and the REPL hold ready. */
const ready = new Set(
  'child_process fs http https net os path vm tls dns dgram cluster worker_threads util'.split(' '),
);

function nameOf(name: string, machine: Machine): Thing | null {
  if (free.has(name) || ready.has(name)) return member(name);
  if (name === 'this') return machine.self;
  if (name === 'super') return handle('super');
  if (name === 'undefined') return none;
  if (name === 'global' || name === 'globalThis' || name === 'window' || name === 'self')
    return handle('globals');
  if (name === '__dirname') return text(machine.record.around.cwd);
  return null;
}

function isCallable(thing: Thing): boolean {
  return (
    thing.kind === 'function' || thing.kind === 'member' || thing.kind === 'bound' || thing.kind === 'partial'
  );
}

function attributeOf(object: Thing, name: string, machine: Machine): Thing | null {
  // The class of modules loads them.
  if (name === 'constructor' && object.kind === 'member' && object.name === 'module') return object;
  if (name === 'constructor')
    return member(isCallable(object) || object.kind === 'class' ? 'Function' : 'Object');
  const isReflect = object.kind === 'member' && object.name === 'Reflect';
  if (isCallable(object) && !isReflect && (name === 'call' || name === 'apply' || name === 'bind'))
    return { kind: 'partial', callee: member(`<${name}>`), args: [object], keywords: new Map() };
  switch (object.kind) {
    case 'member':
      if (name === 'default') return object;
      if (/^(?:process|Bun)$/.test(object.name) && name === 'env') return machine.environ;
      if (object.name === 'process' && name === 'argv') return list([text('node'), unknown], false);
      if (object.name === 'process' && (name === 'execPath' || name === 'argv0')) return text('node');
      if (object.name === 'process' && name === 'platform') return text('linux');
      if (object.name === 'process' && name === 'pid') return handle('self');
      if (object.name === 'process' && name === 'stdin') return handle('stream');
      if (object.name === 'fs' && name === 'promises') return object;
      return null;
    case 'handle':
      if (object.type === 'super') return inherited(machine, name);
      if (object.type === 'globals') return machine.lookup(name);
      if (object.type === 'environ') return object.fields.get(name) ?? variable({ machine }, text(name));
      return null;
    case 'text': {
      const [only] = literals(object) ?? [];
      return name === 'length' && only !== undefined ? number(only.length) : null;
    }
    case 'list':
      return name === 'length' ? (rowOf(object).exact ? number(rowOf(object).items.length) : unknown) : null;
    case 'unknown':
      return object.dynamic ? object : null;
    default:
      return null;
  }
}

function itemOf(object: Thing, key: Thing, machine: Machine): Thing | null {
  if (object.kind === 'list' || object.kind === 'map') {
    const name = literal(key);
    if (name === null || object.kind === 'map' || /^\d+$/.test(name)) return null;
    return getAttribute(machine, object, name);
  }
  const names = literals(key);
  if (names) return names.map((name) => getAttribute(machine, object, name)).reduce(join);
  if (object.kind === 'member' || (object.kind === 'handle' && object.type === 'globals')) return dynamic;
  if (object.kind === 'handle' && object.type === 'environ') return unknownFrom(['secret']);
  return null;
}

function print(thing: Thing): readonly string[] {
  if (thing.kind === 'truth') return [String(thing.value)];
  if (thing.kind !== 'list') return textsOf(thing);
  const { items, exact } = rowOf(thing);
  return exact
    ? concat(items.flatMap((item, index) => (index === 0 ? [textsOf(item)] : [[','], textsOf(item)]))).texts
    : [hole];
}

function arithmetic(operator: string, left: number, right: number): Thing {
  switch (operator) {
    case '%':
      return number(left % right);
    case '^':
      return number(left ^ right);
    case '&':
      return number(left & right);
    case '|':
      return number(left | right);
    case '<<':
      return number(left << right);
    case '>>':
      return number(left >> right);
    case '===':
      return truth(left === right);
    case '!==':
      return truth(left !== right);
    default:
      return calculated(operator, left, right);
  }
}

function binary(operator: string, left: Thing, right: Thing, machine: Machine): Thing {
  if (left.kind === 'number' && right.kind === 'number') return arithmetic(operator, left.value, right.value);
  if (
    operator === '+' &&
    (left.kind === 'text' || right.kind === 'text' || left.kind === 'list' || right.kind === 'list')
  ) {
    machine.spend(textsOf(left).reduce((sum, { length }) => sum + length / 64, 0));
    return concat([print(left), print(right)], { origins: merge(originsOf(left), originsOf(right)) });
  }
  if (/^[!=]==?$/.test(operator)) {
    const [one, other] = [literal(left), literal(right)];
    if (one === null || other === null) return unknown;
    return truth((one === other) === operator.startsWith('='));
  }
  return unknownFrom(merge(originsOf(left), originsOf(right)));
}

/** A file that this script wrote is part of it; the guard's own program does what it is called with when it is loaded. */
function imported(library: string, span: readonly [number, number], machine: Machine): void {
  if (library.includes('/') && isOwnProgram(library))
    machine.record.effect('tamper', { kind: 'none' }, { program: 'require', span, detail: 'command' });
  if (!/^[./]/.test(library)) return;
  const path = library.replace(/^\.\//, '');
  const key = [library, path, `${path}.js`, `./${path}`, `./${path}.js`].find((candidate) =>
    machine.written.has(candidate),
  );
  if (key === undefined) return;
  machine.record.effect('run', machine.record.path(text(key)), {
    program: 'require',
    span,
    origins: ['written'],
  });
  const source = literal(machine.written.get(key));
  if (source !== null) runCode(machine, source, span);
}

/** JavaScript, read by the given parser. */
export function javascriptDialect(parse: ParseJavascript): Dialect {
  return {
    operations: known,
    program: 'node',
    name: nameOf,
    attribute: attributeOf,
    item: itemOf,
    binary,
    print,
    method: () => null,
    entriesAreAttributes: true,
    constructorName: 'constructor',
    imported,
    read: (source) => {
      const { program, errors } = parse(source);
      return lower(program, errors);
    },
  };
}
