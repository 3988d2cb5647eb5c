// Programs that start another once for each thing that they read or find.

import { splitQuoted } from '../quoted.ts';
import { concatAll, emptyText, hole, knownText, oneOf, singleText, unknownText } from '../values.ts';
import { type Call, type Inner, shellCode } from './inner.ts';
import { argv, readLeading, settingsIn } from './shapes.ts';

export function environmentExecutor(call: Call): readonly Inner[] {
  const { values, rest } = readLeading(call.args, 'uCSP', ['unset', 'chdir', 'split-string', 'argv0']);
  const split = values.find(([name]) => name === '-S' || name === '--split-string')?.[1];
  const words =
    split === undefined ? rest : [...splitQuoted(singleText(split)).map((word) => knownText(word)), ...rest];
  let start = 0;
  while (/^-(?:$|i$|-ignore-environment$)|^[^=/]+=/.test(singleText(words[start]))) start += 1;
  const argv = words.slice(start);
  // A shell that is started takes such variables for functions of its own.
  const functions = words.slice(0, start).flatMap((word): readonly Inner[] => {
    const body = /^BASH_FUNC_[^=]*=\(\)\s*(\{.*)$/s.exec(singleText(word))?.[1];
    return body === undefined ? [] : [shellCode(knownText(body))];
  });
  const folder = values.find(([name]) => name === '-C' || name === '--chdir')?.[1];
  if (argv.length === 0) return functions;
  const settings = settingsIn(words.slice(0, start));
  return [...functions, { kind: 'argv', argv, settings, ...(folder === undefined ? {} : { folder }) }];
}

export function xargs({ args, stdin, fed, readFile }: Call): readonly Inner[] {
  const long = [
    'arg-file',
    'delimiter',
    'max-args',
    'max-procs',
    'max-lines',
    'max-chars',
    'process-slot-var',
  ];
  // Its own `-i` may have a text behind it; an `-i` of the program that it starts is not its own.
  const own = args.length - readLeading(args, 'adEIJLnPs', long).rest.length;
  const bare = args.map((arg, index) => {
    const replacing = index < own ? /^(-[0rtxpo]*)i(.*)$/s.exec(singleText(arg)) : null;
    return replacing === null ? arg : knownText(`${replacing[1]}I${replacing[2] || '{}'}`, arg.origins);
  });
  const { values, flags, rest } = readLeading(bare, 'adEIJLnPs', long);
  const optionText = (...names: readonly string[]): string | null => {
    const value = values.find(([name]) => names.includes(name))?.[1];
    return value === undefined ? null : singleText(value);
  };
  const replaced = optionText('-I', '-J', '--replace') ?? (flags.has('--replace') ? '{}' : null);
  const delimiter = optionText('-d', '--delimiter');
  const file = optionText('-a', '--arg-file');
  const given = file === null ? (fed ? stdin : unknownText()) : (readFile?.(file) ?? unknownText());
  const itemsIn = (text: string): readonly string[] => {
    if (flags.has('-0') || flags.has('--null') || delimiter === '\\0')
      return text
        .split('\0')
        .map((item) => item.replace(/\n$/, ''))
        .filter((item) => item !== '');
    if (delimiter !== null) return text.replace(/\n$/, '').split(delimiter === '\\n' ? '\n' : delimiter);
    if (replaced !== null)
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    return splitQuoted(text);
  };
  if (flags.has('--help') || flags.has('--version')) return [{ kind: 'nothing' }];
  const argv = rest.length === 0 ? [knownText('echo')] : rest;
  // What it starts reads nothing, unless the words come from a file or the terminal is opened again.
  const keeps = file !== null || flags.has('-o') || flags.has('--open-tty');
  const input = keeps ? {} : { input: emptyText };
  return given.alternatives.map((text): Inner => {
    const items = itemsIn(text);
    if (replaced !== null) {
      const chosen = oneOf(items.length === 0 ? [hole] : items, given.origins);
      const filled = argv.map((word) => {
        if (!word.alternatives.some((text) => text.includes(replaced))) return word;
        return oneOf(
          word.alternatives.flatMap((text) =>
            chosen.alternatives.map((item) => text.replaceAll(replaced, item)),
          ),
          given.origins,
        );
      });
      return { kind: 'argv', argv: filled, ...input };
    }
    const appended = items.map((item) => knownText(item, given.origins));
    return { kind: 'argv', argv: [...argv, ...appended], ...input };
  });
}

export function parallel({ args, stdin, fed }: Call): readonly Inner[] {
  const { flags, rest } = readLeading(args, 'jNnLaICSdEPs', [
    'jobs',
    'max-args',
    'arg-file',
    'colsep',
    'delimiter',
    'sshlogin',
    'timeout',
    'joblog',
    'results',
    'retries',
    'delay',
    'load',
    'tmpdir',
    'workdir',
    'wd',
    'header',
    'env',
    'return',
    'basefile',
    'halt',
    'max-procs',
    'max-chars',
    'max-replace-args',
    'memfree',
    'nice',
    'profile',
    'rpl',
    'sshloginfile',
    'tagstring',
    'trc',
    'tempdir',
  ]);
  if (/--(?:dry-?run|help|version)\b/.test([...flags].join(' '))) {
    // What stands in `{= =}` and behind `--rpl` is code that runs all the same.
    const code = args.some((arg) => arg.alternatives.some((text) => /\{=|^--rpl/.test(text)));
    return [{ kind: code ? 'unknown' : 'nothing' }];
  }
  const split = rest.findIndex((word) => /^:::?[:+]*$/.test(singleText(word)));
  const template = split === -1 ? rest : rest.slice(0, split);
  const given = split === -1 ? [] : rest.slice(split + 1).filter((word) => !/^:::/.test(singleText(word)));
  const lines = fed
    ? stdin.alternatives.flatMap((text) => text.split('\n').filter((line) => line !== ''))
    : [hole];
  const items = split === -1 ? lines : given.flatMap((word) => word.alternatives);
  if (template.length === 0 && split === -1 && !fed) return [];
  const command = concatAll(template, ' ');
  // What stands for an item is one word for the shell that runs it.
  const quoted = (item: string): string =>
    item === '$1' || /^[\w@%+=:,./-]*$/.test(item) ? item : `'${item.replaceAll("'", "'\\''")}'`;
  const filled = (item: string): readonly string[] =>
    command.alternatives.map((text) =>
      /\{[^}\s]*\}/.test(text) ? text.replace(/\{[^}\s]*\}/g, () => quoted(item)) : `${text} ${quoted(item)}`,
    );
  if (singleText(command) === '') return [shellCode(oneOf(items, stdin.origins))];
  // It quotes what it fills in, so that an item which is not known stays one word and no code.
  const unknown = items.filter((item) => item.includes(hole));
  const known = items.length === 0 ? [''] : items.filter((item) => !item.includes(hole));
  return [
    ...(known.length === 0 ? [] : [shellCode(oneOf(known.flatMap(filled), stdin.origins))]),
    ...unknown.map((item) => ({
      ...shellCode(oneOf(filled('$1'), stdin.origins)),
      positional: [knownText('parallel'), knownText(item, stdin.origins)],
    })),
  ];
}

/** The processors stand before the command, unless an option named them. */
export function taskset(call: Call): readonly Inner[] {
  const named = call.args.some((arg) => singleText(arg).startsWith('--cpu-list='));
  return argv('p', '', named ? 0 : 1)(call);
}
