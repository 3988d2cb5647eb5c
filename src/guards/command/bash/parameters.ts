// Parameters of the shell as the texts that they become, with all operators: defaults, cuts, patterns, arrays.

import { type ParameterExpansionPart, parse, type Word } from 'unbash';
import { evaluateArithmetic, numberOf } from './arithmetic.ts';
import { maxItems, surroundingOrigins } from './environment.ts';
import { decodeEscapes } from './escapes.ts';
import {
  expandAgain,
  expandPattern,
  expandText,
  expandTilde,
  inText,
  maxMatched,
  piecesOf,
  textOfPiece,
} from './expand.ts';
import { type Expander, type Piece, quotedPiece } from './fields.ts';
import { readPattern, removeEnd, removeStart, replaceMatches } from './patterns.ts';
import {
  concatAll,
  either,
  emptyText,
  hole,
  knownText,
  mapText,
  mapWithHoles,
  mergeOrigins,
  oneOf,
  onlyText,
  type Text,
  unknownText,
  withOrigins,
} from './values.ts';

/** Most work of one match: the length of the text times that of the pattern. */
const maxMatchWork = 100_000;

const special = /^(?:[@*#?$!\-0-9]|\d+)$/;

export function parameterText(name: string, expander: Expander): Text | null {
  const { environment } = expander;
  if (special.test(name)) {
    if (name === '0') return environment.scriptName;
    if (name === '#') return knownText(String(environment.positional.length));
    if (/^\d+$/.test(name)) return environment.positional[Number(name) - 1] ?? null;
    if (name === '@' || name === '*') return concatAll(environment.positional, ' ');
    // A process of this script, as the shell writes its jobs; nothing else begins so.
    return name === '!' || name === '$' ? knownText(`%${name}`) : unknownText();
  }
  return environment.lookUp(name)?.text ?? null;
}

/** The text of a parameter that may be set by the surroundings. */
function assumedText(name: string, expander: Expander): Text {
  const text = parameterText(name, expander);
  if (text !== null) return text;
  if (/^\d+$/.test(name) && expander.environment.positional.length > 0) return emptyText;
  return unknownText(surroundingOrigins(name));
}

export function parameterPieces(name: string, unsplit: boolean, expander: Expander): readonly Piece[] {
  if (name === '@' || name === '*') {
    const { positional } = expander.environment;
    if (name === '@' || !unsplit) return [{ kind: 'list', items: positional, quoted: false }];
    return [quotedPiece(joinItems(positional, expander))];
  }
  return [{ kind: 'text', text: assumedText(name, expander), quoted: false, split: !unsplit, glob: false }];
}

/** Items as `"$*"` gives them: with the first character of IFS between. */
function joinItems(items: readonly Text[], expander: Expander): Text {
  const separators = onlyText(expander.environment.lookUp('IFS')?.text) ?? ' ';
  return concatAll(items, separators.slice(0, 1));
}

export function expandParameter(
  part: ParameterExpansionPart,
  unsplit: boolean,
  expander: Expander,
): readonly Piece[] {
  const { environment } = expander;
  const { operation, prefix } = part;
  let name = part.parameter;
  const make = (text: Text): readonly Piece[] => [
    { kind: 'text', text, quoted: false, split: !unsplit, glob: false },
  ];
  if (operation?.type === 'Names') return make(unknownText());
  const index = part.index;
  const subscript = index === undefined ? null : index.text;
  const whole = subscript === '@' || subscript === '*' || name === '@' || name === '*';
  if (prefix === '!' && whole && index !== undefined) {
    const keys = [...(environment.lookUp(name)?.items?.keys() ?? [])].map((key) => knownText(key));
    return [{ kind: 'list', items: keys, quoted: false }];
  }
  if (prefix === '!') {
    const target =
      environment.variables.get(name)?.reference ?? onlyText(parameterText(name, expander) ?? undefined);
    if (target === null) return make(unknownText());
    const item = /^(\w+)\[(.*)\]$/.exec(target);
    if (item !== null) {
      const [, array = '', key = ''] = item;
      if (key === '@' || key === '*')
        return [{ kind: 'list', items: environment.itemsOf(array), quoted: false }];
      return make(environment.lookUp(array)?.items?.get(key) ?? unknownText());
    }
    name = target;
  }
  if (whole) return listPieces(part, name, subscript ?? name, unsplit, expander);
  let current = parameterText(name, expander);
  if (index !== undefined) current = itemAt(name, index, expander);
  if (prefix === '#') {
    return make(mapText(current ?? emptyText, (text) => String([...text].length)));
  }
  if (operation?.type === 'Default') return expandDefault(part, name, current, unsplit, expander);
  const origins = special.test(name) ? [] : surroundingOrigins(name);
  const text =
    current ?? (/^\d+$/.test(name) && environment.positional.length > 0 ? emptyText : unknownText(origins));
  return make(operation === undefined ? text : applyOperation(part, text, expander));
}

function itemAt(name: string, index: Word, expander: Expander): Text | null {
  const variable = expander.environment.lookUp(name);
  const keys = expandText(index, expander);
  if (variable === null) {
    numberOf(keys, expander, 0);
    return null;
  }
  const key = onlyText(keys);
  if (key === null) {
    const items = expander.environment.itemsOf(name);
    return items.reduce(either, items[0] ?? emptyText);
  }
  const { items } = variable;
  if (items === undefined) return key === '0' ? variable.text : emptyText;
  const direct = items.get(key);
  if (direct !== undefined) return direct;
  // What is behind the items that were kept is not known.
  if (items.size > maxItems) return unknownText();
  const number = /^-?\d+$/.test(key) ? Number(key) : wordNumber(key, expander);
  if (number === null) return emptyText;
  if (number < 0) return [...items.values()].at(number) ?? emptyText;
  return items.get(String(number)) ?? emptyText;
}

function wordNumber(text: string, expander: Expander): number | null {
  const source = `((${text}))`;
  const [statement] = parse(source).commands;
  const command = statement?.command;
  if (command?.type !== 'ArithmeticCommand' || command.expression === undefined) return null;
  return evaluateArithmetic(command.expression, inText(source, expander));
}

function listPieces(
  part: ParameterExpansionPart,
  name: string,
  subscript: string,
  unsplit: boolean,
  expander: Expander,
): readonly Piece[] {
  const { environment } = expander;
  const { operation } = part;
  const positional = name === '@' || name === '*';
  let items = positional ? environment.positional : environment.itemsOf(name);
  if (part.prefix === '#') return [quotedPiece(knownText(String(items.length)))];
  if (operation?.type === 'Default') {
    if (items.length === 0 || operation.operator.endsWith('+')) {
      return expandDefault(part, name, items.length === 0 ? null : concatAll(items, ' '), unsplit, expander);
    }
  } else if (operation?.type === 'Slice') {
    const offset = wordNumber(operation.offset.text, expander);
    const length = operation.length === undefined ? null : wordNumber(operation.length.text, expander);
    if (offset === null) items = [unknownText()];
    else {
      const all = positional ? [environment.scriptName, ...items] : items;
      const start = positional && offset < 0 ? all.length + offset : offset;
      const rest = all.slice(start);
      items = operation.length === undefined ? rest : rest.slice(0, length ?? rest.length);
    }
  } else if (operation !== undefined) {
    items = items.map((item) => applyOperation(part, item, expander));
  }
  if (subscript === '*' && unsplit) return [quotedPiece(joinItems(items, expander))];
  return [{ kind: 'list', items, quoted: false }];
}

function expandDefault(
  part: ParameterExpansionPart,
  name: string,
  current: Text | null,
  unsplit: boolean,
  expander: Expander,
): readonly Piece[] {
  const { operation } = part;
  if (operation?.type !== 'Default') return [];
  const { operator, operand } = operation;
  const colon = operator.startsWith(':');
  const make = (text: Text): Piece => ({ kind: 'text', text, quoted: false, split: !unsplit, glob: false });
  const operandPieces = (): readonly Piece[] => {
    if (operand.parts === undefined) {
      const text = expandTilde(operand.text, operand.value, expander.environment);
      return [make(knownText(text))];
    }
    return piecesOf(operand.parts, unsplit, expander);
  };
  const known = current === null ? null : current.alternatives.filter((text) => !colon || text !== '');
  const maybeEmpty = current !== null && known !== null && known.length < current.alternatives.length;
  switch (operator) {
    case '+':
    case ':+': {
      if (current !== null && known !== null && known.length === 0) return [make(emptyText)];
      const pieces = operandPieces();
      if (current !== null && !maybeEmpty && !current.alternatives.includes(hole)) return pieces;
      // It is not known whether the variable is set: either the operand or nothing.
      const text = concatAll(pieces.map(textOfPiece));
      return [make(oneOf([...text.alternatives, ''], text.origins))];
    }
    case '?':
    case ':?':
      expandText(operand, expander);
      return [make(current ?? unknownText(surroundingOrigins(name)))];
    default: {
      if (current !== null && known !== null && known.length > 0 && !maybeEmpty) {
        return [make(current)];
      }
      const pieces = operandPieces();
      if (operator === '=' || operator === ':=') {
        expander.environment.setText(name, concatAll(pieces.map(textOfPiece)));
      }
      if (current === null || known === null || known.length === 0) return pieces;
      return [make(either(oneOf(known, current.origins), concatAll(pieces.map(textOfPiece))))];
    }
  }
}

/** What is left of a path that is known up to a hole: its folder where the end goes, its name where the folder does. */
function remainder(whole: string, pattern: string, fromStart: boolean): string {
  const start = whole.slice(0, whole.indexOf(hole));
  const inFolder = start.includes('/');
  if (!fromStart) return inFolder ? start.slice(0, start.lastIndexOf('/') + 1) + hole : hole;
  return inFolder && (pattern === '*/' || (pattern === './' && start === './')) ? `./${hole}` : hole;
}

/** A text through the operator of a parameter expansion. */
function applyOperation(part: ParameterExpansionPart, text: Text, expander: Expander): Text {
  const { operation } = part;
  if (operation === undefined) return text;
  expander.spend(1 + text.alternatives.reduce((sum, { length }) => sum + Math.ceil(length / 64), 0));
  switch (operation.type) {
    case 'Remove': {
      const pattern = expandPattern(operation.operand, expander);
      const source = onlyText(pattern);
      if (source === null) return unknownText(text.origins);
      const compiled = readPattern(source);
      const longest = operation.operator.length === 2;
      const fromStart = operation.operator.startsWith('#');
      return mapWithHoles(text, (whole) => {
        if (whole.includes(hole)) return remainder(whole, source, fromStart);
        if (whole.length > maxMatched || whole.length * compiled.length > maxMatchWork) return hole;
        return fromStart ? removeStart(compiled, whole, longest) : removeEnd(compiled, whole, longest);
      });
    }
    case 'Replace': {
      if (isCut(operation.pattern.text)) {
        expandAgain(part.text.slice(part.text.indexOf(operation.operator) + 1, -1), expander);
        return unknownText(text.origins);
      }
      const pattern = onlyText(expandPattern(operation.pattern, expander));
      const replacement = expandText(operation.replacement, expander);
      if (pattern === null) return unknownText(text.origins);
      const compiled = readPattern(pattern);
      const results = replacement.alternatives.flatMap(
        (by) =>
          mapText(text, (whole) =>
            whole.length > maxMatched || whole.length * whole.length * compiled.length > 20 * maxMatchWork
              ? null
              : replaceMatches(compiled, whole, by, operation.operator),
          ).alternatives,
      );
      return oneOf(results, mergeOrigins(text.origins, replacement.origins));
    }
    case 'Slice': {
      const offset = wordNumber(operation.offset.text, expander);
      const length = operation.length === undefined ? undefined : wordNumber(operation.length.text, expander);
      if (offset === null || length === null) return unknownText(text.origins);
      return mapWithHoles(text, (whole) => slice(whole, offset, length));
    }
    case 'CaseModification': {
      if (operation.operand !== undefined) expandPattern(operation.operand, expander);
      const upper = operation.operator.startsWith('^');
      const all = operation.operator.length === 2;
      const change = (part: string): string => (upper ? part.toUpperCase() : part.toLowerCase());
      return mapText(text, (whole) => (all ? change(whole) : change(whole.slice(0, 1)) + whole.slice(1)));
    }
    case 'Transform':
      return transform(operation.operand.value, text, expander);
    default:
      return unknownText(text.origins);
  }
}

/** Whether the parser ended a pattern at a slash inside of a substitution, which then stands on both sides. */
function isCut(pattern: string): boolean {
  const count = (character: string): number => pattern.split(character).length - 1;
  return (
    count('(') !== count(')') || count('{') !== count('}') || count('`') % 2 !== 0 || count('"') % 2 !== 0
  );
}

function slice(text: string, offset: number, length: number | undefined): string {
  const unknownFrom = text.indexOf(hole);
  if (unknownFrom === -1) {
    const start = offset < 0 ? Math.max(0, text.length + offset) : offset;
    const end = length === undefined ? text.length : length < 0 ? text.length + length : start + length;
    return text.slice(start, Math.max(start, end));
  }
  if (offset < 0 || length === undefined || length < 0 || offset + length > unknownFrom) return hole;
  return text.slice(offset, offset + length);
}

function transform(operator: string, text: Text, expander: Expander): Text {
  switch (operator) {
    case 'U':
      return mapText(text, (whole) => whole.toUpperCase());
    case 'u':
      return mapText(text, (whole) => whole.slice(0, 1).toUpperCase() + whole.slice(1));
    case 'L':
      return mapText(text, (whole) => whole.toLowerCase());
    case 'Q':
      return mapText(text, (whole) => `'${whole.replaceAll("'", "'\\''")}'`);
    case 'E':
      return mapText(text, decodeEscapes);
    case 'P': {
      // A prompt is expanded once more, substitutions included.
      const texts = text.alternatives.map((whole) => expandAgain(whole, expander));
      return withOrigins(texts.reduce(either, texts[0] ?? emptyText), text.origins);
    }
    default:
      return unknownText(text.origins);
  }
}
