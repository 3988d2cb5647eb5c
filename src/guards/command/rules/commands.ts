// Rule: strict runs only the commands and flags on its list, in their harmless forms. Developer runs what is known,
// and asks for what is not.

import { type Finding, visible } from '../../../core/index.ts';
import type { Effect, Invocation, Value } from '../effects.ts';
import { hasCard } from '../programs/index.ts';
import { isEverydayPackage } from '../programs/packages.ts';
import { isWithin, locate } from '../where.ts';
import {
  type CommandRule,
  forUnknown,
  hit,
  isJudged,
  type Judge,
  nameOf,
  python,
  type RuleInput,
  segmentOf,
  shell,
  strictly,
  textsOf,
} from './rule.ts';
import { onlyEdits } from './sed.ts';

const commandNotAllowed: CommandRule = {
  id: 'command_not_allowed',
  guard: 'command',
  layer: 3,
  decision: 'block',
  unwanted: 'under strict, the list decides',
  reason: 'Under the strict profile only listed commands run: those that read, compute or install by name.',
  suggestion: 'Use a command of the strict list: one that reads, computes or installs by name.',
  examples: {
    hit: [
      strictly('curl https://example.com/'),
      strictly('rm notes.txt'),
      strictly('sudo ls'),
      strictly('git push'),
      strictly('./ls'),
      python('import subprocess\nsubprocess.run(["make"])', { agent: { profile: 'strict' } }),
    ],
    miss: [
      strictly('ls -la'),
      strictly('cat a.txt | sort | uniq -c'),
      strictly('git log --oneline'),
      strictly('/usr/bin/wc -l a.txt'),
      shell('make test'),
    ],
  },
};

const flagNotAllowed: CommandRule = {
  id: 'flag_not_allowed',
  guard: 'command',
  layer: 3,
  decision: 'block',
  unwanted: 'under strict, the list decides',
  reason: 'The flag makes a listed command run others, write files, skip checks or delete by force.',
  suggestion: 'Leave the flag out.',
  examples: {
    hit: [
      strictly('rm -rf build'),
      strictly('rm -i a.txt'),
      strictly("find . -name '*.o' -delete"),
      strictly('find . -exec cat {} +'),
      strictly("sed -n '1e id' a.txt"),
      strictly('awk \'BEGIN { system("id") }\''),
      strictly('git -c core.pager=id log'),
      strictly('apt-get install --force-yes nginx'),
    ],
    miss: [
      strictly("find . -name '*.ts'"),
      strictly("sed -n '1,10p' a.txt"),
      strictly("awk '{ print $1 }' a.txt"),
      strictly('apt-get install nginx'),
      shell('rm -rf dist'),
    ],
  },
};

/** The rule on what is not known. */
export const unknownCommand: CommandRule = {
  id: 'unknown_command',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason: 'Its effects are unknown: developer asks, strict blocks.',
  suggestion: 'Use a known command, or write the command out plainly.',
  examples: {
    hit: [
      shell('frobnicate --all'),
      shell('"$TOOL" --version'),
      shell('frobnicate sites rm -f notes.txt'),
      strictly('"$TOOL"'),
      shell(`echo ${'x'.repeat(70_000)}`),
      shell(`${'$('.repeat(300)}ls${')'.repeat(300)}`),
    ],
    miss: [
      shell('npm test'),
      shell('ls -la'),
      shell('$(echo ls)'),
      shell('frobnicate --version'),
      shell('frobnicate help'),
    ],
  },
};

const unparsedCommand: CommandRule = {
  id: 'unparsed_command',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason: 'The text is not a complete command.',
  suggestion: 'Close every quote and bracket.',
  examples: {
    hit: [shell('echo "unclosed'), shell('if true; then')],
    miss: [shell('echo "hello"'), shell('if true; then ls; fi')],
  },
};

/** The rules on commands and flags. */
export const commandRules: readonly CommandRule[] = [
  commandNotAllowed,
  flagNotAllowed,
  unknownCommand,
  unparsedCommand,
];

// ── the strict list

/** Words of the shell that only compute in it; they start no program. */
const harmlessBuiltins: ReadonlySet<string> = new Set([
  ...[':', '[', '[[', 'true', 'false', 'test', 'echo', 'printf', 'cd', 'pwd', 'pushd', 'popd', 'dirs', 'set'],
  ...['shopt', 'export', 'readonly', 'declare', 'typeset', 'local', 'unset', 'shift', 'read', 'mapfile'],
  ...['readarray', 'getopts', 'let', 'break', 'continue', 'return', 'exit', 'wait', 'type', 'umask', 'times'],
]);

/** What is refused about the arguments of a listed command; null: nothing. */
type Form = (args: readonly Value[]) => Refusal | null;
interface Refusal {
  readonly rule: CommandRule;
  readonly subject: string;
}

const anyForm: Form = () => null;

/** Refuses flags; an argument that is not known could be any of them. */
function without(flags: RegExp): Form {
  return (args) => {
    for (const argument of args) {
      if (argument.kind === 'unknown')
        return { rule: flagNotAllowed, subject: 'an argument that is not known' };
      const flag = textsOf(argument).find((text) => flags.test(text));
      if (flag !== undefined) return { rule: flagNotAllowed, subject: flag };
    }
    return null;
  };
}

/** Subcommands of git that only read, and the flags with which even they write or run something. */
const gitReads: ReadonlySet<string> = new Set(['status', 'diff', 'log']);
const gitFlags = /^(?:--ext-diff|--textconv|--output(?:=.*)?|--exec-path=.*|--no-index|-O.*|--open-files.*)$/;

const git: Form = (args) => {
  const [first] = args;
  const verb = first?.kind === 'literal' ? first.text : '';
  if (verb.startsWith('-') && verb !== '--no-pager') return { rule: flagNotAllowed, subject: verb };
  const rest = verb === '--no-pager' ? args.slice(1) : args;
  const [named] = rest;
  const name = named?.kind === 'literal' ? named.text : '';
  if (!gitReads.has(name)) return { rule: commandNotAllowed, subject: `git ${name}`.trim() };
  return without(gitFlags)(rest.slice(1));
};

const aptFlags = new Set(['-y', '--yes', '-q', '-qq', '--quiet', '--no-install-recommends']);

/** `update` alone, or `install` with packages by name: no files, no options that change how it works. */
const aptGet: Form = (args) => {
  const words = args.map((argument) => (argument.kind === 'literal' ? argument.text : null));
  const [verb, ...names] = words.filter((word) => word === null || !aptFlags.has(word));
  if (verb !== 'update' && verb !== 'install') {
    return { rule: commandNotAllowed, subject: `apt-get ${verb ?? ''}`.trim() };
  }
  const bad = names.find(
    (name) => name === null || !/^[a-z0-9][a-z0-9.+-]*(?::[a-z0-9]+)?(?:=[\w.+:~-]+)?$/.test(name),
  );
  if (bad === undefined && (verb === 'install' || names.length === 0)) return null;
  return { rule: flagNotAllowed, subject: bad ?? names[0] ?? 'an argument that is not known' };
};

const sedFlags =
  /^(?:-[nErsuz]*[^nErsuze-].*|--(?!expression=|quiet$|silent$|regexp-extended$|separate$|null-data$|posix$|sandbox$).+)$/;

/** Scripts that only edit what flows through, and no flag that edits in place or reads a script from a file. */
const sed: Form = (args) => {
  const flagged = without(sedFlags)(args);
  if (flagged !== null) return flagged;
  const words = args.flatMap(textsOf);
  const given = words.flatMap((word, index) => {
    const attached = /^(?:-[nErsuz]*e|--expression=)(.*)$/s.exec(word)?.[1];
    if (attached === undefined) return [];
    return attached === '' ? (words[index + 1] ?? []) : attached;
  });
  const scripts = given.length > 0 ? given : words.filter((word) => !word.startsWith('-')).slice(0, 1);
  const script = scripts.find((text) => !onlyEdits(text));
  return script === undefined ? null : { rule: flagNotAllowed, subject: script };
};

const awkCalls =
  /\bsystem\s*\(|\|\s*(?:getline|&|")|"\s*\|&?|\|&|>\s*"|>\s*[a-zA-Z$(]|getline\s*<|@load|@include/;
const awkFlags =
  /^(?:-[a-zA-Z]*[fieEl].*|--(?:file|include|exec|load|source|dump-variables|profile|debug).*)$/;

const awk: Form = (args) => {
  const flagged = without(awkFlags)(args);
  if (flagged !== null) return flagged;
  const program = args.flatMap(textsOf).find((text) => awkCalls.test(text));
  return program === undefined ? null : { rule: flagNotAllowed, subject: program };
};

const findFlags = /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/;
const sortFlags = /^(?:-[a-zA-Z]*o.*|--output.*|--compress-program.*|-[a-zA-Z]*T.*|--files0-from.*)$/;

/** The list of part C, with the forms that are refused of each. */
const listed: ReadonlyMap<string, Form> = new Map<string, Form>([
  ...['cat', 'ls', 'grep', 'wc', 'head', 'tail', 'uniq', 'diff', 'tr', 'cut', 'tee'].map(
    (name): [string, Form] => [name, anyForm],
  ),
  ...['uname', 'df', 'du', 'free', 'whoami', 'id', 'python3', 'pip', 'pip3'].map((name): [string, Form] => [
    name,
    anyForm,
  ]),
  ['patch', without(/^(?:-[a-zA-Z]*e|--ed|-o.*|--output.*)$/)],
  ['find', without(findFlags)],
  ['sort', without(sortFlags)],
  ['sed', sed],
  ['awk', awk],
  ['git', git],
  ['apt-get', aptGet],
]);

/** Flags that are refused of commands that are on no list, so that the error names them. */
const refusedFlags: ReadonlyMap<string, RegExp> = new Map([
  ['rm', /^(?:-[a-zA-Z]*[rRfiI][a-zA-Z]*|--recursive|--force|--interactive.*|--no-preserve-root)$/],
]);
const bypasses = /^--(?:force|all)(?:$|=|-)/;
const dangerous: ReadonlySet<string> = new Set([
  ...[
    'rm',
    'mv',
    'cp',
    'chmod',
    'chown',
    'dd',
    'mkfs',
    'kill',
    'pkill',
    'killall',
    'docker',
    'podman',
    'kubectl',
  ],
  ...['git', 'apt-get', 'apt', 'pip', 'pip3', 'npm', 'systemctl', 'helm', 'terraform'],
]);

const programFolders = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;

/** What strict refuses of the programs that would start. */
export function listFindings(ruleInput: RuleInput): readonly Finding[] {
  if (ruleInput.profile !== 'strict') return [];
  return ruleInput.facts.invocations.flatMap((invocation) => invocationFindings(invocation, ruleInput));
}

function invocationFindings(invocation: Invocation, ruleInput: RuleInput): readonly Finding[] {
  const { program, given, args, through, span, builtin } = invocation;
  const refusals: Refusal[] = [];
  const refuse = (subject: string): void => {
    refusals.push({ rule: commandNotAllowed, subject });
  };
  for (const wrapper of through) if (isProgram(wrapper) && !listed.has(wrapper)) refuse(wrapper);
  const paths = textsOf(given);
  if (program === null) refuse('a command that is not known');
  else if (builtin && harmlessBuiltins.has(program))
    return refusals.map(({ rule, subject }) => refusal(rule, subject));
  else if (paths.some((path) => path.includes('/') && !programFolders.test(path)))
    refuse(paths[0] ?? program);
  else {
    const form = listed.get(program);
    if (form === undefined) refuse(program);
    else {
      const found = form(args);
      if (found !== null) refusals.push(found);
    }
    const flags = args.flatMap(textsOf);
    const flag = flags.find(
      (text) => refusedFlags.get(program)?.test(text) || (dangerous.has(program) && bypasses.test(text)),
    );
    if (flag !== undefined && !refusals.some(({ rule }) => rule === flagNotAllowed)) {
      refusals.push({ rule: flagNotAllowed, subject: flag });
    }
  }
  return refusals.map(({ rule, subject }) => refusal(rule, subject));

  function refusal(rule: CommandRule, subject: string): Finding {
    const segment = segmentOf(ruleInput, span);
    const why =
      rule === flagNotAllowed
        ? `'${segment}' could run, write or delete more than it shows`
        : `'${segment}' is not on the strict list`;
    return hit(ruleInput, rule, { span, subject, why });
  }
}

/** Names of a library's functions, such as os.system, are no programs. */
function isProgram(wrapper: string): boolean {
  return /^[\w+-]+$/.test(wrapper) && !/^python[0-9]?$/.test(wrapper);
}

// ── what is not known

/** What could not be followed, and what could not be parsed. */
export function unknownFindings(ruleInput: RuleInput): readonly Finding[] {
  const { facts, source } = ruleInput;
  const whole: Invocation['span'] = [0, source.length];
  const unfollowed = facts.unknowns.map(({ what, span }) =>
    hit(ruleInput, unknownCommand, {
      span,
      subject: segmentOf(ruleInput, span),
      why: `it could not be followed: ${visible(what, 120)}`,
      decision: forUnknown(ruleInput),
    }),
  );
  const errors = facts.errors.slice(0, 1).map((error) =>
    hit(ruleInput, unparsedCommand, {
      span: whole,
      subject: segmentOf(ruleInput, whole),
      why: visible(error, 120),
      decision: forUnknown(ruleInput),
    }),
  );
  return [...unknownPrograms(ruleInput), ...unfollowed, ...errors];
}

/** Programs whose effects nobody knows. A program of the project does what its own files say. */
function unknownPrograms(ruleInput: RuleInput): readonly Finding[] {
  const { effects, invocations } = ruleInput.facts;
  const known = new Set(effects.map(({ program }) => program));
  // Of words behind a program that is not known, it is only guessed that it starts them.
  for (const { through } of [...effects, ...invocations])
    for (const name of through) if (hasCard(name)) known.add(name);
  const environments = environmentsMadeBy(effects);
  const built = builtBy(ruleInput);
  return invocations.flatMap((invocation) => {
    const { program, given, span, builtin } = invocation;
    if (program === null || builtin) return [];
    if (isExplained({ ...invocation, program }, { known, environments, built }, ruleInput)) return [];
    const waits = shells.test(program);
    const plain = !waits && !isPath(given) && /^[\w.+-]{1,64}$/.test(program);
    return [
      hit(ruleInput, unknownCommand, {
        span,
        subject: program,
        why: waits
          ? 'the commands that this shell would run are not known'
          : 'what this program does is not known',
        decision: forUnknown(ruleInput),
        grant: plain ? `command run ${program}` : undefined,
      }),
    ];
  });
}

/** What the command itself says about programs. */
interface Explaining {
  readonly known: ReadonlySet<string>;
  readonly environments: readonly string[];
  readonly built: ReadonlySet<string>;
}

/** Whether it is known what an invocation does, or whose its program is. */
function isExplained(
  { program, given, args, through }: Invocation & { readonly program: string },
  { known, environments, built }: Explaining,
  ruleInput: RuleInput,
): boolean {
  if (isOwnModule(program, through, ruleInput)) return true;
  const isFetched = fetchers.test(through.at(-1) ?? '');
  if (isFetched && isEverydayPackage(program)) return true;
  // A name says nothing about a program that lies where anybody can put one.
  const trusted = textsOf(given).every(
    (text) =>
      !text.includes('/') || installed.test(text) || environments.some((folder) => text.startsWith(folder)),
  );
  if (trusted && (known.has(program) || asksAboutItself(args))) return true;
  if (isInstalledTool(given, built, ruleInput)) return true;
  // A shell without anything to run here takes its commands from elsewhere.
  if (trusted && ruleInput.isKnown(program) && !shells.test(program)) return true;
  if (!isPath(given) || (isFetched && !isInstalledPackage(given, ruleInput))) return false;
  const places = locate(ruleInput.pathScope, { kind: 'path', path: given }, { follow: true });
  return places.every(
    (place) => place.zone === 'workspace' || place.zone === 'allowed' || isJudged(place, ruleInput),
  );
}

function isPath(given: Value): boolean {
  return textsOf(given).some((text) => text.includes('/'));
}

/** Programs that fetch a package by its name and run it. */
const fetchers = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)$/;

/** Whether a name with a slash is no package that would be fetched: a file of the project, or a package that is installed. */
function isInstalledPackage(
  given: Value,
  { pathScope, standing }: Pick<RuleInput, 'pathScope' | 'standing'>,
): boolean {
  return textsOf(given).every(
    (text) =>
      !/^@?[\w.-]+\/[\w.-]+(?:@[^/]*)?$/.test(text) ||
      text.startsWith('.') ||
      standing(`${pathScope.cwd}/${text}`) !== null ||
      standing(`${pathScope.cwd}/node_modules/${text.replace(/(?!^)@.*$/, '')}`) !== null,
  );
}

/** Folders of the user's own into which package managers put programs, and nothing else does. */
const toolFolders =
  /\/(?:\.dotnet\/tools|go\/bin|\.cargo\/bin|\.(?:pyenv|rbenv|nodenv)\/shims|(?:mini|ana)conda3?\/bin)\/[\w.-]+$/;

/** Whether a program is one that the same command built, or that the user installed, which is seen by looking: it is there. */
function isInstalledTool(
  given: Value,
  built: ReadonlySet<string>,
  { pathScope, standing }: Pick<RuleInput, 'pathScope' | 'standing'>,
): boolean {
  const { home } = pathScope;
  if (given.kind === 'literal' && built.has(given.text)) return true;
  if (given.kind !== 'literal' || home === null) return false;
  const path = given.text.replace(/^~(?=\/)/, home);
  return isWithin(path, home) && toolFolders.test(path) && !path.includes('/../') && standing(path) !== null;
}

/** Whether `python -m` runs a module that lies in the folder, which is read as a script is. */
function isOwnModule(
  program: string,
  through: readonly string[],
  { pathScope, standing }: Pick<RuleInput, 'pathScope' | 'standing'>,
): boolean {
  if (!/^python[\d.]*$/.test(through.at(-1) ?? '') || !/^[A-Za-z_][\w.]*$/.test(program)) return false;
  const path = `${pathScope.cwd}/${program.replaceAll('.', '/')}`;
  return (
    isWithin(path, pathScope.workspace) && (standing(`${path}.py`) === 'file' || standing(path) === 'folder')
  );
}

const compilers =
  /^(?:go|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|zig|gfortran|ghc|nim|crystal|tcc|swiftc)(?:-\d+)?$/;

/** Programs that the same command compiles from what lies in the project. */
function builtBy({ facts: { invocations } }: RuleInput): ReadonlySet<string> {
  return new Set(
    invocations.flatMap(({ program, args }) => {
      if (!compilers.test(program ?? '')) return [];
      const words = args.map((argument) => (argument.kind === 'literal' ? argument.text : ''));
      const at = words.indexOf('-o');
      const output = words[at + 1];
      const sources = words.filter((word, index) => index !== at + 1 && !word.startsWith('-'));
      const foreign = sources.some((word) => /^(?:\/|~|\.\.\/)|^$/.test(word));
      return at < 0 || output === undefined || output === '' || foreign ? [] : [output];
    }),
  );
}

/** Folders of the programs of environments that the same command makes for Python. */
function environmentsMadeBy(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap(({ kind, program, target }) =>
    kind === 'write' && /^(?:venv|virtualenv)$/.test(program) && target.kind === 'path'
      ? textsOf(target.path).flatMap((folder) => [`${folder}/bin/`, `${folder}/Scripts/`])
      : [],
  );
}

/** Where programs are installed, by the system or by the tools that people install with. */
const installed =
  /^(?:\/usr(?:\/local)?)?\/s?bin\/|^\/usr\/(?:lib|libexec|games)\/|^\/opt\/homebrew\/s?bin\/|^\/snap\/bin\/|^\/nix\/|^(?:~|\/root|\/(?:home|Users)\/[^/]+)\/bin\/|\/\.(?:local|cargo|nvm|pyenv|rbenv|asdf|bun|deno|volta|go)\/(?:[^/]+\/)*s?bin\//;

const shells = /^(?:(?:ba|da|z|k|mk|a|c|tc|fi|r|lk|pdk|sa|ya|po|xon|hu)?sh[0-9.]*|elvish|nu)$/;

/** Whether a program is only asked for its version or its help. */
function asksAboutItself([first, ...rest]: readonly Value[]): boolean {
  return (
    rest.length === 0 &&
    first?.kind === 'literal' &&
    /^(?:--?(?:version|help)|-[hV]|version|help)$/.test(first.text)
  );
}

/** Judges a subcommand that git itself does not have: an alias or another program. */
export const judgeUnknownGit: Judge = ({ detail, span, target }, ruleInput) => {
  if (detail !== 'unknown') return [];
  const name = nameOf(target);
  return [
    hit(ruleInput, unknownCommand, {
      span,
      subject: segmentOf(ruleInput, span),
      why: `git ${name === '' ? 'with a subcommand that is not known' : name} is not known`,
      decision: forUnknown(ruleInput),
    }),
  ];
};

/** The finding where the check ran out of steps. */
export function overrunFinding(ruleInput: RuleInput): Finding {
  return hit(ruleInput, unknownCommand, {
    span: [0, ruleInput.source.length],
    subject: segmentOf(ruleInput, [0, ruleInput.source.length]),
    why: 'the check ran out of steps',
    decision: forUnknown(ruleInput),
  });
}
