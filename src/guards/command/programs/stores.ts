// What command lines of stores copy between here and there.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  landingPlace,
  literal,
  nameTarget,
  read,
  remove,
  textOf,
  within,
  write,
} from '../tools/tool.ts';
import type { Examples, Fact, Given } from './card.ts';
import { union } from './network.ts';

interface Copying {
  /** The subcommands that copy. */
  readonly verbs: readonly string[];
  /** Those of them that copy whole folders, and those that move. */
  readonly folders: string;
  readonly moves: string;
  /** It copies from the first word to the second, whatever follows. */
  readonly pair?: true;
  /** How addresses of the store begin. */
  readonly remote: RegExp;
  readonly examples: { readonly up: Examples; readonly down: Examples; readonly moved: Examples };
}

/** Copies in both directions: the last word is where to. `recursive` and `delete` are names of options. */
export function copying({ verbs, folders, moves, pair, remote, examples }: Copying): readonly Fact[] {
  const isRemote = (value: Value): boolean => remote.test(beginningOf(value));
  const places = (given: Given<Value>) => {
    const operands = given.operands.slice(0, pair ? 2 : undefined);
    return operands.length < 2
      ? { sources: operands, destination: undefined }
      : { sources: operands.slice(0, -1), destination: operands.at(-1) };
  };
  const recursive = (given: Given<Value>): boolean => given.has('recursive') || given.verb === folders;
  const sent = (call: Call, given: Given<Value>): readonly Effect[] => {
    const { sources, destination } = places(given);
    const reads = sources
      .filter((source) => !isRemote(source))
      .flatMap((source) => read(call, source, { recursive: recursive(given) }));
    if (destination === undefined || !isRemote(destination)) return reads;
    const piped = sources.some((source) => textOf(source) === '-');
    const origins = union(
      piped ? call.io.stdinOrigins.filter((origin) => origin === 'secret') : [],
      reads.some(({ kind }) => kind === 'secret') ? ['secret'] : [],
    );
    const target = nameTarget(destination);
    return [
      ...reads,
      effect(call, 'connect', { detail: 'upload', target, origins }),
      effect(call, 'cloud', { detail: given.has('delete') ? 'delete' : 'change', target }),
    ];
  };
  const saved = (call: Call, given: Given<Value>): readonly Effect[] => {
    const { sources, destination } = places(given);
    if (destination === undefined || isRemote(destination)) return [];
    return [
      ...sources.flatMap((source) =>
        write(call, landingPlace(call, source, destination, false), {
          detail: 'copy',
          recursive: recursive(given),
          origins: ['network'],
        }),
      ),
      ...(given.has('delete') ? remove(call, destination, { recursive: true, detail: 'sync' }) : []),
    ];
  };
  return [
    { what: 'reads and sends files', verbs, effects: sent, examples: examples.up },
    { what: 'saves what it fetches', verbs, effects: saved, examples: examples.down },
    {
      what: 'deletes what it moves out of the store',
      verbs: [moves],
      effects: (call, given) =>
        places(given)
          .sources.filter(isRemote)
          .map((source) => effect(call, 'cloud', { detail: 'delete', target: nameTarget(source) })),
      examples: examples.moved,
    },
  ];
}

interface Fetching {
  readonly verbs: readonly string[];
  /** What is named is a folder in any case. */
  readonly folders?: true;
  /** Sources need no scheme: the program knows its stores by short names. */
  readonly plainNames?: true;
  /** What is named alone is fetched into this folder. */
  readonly alone?: true;
  readonly examples: Examples;
}

const isAddress = (value: Value): boolean => /^[a-z\d]+:\/\//i.test(beginningOf(value));

/** The last word is a place here, unless it is an address of a store. */
export function fetching({ verbs, folders, plainNames, alone, examples }: Fetching): Fact {
  return {
    what: 'saves what it fetches',
    verbs,
    effects: (call, given) => {
      const here = alone === true && given.operands.length === 1 ? [literal('./')] : [];
      const operands = [...given.operands, ...here];
      const destination = operands.at(-1);
      const sources = operands.slice(0, -1);
      if (!destination || isAddress(destination) || textOf(destination) === '-') return [];
      return sources
        .filter((source) => plainNames === true || isAddress(source))
        .flatMap((source) =>
          write(call, landingPlace(call, source, destination, sources.length > 1), {
            detail: 'copy',
            recursive: folders === true || given.has('recursive'),
            origins: ['network'],
          }),
        );
    },
    examples,
  };
}

/** An option names the file that is fetched. */
export function fetchedFile({
  verbs,
  option,
  examples,
}: Pick<Fact, 'examples'> & { readonly verbs: readonly string[]; readonly option: string }): Fact {
  return {
    what: 'saves a file that it fetches',
    verbs,
    effects: (call, given) =>
      given.all(option).flatMap((file) => write(call, file, { detail: 'overwrite', origins: ['network'] })),
    examples,
  };
}

interface Folders {
  readonly verbs: readonly string[];
  readonly folder: string;
  /** The option that names the files which are fetched. */
  readonly pattern?: string;
  /** The option that names a file instead. */
  readonly unless?: string;
  readonly examples: Examples;
}

/** Options name the folder, here unless said otherwise, and the files that are fetched into it. */
export function fetchedFiles({ verbs, folder, pattern, unless, examples }: Folders): Fact {
  return {
    what: 'saves files that it fetches into a folder',
    verbs,
    effects: (call, given) => {
      if (unless !== undefined && given.has(unless)) return [];
      const into = given.last(folder);
      const patterns = pattern === undefined ? [] : given.all(pattern);
      const many = patterns.length === 0;
      const places = many ? [into ?? literal('.')] : patterns.map((name) => within(into, name));
      return places.flatMap((place) =>
        write(call, place, { detail: 'create', recursive: many, origins: ['network'] }),
      );
    },
    examples,
  };
}
