// Rule: where the host lets a model type into a program that runs, and no hook hears of it, a program that would wait
// for such words is asked about before it starts.

import type { Finding } from '../../../core/index.ts';
import type { Invocation } from '../effects.ts';
import { type CommandRule, hit, type RuleInput, shell, textsOf } from './rule.ts';

/** Hosts with a tool for typing into a running program that calls no hook. */
const unheard: ReadonlySet<string> = new Set(['codex']);

const codex = { host: 'codex' } as const;

const interactivePrompt: CommandRule = {
  id: 'interactive_prompt',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'The program waits for input, and no hook sees what the model types into it later.',
  suggestion: 'Pass the input with the call: by an option, a file or a pipe.',
  examples: {
    hit: [
      shell('ed src/a.js', codex),
      shell('vim src/a.js', codex),
      shell('git log | less', codex),
      shell('man tar', codex),
      shell('psql shop', codex),
      shell('sudo mysql', codex),
      shell('sqlite3 shop.db', codex),
      shell('redis-cli -h cache', codex),
      shell('ssh web-1', codex),
      shell('telnet mail 25', codex),
      shell('docker run -it --rm alpine', codex),
      shell('docker exec -it web bash', codex),
      shell('kubectl exec -it web-0 -- sh', codex),
      shell('gdb ./a.out', codex),
      shell('tmux new -s work', codex),
      shell('git rebase -i HEAD~3', codex),
    ],
    miss: [
      shell('vim src/a.js'),
      shell("vim -es src/a.js -c '%s/a/b/' -c wq", codex),
      shell("printf '1d\\nw\\nq\\n' | ed -s a.txt", codex),
      shell('less README.md | head', codex),
      shell('man tar | head -50', codex),
      shell("psql shop -c 'select 1'", codex),
      shell('psql shop < report.sql', codex),
      shell("sqlite3 shop.db 'select 1'", codex),
      shell("mysql -e 'select 1'", codex),
      shell('redis-cli get a', codex),
      shell('ssh web-1 uptime', codex),
      shell('docker run --rm alpine ls', codex),
      shell('docker exec -it web ls', codex),
      shell('kubectl exec web-0 -- ls', codex),
      shell('gdb -batch -ex bt ./a.out core', codex),
      shell('tmux ls', codex),
      shell("git commit -m 'a change'", codex),
      shell('npm start', codex),
      shell('make run', codex),
    ],
  },
};

/** The rule of programs that wait for input. */
export const promptRules: readonly CommandRule[] = [interactivePrompt];

/** When a program waits for input. */
interface Prompt {
  readonly programs: string;
  /** It reads the terminal itself, so a standard input that is given does not keep it from waiting. */
  readonly terminal?: true;
  /** Words with which it waits for nothing. */
  readonly quiet?: RegExp;
  /** It waits only with one of these words. */
  readonly only?: RegExp;
  /** Options that take the next word. */
  readonly takes?: RegExp;
  /** From how many words that are no options it has its work. */
  readonly given?: number;
  /** It waits only if the program that it starts does: where the words of that one begin. */
  readonly inner?: (words: readonly string[]) => readonly string[] | null;
}

const shells = /^(?:.*\/)?(?:ba|z|da|k|a|fi|c|tc)?sh$/;
const always = /^--?(?:help|version|usage)$/;
/** A command of vi that ends it. */
const quits =
  /(?:^|\||^-c|^\+)\s*:?(?:w|x|wq|q|cq|exit|quit|qa|wqa|xa|qall|wqall|xall|silent!? *w?q)a?l?l?!?\s*$/;

const prompts: readonly Prompt[] = [
  // Editors
  { programs: 'ed red' },
  {
    programs: 'vi vim nvim ex view rview rvim vimdiff nvi vile elvis gvim evim vimtutor vipw vigr visudo',
    terminal: true,
    quiet: quits,
  },
  { programs: 'nano pico micro joe jmacs jed ne hx helix kak mcedit mg zile rnano', terminal: true },
  { programs: 'emacs emacsclient', terminal: true, quiet: /^--?(?:batch|script|eval|daemon|e|kill)\b/ },
  { programs: 'crontab', only: /^-e$/, terminal: true },
  { programs: 'sudoedit', terminal: true },
  // Pagers and viewers, in which `!` runs a command
  { programs: 'less more most pg', terminal: true },
  {
    programs: 'man info',
    terminal: true,
    quiet: /^(?:-[kfwWK]|--(?:apropos|whatis|where|path|pager=cat)|-Pcat)$/,
  },
  { programs: 'lynx links elinks w3m', terminal: true, quiet: /^-?-(?:dump|source|cfg_dump)$/ },
  { programs: 'mc ranger nnn lf vifm ncdu tig lazygit lazydocker k9s mutt neomutt gitui', terminal: true },
  // Databases
  { programs: 'psql pgcli usql', quiet: /^(?:-[clfVL].*|-[a-zA-Z]*[clf]|--(?:command|file|list)(?:=.*)?)$/ },
  {
    programs: 'mysql mariadb mycli litecli clickhouse-client snowsql cqlsh sqlcmd influx',
    quiet: /^(?:-[eqQfiV].*|-[a-zA-Z]*e|--(?:execute|query|file|queries-file|input)(?:=.*)?)$/,
  },
  {
    programs: 'sqlite3 sqlite duckdb sqlcipher',
    quiet: /^-(?:c|s|f|help|version)$/,
    takes: /^-(?:cmd|init|separator|newline|nullvalue|mmap|vfs)$/,
    given: 2,
  },
  {
    programs: 'redis-cli valkey-cli keydb-cli',
    quiet: /^--(?:scan|stat|latency.*|bigkeys|memkeys|hotkeys|pipe|rdb|eval|cluster|version)$/,
    takes: /^(?:-[hpnausiDd]|--(?:user|pass|cert|key|cacert|sni|socket|port|host))$/,
    given: 1,
  },
  { programs: 'mongosh mongo', quiet: /^(?:--(?:eval|file|nodb=).*|-f|.*\.(?:js|mongodb))$/ },
  { programs: 'sqlplus osql isql db2 bteq', quiet: /^@/ },
  // Other machines
  {
    programs: 'ssh autossh mosh rsh rlogin slogin',
    quiet: /^(?:-[a-zA-Z]*[NVGQOfW]|git@.*)$/,
    takes: /^-[BbcDEeFIiJLlmoPpRSWw]$/,
    given: 2,
  },
  { programs: 'telnet ftp tftp ncftp cu minicom picocom' },
  { programs: 'lftp', quiet: /^-[cf]/ },
  { programs: 'sftp', quiet: /^(?:-b.*|.*[^:]:.+)$/ },
  { programs: 'nc ncat netcat', quiet: /^-[a-zA-Z]*[zhdk]/ },
  { programs: 'socat', only: /^(?:-|STDIO|STDIN|READLINE.*)$/i },
  { programs: 'openssl', only: /^s_client$/ },
  { programs: 'wscat websocat' },
  { programs: 'adb', only: /^shell$/, given: 2 },
  { programs: 'vagrant', only: /^ssh$/, quiet: /^(?:-c|--command.*)$/ },
  { programs: 'multipass lima limactl colima distrobox toolbox', only: /^(?:shell|ssh|enter)$/, given: 3 },
  // Containers: they wait if what they start does
  { programs: 'docker podman nerdctl', only: /^(?:run|exec|attach)$/, inner: inContainer },
  { programs: 'docker-compose', only: /^(?:run|exec|attach)$/, inner: inContainer },
  { programs: 'kubectl oc k3s', only: /^(?:exec|run|attach|rsh|edit|debug)$/, inner: inPod },
  // Debuggers, multiplexers and calculators with a way to a shell
  { programs: 'gdb lldb', quiet: /^--?(?:batch(?:-silent)?|b)$/ },
  {
    programs: 'tmux byobu',
    only: /^(?:new|new-session|attach|a|at|attach-session)$/,
    quiet: /^-[a-zA-Z]*d/,
    terminal: true,
  },
  { programs: 'screen', quiet: /^-(?:ls|list|wipe|[a-zA-Z]*[dDX].*)$/, terminal: true },
  { programs: 'zellij dtach abduco', quiet: /^(?:list-sessions|ls|kill.*|-n|action)$/, terminal: true },
  { programs: 'script', quiet: /^-[a-zA-Z]*c/, given: 2, terminal: true },
  { programs: 'gnuplot dc octave maxima', given: 1, quiet: /^-(?:e|-eval|f).*/ },
  // Steps of git that open an editor or ask line by line
  { programs: 'git', inner: inGit, terminal: true },
];

const byProgram: ReadonlyMap<string, Prompt> = new Map(
  prompts.flatMap((prompt) => prompt.programs.split(' ').map((name) => [name, prompt] as const)),
);

/** What asks: programs that wait for input where later input goes unheard. */
export function promptFindings(ruleInput: RuleInput): readonly Finding[] {
  if (ruleInput.host === undefined || !unheard.has(ruleInput.host)) return [];
  return ruleInput.facts.invocations
    .filter((invocation) => opensPrompt(invocation, ruleInput.source))
    .map(({ program, span }) =>
      hit(ruleInput, interactivePrompt, { span, why: `${program} waits for input that no hook sees` }),
    );
}

/** Programs that speak over a remote shell themselves. */
const carriers = /^(?:rsync|git|scp|sftp|borg|restic|rclone|sshfs|svn|hg|unison|ansible.*|docker|mutagen)$/;

function opensPrompt({ program, args, input, output, through }: Invocation, source: string): boolean {
  if (program === null || through.some((name) => carriers.test(name) && program === 'ssh')) return false;
  if (program === 'git' && /\bGIT_(?:SEQUENCE_)?EDITOR=|\bcore\.editor=/.test(source)) return false;
  const words = args.map((value) => textsOf(value)[0] ?? '\0');
  return waits(program, words, { fed: input === 'given', piped: output === 'piped' });
}

/** Whether a program would wait for input. `fed`: standard input is given. `piped`: another program reads its output. */
function waits(
  program: string,
  words: readonly string[],
  { fed, piped }: { readonly fed: boolean; readonly piped: boolean },
): boolean {
  const prompt = byProgram.get(program);
  if (prompt === undefined) return false;
  // Those that draw on the terminal print plainly where the output is no terminal.
  if (prompt.terminal === true ? piped && !fed : fed) return false;
  if (words.some((word) => always.test(word) || prompt.quiet?.test(word) === true)) return false;
  // A command of vi stands in the word after its option.
  if (
    words.some(
      (word, at) => /^-[a-zA-Z]*c$/.test(words[at - 1] ?? '') && prompt.quiet === quits && quits.test(word),
    )
  )
    return false;
  if (prompt.only !== undefined && !words.some((word) => prompt.only?.test(word))) return false;
  if (prompt.given !== undefined && operandsOf(words, prompt.takes).length >= prompt.given) return false;
  if (prompt.inner === undefined) return true;
  const inner = prompt.inner(words);
  if (inner === null) return false;
  const [first, ...rest] = inner;
  if (first === undefined) return true;
  const name = first.split('/').at(-1) ?? first;
  if (shells.test(first)) return !rest.some((word) => /^-[a-z]*c/.test(word) || !word.startsWith('-'));
  return waits(name, rest, { fed, piped }) || (interpreters.test(name) && rest.length === 0);
}

const interpreters =
  /^(?:python[\d.]*|node|irb|ruby|php|lua|perl|ipython|bpython|julia|R|ghci|iex|erl|scala|jshell)$/;

function operandsOf(words: readonly string[], takes: RegExp | undefined): readonly string[] {
  return words.filter((word, at) => !word.startsWith('-') && takes?.test(words[at - 1] ?? '') !== true);
}

const containerValues =
  /^(?:-[eluvwpmhac]|--(?:env|env-file|user|volume|workdir|publish|name|network|net|label|mount|entrypoint|memory|hostname|platform|add-host|cpus|gpus|tmpfs|device|cap-add|cap-drop|dns|pull|restart|file|project-name|context|host|index|detach-keys|shm-size|ulimit|security-opt|runtime))$/;

/** What a container starts, where it takes input: from the image's own program on, if there is none. */
function inContainer(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex((word) => /^(?:run|exec|attach)$/.test(word));
  const isCompose = words.slice(0, at).includes('compose');
  const after = words.slice(at + 1);
  if (words[at] === 'attach') return [];
  const end = after.findIndex(
    (word, index) => !word.startsWith('-') && !containerValues.test(after[index - 1] ?? ''),
  );
  const flags = end === -1 ? after : after.slice(0, end);
  const takesInput = flags.some((word) => /^(?:-[a-z]*i[a-z]*|--interactive(?:=true)?)$/.test(word));
  const isOff = flags.some((word) => /^(?:-[a-zA-Z]*[dT][a-z]*|--detach|--no-TTY)$/.test(word));
  // Compose reads input by default.
  if (isOff || !(takesInput || isCompose)) return null;
  return end === -1 ? [] : after.slice(end + 1);
}

/** What a pod starts, where it takes input. */
function inPod(words: readonly string[]): readonly string[] | null {
  const dashes = words.indexOf('--');
  const flags = dashes === -1 ? words : words.slice(0, dashes);
  if (flags.some((word) => /^(?:edit|rsh)$/.test(word))) return [];
  const takesInput = flags.some((word) => /^(?:-[a-z]*i[a-z]*|--stdin(?:=true)?)$/.test(word));
  if (!takesInput) return null;
  return dashes === -1 ? [] : words.slice(dashes + 1);
}

const messages = /^(?:-[a-zA-Z]*[mFC].*|--(?:message|file|no-edit|fixup|reuse-message|dry-run)(?:=.*)?)$/;

/** Git's steps that open an editor, or ask about each change. */
function inGit(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex((word, index) => /^[a-z]/.test(word) && !/^-[Cc]$/.test(words[index - 1] ?? ''));
  const [verb = '', ...rest] = at === -1 ? [] : words.slice(at);
  const has = (pattern: RegExp) => rest.some((word) => pattern.test(word));
  const asks: Readonly<Record<string, () => boolean>> = {
    commit: () => !has(messages) || has(/^(?:-[a-z]*p|--patch|-e|--edit)$/),
    rebase: () => has(/^(?:-i|--interactive|--edit-todo)$/),
    add: () => has(/^(?:-[a-z]*[pie]|--patch|--interactive|--edit)$/),
    tag: () => has(/^-[as]$/) && !has(messages),
    config: () => has(/^(?:-e|--edit|edit)$/),
    checkout: () => has(/^(?:-p|--patch)$/),
    restore: () => has(/^(?:-p|--patch)$/),
    reset: () => has(/^(?:-p|--patch)$/),
    stash: () => has(/^(?:-p|--patch)$/),
  };
  return asks[verb]?.() === true ? [] : null;
}
