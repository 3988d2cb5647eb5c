// Takes personal data and secrets out of a prompt. The same text always becomes the same text.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Found } from '../../core/index.ts';
import type { Span } from './blobs.ts';
import type { JudgedText, PromptFacts } from './facts.ts';
import { isRedactable } from './rules/data.ts';

/** What stands in place of a find. */
function placeholder({ kind }: Pick<Found, 'kind'>): string {
  return `<redacted:${kind}>`;
}

/** A piece's text without what it carries. */
export function redactedText({ text, data }: JudgedText): string {
  return replaced(
    text,
    data.map((match) => ({ span: [match.start, match.end], by: placeholder(match) })),
  );
}

/** The prompt without what it carries; undefined where it carries nothing, or nothing that can be taken out. */
export function redacted(
  action: ActionOf<'prompt'>,
  facts: PromptFacts,
  settings: Settings,
): ActionOf<'prompt'> | undefined {
  const { pieces } = facts;
  const carrying = pieces.filter(({ data }) => data.length > 0);
  if (carrying.length === 0) return undefined;
  if (action.text !== undefined) {
    const changes = carrying.flatMap((piece): readonly Change[] => {
      // What is written in base64 goes as a whole: no part of it can be exchanged.
      if (piece.blob !== undefined) return [{ span: piece.blob, by: placeholder(first(piece.data)) }];
      return piece.data.map((match) => ({ span: [match.start, match.end], by: placeholder(match) }));
    });
    return { ...action, text: replaced(action.text, merged(changes)) };
  }
  const [only] = pieces;
  if (only === undefined || !isRedactable(only, facts, settings)) return undefined;
  return { ...action, contentBase64: base64(redactedText(only)) };
}

function first(data: readonly Found[]): Pick<Found, 'kind'> {
  return data[0] ?? { kind: 'data' };
}

interface Change {
  readonly span: Span;
  readonly by: string;
}

/** Changes in order; of those that overlap, one for all of them. */
function merged(changes: readonly Change[]): readonly Change[] {
  const sorted = [...changes].sort((one, other) => one.span[0] - other.span[0]);
  const result: Change[] = [];
  for (const change of sorted) {
    const last = result.at(-1);
    if (last === undefined || change.span[0] >= last.span[1]) result.push(change);
    else
      result[result.length - 1] = {
        ...last,
        span: [last.span[0], Math.max(last.span[1], change.span[1])],
      };
  }
  return result;
}

function replaced(text: string, changes: readonly Change[]): string {
  let result = '';
  let at = 0;
  for (const { span, by } of changes) {
    result += text.slice(at, span[0]) + by;
    at = span[1];
  }
  return result + text.slice(at);
}

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
