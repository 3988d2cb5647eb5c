// Variables that a script sets, and those among them that some program will take for a command or for code.

import type { Assignment } from 'unbash';
import type { Origin } from '../../effects.ts';
import { handedPaths } from '../../programs/loading.ts';
import { type Attribute, arrayOf, type Environment } from '../environment.ts';
import { expandAgain, expandText, expandWord, numberOf } from '../expand.ts';
import type { Expander } from '../fields.ts';
import { handedByName, handedOver } from '../handed-over.ts';
import { splitQuoted } from '../quoted.ts';
import {
  concat,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mapWithHoles,
  mergeOrigins,
  oneOf,
  onlyText,
  singleText,
  type Text,
  toValue,
  unknownText,
} from '../values.ts';
import { emit, emitRun, type Frame, type Span } from './analysis.ts';
import { runFile } from './code.ts';
import { expanderFor, readFile } from './files.ts';

/** Sets a variable, or an item of it. */
export function assign(
  assignment: Assignment,
  target: Environment,
  expander: Expander,
  frame: Frame,
  span: Span,
): void {
  const { name, value } = assignment;
  const before = target.lookUp(name);
  if (value.type === 'ArrayValue') {
    const items = new Map(assignment.append === true ? (before?.items ?? []) : []);
    let next = Math.max(-1, ...[...items.keys()].map(Number).filter((key) => !Number.isNaN(key))) + 1;
    for (const element of value.elements) {
      const keyed = /^\[([^\]]*)\]=/.exec(element.text);
      for (const { text } of expandWord(element, expander)[0] ?? []) {
        if (keyed === null) {
          items.set(String(next), text);
          next += 1;
        } else {
          const key = (keyed[1] ?? '').replace(/^(["'])(.*)\1$/, '$2');
          items.set(
            key,
            mapWithHoles(text, (whole) => whole.slice(whole.indexOf(']=') + 2)),
          );
          if (/^\d+$/.test(key)) next = Number(key) + 1;
        }
      }
    }
    target.set(name, arrayOf(items));
    if (handedOver(name)?.as === 'command')
      for (const text of items.values()) noteVariable(name, text, frame, span);
    return;
  }
  const text = expandText(value, expander);
  if (assignment.index !== undefined) {
    const items = new Map(before?.items ?? (before === null ? [] : [['0', before.text] as const]));
    const index = expandText(assignment.index, expander);
    const key = onlyText(index) ?? hole;
    if (!/^\d+$/.test(key)) numberOf(index, expander, 0);
    const old = items.get(key);
    items.set(key, assignment.append === true && old !== undefined ? concat(old, text) : text);
    target.set(name, arrayOf(items));
    return;
  }
  const joined = assignment.append === true && before !== null ? concat(before.text, text) : text;
  const attribute = before?.attribute;
  const whole = attribute === undefined ? joined : shaped(joined, attribute, expander);
  if (attribute !== undefined) target.set(name, { text: whole, attribute });
  else if (before?.items === undefined || assignment.append !== true) target.setText(name, whole);
  noteVariable(name, whole, frame, span);
  // What stands before a command is for that command, and no variable of the script.
  if (target !== frame.environment) noteGiven(name, whole, frame, span);
}

/** A text as a variable with this attribute takes it. */
function shaped(text: Text, attribute: Attribute, expander: Expander): Text {
  if (attribute === 'upper') return mapWithHoles(text, (one) => one.toUpperCase());
  if (attribute === 'lower') return mapWithHoles(text, (one) => one.toLowerCase());
  // A number is reckoned, and substitutions in it happen.
  numberOf(text, expander, 0);
  return /^-?\d+$/.test(onlyText(text) ?? '') ? text : unknownText();
}

/** Variables that some program will take for a command or for code. */
function noteVariable(name: string, text: Text, frame: Frame, span: Span): void {
  const prompt = /^PS[0-4]$/.test(name);
  if (prompt || name === 'BASH_ENV' || name === 'ENV') {
    // The shell expands it before use.
    const expander = expanderFor({ ...frame, environment: frame.environment.child() }, span);
    for (const one of text.alternatives) if (/\$\(|`/.test(one)) expandAgain(one, expander);
  }
  const over = handedOver(name);
  if (over === null) return;
  switch (over.as) {
    case 'command':
      startVariable(name, text, frame, span);
      break;
    case 'words':
      startWith(name, over.program, text, frame, span);
      break;
    case 'file':
      for (const path of text.alternatives) if (path !== '') loadVariable(name, path, frame, span);
      break;
    case 'settings':
      for (const path of text.alternatives)
        if (path !== '' && !path.includes(hole)) loads(name, path, false, frame, span);
      break;
    case 'folders':
      searchFolders(name, text, frame, span);
      break;
    case 'value':
      frame.analysis.walker.words(
        [...over.call.split(' ').map((word) => knownText(word)), text],
        handed(name, frame),
        span,
      );
      break;
    case 'address':
      goThrough(name, over.detail, text, frame, span);
  }
}

/** A variable that programs are given, and that hands over settings or options by its name. */
function noteGiven(name: string, text: Text, frame: Frame, span: Span): void {
  const as = handedByName(name);
  if (as === null) return;
  for (const one of text.alternatives) {
    const paths = as === 'settings' ? one.split(':') : handedPaths('', splitQuoted(one));
    for (const path of paths.slice(0, mostFolders))
      if (/^[/~]./.test(path) && !path.includes(hole)) loads(name, path, false, frame, span);
  }
}

/** A variable with addresses that packages, or all requests, go through. */
function goThrough(name: string, detail: string, text: Text, frame: Frame, span: Span): void {
  const { through } = frame;
  for (const one of text.alternatives) {
    for (const [, host = ''] of one.matchAll(/(?:^|[\s,|+])[a-z+]*\d?:\/\/(?:[^\s/@]*@)?([\w.-]+)/gi)) {
      const target = { kind: 'host', host: toValue(knownText(host)) } as const;
      emit({ kind: 'connect', target, detail, origins: text.origins, program: name, through, span }, frame);
    }
  }
}

/** A variable whose text some program starts as a command. */
function startVariable(name: string, text: Text, frame: Frame, span: Span): void {
  const commands = text.alternatives.filter(
    (one) => (name === 'PROMPT_COMMAND' || /[\s;|&$`/]/.test(one)) && one !== '' && !isHoleOnly(one),
  );
  if (commands.length === 0) return;
  const lines = commands.map((one) => {
    const line = one.replace(/^\|/, '').trim();
    // It is handed something to work on: a compiler a source, a pager a text, a shell a script.
    return /[\s;|&]/.test(line) ? line : `${line} x`;
  });
  frame.analysis.walker.text(oneOf(lines, text.origins), handed(name, frame), span);
}

/** A variable whose text a program reads as words of its own. */
function startWith(name: string, program: string, text: Text, frame: Frame, span: Span): void {
  for (const one of text.alternatives) {
    const words = splitQuoted(one);
    if (words.length === 0 || isHoleOnly(one)) continue;
    // Asked for its version, a program runs no more than its options say.
    const argv = [...program.split(' '), ...words, '--version'].map((word) => knownText(word, text.origins));
    frame.analysis.walker.words(argv, handed(name, frame), span);
  }
}

/** A frame in which what a variable hands over runs. */
function handed(name: string, frame: Frame): Frame {
  return { ...frame, environment: frame.environment.child(), through: [...frame.through, name] };
}

/** A variable that names a file which programs load as code. */
function loadVariable(name: string, path: string, frame: Frame, span: Span): void {
  const file = path.includes(hole) ? null : readFile(path, frame);
  if (file !== null && (name === 'BASH_ENV' || name === 'ENV')) {
    const nested: Frame = {
      ...frame,
      environment: frame.environment.child(),
      through: [...frame.through, name],
      nesting: frame.nesting + 1,
    };
    runFile(path, 'shell', undefined, name, nested, frame, span);
    return;
  }
  const origins: readonly Origin[] = file === null ? ['unknown'] : mergeOrigins(file.origins, ['written']);
  emitRun(name, { kind: 'path', path: toValue(knownText(path)) }, origins, frame, span);
}

/** Most folders of a variable that are looked at. */
const mostFolders = 32;

/** A variable that names folders in which programs look for code or for programs. */
function searchFolders(name: string, text: Text, frame: Frame, span: Span): void {
  const folders = new Set(text.alternatives.flatMap((list) => list.split(':').slice(0, mostFolders)));
  for (const folder of folders) {
    if (!/^[/~.]/.test(folder) || folder.includes(hole)) continue;
    loads(name, `${folder.replace(/\/+$/, '')}/*`, true, frame, span);
  }
}

/** Something of a place is code, or names code, wherever a program takes the variable. */
function loads(name: string, place: string, glob: boolean, frame: Frame, span: Span): void {
  const target = { kind: 'path', path: toValue(knownText(place)), ...(glob ? { glob } : {}) } as const;
  const { through } = frame;
  emit({ kind: 'run', target, detail: 'loaded', origins: [], program: name, through, span }, frame);
}

/** Does what `declare`, `local`, `export` and their like do to variables. */
export function declare(
  builtin: string,
  words: readonly Text[],
  assignments: readonly Assignment[],
  frame: Frame,
  span: Span,
  expander: Expander,
): void {
  const flags = words
    .map(singleText)
    .filter((word) => /^[-+]/.test(word))
    .join('');
  const attribute = attributeOf(flags);
  const references = /n/.test(flags) && builtin !== 'export' && builtin !== 'readonly';
  for (const assignment of assignments) {
    if (references && assignment.value.type === 'Word') {
      const reference = onlyText(expandText(assignment.value, expander));
      const text = reference === null ? unknownText() : emptyText;
      frame.environment.variables.set(assignment.name, reference === null ? { text } : { text, reference });
      continue;
    }
    if (attribute !== null) giveAttribute(assignment.name, attribute, frame.environment);
    assign(assignment, frame.environment, expander, frame, span);
    const given = builtin === 'export' ? frame.environment.lookUp(assignment.name) : null;
    if (given !== null) noteGiven(assignment.name, given.text, frame, span);
  }
  for (const word of words) {
    // A word that became an assignment only by expansion.
    const made = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(singleText(word));
    if (made !== null) frame.environment.setText(made[1] ?? '', knownText(made[2] ?? '', word.origins));
    else if (attribute !== null && /^[A-Za-z_]\w*$/.test(singleText(word)))
      giveAttribute(singleText(word), attribute, frame.environment);
  }
}

function attributeOf(flags: string): Attribute | null {
  if (/-\w*u/.test(flags)) return 'upper';
  if (/-\w*l/.test(flags)) return 'lower';
  return /-\w*i/.test(flags) ? 'integer' : null;
}

function giveAttribute(name: string, attribute: Attribute, environment: Environment): void {
  environment.set(name, { text: environment.lookUp(name)?.text ?? emptyText, attribute });
}

/** Variables that are set by words of a wrapper. */
export function noteSettings(args: readonly Text[], frame: Frame, span: Span): void {
  for (const arg of args.slice(0, 64)) {
    for (const text of arg.alternatives) {
      const made = /^(\w+)=([\s\S]*)$/.exec(text);
      if (made === null) continue;
      const value = knownText(made[2] ?? '', arg.origins);
      noteVariable(made[1] ?? '', value, frame, span);
      noteGiven(made[1] ?? '', value, frame, span);
    }
  }
}
