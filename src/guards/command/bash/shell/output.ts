// What a program would print, and where that comes from.

import type { Effect, Origin } from '../../effects.ts';
import { Part } from '../../need.ts';
import { surroundingOrigins } from '../environment.ts';
import { foundBy, pathsListedBy } from '../listing.ts';
import { resolvePath } from '../paths.ts';
import { printerNames } from '../printers.ts';
import { builtins, printsSettings, printsState } from '../programs.ts';
import {
  concat,
  concatAll,
  emptyText,
  knownText,
  mergeOrigins,
  singleText,
  type Text,
  unknownText,
} from '../values.ts';
import type { Frame } from './analysis.ts';
import { originsOfFiles, readFile } from './files.ts';

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
  if (effects.some(({ kind }) => kind === 'connect' || kind === 'listen')) origins.push('network');
  if (
    program === 'printenv' ||
    (program === 'env' && args.length === 0) ||
    (program === 'export' && args.length === 0)
  ) {
    const named = args.flatMap((arg) => arg.alternatives).filter((name) => !name.startsWith('-'));
    if (named.length === 0 || named.some((name) => surroundingOrigins(name).length > 0))
      origins.push('secret');
  }
  return mergeOrigins(origins, originsOfFiles(args, frame), frame.input.fed ? frame.input.text.origins : []);
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
  if (program === 'mktemp') return temporaryPath(args, frame);
  if (program === 'find') return concat(foundBy(args), knownText('\n'));
  if (program === 'git' && args.some((arg) => singleText(arg) === '--show-toplevel'))
    return knownText(`${frame.analysis.around.cwd}\n`);
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
