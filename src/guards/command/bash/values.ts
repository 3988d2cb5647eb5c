// Texts as far as they can be known: a few alternatives, in each of which a hole is an unknown part.

import type { Origin, Value } from '../effects.ts';

/** Stands in a text for any text; from a private area, so that no script means it. */
export const hole = '\uE000';
/** Most alternatives that are stored. */
export const maxAlternatives = 16;
/** Longest text that is kept; a longer one ends in a hole. */
export const maxTextLength = 65_536;

/** What a text may be, and where it came from. INVARIANT: there is at least one alternative, and no two are alike. */
export interface Text {
  readonly alternatives: readonly string[];
  readonly origins: readonly Origin[];
}

const noOrigins: readonly Origin[] = [];

export const emptyText: Text = { alternatives: [''], origins: noOrigins };

/** A text that is known, but for the holes in it. */
export function knownText(text: string, origins: readonly Origin[] = noOrigins): Text {
  return { alternatives: [bounded(text)], origins };
}

/** A text with only its origin known. */
export function unknownText(origins: readonly Origin[] = noOrigins): Text {
  return { alternatives: [hole], origins };
}

function bounded(text: string): string {
  return text.length > maxTextLength ? text.slice(0, maxTextLength - 1) + hole : text;
}

/** A text that is one of several; too many become what they have in common. */
export function oneOf(texts: readonly string[], origins: readonly Origin[] = noOrigins): Text {
  if (texts.length === 0) return { alternatives: [''], origins };
  if (texts.length === 1) return knownText(texts[0] ?? '', origins);
  const distinct = [...new Set(texts)];
  if (distinct.length <= maxAlternatives) return { alternatives: distinct.map(bounded), origins };
  return { alternatives: [commonPrefix(distinct) + hole], origins };
}

function commonPrefix(texts: readonly string[]): string {
  let prefix = texts[0] ?? '';
  for (const text of texts) {
    if (text.startsWith(prefix)) continue;
    let length = 0;
    while (length < prefix.length && prefix.charCodeAt(length) === text.charCodeAt(length)) length += 1;
    prefix = prefix.slice(0, length);
  }
  return prefix;
}

export function mergeOrigins(...lists: readonly (readonly Origin[])[]): readonly Origin[] {
  let merged = noOrigins;
  for (const list of lists) {
    if (list.length === 0 || list === merged) continue;
    merged = merged.length === 0 ? list : [...new Set([...merged, ...list])];
  }
  return merged;
}

export function withOrigins(text: Text, origins: readonly Origin[]): Text {
  return origins.length === 0 ? text : { ...text, origins: mergeOrigins(text.origins, origins) };
}

/** One text behind the other. */
export function concat(left: Text, right: Text): Text {
  const origins = mergeOrigins(left.origins, right.origins);
  const [only] = right.alternatives;
  if (right.alternatives.length === 1 && only !== undefined) {
    if (only === '') return origins === left.origins ? left : { ...left, origins };
    if (left.alternatives.length === 1) return knownText((left.alternatives[0] ?? '') + only, origins);
  }
  if (left.alternatives.length * right.alternatives.length > 4 * maxAlternatives) {
    return { alternatives: [commonPrefix(left.alternatives) + hole], origins };
  }
  return oneOf(
    left.alternatives.flatMap((start) => right.alternatives.map((end) => start + end)),
    origins,
  );
}

export function concatAll(texts: readonly Text[], separator = ''): Text {
  let result = texts[0] ?? emptyText;
  for (const text of texts.slice(1)) {
    if (separator !== '') result = concat(result, knownText(separator));
    result = concat(result, text);
  }
  return result;
}

/** Either text. */
export function either(left: Text, right: Text): Text {
  if (left === right) return left;
  return oneOf([...left.alternatives, ...right.alternatives], mergeOrigins(left.origins, right.origins));
}

/** Every alternative without a hole through a function; null and a hole give what is not known. */
export function mapText(text: Text, change: (text: string) => string | null): Text {
  return oneOf(
    text.alternatives.map((alternative) =>
      alternative.includes(hole) ? hole : (change(alternative) ?? hole),
    ),
    text.origins,
  );
}

/** Every alternative through a function that knows about holes. */
export function mapWithHoles(text: Text, change: (text: string) => string): Text {
  return oneOf(text.alternatives.map(change), text.origins);
}

/** The text where it is known in full and there is only one; null otherwise. */
export function onlyText(text: Text | undefined): string | null {
  const [only, more] = text?.alternatives ?? [];
  return only === undefined || more !== undefined || only.includes(hole) ? null : only;
}

/** The text with its holes where there is only one; a hole otherwise. */
export function singleText(text: Text | undefined): string {
  const [only, more] = text?.alternatives ?? [];
  return only === undefined || more !== undefined ? hole : only;
}

export function isHoleOnly(text: string): boolean {
  return text.length > 0 && text.replaceAll(hole, '') === '';
}

function valueOfOne(text: string): Value {
  const at = text.indexOf(hole);
  if (at === -1) return { kind: 'literal', text };
  return at === 0 ? { kind: 'unknown' } : { kind: 'prefix', text: text.slice(0, at) };
}

/** The text in the vocabulary of the effects. */
export function toValue(text: Text): Value {
  const [only] = text.alternatives;
  if (text.alternatives.length === 1 && only !== undefined) return valueOfOne(only);
  if (text.alternatives.some((alternative) => alternative.includes(hole))) {
    const known = text.alternatives.map((alternative) => alternative.split(hole, 1)[0] ?? '');
    const prefix = commonPrefix(known);
    return prefix === '' ? { kind: 'unknown' } : { kind: 'prefix', text: prefix };
  }
  return { kind: 'choice', texts: text.alternatives };
}

/** A value of the vocabulary as a text. */
export function textOf(value: Value): Text {
  switch (value.kind) {
    case 'literal':
      return knownText(value.text);
    case 'choice':
      return oneOf(value.texts);
    case 'prefix':
      return knownText(value.text + hole);
    case 'unknown':
      return unknownText();
  }
}

/** The text without any of the given characters at its end; in linear time, unlike an expression. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** The text without any of the given characters at its start. */
export function trimStartOf(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start] ?? '')) start += 1;
  return text.slice(start);
}
