// The fields of a word: its pieces put together, split at the separators where the shell would.

import type { ParsedScript } from 'unbash';
import { type Environment, maxVariableLength } from './environment.ts';
import { concat, hole, knownText, maxAlternatives, onlyText, type Text, unknownText } from './values.ts';

/** One word as a program would get it. */
export interface Field {
  readonly text: Text;
  /** A pattern of names stands in it that the shell would replace by the names of files. */
  readonly glob: boolean;
}

/** What expansion asks of the one who evaluates. */
export interface Expander {
  readonly environment: Environment;
  /** What the script would print, for `$(…)`. */
  readonly capture: (script: ParsedScript) => Text;
  /** The path under which the output or input of a script can be reached, for `<(…)` and `>(…)`. */
  readonly substitute: (script: ParsedScript, operator: '<' | '>') => string;
  readonly spend: (steps: number) => void;
  /** Notes that a part of a text was too long to be kept. */
  readonly noteLost: () => void;
}

/** A piece of a word: a text, or the items of a list that stay apart. */
export type FieldPart =
  | {
      readonly kind: 'text';
      readonly text: Text;
      readonly quoted: boolean;
      readonly split: boolean;
      readonly glob: boolean;
    }
  | { readonly kind: 'list'; readonly items: readonly Text[]; readonly quoted: boolean };

/** A piece that stands as it is. */
export const quotedPart = (text: Text): FieldPart => ({
  kind: 'text',
  text,
  quoted: true,
  split: false,
  glob: false,
});

/** Most fields that one word becomes; what is behind them is not known. */
const maxFields = 512;

/** Pieces put together to fields: what came from an expansion outside quotes is split. */
export function assemble(pieces: readonly FieldPart[], expander: Expander): readonly (readonly Field[])[] {
  const separators = onlyText(expander.environment.lookUp('IFS')?.text) ?? ' \t\n';
  interface Draft {
    /** Only this draft's own. */
    readonly done: Field[];
    readonly open: { readonly text: Text; readonly glob: boolean; readonly kept: boolean } | null;
  }
  const append = (draft: Draft, text: Text, glob: boolean, kept: boolean): Draft => {
    const { open } = draft;
    if (open === null) return { ...draft, open: { text, glob, kept } };
    return {
      ...draft,
      open: { text: concat(open.text, text), glob: open.glob || glob, kept: open.kept || kept },
    };
  };
  const close = (draft: Draft): Draft => {
    const { open } = draft;
    if (open === null) return draft;
    const empty = !open.kept && open.text.alternatives.every((text) => text === '');
    if (empty || draft.done.length > maxFields) return { done: draft.done, open: null };
    const field: Field =
      draft.done.length === maxFields
        ? { text: unknownText(), glob: true }
        : { text: open.text, glob: open.glob };
    draft.done.push(field);
    return { done: draft.done, open: null };
  };
  const appendSplit = (draft: Draft, text: string, origins: Text['origins']): Draft => {
    let current = draft;
    const fields = splitFields(text, separators);
    expander.spend(fields.length);
    if (text.length >= maxVariableLength && text.endsWith(hole)) expander.noteLost();
    for (const [index, field] of fields.entries()) {
      if (index > 0) current = close(current);
      if (field !== '') current = append(current, knownText(field, origins), /[*?[]/.test(field), false);
    }
    return current;
  };
  let drafts: readonly Draft[] = [{ done: [], open: null }];
  for (const piece of pieces) {
    if (piece.kind === 'list') {
      expander.spend(Math.ceil((piece.items.length * drafts.length) / 8));
      drafts = drafts.map((draft) => {
        let current = draft;
        for (const [index, item] of piece.items.entries()) {
          if (index > 0) current = close(current);
          const only = item.alternatives.length === 1 ? (item.alternatives[0] ?? '') : null;
          if (piece.quoted || only === null) current = append(current, item, false, piece.quoted);
          else current = appendSplit(current, only, item.origins);
        }
        return current;
      });
      continue;
    }
    const { text, quoted, split, glob } = piece;
    const divides =
      split && !quoted && text.alternatives.some((alternative) => hasAny(alternative, separators));
    if (!divides) {
      const wild = glob || (split && !quoted && text.alternatives.some((whole) => /[*?[]/.test(whole)));
      drafts = drafts.map((draft) => append(draft, text, wild, quoted));
      continue;
    }
    const forked = drafts.flatMap((draft) =>
      text.alternatives.map((alternative) =>
        appendSplit({ ...draft, done: [...draft.done] }, alternative, text.origins),
      ),
    );
    drafts =
      forked.length > maxAlternatives
        ? drafts.map((draft) => append(draft, unknownText(text.origins), true, true))
        : forked;
  }
  return drafts.map((draft) => close(draft).done);
}

function hasAny(text: string, characters: string): boolean {
  for (const character of characters) if (text.includes(character)) return true;
  return false;
}

/** A text split as the shell does: white space together, other separators one by one. An empty end means: a new field begins. */
export function splitFields(text: string, separators: string): readonly string[] {
  if (separators === '') return [text];
  const white = [...separators].filter((character) => /\s/.test(character)).join('');
  const fields: string[] = [];
  let field = '';
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? '';
    if (!separators.includes(character)) {
      field += character;
      index += 1;
      continue;
    }
    fields.push(field);
    field = '';
    if (white.includes(character)) {
      while (index < text.length && white.includes(text[index] ?? '')) index += 1;
      if (index < text.length && separators.includes(text[index] ?? '') && !white.includes(text[index] ?? ''))
        index += 1;
    } else index += 1;
  }
  fields.push(field);
  return fields;
}
