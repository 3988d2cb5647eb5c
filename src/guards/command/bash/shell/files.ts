// The files, programs and links that a script makes, as far as it reads, starts or follows them itself.

import type { ParsedScript } from 'unbash';
import type { Origin } from '../../effects.ts';
import { Input, isPattern, mayBe } from '../environment.ts';
import type { Expander } from '../fields.ts';
import { resolvePath } from '../paths.ts';
import { baseName, builtins } from '../programs.ts';
import {
  concat,
  either,
  emptyText,
  hole,
  mapWithHoles,
  mergeOrigins,
  type Text,
  unknownText,
} from '../values.ts';
import { type Analysis, type Frame, maxWalkDepth, type Sink, type Span, TooManySteps } from './analysis.ts';

// ── Scripts that stand in words: what `$(…)` prints, what `<(…)` is read as, and what `>(…)` is fed.

/** What the expansion of words asks of the walk. */
export function expanderFor(frame: Frame, span: Span): Expander {
  return {
    environment: frame.environment,
    spend: (steps) => frame.analysis.spend(steps),
    noteLost: () => frame.analysis.noteUnknown('a text that is too long to be followed', span),
    capture: (script) => frame.analysis.walker.statements(script.commands, insideOf(script, frame, span)),
    substitute: (script, operator) => substitute(script, operator, frame, span),
  };
}

function insideOf(script: ParsedScript, frame: Frame, span: Span): Frame {
  const own = script.source !== undefined;
  if (frame.depth > maxWalkDepth) throw new TooManySteps('the command is nested too deeply to be followed');
  return {
    ...frame,
    environment: frame.environment.child(),
    source: script.source ?? frame.source,
    span: frame.span ?? (own ? span : null),
    depth: frame.depth + 1,
    shown: false,
  };
}

function substitute(script: ParsedScript, operator: '<' | '>', frame: Frame, span: Span): string {
  frame.analysis.counter += 1;
  const path = `/dev/fd/${1000 - frame.analysis.counter}`;
  const inner = insideOf(script, frame, span);
  if (operator === '>') frame.analysis.sinks.set(path, { script, frame: inner, fed: false });
  else
    frame.analysis.files.set(path, {
      text: frame.analysis.walker.statements(script.commands, inner),
      substitution: true,
    });
  return path;
}

/** Runs the script behind `>(…)` with what was sent to it. */
function feedSink(sink: Sink, text: Text): void {
  sink.fed = true;
  // `exec > >(…)` sends there what the shell prints, and not what the script there prints.
  const environment = sink.frame.environment.child();
  environment.descriptors.set('1', null);
  sink.frame.analysis.walker.statements(sink.script.commands, {
    ...sink.frame,
    environment,
    input: new Input(text, true),
  });
}

/** Scripts behind `>(…)` that nothing was sent to run all the same. */
export function feedRest(analysis: Analysis, before: number): void {
  if (analysis.sinks.size === before) return;
  for (const sink of [...analysis.sinks.values()].slice(before)) if (!sink.fed) feedSink(sink, unknownText());
}

// ── the files, programs and links that a script makes

/** Where a path is, by the folder that the walk stands in; one whose beginning is not known is left as it is. */
export function placeOf(path: string, frame: Frame): string {
  return /^[~\uE000]/.test(path) ? path : resolvePath(frame.environment.cwd, path);
}

/** What a file holds, where this script put it there; null where that is not known. */
export function readFile(path: string, frame: Frame): Text | null {
  if (/^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(path)) return frame.input.text;
  if (path === '/dev/null') return emptyText;
  const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  if (descriptor !== undefined) {
    const open = frame.environment.descriptors.get(descriptor);
    if (open?.kind === 'text') return open.text;
    const [file, ...others] = open?.kind === 'file' ? open.path.alternatives : [];
    if (file !== undefined && others.length === 0 && file !== path) return readFile(file, frame);
  }
  const place = placeOf(path, frame);
  const { files, trees } = frame.analysis;
  const known = files.get(place)?.text;
  if (known !== undefined) return known;
  const origins = mergeOrigins(trees.at(place)?.origins ?? [], isPattern(place) ? fetched(place, frame) : []);
  return origins.length === 0 ? null : unknownText(origins);
}

/** The same of a file that a tool takes from the folder it works in: the project that the script began in has its own. */
export function readProjectFile(path: string, frame: Frame): Text | null {
  const { files, trees, around } = frame.analysis;
  const place = placeOf(path, frame);
  const own = place.slice(0, place.lastIndexOf('/')) === around.cwd;
  return own && !files.has(place) && trees.at(place)?.beforehand === true ? null : readFile(path, frame);
}

/** Where what stands at a place or below it came from; null where the script put nothing there. */
export function originsBelow(path: string, frame: Frame): readonly Origin[] | null {
  const place = placeOf(path, frame);
  const { files, trees } = frame.analysis;
  frame.analysis.spend(files.size);
  const texts = [...files].filter(([one]) => one === place || one.startsWith(`${place}/`));
  const folder = trees.at(place);
  if (texts.length === 0 && folder === null) return null;
  return mergeOrigins(...texts.map(([, { text }]) => text.origins), folder?.origins ?? []);
}

/** That files of this script from the network are among those that a pattern may stand for. */
function fetched(pattern: string, { analysis }: Frame): readonly Origin[] {
  if (pattern.startsWith(hole)) return [];
  analysis.spend(analysis.files.size);
  if (analysis.trees.meets(pattern)) return ['network'];
  for (const [path, { text, substitution }] of analysis.files)
    if (!substitution && text.origins.includes('network') && mayBe(pattern, path)) return ['network'];
  return [];
}

/** Lets a script write a file. */
export function writeFile(path: Text, text: Text, appends: boolean, frame: Frame): void {
  for (const one of path.alternatives) {
    const place = placeOf(one, frame);
    if (isPattern(one)) {
      if (text.origins.includes('network')) frame.analysis.trees.match(place, ['network']);
      if (one.includes(hole)) continue;
    }
    const sink = frame.analysis.sinks.get(place);
    if (sink !== undefined) {
      feedSink(sink, text);
      continue;
    }
    if (/^\/dev\//.test(place) && !/^\/dev\/shm\//.test(place)) continue;
    if (frame.running.includes(place)) {
      frame.analysis.noteUnknown('a script that changes itself while it runs', frame.span ?? [0, 0]);
    }
    const before = frame.analysis.files.get(place)?.text;
    let content = appends && before !== undefined ? concat(before, text) : text;
    if (before !== undefined && !appends && frame.analysis.branches > 0) content = either(before, text);
    frame.analysis.spend(costOf(content));
    frame.analysis.files.set(place, { text: content, substitution: false });
  }
}

/** The origins of files of this script that words name. */
export function originsOfFiles(args: readonly Text[], frame: Frame): readonly Origin[] {
  const { files, trees } = frame.analysis;
  if (files.size === 0 && trees.empty) return [];
  frame.analysis.spend(Math.ceil(args.length / 8));
  const found: (readonly Origin[])[] = [];
  for (const arg of args) {
    for (const text of arg.alternatives) {
      for (const start of new Set([0, text.lastIndexOf('@') + 1, text.indexOf('=') + 1])) {
        const path = text.slice(start);
        if (path === '' || path.length > 1024) continue;
        found.push(originsAt(path, frame));
      }
    }
  }
  return mergeOrigins(...found);
}

/** Where what a word names came from, if this script put it there: any word could name what was there before. */
function originsAt(path: string, frame: Frame): readonly Origin[] {
  const { files, trees } = frame.analysis;
  const place = placeOf(path, frame);
  const file = files.get(place);
  if (file !== undefined) return file.text.origins;
  const held = trees.at(place);
  if (held !== null && !held.beforehand) return held.origins;
  return /[*?[]/.test(path) && path.length < 256 ? fetched(place, frame) : [];
}

/** The program that stands under a name which this script made for it. */
export function otherName(given: string, frame: Frame): string | null {
  if (frame.analysis.names.size === 0 || given.includes(hole)) return null;
  if (given.includes('/')) return frame.analysis.names.get(resolvePath(frame.environment.cwd, given)) ?? null;
  if (frame.environment.variables.get('PATH') === null || builtins.has(given)) return null;
  for (const [path, source] of frame.analysis.names) if (baseName(path) === given) return source;
  return null;
}

/** A path with the links of this script followed; the last one is kept by what is about the link itself. */
export function throughLinks(path: Text, frame: Frame, keepsLast: boolean): Text {
  if (frame.analysis.links.size === 0) return path;
  return mapWithHoles(path, (text) => {
    if (text === '' || text.startsWith('-') || text.length > 1024) return text;
    const absolute = resolvePath(frame.environment.cwd, text);
    for (const [link, source] of frame.analysis.links) {
      if (absolute === link && !(keepsLast && !text.endsWith('/'))) return source;
      if (absolute.startsWith(`${link}/`)) return source + absolute.slice(link.length);
    }
    return text;
  });
}

/** The content of a file of this script that a command word names. */
export function writtenProgram(given: string, frame: Frame): Text | null {
  const { files, trees } = frame.analysis;
  if ((files.size === 0 && trees.empty) || given.includes(hole)) return null;
  if (given.includes('/')) return readFile(given, frame);
  if (frame.environment.variables.get('PATH') === null || builtins.has(given)) return null;
  for (const [path, file] of files) if (baseName(path) === given && !file.substitution) return file.text;
  return null;
}

/** The steps that a text costs by its size. */
export function costOf(text: Text): number {
  return text.alternatives.reduce((sum, { length }) => sum + (length >> 6), 0);
}
