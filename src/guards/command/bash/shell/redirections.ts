// Where a command reads from and where what it prints goes.

import type { Redirection } from 'unbash';
import type { Content, Effect, Origin } from '../../effects.ts';
import { type Descriptor, Input, isPattern } from '../environment.ts';
import { expandHereDoc, expandText } from '../expand.ts';
import { resolvePath } from '../paths.ts';
import { baseName } from '../programs.ts';
import {
  concat,
  either,
  emptyText,
  hole,
  knownText,
  mergeOrigins,
  onlyText,
  singleText,
  type Text,
  textOf,
  toValue,
  unknownText,
} from '../values.ts';
import { emit, type Frame, type Span } from './analysis.ts';
import { expanderFor, placeOf, readFile, throughLinks, writeFile } from './files.ts';
import { askTools } from './tools.ts';

/** How a command's redirections change what it reads and where it writes. */
export interface Wiring {
  readonly input: Input;
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  readonly appends: boolean;
}

const noDescriptors: Wiring['descriptors'] = new Map();

/** Opens what the redirections of a command name. */
export function wire(redirects: readonly Redirection[], frame: Frame, span: Span, program: string): Wiring {
  if (redirects.length === 0) return { input: frame.input, descriptors: noDescriptors, appends: false };
  let { input } = frame;
  let appends = false;
  const descriptors = new Map<number, Descriptor>();
  const { environment } = frame;
  const look = (number: number): Descriptor | null =>
    descriptors.get(number) ?? environment.descriptors.get(String(number));
  const expander = expanderFor(frame, span);
  const open = (number: number, descriptor: Descriptor, reads: boolean): void => {
    descriptors.set(number, descriptor);
    if (!reads || number !== 0) return;
    const terminal = descriptor.kind === 'file' && singleText(descriptor.path) === '/dev/tty';
    input = new Input(descriptorText(descriptor, frame), !terminal);
  };
  for (const redirect of redirects) {
    frame.analysis.spend(4);
    const named = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
    const unnamed = redirect.descriptor?.type === 'FileDescriptorVariable' ? 10 : undefined;
    if (redirect.type === 'HereDoc') {
      open(named ?? 0, { kind: 'text', text: expandHereDoc(redirect.body, expander) }, true);
      continue;
    }
    const { target } = redirect;
    if (target === undefined) continue;
    const text = expandText(target, expander);
    if (redirect.type === 'HereString') {
      open(named ?? 0, { kind: 'text', text: concat(text, knownText('\n')) }, true);
      continue;
    }
    const { operator } = redirect;
    const reads = operator.startsWith('<');
    const number = named ?? unnamed ?? (reads ? 0 : 1);
    const duplicate = /^(\d+)-?$/.exec(singleText(text))?.[1];
    if (operator === '<&' || operator === '>&') {
      if (singleText(text) === '-') continue;
      if (duplicate !== undefined) {
        const other = look(Number(duplicate));
        if (other !== null) open(number, other, number === 0);
        else if (number === 1) descriptors.delete(1);
        continue;
      }
    }
    const socket = /^\/dev\/(?:tcp|udp)\/([^/]*)(?:\/|$)/.exec(singleText(text));
    if (socket !== null) {
      const host = knownText(socket[1] ?? '');
      const descriptor: Descriptor = { kind: 'network', host };
      open(number, descriptor, true);
      if (/&/.test(operator)) descriptors.set(2, descriptor);
      connect(host, [], frame, span, program);
      continue;
    }
    const descriptor: Descriptor = { kind: 'file', path: text };
    if (!reads || operator === '<>') writeEffects(text, operator.includes('>>'), frame, span, program);
    if (reads) readEffects(text, frame, span, program);
    open(number, descriptor, reads);
    if (operator === '&>' || operator === '&>>') descriptors.set(1, descriptor);
    if (operator.includes('>>')) appends = true;
  }
  return { input, descriptors, appends };
}

function descriptorText(descriptor: Descriptor, frame: Frame): Text {
  switch (descriptor.kind) {
    case 'text':
      return descriptor.text;
    case 'network':
      return unknownText(['network']);
    case 'file': {
      const texts = descriptor.path.alternatives.map((path) => {
        const known = readFile(path, frame);
        return known ?? unknownText(secretOrigins(path, frame));
      });
      return texts.reduce(either);
    }
  }
}

/** Whether the table of tools takes a file for a secret, as an origin. */
function secretOrigins(path: string, frame: Frame): readonly Origin[] {
  const effects = askTools('cat', [knownText(path)], emptyText, frame, [0, 0]) ?? [];
  return effects.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
}

/** Adds a connection to a host. */
export function connect(
  host: Text,
  origins: readonly Origin[],
  frame: Frame,
  span: Span,
  program: string,
): void {
  emit(
    {
      kind: 'connect',
      target: { kind: 'host', host: toValue(host) },
      detail: 'tcp',
      origins,
      program,
      through: frame.through,
      span,
    },
    frame,
  );
}

function writeEffects(given: Text, appends: boolean, frame: Frame, span: Span, program: string): void {
  const path = throughLinks(given, frame, false);
  const harmless = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|stdin|full)$|^\/proc\/self\/fd\/\d+$/;
  if (path.alternatives.every((one) => harmless.test(one))) return;
  const device = path.alternatives.some((one) =>
    /^\/dev\/(?!shm\/|pts\/|tty|null|fd\/|std)/.test(resolvePath(frame.environment.cwd, one)),
  );
  emit(
    {
      kind: device ? 'device' : 'write',
      target: { kind: 'path', path: toValue(path) },
      detail: appends ? 'append' : 'truncate',
      program,
      through: frame.through,
      span,
    },
    frame,
  );
  // The table of tools knows which files are more than files.
  for (const effect of askTools('tee', [path], emptyText, frame, span) ?? []) {
    if (effect.kind !== 'write' && effect.kind !== 'read' && effect.kind !== 'inert')
      emit({ ...effect, program }, frame);
  }
}

function readEffects(given: Text, frame: Frame, span: Span, program: string): void {
  const path = throughLinks(given, frame, false);
  if (path.alternatives.every((one) => /^\/dev\/(?:null|stdin|tty|fd\/\d+|zero|u?random)$/.test(one))) return;
  emit(
    { kind: 'read', target: { kind: 'path', path: toValue(path) }, program, through: frame.through, span },
    frame,
  );
  for (const effect of askTools('cat', [path], emptyText, frame, span) ?? []) {
    if (effect.kind !== 'read' && effect.kind !== 'inert') emit({ ...effect, program }, frame);
  }
}

/** Sends what a command prints to where its redirections lead. */
export function deliver(output: Text, wiring: Wiring, frame: Frame, span: Span, program: string): Text {
  const target = wiring.descriptors.get(1);
  if (target === undefined) {
    // `exec > file` sends everything there; what is captured all the same is a guess on the safe side.
    const standing = frame.environment.descriptors.get('1');
    if (standing?.kind === 'file') writeFile(standing.path, output, true, frame);
    else if (standing?.kind === 'network') connect(standing.host, output.origins, frame, span, program);
    return output;
  }
  if (target.kind === 'network') {
    connect(target.host, output.origins, frame, span, program);
    return emptyText;
  }
  if (target.kind === 'text') return output;
  if (target.path.alternatives.every((path) => /^\/dev\/(?:stdout|tty|fd\/1)$/.test(path))) return output;
  writeFile(target.path, output, wiring.appends, frame);
  return emptyText;
}

// ── What the script knows of files from then on: the effects of a program that write them, and nothing else, tell it.

/** Programs whose downloads are repositories: projects like any other, with a history that can be read. */
const clones = /^(?:git|svn|hg|fossil)$/;

/** Remembers what a program wrote; `given` is where what it was given came from. */
export function remember(effects: readonly Effect[], given: readonly Origin[], frame: Frame): void {
  for (const effect of effects) {
    const { kind, target, detail, program } = effect;
    if (kind !== 'write' || target.kind !== 'path' || clones.test(program)) continue;
    const path = textOf(target.path);
    const own = effect.origins ?? [];
    // What comes back from a host is not what was sent to it.
    const sources = own.includes('network') ? given.filter((origin) => origin !== 'secret') : given;
    const { content } = effect;
    if (content?.kind === 'file') rememberCopy(path, content.path, effect, frame);
    const text = content === undefined ? null : contentText(content, own, frame);
    if (text !== null) writeFile(path, text, detail === 'append', frame);
    else if (content === undefined) rememberMade(path, effect, mergeOrigins(own, sources), frame);
  }
}

/** A file with only its origin known, or a folder full of such. */
function rememberMade(path: Text, effect: Effect, origins: readonly Origin[], frame: Frame): void {
  const { recursive, detail = '' } = effect;
  if (origins.length === 0) return;
  const many = recursive === true || /^(?:unpack|copy|split)$/.test(detail);
  if (many && origins.includes('network')) {
    const { trees } = frame.analysis;
    for (const one of path.alternatives) {
      const place = placeOf(one, frame);
      if (detail === 'split') trees.match(`${place}*`, ['network']);
      else if (isPattern(one)) trees.match(place, ['network']);
      else trees.fill(place, ['network']);
    }
    return;
  }
  // An edited file still holds what it held, but for what was put into it; one that is touched holds nothing new.
  const kept = detail === 'touch' || (detail === 'edit' && effect.origins?.includes('network') !== true);
  if (!kept) writeFile(path, unknownText(origins), detail === 'append', frame);
}

/** What is written, as far as this script knows it; null where it was there before. */
function contentText(content: Content, own: readonly Origin[], frame: Frame): Text | null {
  if (content.kind === 'text') return textOf(content.text);
  const texts = textOf(content.path).alternatives.flatMap((path) => {
    const known = readFile(path, frame);
    if (known !== null) return [known];
    const origins = mergeOrigins(own, path.includes(hole) ? [] : secretOrigins(path, frame));
    return origins.length === 0 ? [] : [unknownText(origins)];
  });
  return texts.length === 0 ? null : texts.reduce(either);
}

/** What a copy has beside its text: the name of a program, where a link leads, and all that is in a folder. */
function rememberCopy(
  path: Text,
  source: Extract<Content, { kind: 'file' }>['path'],
  effect: Effect,
  frame: Frame,
): void {
  const { analysis } = frame;
  const [from, to] = [onlyText(textOf(source)), onlyText(path)];
  if (from === null || to === null || from === '-') return;
  const [start, end] = [placeOf(from, frame), placeOf(to, frame)];
  if (start.includes(hole) || end.includes(hole)) return;
  if (effect.detail === 'link') analysis.links.set(end, start);
  const name = baseName(start);
  // Some programs are many, by the name under which they stand.
  const many = /^(?:busybox|toybox)$/.test(name);
  if (name !== '' && name !== baseName(end) && !many && readFile(from, frame) === null)
    analysis.names.set(end, analysis.names.get(start) ?? from);
  // The last word may be a folder that is there.
  const places = name === baseName(end) ? [end] : [end, `${end}/${name}`];
  const held = analysis.trees.at(start);
  for (const place of places) {
    if (held !== null) analysis.trees.fill(place, held.origins);
    for (const [rest, origins] of analysis.trees.below(start)) analysis.trees.fill(place + rest, origins);
    copyFiles(start, place, frame);
  }
}

/** The files of this script at a place or below it are also at another. */
function copyFiles(start: string, end: string, { analysis }: Frame): void {
  analysis.spend(analysis.files.size >> 2);
  for (const [path, file] of [...analysis.files]) {
    if (file.substitution || (path !== start && !path.startsWith(`${start}/`))) continue;
    const place = end + path.slice(start.length);
    if (place !== path && !(path === start && analysis.files.has(place))) analysis.files.set(place, file);
  }
}
