// What programs leave in files: copies, downloads, archives, so that what is run or sent later is known for what it is.

import type { Origin } from '../effects.ts';
import { resolvePath } from './paths.ts';
import { baseName } from './programs.ts';
import { hole, knownText, mergeOrigins, singleText, type Text, unknownText } from './values.ts';

/** A file that a program writes. */
export interface Trace {
  readonly path: Text;
  readonly text: Text;
  readonly appends: boolean;
}

/** What surrounds the program. */
export interface TraceSurroundings {
  readonly stdin: Text;
  /** Where what it is given came from. */
  readonly origins: readonly Origin[];
  readonly readFile: (path: string) => Text | null;
  readonly secretOrigins: (path: string) => readonly Origin[];
}

const none: readonly never[] = [];

/** Programs that leave files behind. */
const writers: ReadonlySet<string> = new Set(
  'tee sponge cp mv ln install rsync dd curl wget aria2c http fetch scp tar zip 7z gpg openssl npm pnpm'.split(
    ' ',
  ),
);

/** The files that a program writes, with what stands in them then. */
export function tracesOf(
  program: string,
  args: readonly Text[],
  around: TraceSurroundings,
): readonly Trace[] {
  if (!writers.has(program)) return none;
  const traces: Trace[] = [];
  const { origins } = around;
  const write = (path: Text, text: Text, appends: boolean): void => {
    traces.push({ path, text, appends });
  };
  const words = args.map(singleText);
  const operandsOf = (): readonly Text[] => args.filter((arg) => !/^-./.test(singleText(arg)));
  const valueOfOption = (...names: readonly string[]): Text | null => {
    const at = words.findIndex((word) => names.includes(word));
    if (at !== -1) return args[at + 1] ?? null;
    for (const [index, word] of words.entries()) {
      for (const name of names) {
        const attached = name.startsWith('--') ? `${name}=` : name;
        if (word.startsWith(attached) && word.length > attached.length)
          return knownText(word.slice(attached.length), args[index]?.origins);
      }
    }
    return null;
  };
  switch (program) {
    case 'tee':
    case 'sponge': {
      const appends = words.some((word) => /^-\w*a|^--append/.test(word));
      for (const path of operandsOf()) write(path, around.stdin, appends);
      break;
    }
    case 'cp':
    case 'mv':
    case 'ln':
    case 'install':
    case 'rsync': {
      const operands = operandsOf();
      const target = singleText(valueOfOption('-t', '--target-directory') ?? operands.at(-1));
      const sources = valueOfOption('-t', '--target-directory') === null ? operands.slice(0, -1) : operands;
      for (const source of sources) {
        const from = singleText(source);
        const inherited = mergeOrigins(origins, around.secretOrigins(from));
        const text = around.readFile(from) ?? (inherited.length > 0 ? unknownText(inherited) : null);
        if (text === null) continue;
        const folder = sources.length > 1 || /(?:^|\/)\.{0,2}\/?$/.test(target);
        write(knownText(target), text, false);
        if (folder || !target.includes('.')) write(knownText(`${target}/${baseName(from)}`), text, false);
      }
      break;
    }
    case 'dd': {
      const target = words.find((word) => word.startsWith('of='));
      const source = words.find((word) => word.startsWith('if='));
      const text =
        source === undefined ? around.stdin : (around.readFile(source.slice(3)) ?? unknownText(origins));
      if (target !== undefined) write(knownText(target.slice(3)), text, false);
      break;
    }
    case 'curl':
    case 'wget':
    case 'aria2c':
    case 'http':
    case 'fetch': {
      const named =
        program === 'wget' ? valueOfOption('-O', '--output-document') : valueOfOption('-o', '--output');
      const url = words.find((word) => /^(?:\w+:\/\/|[\w-]+\.[\w.-]+\/)/.test(word));
      const remote = program !== 'curl' || words.some((word) => /^-\w*O|^--remote-name/.test(word));
      const bundled =
        args[
          words.findIndex(
            (word) =>
              /^-[a-zA-Z]*[oO]$/.test(word) && (program === 'curl' ? word.endsWith('o') : word.endsWith('O')),
          ) + 1
        ];
      const path =
        named ??
        (words.some(
          (word) =>
            /^-[a-zA-Z]{2,}$/.test(word) && (program === 'curl' ? word.endsWith('o') : word.endsWith('O')),
        )
          ? (bundled ?? null)
          : null);
      const fetched = unknownText(
        mergeOrigins(
          origins.filter((origin) => origin !== 'secret'),
          ['network'],
        ),
      );
      if (path !== null && singleText(path) !== '-') write(path, fetched, false);
      else if (remote && url !== undefined) {
        const name = baseName(url.replace(/[?#].*$/, ''));
        if (name !== '') write(knownText(name), fetched, false);
      }
      break;
    }
    case 'npm':
    case 'pnpm': {
      if (words[0] !== 'pkg' || words[1] !== 'set') break;
      const scripts = words.slice(2).flatMap((word) => {
        const [, name, script = ''] = /^scripts\.([^=]+)=(.*)$/s.exec(word) ?? [];
        return name === undefined ? [] : [[name, script] as const];
      });
      if (scripts.length > 0)
        write(
          knownText('package.json'),
          knownText(JSON.stringify({ scripts: Object.fromEntries(scripts) }), origins),
          false,
        );
      break;
    }
    case 'scp': {
      const operands = operandsOf();
      const target = singleText(operands.at(-1));
      if (target.includes(':')) break;
      for (const source of operands.slice(0, -1)) {
        const fetched = unknownText(singleText(source).includes(':') ? ['network'] : origins);
        write(knownText(target), fetched, false);
        write(knownText(`${target}/${baseName(singleText(source).replace(/^[^:]*:/, ''))}`), fetched, false);
      }
      break;
    }
    case 'tar':
    case 'zip':
    case '7z':
    case 'gpg':
    case 'openssl': {
      if (origins.length === 0) break;
      const bundle = words.findIndex((word) => /^-?\w*f$/.test(word));
      const target =
        program === 'tar'
          ? (args[bundle + 1] ?? null)
          : program === 'zip'
            ? (operandsOf()[0] ?? null)
            : program === '7z'
              ? (operandsOf()[1] ?? null)
              : valueOfOption('-out', '-o', '--output');
      if (target !== null) write(target, unknownText(origins), false);
      break;
    }
  }
  return traces;
}

/** The links that `ln` makes, with the absolute path that each leads to. */
export function linksMadeBy(
  program: string,
  args: readonly Text[],
  cwd: string,
): readonly { readonly path: string; readonly source: string }[] {
  if (program !== 'ln' || cwd.includes(hole)) return none;
  const words = args.slice(0, 16).map(singleText);
  const [source, given = '.'] = words.filter((word) => !/^-./.test(word)).slice(-2);
  if (source === undefined || source.includes(hole) || given.includes(hole)) return [];
  const path = resolvePath(cwd, /(?:^|\/)\.{0,2}$/.test(given) ? `${given}/${baseName(source)}` : given);
  const symbolic = words.some((word) => /^-\w*s|^--symbolic/.test(word));
  const from = symbolic ? path.slice(0, path.lastIndexOf('/')) : cwd;
  return [{ path, source: /^[/~]/.test(source) ? source : resolvePath(from, source) }];
}

/** The paths at which a program puts another program, by the program's own path. */
export function namesMadeBy(
  program: string,
  args: readonly Text[],
): readonly { readonly path: string; readonly source: string }[] {
  if (!writers.has(program)) return none;
  const words = args.slice(0, 16).map(singleText);
  if (program === 'dd') {
    const source = words.find((word) => word.startsWith('if='))?.slice(3);
    const path = words.find((word) => word.startsWith('of='))?.slice(3);
    return source === undefined || path === undefined ? [] : renamed(path, source);
  }
  if (!/^(?:cp|mv|ln|install|rsync)$/.test(program)) return [];
  const operands = words.filter((word) => !/^-./.test(word));
  const [source, path] = operands.slice(-2);
  return source === undefined || path === undefined ? [] : renamed(path, source);
}

function renamed(
  path: string,
  source: string,
): readonly { readonly path: string; readonly source: string }[] {
  const name = baseName(source);
  const known = !source.includes(hole) && !path.includes(hole) && name !== '' && baseName(path) !== '';
  // Some programs are many, by the name under which they stand.
  if (!known || name === baseName(path) || /^(?:busybox|toybox|\.+)$/.test(name)) return [];
  return [{ path, source }];
}
