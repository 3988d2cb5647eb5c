// What the functions of libraries do, whatever the language: touching files, reaching hosts, starting programs.

import type { Effect, Facts, Origin } from '../effects.ts';
import { changeMode, hostOf, type More, read, remove, write } from '../tools/tool.ts';
import { settingsOf } from './environment.ts';
import type { Call } from './machine.ts';
import { statementKind } from './sql.ts';
import {
  asValue,
  concat,
  hole,
  join,
  list,
  literal,
  literals,
  merge,
  originsOf,
  rowOf,
  type Thing,
  text,
  texts,
  textsOf,
  unknown,
  unknownFrom,
} from './things.ts';

type Access = typeof read;

function touch(call: Call, access: Access, path: Thing | undefined, more: More = {}): void {
  const { machine, name, span } = call;
  const { record } = machine;
  const { cwd, home } = record.around;
  const target = record.path(path);
  if (target.kind !== 'path' || !record.first(`${name} ${access.name}`, span, target, more)) return;
  const at = { span, through: [], cwd, home };
  const io = { stdin: { kind: 'unknown' } as const, stdinOrigins: [] };
  for (const effect of access({ program: name, args: [], io, at }, target.path, more)) {
    const { kind, target: reached } = effect;
    record.effect(
      kind,
      target.glob && reached.kind === 'path' ? { ...reached, glob: true } : reached,
      effect,
    );
  }
}

/** A descriptor or a stream is no file. */
function isFile(path: Thing | undefined): boolean {
  return path !== undefined && path.kind !== 'number' && path.kind !== 'handle' && path.kind !== 'none';
}

/** A file is read; gives what may be in it. */
export function reads(call: Call, path: Thing | undefined, more: More = {}): Thing {
  if (path?.kind === 'handle') return text(hole, { origins: originsOf(path) });
  if (!isFile(path)) return text(hole, { origins: originsOf(path) });
  touch(call, read, path, more);
  return contentOf(call, path);
}

/** What a file holds, as far as that is known. */
export function contentOf({ machine }: Call, path: Thing | undefined): Thing {
  const { record, written } = machine;
  const origins = new Set<Origin>();
  let content: Thing | null = null;
  for (const alternative of record.full(path)) {
    const known = alternative.split(hole)[0] ?? '';
    if (known !== '' && record.isSecret(known)) origins.add('secret');
    const held = written.get(alternative);
    if (held) content = content ? join(content, held) : held;
  }
  if (content) {
    const from = merge(originsOf(content), ['written'], [...origins]);
    return content.kind === 'text' ? { ...content, origins: from } : text(hole, { origins: from });
  }
  return text(hole, { origins: [...origins] });
}

/** A file is made or changed. */
export function writes(call: Call, path: Thing | undefined, content?: Thing, more: More = {}): void {
  if (!isFile(path)) return;
  const origins = originsOf(content);
  touch(call, write, path, { ...(origins.length > 0 ? { origins } : {}), ...more });
  if (content) keeps(call, path, content, false);
}

/** Remembers what this script wrote to a file. */
export function keeps({ machine }: Call, path: Thing | undefined, content: Thing, more: boolean): void {
  const [only, ...others] = machine.record.full(path);
  if (only === undefined || others.length > 0 || only.includes(hole)) return;
  const before = more ? machine.written.get(only) : undefined;
  const kept = before
    ? concat([textsOf(before), textsOf(content)], { origins: merge(originsOf(before), originsOf(content)) })
    : content;
  machine.set(machine.written, only, kept);
}

export function deletes(call: Call, path: Thing | undefined, more: More = {}): void {
  if (path !== undefined && path.kind === 'number') return;
  touch(call, remove, path, more);
}

export function moves(call: Call, from: Thing | undefined, to: Thing | undefined): void {
  deletes(call, from, { detail: 'move' });
  const content = contentOf(call, from);
  writes(call, to, content, { detail: 'move' });
}

export function copies(call: Call, from: Thing | undefined, to: Thing | undefined, recursive = false): void {
  const content = reads(call, from, recursive ? { recursive } : {});
  writes(call, to, content, { detail: 'copy', ...(recursive ? { recursive } : {}) });
}

/** Permissions or the owner change. */
export function modes(call: Call, path: Thing | undefined, detail: string, recursive = false): void {
  touch(call, (at, value, more = {}) => changeMode(at, value, more), path, {
    detail,
    ...(recursive ? { recursive } : {}),
  });
}

/** The octal form of a mode, or what stands for it. */
export function modeOf(mode: Thing | undefined): string {
  if (mode?.kind === 'number') return mode.value.toString(8);
  return literal(mode) ?? 'unknown';
}

/** A plain effect at the place of the call. */
export function effects(
  call: Call,
  kind: Effect['kind'],
  more: Partial<Pick<Effect, 'target' | 'detail' | 'recursive' | 'force' | 'origins' | 'addresses'>> = {},
): void {
  const { target = { kind: 'none' }, ...rest } = more;
  call.machine.record.effect(kind, target, { program: call.name, span: call.span, ...rest });
}

/** Things are printed; secrets among them that no file or store was read for are those of the environment. */
export function prints(call: Call, things: readonly Thing[]): void {
  const { record } = call.machine;
  if (things.some((thing) => originsOf(thing).includes('secret')) && !record.showsSecret)
    effects(call, 'secret', { detail: 'environment' });
}

/** A request to a host; what is sent is looked at for where it came from. */
export function connects(
  call: Call,
  address: Thing | undefined,
  method: string,
  sent: readonly (Thing | undefined)[] = [],
): void {
  const origins = merge(...[address, ...sent].map((thing) => originsOf(thing)));
  const hosts = textsOf(address).map((alternative) => {
    const host = hostOf(asValue([alternative]));
    return host.kind === 'literal' ? host.text : hole;
  });
  if (hosts.length > 0 && textsOf(address).every((alternative) => /^(?:file|data):/i.test(alternative))) {
    if (textsOf(address).every((alternative) => /^file:/i.test(alternative)))
      reads(call, texts(textsOf(address).map((alternative) => alternative.replace(/^file:(?:\/\/)?/i, ''))));
    return;
  }
  const host = asValue([...new Set(hosts)]);
  // Only those that could be of the guard's own daemon: kept for every address, one host would be many effects.
  const addresses = textsOf(address)
    .filter((alternative) => /\/v1(?![\w-])|%/.test(alternative))
    .map((alternative) => alternative.replaceAll(hole, '*'));
  effects(call, 'connect', {
    target: { kind: 'host', host },
    detail: method,
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(origins.length > 0 ? { origins } : {}),
  });
}

/** The name of a variable that no script sets: it stands for what is not known in a text for the shell. */
const unfollowed = '$unfollowed';

/** A text for the shell in which each hole is a variable that nothing sets. */
function shellText(given: string): string {
  if (!given.includes(hole)) return given;
  let quote = '';
  let result = '';
  for (let index = 0; index < given.length; index++) {
    const letter = given.charAt(index);
    if (letter === hole) {
      const next = given.charAt(index + 1);
      const variable = /\w/.test(next) ? `\${${unfollowed.slice(1)}}` : unfollowed;
      result += quote === "'" ? `'"${variable}"'` : variable;
      continue;
    }
    result += letter;
    if (letter === '\\' && quote !== "'") {
      index++;
      const escaped = given.charAt(index);
      result += escaped === hole ? '' : escaped;
    } else if (quote === letter) quote = '';
    else if (quote === '' && (letter === "'" || letter === '"')) quote = letter;
  }
  return result;
}

/** One word of a command line. */
function shellWord(given: string): string {
  if (given !== '' && /^[\w@%+=:,./-]+$/.test(given)) return given;
  return (
    given
      .split(hole)
      .map((part) => (part === '' ? '' : `'${part.replaceAll("'", `'\\''`)}'`))
      .join(`"${unfollowed}"`) || "''"
  );
}

/** Whether nothing at all is known of what would be run. */
function isUnknown(given: string): boolean {
  return given.replaceAll(hole, '').trim() === '' && given.includes(hole);
}

/** Takes over what a command does; true: it shows a secret, so what it prints may be one. */
function adopt(call: Call, source: string, facts: Facts): boolean {
  call.machine.adopt(facts, call.span, call.name);
  followWritten(call, facts);
  for (const { kind, target, origins = [] } of facts.effects)
    if (
      kind === 'write' &&
      target.kind === 'path' &&
      target.path.kind === 'literal' &&
      origins.includes('network')
    )
      keeps(call, text(target.path.text), unknownFrom(['network']), false);
  if (facts.errors.length > 0)
    call.machine.record.unknown(`a command that cannot be read: ${source.slice(0, 40)}`, call.span);
  return facts.effects.some(({ kind }) => kind === 'secret');
}

/** A program or script that this script wrote itself is part of it. */
function followWritten(call: Call, facts: Facts): void {
  const { machine } = call;
  const { written } = machine;
  if (written.size === 0) return;
  for (const { given, args, program } of facts.invocations) {
    for (const value of [given, ...args]) {
      if (value.kind !== 'literal') continue;
      const path = value.text.replace(/^\.\//, '');
      const key = [value.text, path, `./${path}`].find((candidate) => written.has(candidate));
      const content = key === undefined ? undefined : written.get(key);
      const runs =
        value === given || /^(?:ba|da|z|k)?sh$|^python|^node|^perl|^ruby|^source$|^\.$/.test(program ?? '');
      if (!content || !runs) continue;
      for (const source of textsOf(content)) runsFile(call, path, source, originsOf(content));
    }
  }
}

function runsFile(call: Call, path: string, source: string, origins: readonly Origin[]): void {
  const { machine } = call;
  const { around } = machine.record;
  effects(call, 'run', {
    target: { kind: 'path', path: { kind: 'literal', text: path } },
    origins: merge(['written'], origins),
  });
  if (source.includes(hole)) return;
  const python = /\.py$/.test(path) || /^#!.*python/.test(source);
  const javascript = /\.[cm]?js$/.test(path) || /^#!.*node/.test(source);
  const facts = python
    ? machine.languages.python(source, around)
    : javascript
      ? machine.languages.javascript(source, around)
      : machine.languages.shell(source, around);
  if (facts) machine.adopt(facts, call.span, call.name);
}

/** A text is given to a shell. */
export function shells(
  call: Call,
  command: Thing | undefined,
  input?: Thing,
  variables: ReadonlyMap<string, Thing> = call.machine.environ.fields,
): Thing {
  const { machine, span, name } = call;
  const { record, languages } = machine;
  const origins = originsOf(command);
  machine.forks(call);
  const given = command ? textsOf(command) : [hole];
  const settings = settingsOf(variables);
  let secret = false;
  for (const source of given) {
    if (isUnknown(source)) {
      record.effect(
        'run',
        { kind: 'none' },
        { program: name, span, origins: origins.length > 0 ? origins : ['unknown'] },
      );
      record.unknown('a command that is not known', span);
      continue;
    }
    const script = settings + shellText(source);
    if (adopt(call, source, languages.shell(script, record.around))) secret = true;
  }
  if (origins.includes('network') && !given.every(isUnknown))
    record.effect('run', { kind: 'none' }, { program: name, span, origins });
  return outcome([command, input], secret);
}

/** What a program that was started prints. */
function outcome(things: readonly (Thing | undefined)[], secret: boolean): Thing {
  return text(hole, { origins: merge(...things.map((thing) => originsOf(thing)), secret ? ['secret'] : []) });
}

/** A program is started with arguments, without a shell. */
export function starts(call: Call, argv: Thing | undefined, input?: Thing): Thing {
  if (argv?.kind !== 'list') {
    const known = literals(argv);
    if (known) return starts(call, list([argv ?? unknown]), input);
    return shells(call, argv?.kind === 'text' ? argv : undefined, input);
  }
  const { items } = rowOf(argv);
  const origins = originsOf(argv);
  const [program] = items;
  const inputOrigins = originsOf(input);
  const { machine, span, name } = call;
  if (inputOrigins.includes('network'))
    machine.record.effect('run', { kind: 'none' }, { program: name, span, origins: inputOrigins });
  if (!program || textsOf(program).every(isUnknown)) {
    const from = origins.length > 0 ? origins : (['unknown'] as const);
    machine.record.effect('run', { kind: 'none' }, { program: name, span, origins: from });
    machine.record.unknown('a program whose name is not known', span);
    return outcome([argv], false);
  }
  machine.forks(call);
  const words = items.map((item) => textsOf(item).map(shellWord));
  const line = concat(words.flatMap((word, index) => (index === 0 ? [word] : [[' '], word])));
  const { record, languages } = machine;
  const known = literal(input);
  let secret = false;
  for (const source of line.texts) {
    // Too many alternatives for one line: only its beginning is left.
    const command = source.includes(hole) ? shellText(source) : source;
    const fed = known !== null && known !== '' ? `${command} <<< ${shellWord(known)}` : command;
    if (adopt(call, fed, languages.shell(fed, record.around))) secret = true;
  }
  return outcome([argv, input], secret);
}

/** The items of a thing, as far as they are known. */
export function rows(thing: Thing | undefined): readonly Thing[] {
  return thing?.kind === 'list' ? rowOf(thing).items : thing ? [thing] : [];
}

/** For operations of one line: the first is done, the second is given. */
export function after(_done: unknown, result: Thing): Thing {
  return result;
}

/** Notes what statements of SQL do to a database. */
export function queryEffects(call: Call, statements: Thing | undefined): void {
  for (const sql of textsOf(statements)) {
    const kind = statementKind(sql);
    if (kind)
      effects(call, 'database', {
        detail: kind,
        target: { kind: 'name', name: asValue([sql.slice(0, 80)]) },
      });
  }
}
