// Finds every word, option and effect of the program cards that can be removed or changed, one at a time.

import { childrenOf, isNode, type Node, parse } from '../support/structure.ts';

/** One change of a source. */
export interface Mutant {
  /** The path below `programs/`. */
  readonly file: string;
  /** What is changed, in words that do not depend on the place in the file. */
  readonly change: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Edit = Omit<Mutant, 'file' | 'line'>;

/** The places of a node in its source. */
function within(node: Node): { readonly start: number; readonly end: number } {
  return { start: Number(node['start']), end: Number(node['end']) };
}

/** The source of a node in one line. */
function shown(node: Node, source: string): string {
  const { start, end } = within(node);
  return source.slice(start, end).replace(/\s+/g, ' ').slice(0, 80);
}

/** Keys of cards whose values are examples, or text for people. */
const proofs = new Set(['examples', 'hit', 'miss', 'readings', 'verbReadings', 'what', 'advice', 'names']);

function keyOf(node: Node): string {
  const { key } = node;
  if (!isNode(key)) return '';
  return String(key['name'] ?? key['value'] ?? '');
}

/** The options of a description: each removed, each read in another way, each name of several removed. */
function optionEdits(value: string, from: number): readonly Edit[] {
  return [...value.matchAll(/\S+/g)].flatMap(({ 0: group, index }) => {
    const start = from + index;
    const end = start + group.length;
    const [, names = '', mark = ''] = /^(.*?)(=[+=]?|\??)$/.exec(group) ?? [];
    const list = names.split('/');
    const edit = (change: string, text: string): Edit => ({ change, start, end, text });
    return [
      edit(`option ${group}: removed`, ''),
      edit(`option ${group}: ${mark === '' ? 'takes' : 'takes no'} value`, mark === '' ? `${names}=` : names),
      ...(list.length === 1 ? [] : list).map((name) => {
        const rest = list.filter((other) => other !== name).join('/');
        return edit(`option ${group}: without the name ${name}`, rest + mark);
      }),
    ];
  });
}

/** A list of words loses one; a single word becomes another. */
function wordEdits(value: string, from: number): readonly Edit[] {
  const words = [...value.matchAll(/[^\s]+/g)];
  return words.map(({ 0: word, index }) => {
    const start = from + index;
    const change = `word ${word}${words.length === 1 ? '' : ` of ${words.length}`}: changed`;
    return { change, start, end: start + word.length, text: `${word}zz` };
  });
}

/** The alternatives of a pattern, each removed where there are several. */
function patternEdits(pattern: string, from: number): readonly Edit[] {
  const edits: Edit[] = [];
  // Each open group has the places at which its alternatives begin.
  const groups: number[][] = [[0]];
  const close = (end: number): void => {
    const starts = groups.pop() ?? [];
    if (starts.length < 2) return;
    for (const [index, start] of starts.entries()) {
      const next = starts[index + 1];
      const last = next === undefined;
      const removed = pattern.slice(start, last ? end : next - 1);
      edits.push({
        change: `pattern ${pattern}: without ${removed}`,
        start: from + (last ? start - 1 : start),
        end: from + (last ? end : next),
        text: '',
      });
    }
  };
  let inClass = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === '\\') index += 1;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') {
      const [head = ''] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(pattern.slice(index)) ?? [];
      groups.push([index + head.length]);
      index += head.length - 1;
    } else if (character === ')') close(index);
    else if (character === '|') groups.at(-1)?.push(index + 1);
  }
  close(pattern.length);
  return edits;
}

/** A fact or a card would take its examples with it, whether it is an object or what a function makes of one. */
function isProven(node: Node): boolean {
  const has = (one: Node): boolean =>
    childrenOf(one).some((child) => /^(?:examples|names)$/.test(keyOf(child.node)));
  return has(node) || (node.type === 'CallExpression' && childrenOf(node).some((child) => has(child.node)));
}

/** The elements of a list in code, each removed; an effect is one of them. */
function elementEdits(node: Node, source: string): readonly Edit[] {
  const elements = (Array.isArray(node['elements']) ? node['elements'] : [])
    .filter(isNode)
    .filter((element) => !isProven(element));
  return elements.map((element) => ({
    change: `element ${shown(element, source)}: removed`,
    ...within(element),
    text: '...[]',
  }));
}

/** Both ways of a choice, taken always. */
function choiceEdits(node: Node, source: string): readonly Edit[] {
  const { test } = node;
  if (!isNode(test)) return [];
  return [
    { change: `choice ${shown(test, source)}: always`, ...within(test), text: 'true' },
    { change: `choice ${shown(test, source)}: never`, ...within(test), text: 'false' },
  ];
}

/** A deed of a table of cards: left out, done always, with another detail, without a flag, to one word instead of all. */
function deedEdits(deed: string, start: number): readonly Edit[] {
  const [, condition = '', option = '', kind = '', detail = '', flags = '', many = ''] =
    /^([^?]*\?)?([\w,-]+=)?([a-z]+)(\([^)]*\))?(\[[^\]]*\])?([…*])?$/.exec(deed) ?? [];
  const list = flags.slice(1, -1).split(',');
  const written = (change: string, parts: readonly string[]): Edit => ({
    change: `deed ${deed}: ${change}`,
    start,
    end: start + deed.length,
    text: parts.join(''),
  });
  return [
    ...(kind === 'skip' ? [] : [written('left out', [condition, option, 'skip', many])]),
    ...(condition === '' ? [] : [written('always', [option, kind, detail, flags, many])]),
    ...(detail === ''
      ? []
      : [written('other detail', [condition, option, kind, detail.replace(')', 'zz)'), flags, many])]),
    ...(flags === '' ? [] : list).map((flag) => {
      const others = list.filter((other) => other !== flag).join(',');
      return written(`without ${flag}`, [condition, option, kind, detail, `[${others}]`, many]);
    }),
    ...(many === '' ? [] : [written('to one', [condition, option, kind, detail, flags])]),
  ];
}

/** A table of cards: the options and the deeds of its lines. */
function tableEdits(text: string, from: number): readonly Edit[] {
  let at = from;
  return text.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    const depth = line.search(/\S/);
    if (depth === 0) {
      const bar = line.indexOf(' | ');
      return bar < 0 ? [] : optionEdits(line.slice(bar + 3).split(' | ')[0] ?? '', start + bar + 3);
    }
    if (depth !== 2) return [];
    const deeds = line.lastIndexOf(': ') + 2;
    return [...line.slice(deeds).matchAll(/\S+/g)].flatMap(({ 0: deed, index }) =>
      deedEdits(deed, start + deeds + index),
    );
  });
}

function stringEdits(node: Node, key: string): readonly Edit[] {
  const value = String(node['value']);
  const raw = String(node['raw']);
  const { start } = within(node);
  // A text with escapes has other places in the source than in the value.
  if (raw.slice(1, -1) !== value) return [];
  return key === 'options' || key === 'option' ? optionEdits(value, start + 1) : wordEdits(value, start + 1);
}

function literalEdits(node: Node, key: string): readonly Edit[] {
  const pattern = node['regex'];
  if (typeof pattern === 'object' && pattern !== null && 'pattern' in pattern)
    return patternEdits(String(pattern.pattern), within(node).start + 1);
  if (typeof node['value'] === 'string') return stringEdits(node, key);
  if (typeof node['value'] === 'boolean')
    return [
      { change: `${key} ${node['value']}: turned round`, ...within(node), text: String(!node['value']) },
    ];
  return [];
}

/** Every mutant of one file. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const found: Edit[] = [];
  const visit = (node: Node, key: string): void => {
    if (/^(?:Import|TS|ExportAll)/.test(node.type)) return;
    if (node.type === 'Property') {
      const name = keyOf(node);
      if (proofs.has(name)) return;
      const { value } = node;
      if (!isNode(value)) return;
      // The options of a subcommand are keyed by its spellings.
      visit(value, key === 'verbs' ? 'options' : name);
      return;
    }
    if (node.type === 'VariableDeclarator' && isNode(node['id'])) {
      const { init } = node;
      const name = String(node['id']['name'] ?? '');
      if (isNode(init) && !proofs.has(name) && !name.endsWith('Names'))
        visit(init, /options$/i.test(name) ? 'options' : name);
      return;
    }
    if (node.type === 'Literal') found.push(...literalEdits(node, key));
    if (node.type === 'TemplateElement' && source.slice(within(node).start).includes('\n'))
      found.push(...tableEdits(source.slice(within(node).start, within(node).end), within(node).start));
    if (node.type === 'ArrayExpression' && key !== 'cards' && key !== 'facts')
      found.push(...elementEdits(node, source));
    if (node.type === 'ConditionalExpression') found.push(...choiceEdits(node, source));
    for (const child of childrenOf(node)) visit(child.node, key);
  };
  for (const { node } of childrenOf(parse({ file, code: source }))) visit(node, '');
  return found.map((edit) => ({ file, line: source.slice(0, edit.start).split('\n').length, ...edit }));
}

export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}
