// The scripts of a project that fill its database, which the tools of migrations run.

import { codeOf, type RunFile, shellOf, type ToolFile, type ToolReader } from './code.ts';

/** Most files of a folder of seeds that are read. */
const mostSeeds = 12;

/** The command that Prisma seeds with, as `package.json` says it. */
function seedOfPackage(text: string): string {
  try {
    const { prisma } = JSON.parse(text) as { readonly prisma?: { readonly seed?: unknown } | null };
    return typeof prisma?.seed === 'string' ? prisma.seed : '';
  } catch {
    return '';
  }
}

/** The same as a configuration in JavaScript says it. */
const seedOfConfig = (text: string): string => /\bseed\s*:\s*(["'`])(.*?)\1/.exec(text)?.[2] ?? '';

const prisma: readonly ToolFile[] = [
  { path: 'package.json', code: (text) => shellOf(seedOfPackage(text)) },
  ...['prisma.config.ts', 'prisma.config.js', 'prisma.config.mjs'].map((path) => ({
    path,
    code: (text: string) => shellOf(seedOfConfig(text)),
  })),
];

interface Seeding {
  readonly commands: RegExp;
  readonly files?: readonly ToolFile[];
  /** Folders of which every script is run. */
  readonly folders?: readonly string[];
}

const inLanguage =
  (runner: string): RunFile['code'] =>
  (text) =>
    codeOf(runner, text);
const ruby: Seeding = {
  commands: /^(?:\S+ )*db:(?:seed|setup|reset|prepare)/,
  files: [{ path: 'db/seeds.rb', code: inLanguage('ruby') }],
};
const sequelize: Seeding = {
  commands: /^(?:\S+ )*db:seed(?::all)?(?: |$)/,
  folders: ['seeders', 'db/seeders'],
};

const seedings: Readonly<Record<string, Seeding>> = {
  prisma: { commands: /^(?:\S+ )*(?:db seed|migrate (?:dev|reset))(?: |$)/, files: prisma },
  knex: { commands: /^(?:\S+ )*seed:run(?: |$)/, folders: ['seeds', 'db/seeds'] },
  ...{ sequelize, 'sequelize-cli': sequelize, rails: ruby, rake: ruby },
  artisan: {
    commands: /^(?:\S+ )*db:seed(?: |$)/,
    files: [{ path: 'database/seeders/DatabaseSeeder.php', code: inLanguage('php') }],
  },
};

/** The seeds that a call runs. */
const seeds: ToolReader = ({ program, words, folder, listed }) => {
  const seeding = Object.hasOwn(seedings, program) ? seedings[program] : undefined;
  if (seeding === undefined) return [];
  const { commands, files = [], folders = [] } = seeding;
  if (!commands.test(words.filter((word) => !word.startsWith('-')).join(' '))) return [];
  const scripts = folders.flatMap((place) =>
    listed(folder === '' ? place : `${folder}/${place}`)
      .filter((name) => /\.[cm]?[jt]s$/.test(name))
      .slice(0, mostSeeds)
      .map((name): ToolFile => ({ path: `${place}/${name}`, code: inLanguage('node') })),
  );
  return [...files, ...scripts];
};

/** Tools that run the seeds of a project, with the reader of these. */
export const seeders: Readonly<Record<string, ToolReader>> = Object.fromEntries(
  Object.keys(seedings).map((program) => [program, seeds]),
);
