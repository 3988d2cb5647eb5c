// Words of the shell as the texts that they become: quotes, braces, tilde, substitutions.

import {
  type Assignment,
  type CommandArgument,
  type HereDocBody,
  type ParsedScript,
  parse,
  type Word,
  type WordPart,
} from 'unbash';
import { evaluateArithmetic } from './arithmetic.ts';
import { expandBraces } from './braces.ts';
import type { Environment } from './environment.ts';
import { assemble, type Expander, type Field, type Piece, quotedPiece } from './fields.ts';
import { expandParameter, parameterPieces } from './parameters.ts';
import { quotePattern } from './patterns.ts';
import {
  concat,
  concatAll,
  emptyText,
  knownText,
  mapWithHoles,
  maxAlternatives,
  type Text,
  trimEndOf,
  unknownText,
} from './values.ts';

/** Longest text that is read or matched once more. */
export const maxMatched = 4096;

/** The fields of a list of words; several lists where a word may become a different number of fields. */
export function expandWords(
  words: readonly CommandArgument[],
  expander: Expander,
): readonly (readonly Field[])[] {
  let alternatives: Field[][] = [[]];
  expander.spend(Math.ceil(words.length / 4));
  for (const word of words) {
    const next =
      word.type === 'Word'
        ? expandWord(word, expander)
        : [[{ text: expandAssignment(word, expander), glob: false }]];
    const [only] = next;
    if (next.length === 1 && only !== undefined) {
      if (only.length > 4) expander.spend(Math.ceil((only.length * alternatives.length) / 4));
      for (const fields of alternatives) for (const field of only) fields.push(field);
    } else {
      alternatives = capped(alternatives.flatMap((fields) => next.map((more) => [...fields, ...more])));
    }
  }
  return alternatives;
}

/** At most so many lists of fields; where there were more, one of them is not known. */
function capped(lists: Field[][]): Field[][] {
  if (lists.length <= maxAlternatives) return lists;
  return [...lists.slice(0, maxAlternatives - 1), [{ text: unknownText(), glob: false }]];
}

/** An assignment that stands as an argument, as the word that it is. */
function expandAssignment(assignment: Assignment, expander: Expander): Text {
  const { value } = assignment;
  const start = knownText(assignment.text.slice(0, value.pos - assignment.pos));
  return value.type === 'Word' ? concat(start, expandText(value, expander)) : knownText(assignment.text);
}

/** The fields of one word. */
export function expandWord(word: Word, expander: Expander): readonly (readonly Field[])[] {
  const parts = word.parts;
  if (parts === undefined) {
    return [[{ text: knownText(expandTilde(word.text, word.value, expander.environment)), glob: false }]];
  }
  expander.spend(1);
  if (parts.some((part) => part.type === 'BraceExpansion')) {
    expander.spend(10);
    const texts = expandBraces(word.text);
    // A word that begins with # would be a comment where it is read again.
    if (texts === null || texts.some((text) => text.startsWith('#')))
      return [[{ text: unknownText(), glob: true }]];
    if (texts.length > 1 || texts[0] !== word.text) {
      const source = `_ ${texts.join(' ')}`;
      return expandWords(wordsOf(source), inText(source, expander));
    }
  }
  return assemble(piecesOf(parts, false, expander), expander);
}

/** Expands what stands in a text of its own: positions in it are in that text, and not in the one around it. */
export function inText(source: string, expander: Expander): Expander {
  const placed = (script: ParsedScript): ParsedScript => ({ ...script, source: script.source ?? source });
  return {
    ...expander,
    capture: (script) => expander.capture(placed(script)),
    substitute: (script, operator) => expander.substitute(placed(script), operator),
  };
}

/** The words behind the first one of a source. */
function wordsOf(source: string): readonly Word[] {
  const [statement] = parse(source).commands;
  const command = statement?.command;
  if (command?.type !== 'Command') return [];
  return command.suffix.filter((argument) => argument.type === 'Word');
}

/** A word as one text, as in an assignment or behind a redirection: nothing is split. */
export function expandText(word: Word, expander: Expander): Text {
  expander.spend(1);
  const parts = word.parts;
  if (parts === undefined) return knownText(expandTilde(word.text, word.value, expander.environment));
  const text = concatAll(piecesOf(parts, true, expander).map(textOfPiece));
  expander.spend(text.alternatives.reduce((sum, { length }) => sum + (length >> 8), 0));
  return text;
}

/** The body of a here-document as one text. */
export function expandHereDoc(body: HereDocBody, expander: Expander): Text {
  if (body.parts === undefined) return knownText(body.text);
  return concatAll(piecesOf(body.parts, true, expander).map(textOfPiece));
}

/** A word as a pattern: what was quoted stands for itself. */
export function expandPattern(word: Word, expander: Expander): Text {
  if (word.parts === undefined) return knownText(quotePattern(word.value));
  const texts = piecesOf(word.parts, true, expander, true).map((piece) => {
    if (piece.kind === 'list') return concatAll(piece.items, ' ');
    return piece.quoted ? mapWithHoles(piece.text, quotePattern) : piece.text;
  });
  return concatAll(texts);
}

export function textOfPiece(piece: Piece): Text {
  return piece.kind === 'list' ? concatAll(piece.items, ' ') : piece.text;
}

export function expandTilde(text: string, value: string, environment: Environment): string {
  if (!text.startsWith('~') || !value.startsWith('~')) return value;
  const slash = value.indexOf('/');
  const name = slash === -1 ? value : value.slice(0, slash);
  const rest = slash === -1 ? '' : value.slice(slash);
  if (name === '~') return (environment.home ?? '~') + rest;
  if (name === '~+') return environment.cwd + rest;
  if (name === '~-') return environment.previousCwd + rest;
  return value;
}

export function piecesOf(
  parts: readonly WordPart[],
  unsplit: boolean,
  expander: Expander,
  pattern = false,
): readonly Piece[] {
  return parts.flatMap((part, index) => {
    // `$IFS$9`: what the action was not given is empty, and stands there to end the name.
    if (part.type === 'SimpleExpansion' && /^\$\d$/.test(part.text) && !isGiven(part.text, expander)) {
      if (/^\$[6-9]$/.test(part.text) || /^\$\{?IFS\}?$/.test(parts[index - 1]?.text ?? '')) return [];
    }
    return piecesOfPart(part, index === 0, unsplit, expander, pattern);
  });
}

/** Whether a positional parameter has a text. */
function isGiven(parameter: string, { environment }: Expander): boolean {
  const place = Number(parameter.slice(1));
  return place === 0 || place <= environment.positional.length;
}

function piecesOfPart(
  part: WordPart,
  first: boolean,
  unsplit: boolean,
  expander: Expander,
  pattern: boolean,
): readonly Piece[] {
  expander.spend(1);
  const plain = (text: Text, split: boolean, glob = false): readonly Piece[] => [
    { kind: 'text', text, quoted: false, split: split && !unsplit, glob },
  ];
  switch (part.type) {
    case 'Literal': {
      const text = first ? expandTilde(part.text, part.value, expander.environment) : part.value;
      return plain(knownText(pattern ? quotePattern(text) : text), false);
    }
    case 'Glob':
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) piecesOfPart(inner, false, true, expander, pattern);
      return plain(knownText(part.text), false, true);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [quotedPiece(knownText(part.value))];
    case 'DoubleQuoted':
    case 'LocaleString': {
      if (part.parts.length === 0) return [quotedPiece(emptyText)];
      return part.parts.flatMap((child): readonly Piece[] => {
        if (child.type === 'Literal') return [quotedPiece(knownText(child.value))];
        return piecesOfPart(child, false, true, expander, false).map((piece) => ({ ...piece, quoted: true }));
      });
    }
    case 'SimpleExpansion':
      return parameterPieces(part.text.slice(1), unsplit, expander);
    case 'ParameterExpansion':
      return expandParameter(part, unsplit, expander);
    case 'CommandExpansion':
      return plain(part.script === undefined ? unknownText() : trimEnd(expander.capture(part.script)), true);
    case 'ArithmeticExpansion': {
      const number = part.expression === undefined ? null : evaluateArithmetic(part.expression, expander);
      return plain(number === null ? unknownText() : knownText(String(number)), false);
    }
    case 'ProcessSubstitution':
      return plain(
        part.script === undefined
          ? unknownText()
          : knownText(expander.substitute(part.script, part.operator)),
        false,
      );
    case 'BraceExpansion':
      for (const inner of part.parts ?? []) piecesOfPart(inner, false, true, expander, pattern);
      return plain(knownText(part.text), false);
  }
}

/** The output of a substitution loses the newlines at its end. */
export function trimEnd(text: Text): Text {
  return mapWithHoles(text, (alternative) => trimEndOf(alternative, '\n'));
}

/** A text that the shell expands once more, as it does with prompts: substitutions in it happen. */
export function expandAgain(text: string, expander: Expander): Text {
  if (text.length > maxMatched) return unknownText();
  expander.spend(4);
  const end = 'END_OF_THE_TEXT';
  const source = `: <<${end}\n${text}\n${end}\n`;
  const command = parse(source).commands[0]?.command;
  const redirect = command?.type === 'Command' ? command.redirects[0] : undefined;
  if (redirect?.type !== 'HereDoc') return unknownText();
  return mapWithHoles(expandHereDoc(redirect.body, inText(source, expander)), (whole) =>
    whole.replace(/\n$/, ''),
  );
}
