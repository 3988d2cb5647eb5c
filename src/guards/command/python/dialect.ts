// Python as the machine knows it: free names, attributes, items and operators.

import { calculated } from '../script/arithmetic.ts';
import { invoke, operate } from '../script/calls.ts';
import { variable } from '../script/environment.ts';
import type { Dialect, Machine, Operation } from '../script/machine.ts';
import { fieldOf, fieldsOf, getAttribute, inherited, itemsOf } from '../script/objects.ts';
import { runCode } from '../script/run.ts';
import {
  concat,
  dynamic,
  handle,
  hole,
  list,
  literal,
  literals,
  mapTexts,
  member,
  merge,
  number,
  originsOf,
  rowOf,
  type TextThing,
  type Thing,
  text,
  texts,
  textsOf,
  truth,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { codingOperations } from './codings.ts';
import { values } from './constants.ts';
import { dynamicOperations, namespaceItem } from './dynamic.ts';
import { fileOperations, folderOf, joinPaths } from './files.ts';
import { lower } from './lower.ts';
import { builtins, canonical } from './names.ts';
import { networkOperations } from './network.ts';
import { processOperations, programOf, startsNamed } from './processes.ts';
import { rowOperations } from './rows.ts';
import { serviceMethod, serviceOperations } from './services.ts';
import { percent, textOperations } from './texts.ts';
import type { ParsePython } from './tree.ts';

/** Longest text or list that repetition makes. */
const longest = 65_536;

/** What values can do: texts, what they are turned into, lists and dictionaries. */
const ofValues = [textOperations, codingOperations, rowOperations];

const operations: ReadonlyMap<string, Operation> = new Map([
  // Not spread into one object first: that takes ten times as long.
  ...[
    ...ofValues,
    fileOperations,
    processOperations,
    networkOperations,
    serviceOperations,
    dynamicOperations,
  ].flatMap((family) => Object.entries(family)),
  ...unbound(),
]);

/** The methods of values, used as functions: `str.upper`. */
function unbound(): readonly (readonly [string, Operation])[] {
  const classes: Readonly<Record<string, string>> = {
    text: 'str',
    bytes: 'bytes',
    list: 'list',
    map: 'dict',
  };
  const all = ofValues.flatMap((family) => Object.entries(family));
  return all.flatMap(([name, operation]) => {
    const [, type = '', method = ''] = /^<(\w+)>\.(\w+)$/.exec(name) ?? [];
    const of = classes[type];
    const full = `builtins.${of}.${method}`;
    if (of === undefined || ofValues.some((family) => family[full])) return [];
    const call: Operation = (given) =>
      operation({
        ...given,
        receiver: given.args[0] ?? unknown,
        args: given.args.slice(1),
        at: (index, keyword) => given.at(index + 1, keyword),
      });
    return [[full, call] as const];
  });
}

/** A name as Python reads it: letters such as those of full width are the plain ones. */
function plainName(name: string): string {
  return /^[\w.<>]*$/.test(name) ? name : name.normalize('NFKC');
}

function nameOf(name: string, machine: Machine): Thing | null {
  const plain = plainName(name);
  if (plain !== name) return machine.lookup(plain);
  if (builtins.has(name)) return member(`builtins.${name}`);
  if (name === '__builtins__') return member('builtins');
  if (name === '__name__') return text('__main__');
  if (name === '__file__') return text(`${machine.record.around.cwd}/__main__.py`);
  if (name === 'None') return { kind: 'none' };
  // Where IPython runs it, it is there.
  if (name === 'get_ipython') return member('IPython.get_ipython');
  if (name === '__loader__' || name === '__spec__') return dynamic;
  return null;
}

/** Parts of a client that lead to the same client. */
const parts: Readonly<Record<string, RegExp>> = {
  docker: /^(?:containers|images|volumes|networks|api)$/,
  cloud: /^(?:objects|object_versions|meta|client|instances|blobs)$/,
  spec: /^loader$/,
};

function attributeOf(object: Thing, name: string, machine: Machine): Thing | null {
  const plain = plainName(name);
  if (plain !== name) return getAttribute(machine, object, plain);
  if (name === '__call__') return object;
  if (name === '__getattribute__' || name === '__getattr__')
    return { kind: 'partial', callee: member('<getattribute>'), args: [object], keywords: new Map() };
  if (name === '__subclasses__' || name === '__mro__' || name === '__bases__') return dynamic;
  if (name === '__globals__' || name === 'f_globals' || name === 'f_locals')
    return handle('namespace', { of: { kind: 'none' } });
  if (name === '__builtins__' || name === 'f_builtins') return member('builtins');
  switch (object.kind) {
    case 'member': {
      if (name === '__dict__') return handle('namespace', { of: object });
      const full = canonical(`${object.name}.${name}`);
      if (full === 'os.environ' || full === 'os.environb') return machine.environ;
      if (full === 'sys.modules') return handle('modules');
      if (full === 'sys.argv') return list([unknown], false);
      if (full === 'sys.path') return handle('search');
      if (full === 'sys.stdin') return handle('file', { content: unknown });
      return values[full] ?? member(full);
    }
    case 'text':
      return object.form === 'path' ? pathAttribute(object, name) : null;
    case 'instance': {
      if (name === '__dict__') return fieldsOf(object);
      if (name === '__class__') return object.of;
      const getter = fieldOf(object, name) ? null : fieldOf(object, '__getattr__');
      return getter?.kind === 'function'
        ? invoke(machine, { ...getter, self: object }, [text(name)], new Map())
        : null;
    }
    case 'handle': {
      if (object.type === 'super') return inherited(machine, name);
      return parts[object.type]?.test(name) ? object : null;
    }
    case 'unknown':
      return object.dynamic ? object : null;
    default:
      return null;
  }
}

function pathAttribute(path: TextThing, name: string): Thing | null {
  const plain = (by: (given: string) => string): Thing =>
    mapTexts(path, by, { form: 'string' }) ?? text(hole);
  switch (name) {
    case 'parent':
      return texts(
        path.texts.map((given) => folderOf(given.replace(/\/$/, '')) || '.'),
        { form: 'path', origins: path.origins },
      );
    case 'parents':
      return list(
        [
          texts(
            path.texts.map((given) => folderOf(given) || '.'),
            { form: 'path' },
          ),
          text(hole, { form: 'path' }),
        ],
        false,
      );
    case 'name':
      return plain((given) => given.slice(given.lastIndexOf('/') + 1));
    case 'stem':
      return plain((given) => given.slice(given.lastIndexOf('/') + 1).replace(/\.[^.]*$/, ''));
    case 'suffix':
      return plain((given) => /\.[^./]*$/.exec(given)?.[0] ?? '');
    default:
      return null;
  }
}

function itemOf(object: Thing, key: Thing, machine: Machine): Thing | null {
  if (object.kind === 'member') {
    if (object.name === 'builtins')
      return namespaceItem({ machine }, handle('namespace', { of: object }), key);
    if (object.name === 'plumbum.local') return programOf(key);
    const [, program] = /^plumbum\.cmd\.(\w+)$/.exec(object.name) ?? [];
    if (program !== undefined) return itemOf(programOf(text(program)), key, machine);
  }
  if (object.kind === 'partial' && object.callee.kind === 'member' && object.callee.name === '<program>')
    return { ...object, args: [...object.args, ...(key.kind === 'list' ? rowOf(key).items : [key])] };
  if (object.kind === 'instance') {
    const getter = fieldOf(object, '__getitem__');
    if (getter?.kind === 'function') return invoke(machine, { ...getter, self: object }, [key], new Map());
  }
  if (object.kind === 'handle') {
    const [name] = literals(key) ?? [];
    const held = name === undefined ? undefined : object.fields.get(name);
    if (held) return held;
    if (object.type === 'environ') return variable({ machine }, key);
    if (object.type === 'namespace') return namespaceItem({ machine }, object, key);
    if (object.type === 'modules') return operate(machine, '<modules>.get', object, [key], new Map(), [0, 0]);
    if (object.type === 'cloud' || object.type === 'mongo') return object;
  }
  if (object.kind === 'text' && object.form === 'bytes' && key.kind === 'number') {
    const known = literal(object);
    return known === null
      ? unknown
      : number(known.charCodeAt(key.value < 0 ? known.length + key.value : key.value));
  }
  return null;
}

function print(thing: Thing): readonly string[] {
  if (thing.kind === 'truth') return [thing.value ? 'True' : 'False'];
  return thing.kind === 'none' ? ['None'] : textsOf(thing);
}

function arithmetic(operator: string, left: number, right: number): Thing {
  switch (operator) {
    case '//':
      return number(Math.floor(left / right));
    case '%':
      return right === 0 ? unknown : number(((left % right) + right) % right);
    case '^':
      return number(Number(BigInt.asIntN(64, BigInt(Math.trunc(left)) ^ BigInt(Math.trunc(right)))));
    case '&':
      return number(Number(BigInt(Math.trunc(left)) & BigInt(Math.trunc(right))));
    case '|':
      return number(Number(BigInt(Math.trunc(left)) | BigInt(Math.trunc(right))));
    case '<<':
      return right > 52 ? unknown : number(left * 2 ** right);
    case '>>':
      return number(Math.floor(left / 2 ** right));
    case 'is':
      return truth(left === right);
    case 'is not':
      return truth(left !== right);
    default:
      return calculated(operator, left, right);
  }
}

/** Whether two things are equal, where that is known. */
function equal(left: Thing, right: Thing): boolean | null {
  const [one, other] = [literals(left), literals(right)];
  if (one && other) {
    if (one.length === 1 && other.length === 1) return one[0] === other[0];
    return one.some((given) => other.includes(given)) ? null : false;
  }
  if (left.kind === 'truth' && right.kind === 'truth') return left.value === right.value;
  const definite = new Set(['text', 'number', 'truth', 'none', 'list', 'map', 'member', 'function', 'class']);
  if (left.kind === 'none' && right.kind === 'none') return true;
  if ((left.kind === 'none' || right.kind === 'none') && definite.has(left.kind) && definite.has(right.kind))
    return left.kind === right.kind ? null : left.kind === 'text' || right.kind === 'text' ? null : false;
  return null;
}

function contains(item: Thing, container: Thing): boolean | null {
  const wanted = literal(item);
  if (container.kind === 'text') {
    const held = literal(container);
    return wanted === null || held === null ? null : held.includes(wanted);
  }
  if (container.kind === 'list') {
    const { items, exact } = rowOf(container);
    const found = items.map((other) =>
      item.kind === 'number' && other.kind === 'number' ? item.value === other.value : equal(item, other),
    );
    if (exact && found.includes(true)) return true;
    return exact && found.every((answer) => answer === false) ? false : null;
  }
  return null;
}

function negated(answer: boolean | null, not: boolean): Thing {
  return answer === null ? unknown : truth(answer !== not);
}

function repeated(left: Thing, times: number, machine: Machine): Thing {
  const count = Math.max(0, Math.trunc(times));
  if (left.kind === 'text') {
    machine.spend(Math.min(longest, count) / 64);
    return texts(
      left.texts.map((given) =>
        given.length * count > longest
          ? given.repeat(Math.min(count, Math.ceil(256 / Math.max(1, given.length)))) + hole
          : given.repeat(count),
      ),
      { form: left.form, origins: left.origins },
    );
  }
  if (left.kind !== 'list') return unknown;
  const { items, exact } = rowOf(left);
  if (items.length * count > 1024) return list(items, false);
  return list(Array.from({ length: count }, () => items).flat(), exact);
}

function binary(operator: string, left: Thing, right: Thing, machine: Machine): Thing {
  if (left.kind === 'number' && right.kind === 'number') return arithmetic(operator, left.value, right.value);
  switch (operator) {
    case '+':
      if (left.kind === 'list' || right.kind === 'list') {
        const rows = [left, right].map((side) => itemsOf(machine, side));
        return list(
          rows.flatMap(({ items }) => items),
          rows.every(({ exact }) => exact),
        );
      }
      if (left.kind === 'text' || right.kind === 'text') {
        const form = left.kind === 'text' ? left.form : right.kind === 'text' ? right.form : 'string';
        const many = (left.kind === 'text' && left.many) || (right.kind === 'text' && right.many);
        machine.spend(textsOf(left).reduce((sum, { length }) => sum + length / 64, 0));
        return concat([textsOf(left), textsOf(right)], {
          form,
          many,
          origins: merge(originsOf(left), originsOf(right)),
        });
      }
      break;
    case '/':
      if ((left.kind === 'text' && left.form === 'path') || (right.kind === 'text' && right.form === 'path'))
        return joinPaths([left, right], 'path');
      // An unknown divided by a text can only be a path.
      if (right.kind === 'text' && left.kind !== 'number') return joinPaths([left, right], 'path');
      break;
    case '%':
      if (left.kind === 'text') return percent(left, right);
      break;
    case '*':
      if (right.kind === 'number') return repeated(left, right.value, machine);
      if (left.kind === 'number') return repeated(right, left.value, machine);
      break;
    case '==':
    case 'is':
      return negated(equal(left, right), false);
    case '!=':
    case 'is not':
      return negated(equal(left, right), true);
    case 'in':
      return negated(contains(left, right), false);
    case 'not in':
      return negated(contains(left, right), true);
    case '|':
    case '-':
    case '&':
      if (left.kind === 'list') return list([...rowOf(left).items, ...itemsOf(machine, right).items], false);
      break;
  }
  return unknownFrom(merge(originsOf(left), originsOf(right)));
}

/** A module that this script wrote is part of it. */
function imported(library: string, span: readonly [number, number], machine: Machine): void {
  const [top = ''] = library.split('.', 1);
  const file = `${top}.py`;
  const content = machine.written.get(file) ?? machine.written.get(`./${file}`);
  if (!content) return;
  machine.record.effect('run', machine.record.path(text(file)), {
    program: 'import',
    span,
    origins: ['written'],
  });
  const source = literal(content);
  if (source !== null) runCode(machine, source, span);
}

/** Python, read by the given parser. */
export function pythonDialect(parse: ParsePython): Dialect {
  return {
    operations,
    program: 'python',
    name: nameOf,
    attribute: attributeOf,
    item: itemOf,
    binary,
    print,
    method: (receiver, name) => startsNamed(receiver) ?? serviceMethod(receiver, name),
    entriesAreAttributes: false,
    constructorName: '__init__',
    imported,
    read: (source) => lower(parse(source)),
  };
}
