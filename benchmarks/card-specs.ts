// What @withfig/autocomplete says of programs, as rows: subcommands with their options and arguments.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type OneOrMany<Item> = Item | readonly Item[] | null | undefined;

interface Suggestion {
  readonly name?: OneOrMany<string>;
}

interface SpecArgument {
  readonly isOptional?: boolean;
  readonly isVariadic?: boolean;
  readonly isCommand?: boolean;
  readonly isScript?: boolean;
  readonly suggestions?: OneOrMany<string | Suggestion>;
}

interface SpecOption {
  readonly name: OneOrMany<string>;
  readonly args?: OneOrMany<SpecArgument>;
  readonly isDangerous?: boolean;
  readonly isPersistent?: boolean;
  readonly requiresSeparator?: boolean | string;
  readonly requiresEquals?: boolean;
}

interface Spec {
  readonly name?: OneOrMany<string>;
  readonly args?: OneOrMany<SpecArgument>;
  readonly options?: OneOrMany<SpecOption>;
  readonly subcommands?: OneOrMany<Spec>;
  readonly isDangerous?: boolean;
  readonly loadSpec?: unknown;
}

/** What a specification says about the words behind an option; `unsaid`: it may take one, or only after an equals sign. */
export type Arity = 'value' | 'flag' | 'unsaid';

/** One option, under one of its names. */
export interface KnownOption {
  readonly name: string;
  readonly arity: Arity;
  /** How many values it takes. */
  readonly values: number;
  readonly isCommand: boolean;
  readonly isDangerous: boolean;
}

/** One argument of a subcommand. */
export interface KnownArgument {
  readonly isOptional: boolean;
  readonly isCommand: boolean;
  readonly isScript: boolean;
}

/** One subcommand, or the program itself. */
export interface KnownCommand {
  readonly program: string;
  /** The program and the names of the subcommands. */
  readonly words: readonly string[];
  /** The names of its own subcommands. */
  readonly subcommands: readonly string[];
  readonly options: readonly KnownOption[];
  readonly arguments: readonly KnownArgument[];
  readonly isDangerous: boolean;
}

const build = join(
  dirname(fileURLToPath(import.meta.url)),
  'node_modules',
  '@withfig',
  'autocomplete',
  'build',
);

/** Whether the specifications are installed. */
export const hasSpecs = (): boolean => existsSync(build);

/** The programs that have a specification. */
export function specNames(): readonly string[] {
  const other = new Set(['index', '-']);
  return readdirSync(build)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .filter((name) => !other.has(name));
}

function list<Item>(given: OneOrMany<Item>): readonly Item[] {
  if (given === null || given === undefined) return [];
  return Array.isArray(given) ? given : [given as Item];
}

async function load(name: string): Promise<Spec | null> {
  const path = join(build, `${name}.js`);
  if (!existsSync(path)) return null;
  const { default: spec }: { default: unknown } = await import(pathToFileURL(path).href);
  return typeof spec === 'object' && spec !== null ? (spec as Spec) : null;
}

/** A switch that may be followed by `=true`: the next word is not its value. */
function isSwitch({ suggestions }: SpecArgument): boolean {
  const names = list(suggestions).flatMap((one) => (typeof one === 'string' ? [one] : list(one.name)));
  return names.length > 0 && names.every((name) => name === 'true' || name === 'false');
}

function arityOf({ args, requiresSeparator, requiresEquals }: SpecOption): Arity {
  const values = list(args);
  if (values.length === 0) return 'flag';
  const separated = Boolean(requiresSeparator) || requiresEquals === true;
  return separated || values.some((one) => one.isOptional === true || isSwitch(one)) ? 'unsaid' : 'value';
}

function optionsOf(options: readonly SpecOption[]): readonly KnownOption[] {
  return options.flatMap((option) =>
    list(option.name)
      .filter((name) => /^--?[^-=\s][^=\s]*$/.test(name) && !/^--(?:help|version)$/.test(name))
      .map((name) => ({
        name,
        arity: arityOf(option),
        values: list(option.args).length,
        isCommand: list(option.args).some(({ isCommand }) => isCommand === true),
        isDangerous: option.isDangerous === true,
      })),
  );
}

const deepest = 8;

async function* walk(
  given: Spec,
  words: readonly string[],
  inherited: readonly SpecOption[],
): AsyncGenerator<KnownCommand> {
  const loaded = typeof given.loadSpec === 'string' ? await load(given.loadSpec) : null;
  const spec = loaded ?? given;
  const own = list(spec.options);
  const subcommands = list(spec.subcommands).filter(({ name }) => list(name)[0]?.startsWith('-') === false);
  yield {
    program: words[0] ?? '',
    words,
    subcommands: subcommands.flatMap(({ name }) => list(name).slice(0, 1)),
    options: optionsOf([...own, ...inherited]),
    arguments: list(spec.args).map((one) => ({
      isOptional: one.isOptional === true,
      isCommand: one.isCommand === true,
      isScript: one.isScript === true,
    })),
    isDangerous: given.isDangerous === true,
  };
  if (words.length > deepest) return;
  const handed = [...inherited, ...own.filter(({ isPersistent }) => isPersistent === true)];
  for (const subcommand of subcommands)
    for (const name of list(subcommand.name).slice(0, 1)) yield* walk(subcommand, [...words, name], handed);
}

/** A program and all of its subcommands. */
export async function* commandsOf(program: string): AsyncGenerator<KnownCommand> {
  const spec = await load(program);
  if (spec !== null) yield* walk(spec, [program], []);
}
