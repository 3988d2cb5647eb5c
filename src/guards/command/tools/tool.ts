// What a tool is: a function from one call of a program to the effects it would have.

import { classify, classifyBeginning, type PathFacts, type Standpoint } from '../../../detect/path.ts';
import type { Content, Effect, EffectKind, Origin, Target, Value } from '../effects.ts';
import { type Manner, type Reading, readOptions, type WordKind } from '../programs/options.ts';

export type { Manner, Reading } from '../programs/options.ts';

/** Where a call stands. */
export interface At {
  readonly span: readonly [number, number];
  readonly through: readonly string[];
  readonly cwd: string;
  readonly home: string | null;
}

/** What flows into a call. */
export interface Io {
  readonly stdin: Value;
  readonly stdinOrigins: readonly Origin[];
  /** The standard input is a pipe, a file or a text, not the terminal, where that is known. */
  readonly stdinFed?: boolean;
  /** Where the texts of the arguments came from, all together, where that is known. */
  readonly argumentOrigins?: readonly Origin[];
}

/** One call of one program. */
export interface Call {
  readonly program: string;
  readonly args: readonly Value[];
  readonly io: Io;
  readonly at: At;
}

export type Tool = (call: Call) => readonly Effect[];

export type More = Partial<
  Pick<Effect, 'detail' | 'recursive' | 'force' | 'reversible' | 'origins' | 'content' | 'target'>
>;

export const unknownValue: Value = { kind: 'unknown' };
const noTarget: Target = { kind: 'none' };

export function literal(text: string): Value {
  return { kind: 'literal', text };
}

/** The text of a value that is wholly known, else null. */
export function textOf(value: Value | undefined): string | null {
  return value?.kind === 'literal' ? value.text : null;
}

/** Every text that a value may have, where they are all known. */
function textsOf(value: Value): readonly string[] | null {
  if (value.kind === 'literal') return [value.text];
  return value.kind === 'choice' ? value.texts : null;
}

/** What is known of the beginning of a value. */
export function beginningOf(value: Value): string {
  return value.kind === 'literal' || value.kind === 'prefix' ? value.text : '';
}

/** The value with every known text changed; a text that becomes null makes it unknown. */
export function mapValue(value: Value, change: (text: string) => string): Value {
  switch (value.kind) {
    case 'literal':
      return literal(change(value.text));
    case 'choice':
      return { kind: 'choice', texts: value.texts.map(change) };
    case 'prefix':
      return { kind: 'prefix', text: change(value.text) };
    case 'unknown':
      return value;
  }
}

/** The value without its first characters. */
export function after(value: Value, length: number): Value {
  return mapValue(value, (text) => text.slice(length));
}

function hasGlob(value: Value): boolean {
  const texts = value.kind === 'prefix' ? [value.text] : (textsOf(value) ?? []);
  return texts.some((text) => /[*?[]|[@+!]\(/.test(text));
}

export function pathTarget(path: Value): Target {
  return hasGlob(path) ? { kind: 'path', path, glob: true } : { kind: 'path', path };
}

export function nameTarget(name: Value | undefined): Target {
  return name ? { kind: 'name', name } : noTarget;
}

export function hostTarget(host: Value): Target {
  return { kind: 'host', host };
}

/** What a file holds, as what is written elsewhere. */
export function contentOf(path: Value): Content {
  return { kind: 'file', path };
}

/** What comes in on the standard input, as what is written. */
export const fromInput: Content = contentOf({ kind: 'literal', text: '-' });

/** One effect of a call. */
export function effect(call: Call, kind: EffectKind, more: More = {}): Effect {
  // What is copied stands first: anywhere else that takes several times as long.
  return {
    ...more,
    kind,
    target: more.target ?? noTarget,
    program: call.program,
    through: call.at.through,
    span: call.at.span,
  };
}

export function inert(call: Call, detail?: string): readonly Effect[] {
  return [effect(call, 'inert', detail ? { detail } : {})];
}

/** The effects, or that there are none worth a name. */
export function orInert(call: Call, effects: readonly Effect[]): readonly Effect[] {
  return effects.length > 0 ? effects : inert(call);
}

/** How the reader of options sees a value. */
export const valueWords: WordKind<Value> = {
  view: (value) => value,
  after,
  narrowed: (_, texts) => (texts.length === 1 ? literal(texts[0] ?? '') : { kind: 'choice', texts }),
  empty: literal(''),
  unknown: unknownValue,
};

/** A reader of arguments; a description is compiled once, when it is first used. */
export function options(text: string, manner: Manner = {}): (args: readonly Value[]) => Reading<Value> {
  return (args) => readOptions(text, manner, args, valueWords);
}

// ── The effects of touching a path, with what the path itself adds: secrets, devices, persistence, the guard's own files.

/** `-` and the standard streams are no files. */
function isStream(path: Value): boolean {
  return path.kind === 'literal' && (path.text === '-' || path.text === '');
}

/** A process substitution of the shell, which runs what is written there. */
function isSubstitution(path: Value): boolean {
  return path.kind === 'literal' && /^\/dev\/fd\/\d{2,}$/.test(path.text);
}

/** Bash opens a connection when a path such as /dev/tcp/host/port is opened. */
function connection(call: Call, path: Value, origins?: readonly Origin[]): readonly Effect[] | null {
  const text = path.kind === 'literal' || path.kind === 'prefix' ? path.text : '';
  const found = text.startsWith('/dev/') ? /^\/dev\/(tcp|udp)\/([^/]*)/.exec(text) : null;
  if (!found) return null;
  const [, protocol = 'tcp', host = ''] = found;
  const known: Value = host !== '' ? literal(host) : { kind: 'unknown' };
  return [
    effect(call, 'connect', { target: hostTarget(known), detail: protocol, ...(origins ? { origins } : {}) }),
  ];
}

/** Many tools take their words from a file that is given as `@file`. */
function fileIn(given: Value): Value {
  return mapValue(given, (text) =>
    text.replace(/^(?:@|(?:file|concat|text|caption|label|msl):@?)(?=[/~]|\.{1,2}\/)(?!\/\/)/, ''),
  );
}

/** Whether a file that is read would show a secret, by its name. */
export function holdsSecrets(call: Call, given: Value): boolean {
  return classifyValue(fileIn(given), call.at).some(({ secret }) => secret !== null);
}

/** A file is read; secret ones are also secrets shown. */
export function read(call: Call, given: Value, more: More = {}): readonly Effect[] {
  const path = fileIn(given);
  if (isStream(path)) return [];
  const connected = connection(call, path);
  if (connected) return connected;
  const facts = classifyValue(path, call.at);
  if (facts.length > 0 && facts.every((fact) => fact.device === 'harmless')) return [];
  const target = pathTarget(path);
  const effects: Effect[] = [effect(call, 'read', { target, ...more })];
  // Under another name it would be out of sight.
  if (more.detail === 'link' && facts.some((fact) => fact.guard))
    effects.push(effect(call, 'tamper', { target, detail: 'link' }));
  const secret = facts.find((fact) => fact.secret !== null)?.secret;
  if (secret) effects.push(effect(call, 'secret', { target, detail: secret }));
  return effects;
}

/** Names and sizes are looked at, not what is inside. */
export function list(call: Call, path: Value, more: More = {}): readonly Effect[] {
  return isStream(path) ? [] : [effect(call, 'read', { target: pathTarget(path), detail: 'list', ...more })];
}

/** A file is made or changed; `detail` says how. */
export function write(call: Call, path: Value, more: More = {}): readonly Effect[] {
  if (isStream(path)) return [];
  const connected = connection(call, path, more.origins);
  if (connected) return connected;
  const facts = classifyValue(path, call.at);
  const harmless = facts.length > 0 && facts.every((fact) => fact.device === 'harmless');
  if (more.detail !== 'move' && harmless && !isSubstitution(path)) return [];
  const target = pathTarget(path);
  const device = facts.some((fact) => fact.device !== null && fact.device !== 'harmless');
  const effects: Effect[] = [effect(call, device ? 'device' : 'write', { target, ...more })];
  const persistence = facts.find((fact) => fact.persistence !== null)?.persistence;
  if (persistence) effects.push(effect(call, 'persist', { target, detail: persistence }));
  if (facts.some((fact) => fact.guard)) effects.push(effect(call, 'tamper', { target, detail: 'write' }));
  return effects;
}

/** A file of the project is trusted: from then on its code runs in every shell that enters the folder. */
export function trusting(call: Call, file: string): readonly Effect[] {
  return [effect(call, 'persist', { detail: 'shell-start', target: nameTarget(literal(file)) })];
}

/** Something is deleted; what a build makes again is reversible, a repository's own folder is named. */
export function remove(call: Call, path: Value, more: More = {}): readonly Effect[] {
  if (path.kind === 'literal' && path.text === '') return [];
  const facts = classifyValue(path, call.at);
  const reversible =
    more.reversible ??
    (facts.length > 0 && path.kind !== 'prefix' && facts.every((fact) => fact.rebuildable));
  const repository = facts.some((fact) =>
    /\/\.git(?:\/(?:objects|refs|logs|HEAD|packed-refs)?|$)/.test(fact.absolute),
  );
  const effects: Effect[] = [
    effect(call, 'delete', {
      target: pathTarget(path),
      ...(repository ? { detail: 'repository' } : {}),
      ...more,
      ...(reversible ? { reversible } : {}),
    }),
  ];
  if (facts.some((fact) => fact.guard))
    effects.push(effect(call, 'tamper', { target: pathTarget(path), detail: 'delete' }));
  return effects;
}

/** Permissions or the owner of a file change; `detail` has the mode or the owner. */
export function changeMode(call: Call, path: Value, more: More): readonly Effect[] {
  const effects: Effect[] = [effect(call, 'mode', { target: pathTarget(path), ...more })];
  if (classifyValue(path, call.at).some((fact) => fact.guard))
    effects.push(effect(call, 'tamper', { target: pathTarget(path), detail: 'mode' }));
  return effects;
}

/** The host of a URL, of `host:port`, of `user@host:path`, or of a plain name. */
export function hostOf(value: Value): Value {
  const text = value.kind === 'prefix' ? value.text : textOf(value);
  if (text === null) return { kind: 'unknown' };
  const afterScheme = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const authority = afterScheme.split(/[/?#]/, 1)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const bare = host.startsWith('[') ? host.slice(1).split(']', 1)[0] : host.split(':', 1)[0];
  // What follows the colon of a host is its port.
  const whole = value.kind === 'literal' || /[/?#]|^[\w.-]+:$/.test(afterScheme);
  return whole && bare ? literal(asAddress(bare.toLowerCase())) : { kind: 'unknown' };
}

/** An address of four numbers, where a host is one in fewer numbers, or in other ones: `2852039166`, `0xa9.254.43518`. */
function asAddress(host: string): string {
  if (!/^(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){0,3}$/.test(host)) return host;
  const given = host.split('.').map((part) => (/^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  const last = given.pop() ?? 0;
  const room = 256 ** (4 - given.length);
  if (Number.isNaN(last) || last >= room || given.some((part) => Number.isNaN(part) || part > 255))
    return host;
  const bytes = Array.from({ length: 4 - given.length }, (_, index) => Math.floor(last / 256 ** index) % 256);
  return [...given, ...bytes.toReversed()].join('.');
}

/** The path of a file in another folder. */
export function within(folder: Value | undefined, path: Value): Value {
  if (!folder) return path;
  const texts = path.kind === 'literal' || path.kind === 'prefix' ? path.text : null;
  if (texts?.startsWith('/') || texts?.startsWith('~')) return path;
  if (folder.kind !== 'literal') {
    return folder.kind === 'prefix' ? folder : { kind: 'unknown' };
  }
  const base = folder.text.replace(/\/+$/, '');
  if (path.kind === 'literal') return path.text === '.' ? folder : literal(`${base}/${path.text}`);
  if (path.kind === 'choice') return { kind: 'choice', texts: path.texts.map((text) => `${base}/${text}`) };
  return { kind: 'prefix', text: `${base}/${path.kind === 'prefix' ? path.text : ''}` };
}

/** The path at which a file ends up that is put to a destination. */
export function landingPlace(call: Call, source: Value, destination: Value, intoFolder: boolean): Value {
  const text = beginningOf(destination);
  const folder = intoFolder || text.endsWith('/') || /(?:^|\/)\.\.?$/.test(text) || knownFolder(text, call);
  const name = textOf(source)?.replace(/\/+$/, '').split('/').at(-1);
  if (folder && destination.kind === 'literal' && !name)
    return { kind: 'prefix', text: `${destination.text.replace(/\/+$/, '')}/` };
  if (!folder || destination.kind !== 'literal' || !name || name === '.' || name === '..') return destination;
  return within(destination, literal(name));
}

function knownFolder(text: string, call: Call): boolean {
  return (
    text === call.at.home ||
    /^\/(?:etc|tmp|usr\/(?:local\/)?s?bin|s?bin|root|home\/[^/]+|home|var\/tmp|etc\/[^/]+\.d)$|(?:^|\/)\.(?:ssh|git\/hooks|config)$/.test(
      text,
    )
  );
}

/** The facts of every path that a value may be; of a beginning only what its text shows. */
function classifyValue(value: Value, place: Standpoint): readonly PathFacts[] {
  switch (value.kind) {
    case 'literal':
      return value.text === '' ? [] : [classify(value.text, place)];
    case 'prefix':
      return value.text === '' ? [] : [classifyBeginning(value.text, place)];
    case 'choice':
      return value.texts.map((text) => classify(text, place));
    case 'unknown':
      return [];
  }
}
