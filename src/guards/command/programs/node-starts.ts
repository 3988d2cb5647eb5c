// What npm, pnpm, yarn and bun start: programs of packages, command lines, scripts of the project.

import type { Inner, Call as Start } from '../bash/executors/inner.ts';
import { looksLikeCommand, looksLikeScript } from '../bash/programs.ts';
import { emptyText, knownText, mapWithHoles, singleText, type Text } from '../bash/values.ts';
import { type Fact, readCall, textWords } from './card.ts';
import { node } from './cards/interpreters.ts';
import { ownCommand } from './interpreters.ts';
import { type Reading, readOptions } from './options.ts';

export const nodeOptions =
  'g/global D/save-dev/dev S/save P E/save-exact O prod/production prefix= C/dir= w/workspace= workspaces filter/F= r/recursive registry= tag= otp= access= dry-run force f yes/y c/call= package/p= silent s loglevel= cwd= userconfig= cache= ignore-scripts legacy-peer-deps no-audit no-fund frozen-lockfile json long depth= parseable omit= include= if-present verbose script-shell= node-options= no-save no-package-lock workspace-root b prefer-offline audit-level= color? prune preid= reporter= global-folder= https-proxy= link-folder= modules-folder= mutex= network-concurrency= network-timeout= preferred-cache-folder= proxy= cache-folder= scope= message= new-version= pattern= cache-dir= backend= link-native-bins= audit';

/** Words behind one of some subcommands, with the options before the first that is none. */
function behind(args: readonly Text[], verbs: RegExp): Reading<Text> | null {
  const read = (words: readonly Text[]) =>
    readOptions(nodeOptions, { stopAtOperand: true }, words, textWords);
  const [verb, ...rest] = read(args).operands;
  return verbs.test(singleText(verb)) ? read(rest) : null;
}

/** The name of a package; what stands behind it is the version. */
export const withoutVersion = (name: Text): Text =>
  mapWithHoles(name, (text) => text.replace(/(?<=[^/])@[\w.^~*-]+$/, ''));

/** The program that a subcommand starts, or the command line that it is given. */
function startedBehind(args: readonly Text[], verbs: RegExp): readonly Inner[] {
  const given = behind(args, verbs);
  if (given === null) return [];
  const lines = given.all('call').map((text): Inner => ({ kind: 'code', language: 'shell', text }));
  if (lines.length > 0 || given.operands.length === 0) return lines;
  const [program = emptyText, ...words] = given.operands;
  return [{ kind: 'argv', argv: [withoutVersion(program), ...words] }];
}

/** `yarn run`, whose words are the name of a script of the project's own, unless they look like a command. */
function scriptOrCommand(args: readonly Text[]): readonly Inner[] {
  return startedBehind(args, /^(?:exec|run)$/).flatMap((inner): readonly Inner[] => {
    if (inner.kind !== 'argv') return [inner];
    const [first = emptyText, ...more] = inner.argv;
    if (more.length === 0 && looksLikeScript(singleText(first)))
      return [{ kind: 'code', language: 'shell', text: first }];
    return looksLikeCommand(inner.argv) ? [inner] : [];
  });
}

const isOf = (programs: string): ((call: Start) => boolean) => {
  const names = programs.split(' ');
  return ({ program }) => names.includes(program);
};
const isNpm = isOf('npm cnpm');
const isYarn = isOf('yarn yarnpkg');

export const startFacts: readonly Fact[] = [
  {
    what: 'starts the program of a package, or a command line',
    starts: (call) => {
      if (isNpm(call)) return startedBehind(call.args, /^(?:exec|x)$/);
      if (isYarn(call)) return startedBehind(call.args, /^dlx$/);
      return call.program === 'pnpm' ? startedBehind(call.args, /^(?:exec|dlx)$/) : [];
    },
    examples: {
      hit: {
        'npm exec rimraf /': 'program: rimraf /',
        'cnpm x -y -- a b': 'program: a b',
        'npm exec -c "rm -rf /"': 'shell code: rm -rf /',
        'npm --prefix d exec --call="a | b"': 'shell code: a | b',
        'pnpm exec rm -rf /': 'program: rm -rf /',
        'pnpm dlx a@latest b': 'program: a b',
        'yarn dlx -p a b c': 'program: b c',
        'yarnpkg dlx a': 'program: a',
      },
      miss: ['npm run a', 'npm exec', 'npm test x', 'npm dlx a', 'yarn x a', 'pnpm x a', 'bun dlx a'],
    },
  },
  {
    what: 'starts a program in the folder of a package',
    starts: (call) => {
      const [, ...words] = (isNpm(call) ? behind(call.args, /^explore$/)?.operands : undefined) ?? [];
      const argv = singleText(words[0]) === '--' ? words.slice(1) : words;
      return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
    },
    examples: {
      hit: { 'npm explore a -- rm -rf b': 'program: rm -rf b', 'cnpm explore a ls': 'program: ls' },
      miss: ['npm explore a', 'npm test a b', 'yarn explore a ls'],
    },
  },
  {
    what: 'starts a command that stands where the name of a script could',
    starts: (call) => (isYarn(call) ? scriptOrCommand(call.args) : []),
    examples: {
      hit: {
        'yarn exec -c "a | b"': 'shell code: a | b',
        'yarn exec rm -rf /': 'program: rm -rf /',
        'yarn run "rm -rf /"': 'shell code: rm -rf /',
        'yarnpkg run rm -rf /': 'program: rm -rf /',
      },
      miss: ['yarn run build', 'yarn run build --watch', 'npm run rm -rf /', 'yarn exec'],
    },
  },
  {
    what: 'starts node',
    starts: (call) =>
      isYarn(call) && singleText(call.args[0]) === 'node' ? [{ kind: 'argv', argv: call.args }] : [],
    examples: { hit: { 'yarn node -e a': 'program: node -e a' }, miss: ['yarn a node', 'npm node a'] },
  },
  {
    what: 'runs a file or code itself',
    starts: (call) =>
      call.program === 'bun'
        ? (node.facts[0]?.starts?.(call, readCall(node, call.args, textWords)) ?? [])
        : [],
    examples: {
      hit: { 'bun a.ts': 'javascript file: a.ts', 'bun -e "b()"': 'javascript code: b()' },
      miss: ['npm a.ts'],
    },
  },
  {
    what: 'starts this guard where the project has it',
    starts: (call) => (isNpm(call) ? [] : ownCommand(call)),
    examples: {
      hit: {
        'yarn sallyport down': 'program: sallyport down',
        'pnpm run sallyport@1 down': 'program: sallyport down',
        'bun run-script sallyport down': 'program: sallyport down',
        'bun x sallyport down': 'program: sallyport down',
        'yarn workspace a sallyport down': 'program: sallyport down',
      },
      miss: ['pnpm add sallyport', 'npm run sallyport', 'yarn test'],
    },
  },
  {
    what: 'runs scripts of the project',
    always: true,
    starts: () => [{ kind: 'file', language: 'package', path: knownText('package.json'), ofProject: true }],
    examples: {
      hit: {
        'npm test': 'package file: package.json of the project',
        'bun a': 'package file: package.json of the project',
      },
      miss: [],
    },
  },
];
