// What a tool that is in no registry may do, by everything that can be read in its call. Only hooks of agent hosts ask
// for this: their tools are real, so a person is asked about a new one instead of it being refused.

import {
  type ArgumentRole,
  type ArgumentSpec,
  type Budget,
  type Finding,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  type ToolEffect,
} from '../../core/index.ts';
import { type Steps, urlRole } from './facts.ts';

/** What could be read in the arguments of a call. */
export interface Guess {
  /** What texts seem to be, by JSON Pointer. */
  readonly roles: Readonly<Record<string, ArgumentSpec>>;
  /** Texts that are judged as commands as well, where only what is blocked counts. */
  readonly texts: readonly { readonly steps: Steps; readonly text: string }[];
  /** Whether a text changes a database. */
  readonly changesData: boolean;
  /** False where there was more than is read. */
  readonly complete: boolean;
}

/** More texts than this are not read one by one. */
const mostTexts = 64;
/** A longer text is no path, and no command that a tool is handed in an argument of another name. */
const longestCommand = 4096;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const commandNames = words('cmd command commands script shell bash exec execute line commandline');
const pathNames = words(
  'path paths file files filename filepath fullpath absolutepath dir directory dirpath folder cwd workdir root source src destination dest target targetfile notebookpath output outputpath uri location',
);
const contentNames = words(
  'content contents filetext text newstring newstr newtext body data newsource patch',
);

/** Words in the name of a tool that say what it does. */
const outward = words(
  'send email mail message sms post publish deploy release push pay purchase buy invite tweet notify upload share comment reply merge',
);
const destroying = words('delete remove destroy drop purge wipe erase truncate revoke terminate reset');
const changing = words(
  'write edit create move rename replace insert update append save patch apply put set overwrite modify add make copy rm mkdir touch run execute exec start stop kill enable disable install import sync commit close open approve assign trigger',
);
const reading = words(
  'read get list search find show view describe lookup count status help query fetch browse inspect check explain summarize diff tree stat info history resolve',
);

/** The words of a name: `read_file`, `readFile` and `Read-File` have the same. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/**
 * The effect of a tool by its name, which is all that a hook says of it. A host's own tool keeps to the host unless its
 * name says otherwise; a tool of a server is destructive unless its name says that it reads.
 */
export function effectByName(name: string, isHosts: boolean): ToolEffect {
  const said = wordsOf(name);
  const says = (set: ReadonlySet<string>) => said.some((word) => set.has(word));
  if (says(destroying)) return 'destructive';
  if (says(outward)) return isHosts ? 'network' : 'destructive';
  if (isHosts) return 'own';
  return says(reading) && !says(changing) ? 'read' : 'destructive';
}

/** Whether the name of a tool says that it changes what its paths name. */
export function changesByName(name: string): boolean {
  return wordsOf(name).some((word) => changing.has(word) || destroying.has(word));
}

/** Reads texts for what they could be; `writes` where a path may be one that is written to. */
export function guessIn(given: JsonObject, writes: boolean, budget: Budget): Guess {
  const found: { steps: Steps; name: string; role: ArgumentRole | 'maybe'; text: string }[] = [];
  const roles: Record<string, ArgumentSpec> = {};
  let count = 0;

  function visit(value: JsonValue, steps: Steps, name: string): void {
    budget.spend(1);
    if (typeof value === 'string') {
      count += 1;
      if (count <= mostTexts) found.push({ steps, name, role: roleOf(value, name), text: value });
    } else if (Array.isArray(value)) {
      // A program and its arguments, one by one.
      if (commandNames.has(name) && value.length > 0 && value.every((item) => typeof item === 'string')) {
        roles[jsonPointer(steps)] = { role: 'command' };
      } else for (const [index, item] of value.entries()) visit(item, [...steps, index], name);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...steps, key], plain(key));
    }
  }

  for (const [key, value] of Object.entries(given)) visit(value, [key], plain(key));
  const content = writes
    ? found.find(({ role, name }) => role !== 'command' && contentNames.has(name))
    : undefined;
  for (const { steps, role } of found) {
    if (role === 'maybe' || steps === content?.steps) continue;
    const written = writes && role === 'path' && content === undefined;
    roles[jsonPointer(steps)] = { role: written ? 'delete' : role };
  }
  if (content !== undefined) roles[jsonPointer(content.steps)] = { role: 'content' };
  return {
    roles,
    texts: found.filter(
      ({ role, text, steps }) => role === 'maybe' && steps !== content?.steps && couldRun(text),
    ),
    changesData: found.some(({ text }) => changesData.test(text)),
    complete: count <= mostTexts,
  };
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, '');
}

function roleOf(text: string, name: string): ArgumentRole | 'maybe' {
  const url = urlRole(text);
  if (url !== undefined) return url;
  const isShort = text.length <= longestCommand;
  if (commandNames.has(name) || (isShort && readsAsCommand.test(text))) return 'command';
  const isLine = text !== '' && isShort && !/[\r\n]/.test(text);
  if (isLine && (readsAsPath.test(text) || (pathNames.has(name) && !/\s{2}|[|;&<>]/.test(text))))
    return 'path';
  return 'maybe';
}

const readsAsPath = /^(?:~|\.{1,2})?\/\S|^~$/;
/** One line that begins with the name of a program and has an option or an operator of the shell. */
const readsAsCommand =
  /^(?:sudo\s+)?[a-z][\w.+-]*\s(?=[^\r\n]*$)(?:[^\r\n]*\s)?(?:-{1,2}[a-zA-Z]|[|;<>]|&&|\$\()/;
const changesData =
  /^\s*(?:insert\s+into|update\s+\S+\s+set|delete\s+from|drop\s+\w+|truncate\s+\w+|alter\s+\w+|grant\s+\w+|revoke\s+\w+|merge\s+into|create\s+(?:table|user|role|database|or\s+replace))\b/i;

function couldRun(text: string): boolean {
  return text.length <= longestCommand && /\S\s+\S/.test(text);
}

/** Of a text that may be prose, only what is never allowed counts; that a word is no program is no finding. */
export function onlyBlocks(finding: Finding): Finding {
  const counts = finding.decision === 'block' && finding.layer !== 3;
  return counts ? finding : { ...finding, decision: 'pass' };
}
