// What the script knows of files from then on: the effects of a program that write them, and nothing else, tell it.

import type { Content, Effect, Origin } from '../../effects.ts';
import { baseName } from '../programs.ts';
import { either, hole, mergeOrigins, onlyText, type Text, textOf, unknownText } from '../values.ts';
import type { Frame } from './analysis.ts';
import { placeOf, readFile, writeFile } from './files.ts';
import { secretOrigins } from './redirections.ts';
import { isPattern } from './trees.ts';

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

/** A file of which nothing is known but where it came from, or a folder full of such. */
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
