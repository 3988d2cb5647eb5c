// Words of the shell as the texts that they become: quotes, braces, tilde, substitutions, parameters with all their
// operators, and arithmetic. One recursive function: a word holds parameters, a parameter words, arithmetic both.

import {
  type ArithmeticExpression,
  type Assignment,
  type CommandArgument,
  type HereDocBody,
  type ParameterExpansionPart,
  type ParsedScript,
  parse,
  type Word,
  type WordPart,
} from 'unbash';
import { expandBraces } from './braces.ts';
import { arrayOf, type Environment, environmentOrigins, maxItems } from './environment.ts';
import { decodeEscapes } from './escapes.ts';
import { assemble, type Expander, type Field, type FieldPart, quotedPart } from './fields.ts';
import { calculate } from './integers.ts';
import { quotePattern, readPattern, removeEnd, removeStart, replaceMatches } from './patterns.ts';
import {
  concat,
  concatAll,
  either,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mapText,
  mapWithHoles,
  maxAlternatives,
  mergeOrigins,
  oneOf,
  onlyText,
  type Text,
  trimEndOf,
  unknownText,
  withOrigins,
} from './values.ts';

/** Longest text that is read or matched once more. */
const maxMatched = 4096;

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
  return assemble(fieldPartsOf(parts, false, expander), expander);
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
  const text = concatAll(fieldPartsOf(parts, true, expander).map(textOfField));
  expander.spend(text.alternatives.reduce((sum, { length }) => sum + (length >> 8), 0));
  return text;
}

/** The body of a here-document as one text. */
export function expandHereDoc(body: HereDocBody, expander: Expander): Text {
  if (body.parts === undefined) return knownText(body.text);
  return concatAll(fieldPartsOf(body.parts, true, expander).map(textOfField));
}

/** A word as a pattern: what was quoted stands for itself. */
export function expandPattern(word: Word, expander: Expander): Text {
  if (word.parts === undefined) return knownText(quotePattern(word.value));
  const texts = fieldPartsOf(word.parts, true, expander, true).map((part) => {
    if (part.kind === 'list') return concatAll(part.items, ' ');
    return part.quoted ? mapWithHoles(part.text, quotePattern) : part.text;
  });
  return concatAll(texts);
}

function textOfField(part: FieldPart): Text {
  return part.kind === 'list' ? concatAll(part.items, ' ') : part.text;
}

function expandTilde(text: string, value: string, environment: Environment): string {
  if (!text.startsWith('~') || !value.startsWith('~')) return value;
  const slash = value.indexOf('/');
  const name = slash === -1 ? value : value.slice(0, slash);
  const rest = slash === -1 ? '' : value.slice(slash);
  if (name === '~') return (environment.home ?? '~') + rest;
  if (name === '~+') return environment.cwd + rest;
  if (name === '~-') return environment.previousCwd + rest;
  return value;
}

function fieldPartsOf(
  parts: readonly WordPart[],
  unsplit: boolean,
  expander: Expander,
  pattern = false,
): readonly FieldPart[] {
  return parts.flatMap((part, index) => {
    // `$IFS$9`: what the action was not given is empty, and stands there to end the name.
    if (part.type === 'SimpleExpansion' && /^\$\d$/.test(part.text) && !isGiven(part.text, expander)) {
      if (/^\$[6-9]$/.test(part.text) || /^\$\{?IFS\}?$/.test(parts[index - 1]?.text ?? '')) return [];
    }
    return fieldPartsOfNode(part, index === 0, unsplit, expander, pattern);
  });
}

/** Whether a positional parameter has a text. */
function isGiven(parameter: string, { environment }: Expander): boolean {
  const place = Number(parameter.slice(1));
  return place === 0 || place <= environment.positional.length;
}

function fieldPartsOfNode(
  part: WordPart,
  first: boolean,
  unsplit: boolean,
  expander: Expander,
  pattern: boolean,
): readonly FieldPart[] {
  expander.spend(1);
  const plain = (text: Text, split: boolean, glob = false): readonly FieldPart[] => [
    { kind: 'text', text, quoted: false, split: split && !unsplit, glob },
  ];
  switch (part.type) {
    case 'Literal': {
      const text = first ? expandTilde(part.text, part.value, expander.environment) : part.value;
      return plain(knownText(pattern ? quotePattern(text) : text), false);
    }
    case 'Glob':
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) fieldPartsOfNode(inner, false, true, expander, pattern);
      return plain(knownText(part.text), false, true);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [quotedPart(knownText(part.value))];
    case 'DoubleQuoted':
    case 'LocaleString': {
      if (part.parts.length === 0) return [quotedPart(emptyText)];
      return part.parts.flatMap((child): readonly FieldPart[] => {
        if (child.type === 'Literal') return [quotedPart(knownText(child.value))];
        return fieldPartsOfNode(child, false, true, expander, false).map((part) => ({
          ...part,
          quoted: true,
        }));
      });
    }
    case 'SimpleExpansion':
      return parameterParts(part.text.slice(1), unsplit, expander);
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
      for (const inner of part.parts ?? []) fieldPartsOfNode(inner, false, true, expander, pattern);
      return plain(knownText(part.text), false);
  }
}

/** The output of a substitution loses the newlines at its end. */
function trimEnd(text: Text): Text {
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

/** Most work of one match: the length of the text times that of the pattern. */
const maxMatchWork = 100_000;

const special = /^(?:[@*#?$!\-0-9]|\d+)$/;

function parameterText(name: string, expander: Expander): Text | null {
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

/** The text of a parameter that may be set by the environment. */
function assumedText(name: string, expander: Expander): Text {
  const text = parameterText(name, expander);
  if (text !== null) return text;
  if (/^\d+$/.test(name) && expander.environment.positional.length > 0) return emptyText;
  return unknownText(environmentOrigins(name));
}

function parameterParts(name: string, unsplit: boolean, expander: Expander): readonly FieldPart[] {
  if (name === '@' || name === '*') {
    const { positional } = expander.environment;
    if (name === '@' || !unsplit) return [{ kind: 'list', items: positional, quoted: false }];
    return [quotedPart(joinItems(positional, expander))];
  }
  return [{ kind: 'text', text: assumedText(name, expander), quoted: false, split: !unsplit, glob: false }];
}

/** Items as `"$*"` gives them: with the first character of IFS between. */
function joinItems(items: readonly Text[], expander: Expander): Text {
  const separators = onlyText(expander.environment.lookUp('IFS')?.text) ?? ' ';
  return concatAll(items, separators.slice(0, 1));
}

function expandParameter(
  part: ParameterExpansionPart,
  unsplit: boolean,
  expander: Expander,
): readonly FieldPart[] {
  const { environment } = expander;
  const { operation, prefix } = part;
  let name = part.parameter;
  const make = (text: Text): readonly FieldPart[] => [
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
  if (whole) return listParts(part, name, subscript ?? name, unsplit, expander);
  let current = parameterText(name, expander);
  if (index !== undefined) current = itemAt(name, index, expander);
  if (prefix === '#') {
    return make(mapText(current ?? emptyText, (text) => String([...text].length)));
  }
  if (operation?.type === 'Default') return expandDefault(part, name, current, unsplit, expander);
  const origins = special.test(name) ? [] : environmentOrigins(name);
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

function listParts(
  part: ParameterExpansionPart,
  name: string,
  subscript: string,
  unsplit: boolean,
  expander: Expander,
): readonly FieldPart[] {
  const { environment } = expander;
  const { operation } = part;
  const positional = name === '@' || name === '*';
  let items = positional ? environment.positional : environment.itemsOf(name);
  if (part.prefix === '#') return [quotedPart(knownText(String(items.length)))];
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
  if (subscript === '*' && unsplit) return [quotedPart(joinItems(items, expander))];
  return [{ kind: 'list', items, quoted: false }];
}

function expandDefault(
  part: ParameterExpansionPart,
  name: string,
  current: Text | null,
  unsplit: boolean,
  expander: Expander,
): readonly FieldPart[] {
  const { operation } = part;
  if (operation?.type !== 'Default') return [];
  const { operator, operand } = operation;
  const colon = operator.startsWith(':');
  const make = (text: Text): FieldPart => ({
    kind: 'text',
    text,
    quoted: false,
    split: !unsplit,
    glob: false,
  });
  const operandParts = (): readonly FieldPart[] => {
    if (operand.parts === undefined) {
      const text = expandTilde(operand.text, operand.value, expander.environment);
      return [make(knownText(text))];
    }
    return fieldPartsOf(operand.parts, unsplit, expander);
  };
  const known = current === null ? null : current.alternatives.filter((text) => !colon || text !== '');
  const maybeEmpty = current !== null && known !== null && known.length < current.alternatives.length;
  switch (operator) {
    case '+':
    case ':+': {
      if (current !== null && known !== null && known.length === 0) return [make(emptyText)];
      const fieldParts = operandParts();
      if (current !== null && !maybeEmpty && !current.alternatives.includes(hole)) return fieldParts;
      // It is not known whether the variable is set: either the operand or nothing.
      const text = concatAll(fieldParts.map(textOfField));
      return [make(oneOf([...text.alternatives, ''], text.origins))];
    }
    case '?':
    case ':?':
      expandText(operand, expander);
      return [make(current ?? unknownText(environmentOrigins(name)))];
    default: {
      if (current !== null && known !== null && known.length > 0 && !maybeEmpty) {
        return [make(current)];
      }
      const fieldParts = operandParts();
      if (operator === '=' || operator === ':=') {
        expander.environment.setText(name, concatAll(fieldParts.map(textOfField)));
      }
      if (current === null || known === null || known.length === 0) return fieldParts;
      return [make(either(oneOf(known, current.origins), concatAll(fieldParts.map(textOfField))))];
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

/** Most letters of a secret that say which one it is. */
const mostShown = 8;

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
      // The first letters say which secret it is, and not what.
      if (
        length !== undefined &&
        length !== null &&
        length <= mostShown &&
        text.alternatives.every(isHoleOnly)
      )
        return unknownText(text.origins.filter((origin) => origin !== 'secret'));
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

/** The number that an expression gives; null where it is not known. Assignments and substitutions in it happen. */
export function evaluateArithmetic(expression: ArithmeticExpression, expander: Expander): number | null {
  expander.spend(1);
  switch (expression.type) {
    case 'ArithmeticGroup':
      return evaluateArithmetic(expression.expression, expander);
    case 'ArithmeticCommandExpansion': {
      if (expression.script === undefined) return null;
      return numberOf(trimEnd(expander.capture(expression.script)), expander, 0);
    }
    case 'ArithmeticWord': {
      const text =
        expression.parts === undefined
          ? knownText(expression.value)
          : concatAll(fieldPartsOf(expression.parts, true, expander).map(textOfField));
      return numberOf(text, expander, 0);
    }
    case 'ArithmeticTernary': {
      const test = evaluateArithmetic(expression.test, expander);
      const yes = evaluateArithmetic(expression.consequent, expander);
      const no = evaluateArithmetic(expression.alternate, expander);
      if (test === null) return yes === no ? yes : null;
      return test === 0 ? no : yes;
    }
    case 'ArithmeticUnary': {
      const operand = evaluateArithmetic(expression.operand, expander);
      if (expression.operator === '++' || expression.operator === '--') {
        const next = operand === null ? null : operand + (expression.operator === '++' ? 1 : -1);
        assignNumber(expression.operand, next, expander);
        return expression.prefix ? next : operand;
      }
      if (operand === null) return null;
      if (expression.operator === '-') return -operand;
      if (expression.operator === '!') return operand === 0 ? 1 : 0;
      return expression.operator === '~' ? ~operand : operand;
    }
    case 'ArithmeticBinary': {
      const { operator } = expression;
      const right = evaluateArithmetic(expression.right, expander);
      if (/^(?:[-+*/%&^|]|<<|>>)?=$/.test(operator)) {
        // Of a name that is only set nothing is evaluated; the index of an item is.
        const named = expression.left.type === 'ArithmeticWord' && /^\w+$/.test(expression.left.value);
        const left = operator === '=' && named ? 0 : evaluateArithmetic(expression.left, expander);
        const value = operator === '=' ? right : calculate(operator.slice(0, -1), left, right);
        assignNumber(expression.left, value, expander);
        return value;
      }
      return calculate(operator, evaluateArithmetic(expression.left, expander), right);
    }
  }
}

function assignNumber(target: ArithmeticExpression, value: number | null, expander: Expander): void {
  if (target.type !== 'ArithmeticWord') return;
  const item = /^(\w+)\[(\w+)\]$/.exec(target.value);
  const text = value === null ? unknownText() : knownText(String(value));
  if (item !== null) {
    const [, name = '', key = ''] = item;
    const items = new Map(expander.environment.lookUp(name)?.items ?? []);
    items.set(key, text);
    expander.environment.set(name, arrayOf(items));
  } else if (/^\w+$/.test(target.value)) expander.environment.setText(target.value, text);
}

/** A text in which a substitution stands. */
const substitution = /\$\(|`/;

/** The number that a text gives in arithmetic; null where it is not known. What it names is evaluated in turn. */
export function numberOf(text: Text, expander: Expander, depth: number): number | null {
  const runs = text.alternatives.filter((one) => substitution.test(one));
  if (runs.length > 0 && depth <= 8) {
    for (const one of runs) expandAgain(one, expander);
    return null;
  }
  const only = onlyText(text)?.trim();
  if (only === undefined || depth > 8) return null;
  if (only === '') return 0;
  if (/^0[xX][0-9a-fA-F]+$/.test(only)) return Number(only);
  if (/^0[0-7]+$/.test(only)) return Number.parseInt(only, 8);
  if (/^-?\d{1,15}$/.test(only)) return Number(only);
  const based = /^(\d{1,2})#([0-9A-Za-z]{1,12})$/.exec(only);
  if (based !== null) {
    const [, base = '10', digits = ''] = based;
    const parsed =
      Number(base) >= 2 && Number(base) <= 36 ? Number.parseInt(digits, Number(base)) : Number.NaN;
    return Number.isNaN(parsed) ? null : parsed;
  }
  if (/^[A-Za-z_]\w*$/.test(only)) {
    const value = parameterText(only, expander);
    return value === null ? null : numberOf(value, expander, depth + 1);
  }
  const item = /^([A-Za-z_]\w*)\[(\w+)\]$/.exec(only);
  if (item !== null) {
    const value = expander.environment.lookUp(item[1] ?? '')?.items?.get(item[2] ?? '');
    return value === undefined ? null : numberOf(value, expander, depth + 1);
  }
  // A longer expression: its number is not worked out, but what it names is evaluated.
  const names = new Set(only.length > 256 ? [] : only.match(/[A-Za-z_]\w*/g));
  for (const name of [...names].slice(0, 8)) {
    const value = parameterText(name, expander);
    if (value === null) continue;
    expander.spend(1);
    numberOf(value, expander, depth + 1);
  }
  return null;
}
