// What a program does by the table of tools, what else it starts, what it would print, and where that comes from.

import type { OwnProgram } from '../../../../config/programs.ts';
import type { Effect, Origin, Value } from '../../effects.ts';
import { Part } from '../../need.ts';
import { cardPrints, cardStarts } from '../../programs/card.ts';
import { cardOf } from '../../programs/index.ts';
import { showsSecrets } from '../../programs/shown.ts';
import { environmentOrigins } from '../environment.ts';
import type { Call, Inner, Language } from '../executors/inner.ts';
import { resolvePath } from '../paths.ts';
import { printerNames } from '../printers.ts';
import { builtins, pathsListedBy, printsSettings, printsState, secretNamesAmong } from '../programs.ts';
import {
  concat,
  concatAll,
  emptyText,
  knownText,
  mergeOrigins,
  singleText,
  type Text,
  toValue,
  unknownText,
  withOrigins,
} from '../values.ts';
import type { Frame, Span } from './analysis.ts';
import { originsOfFiles, readFile, throughLinks } from './files.ts';

// ── What a program would print, and where that comes from.

const decoding = new Part(() => import('../decode.ts'));
const printers: ReadonlySet<string> = new Set(printerNames.split(' '));

/** Programs whose output says next to nothing of what they read. */
export const reducing: ReadonlySet<string> = new Set(
  'wc test [ true false : rm mkdir touch chmod chown cmp diff md5sum sha1sum sha256sum sha512sum sum cksum sleep kill wait ls stat file du df'.split(
    ' ',
  ),
);

/** Builtins that print what nobody has seen: what was typed before, names, and the state of the shell. */
const telling: ReadonlySet<string> = new Set('history fc compgen help type dirs caller'.split(' '));

/** Where what a program prints comes from. */
export function outputOrigins(
  program: string,
  args: readonly Text[],
  effects: readonly Effect[],
  frame: Frame,
): readonly Origin[] {
  const origins: Origin[] = [];
  if (effects.some(({ kind }) => kind === 'secret')) origins.push('secret');
  if (effects.some(({ kind }) => kind === 'connect' || kind === 'listen') || printsRemote(program, args))
    origins.push('network');
  if (printsVariables(program, args)) origins.push('secret');
  return mergeOrigins(origins, originsOfFiles(args, frame), frame.input.fed ? frame.input.text.origins : []);
}

/** Whether a program prints the whole environment, or one variable that holds a secret. */
function printsVariables(program: string, args: readonly Text[]): boolean {
  const words = args.map((arg) => singleText(arg));
  const named = words.filter((word) => !word.startsWith('-'));
  switch (program) {
    case 'printenv':
      return named.length === 0 || named.some((name) => environmentOrigins(name).length > 0);
    case 'env':
      return named.length === 0 && !words.some((word) => /^--(?:help|version)$|^-[iuSCP]/.test(word));
    case 'set':
      return words.length === 0;
    case 'export':
    case 'declare':
    case 'typeset':
      return (
        named.length === 0 && (program === 'export' || words.length === 0 || /^-[xp]+$/.test(words.join('')))
      );
    default:
      return false;
  }
}

/** Words with which command lines of stores print what a file there holds. */
const remotePrints: Readonly<Record<string, RegExp>> = {
  aws: /^s3 cp (?:.* )?-(?: |$)/,
  gcloud: /^storage cat /,
  gsutil: /^cat /,
  mc: /^cat /,
  rclone: /^cat /,
  s3cmd: /^get .* -$/,
  s5cmd: /^cat /,
};

function printsRemote(program: string, args: readonly Text[]): boolean {
  const pattern = Object.hasOwn(remotePrints, program) ? remotePrints[program] : undefined;
  const words = args.map(singleText).filter((word) => word === '-' || !word.startsWith('-'));
  return pattern?.test(words.join(' ')) === true;
}

/** What a program would print. */
export function printedText(
  program: string,
  args: readonly Text[],
  frame: Frame,
  inner: readonly Text[],
  executor: boolean,
  fetches: boolean,
): Text {
  const card = cardOf(program);
  const { text: stdin, fed } = frame.input;
  const folder = frame.analysis.around.cwd;
  const known =
    card &&
    cardPrints(card, { program, args, stdin, fed, folder, readFile: (path) => readFile(path, frame) });
  if (known) return known;
  if (program === 'mktemp') return temporaryPath(args, frame);
  const secrets = fed ? secretNamesAmong(program, args, stdin) : null;
  if (secrets !== null) return withOrigins(secrets, stdin.origins);
  const listed = pathsListedBy(program, args);
  if (listed !== null) return concat(listed, knownText('\n'));
  if (
    (program === 'command' && /^-[vV]/.test(singleText(args[0]))) ||
    (program === 'type' && /^-[pP]/.test(singleText(args[0])))
  ) {
    return printedText('which', args.slice(1), frame, [], false, false);
  }
  if (program === 'jobs') return knownText('%1\n');
  const printed = printers.has(program)
    ? decoding.content.outputOf(program, args, {
        stdin: frame.input.text,
        readFile: (path) => readFile(path, frame),
        cwd: frame.environment.cwd,
        spend: (steps) => frame.analysis.spend(steps),
      })
    : null;
  if (printed !== null) return printed;
  if (executor && inner.length > 0) return concatAll(inner);
  // What prints its own words or files, or what others print, says nothing of its maker's.
  if (!printers.has(program) && printsSettings(program, args, fetches)) return emptyText;
  return builtins.has(program) && !telling.has(program) && !printsState(program, args)
    ? emptyText
    : unknownText();
}

function temporaryPath(args: readonly Text[], frame: Frame): Text {
  frame.analysis.counter += 1;
  const suffix = `sallyport${frame.analysis.counter}`;
  const words = args.map(singleText);
  const folderAt = words.findIndex((word) => /^(?:-p|--tmpdir)/.test(word));
  const template = words.find((word, index) => word.includes('XXX') && index !== folderAt);
  const name = (template ?? 'tmp.XXXXXXXXXX').replace(/X{3,}/, suffix);
  const absolute =
    name.startsWith('/') ||
    (template !== undefined && folderAt === -1 && !words.some((word) => /^-\w*t/.test(word)));
  const path = absolute ? resolvePath(frame.environment.cwd, name) : `/tmp/${name}`;
  return knownText(`${path}\n`);
}

// ── Programs that start other programs or run code: where the inner words, text or code stands.

const snippets = new Part(() => import('../executors/code.ts'));

/** Cards of the user's own, where the settings have any. */
const own = new Part(() => import('../../programs/own.ts'));

const loader = /^(?:ld-linux[\w.-]*\.so[\d.]*|ld-musl-[\w.-]+|ld\.so|ld-[\d.]+\.so|ld64\.so[\d.]*)$/;
const versioned = /^(python|pypy|perl|ruby|php|lua|node|tclsh|bash)[\d.]+$/;

/** What a program starts besides itself; null where it is none of the table. */
export function innersOf(call: Call, programs?: readonly OwnProgram[]): readonly Inner[] | null {
  const known = innersOfKnown(call);
  const card = programs && own.content.ownCards(programs).get(call.program);
  const starts = card === undefined ? null : cardStarts(card, call);
  return known === null || starts === null ? (known ?? starts) : [...known, ...starts];
}

function innersOfKnown(call: Call): readonly Inner[] | null {
  const { program } = call;
  const card =
    cardOf(program) ?? cardOf(loader.test(program) ? 'ld.so' : (versioned.exec(program)?.[1] ?? ''));
  return card === undefined ? null : cardStarts(card, call);
}

/** Whether a program starts others or runs code. */
export function isExecutor(program: string): boolean {
  return versioned.test(program) || loader.test(program);
}

/** What code in a language without a parser here starts; null where the language has one. */
export function innersOfCode(language: Language, text: string): readonly Inner[] | null {
  return language === 'python' || language === 'javascript'
    ? null
    : snippets.content.innersOfCode(language, text);
}

// ── What the table of tools says of a program, asked with the arguments as far as they are known.

/** Most arguments that the table of tools gets; what is behind them is one that is not known. */
const maxArguments = 512;
/** Most ways to choose among the texts that arguments may be. */
const mostCases = 16;

/** Programs that are about a link and not about what it leads to. */
const namesLinks = /^(?:rm|rmdir|unlink|mv|ln|ls|readlink|stat|test|\[|find)$/;

/** What the table of tools says; the effects have their places still to be worked out. */
export function askTools(
  program: string,
  args: readonly Text[],
  stdin: Text,
  frame: Frame,
  span: Span,
  fed = false,
  values = valuesOf(args),
): readonly Effect[] | null {
  frame.analysis.spend(1 + (casesOf(args) - 1) * args.length);
  const { cwd, home } = frame.environment;
  if (args.length > maxArguments && !builtins.has(program))
    frame.analysis.noteUnknown(`more than ${maxArguments} arguments`, span);
  const given =
    frame.analysis.links.size === 0
      ? values
      : valuesOf(args.map((arg) => throughLinks(arg, frame, namesLinks.test(program))));
  const io = { stdin: toValue(stdin), stdinOrigins: stdin.origins, stdinFed: fed };
  const at = { span, through: frame.through, cwd, home };
  const known = frame.analysis.effectsOf(program, given, io, at);
  // A card of the user's own adds to what is known of a program, and takes nothing from it.
  const { programs } = frame.analysis.around;
  const said = programs ? own.content.ownCards(programs).effectsOf(program, given, io, at) : null;
  const effects = known === null || said === null ? (known ?? said) : [...known, ...said];
  if (!showsSecrets(program, args.map(singleText))) return effects;
  const { through } = frame;
  return [
    ...(effects ?? []).filter(({ kind }) => kind !== 'inert'),
    { kind: 'secret', detail: 'environment', target: { kind: 'none' }, program, through, span },
  ];
}

/** In how many ways a tool is asked about its arguments, of which each is looked at. */
function casesOf(args: readonly Text[]): number {
  let cases = 1;
  for (const { alternatives } of args)
    if (cases * alternatives.length <= mostCases) cases *= alternatives.length;
  return cases;
}

/** Arguments in the vocabulary of the effects, at most so many. */
export function valuesOf(args: readonly Text[]): readonly Value[] {
  if (args.length <= maxArguments) return args.map(toValue);
  // Options and places outside the folder are kept wherever they stand.
  const telling = args
    .slice(maxArguments / 2)
    .filter(({ alternatives }) => alternatives.some((text) => /^[-/~]|\.\./.test(text)))
    .slice(0, maxArguments / 2 - 1);
  const kept = [...args.slice(0, maxArguments - 1 - telling.length), ...telling];
  return [...kept.map(toValue), { kind: 'unknown' }];
}
