// Where a command reads from and where what it prints goes.

import type { Redirection } from 'unbash';
import type { Origin } from '../../effects.ts';
import { type Descriptor, Input } from '../environment.ts';
import { expandHereDoc, expandText } from '../expand.ts';
import type { Span } from '../findings.ts';
import { resolvePath } from '../paths.ts';
import {
  concat,
  either,
  emptyText,
  knownText,
  singleText,
  type Text,
  toValue,
  unknownText,
} from '../values.ts';
import { emit, type Frame } from './analysis.ts';
import { readFile, throughLinks, writeFile } from './files.ts';
import { expanderFor } from './substitutions.ts';
import { askTools } from './tools.ts';

/** How a command's redirections change what it reads and where it writes. */
export interface Wiring {
  readonly input: Input;
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  readonly appends: boolean;
}

const unwired: Wiring['descriptors'] = new Map();

/** Opens what the redirections of a command name. */
export function wire(redirects: readonly Redirection[], frame: Frame, span: Span, program: string): Wiring {
  if (redirects.length === 0) return { input: frame.input, descriptors: unwired, appends: false };
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
export function secretOrigins(path: string, frame: Frame): readonly Origin[] {
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
