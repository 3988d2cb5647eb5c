// Whether a command can run aside from the machine, on an overlay that ends with it, by what its text says: what it starts
// must not live on, and all that it works on must be the workspace.

import type { Finding } from '../../core/index.ts';
import type { Facts, Invocation } from './effects.ts';
import { placesOf, type RuleInput } from './rules/rule.ts';

/** Why a command cannot run aside. */
export type NotAside = 'lives on' | 'machine' | 'elsewhere';

/** Programs that serve or watch until they are stopped. */
const servers: ReadonlySet<string> = new Set(
  `vite next nuxt astro gatsby webpack-dev-server nodemon ts-node-dev http-server serve live-server json-server
  uvicorn gunicorn hypercorn daphne waitress-serve flask streamlit gradio jupyter jupyter-lab jupyter-notebook rails puma
  jekyll hugo mkdocs docusaurus ng expo storybook start-storybook wrangler netlify firebase watchexec entr watchman
  nohup setsid disown caddy nginx redis-server postgres mongod mysqld`.split(/\s+/),
);
/** Scripts of a package that by their name serve or watch. */
const servingScript = /^(?:dev|start|serve|watch|preview|storybook)(?:[:.-].*)?$/;
const runners: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer']);
/** What makes a program watch or serve that otherwise ends. */
const servingWords: Readonly<Record<string, RegExp>> = {
  cargo: /^watch$/,
  dotnet: /^watch$/,
  php: /^(?:-S|serve)$/,
  python: /^(?:http\.server|runserver)$/,
  python3: /^(?:http\.server|runserver)$/,
  tail: /^(?:-[a-zA-Z0-9]*[fF]|--follow.*)$/,
};
/** Options by which many tools keep on watching. */
const watching = /^--watch(?:All)?(?:=true)?$/;

/** Programs that work on processes, services, containers, terminals or sessions of the machine. */
const machinePrograms: ReadonlySet<string> = new Set(
  `kill pkill killall fuser lsof ps pgrep pidof top htop ss netstat docker docker-compose podman nerdctl buildah systemctl
  service journalctl loginctl systemd-run tmux screen zellij at batch crontab pm2 forever supervisorctl adb emulator
  sallyport claude codex gemini code cursor gdb strace ltrace perf xdg-open open`.split(/\s+/),
);
/** Programs that start nothing, and may stand beside those. */
const plainPrograms: ReadonlySet<string> = new Set(
  'cd echo printf true false ls cat head tail grep wc pwd test [ sleep sort uniq tr cut jq export'.split(' '),
);
/** Programs that start others only where they say so. */
const filters: ReadonlySet<string> = new Set(['awk', 'sed', 'xargs']);

const changing: ReadonlySet<string> = new Set(['write', 'delete']);

/** Why a command cannot run aside; null where it can. */
export function notAside(ruleInput: RuleInput): NotAside | null {
  const { facts } = ruleInput;
  if (facts.background === true || facts.invocations.some(serves)) return 'lives on';
  if (worksOnMachine(facts)) return 'machine';
  const leaves = facts.effects.some(
    (effect) =>
      changing.has(effect.kind) &&
      placesOf(effect, ruleInput).some(
        ({ zone }) => zone === 'home' || zone === 'elsewhere' || zone === 'system',
      ),
  );
  return leaves ? 'elsewhere' : null;
}

function serves({ program, args }: Invocation): boolean {
  if (program === null) return false;
  if (servers.has(program)) return true;
  const words = args.flatMap((arg) => (arg.kind === 'literal' ? [arg.text] : []));
  if (words.some((word) => watching.test(word) || servingWords[program]?.test(word) === true)) return true;
  if (!runners.has(program)) return false;
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  return servingScript.test(first === 'run' || first === 'run-script' ? second : first);
}

/** INVARIANT: the name of one program excuses no other: all of them work on the machine, or start nothing. */
function worksOnMachine({ effects, invocations, unknowns, errors }: Facts): boolean {
  const names = invocations.map(({ program }) => program ?? '');
  return (
    !effects.some(({ kind }) => kind === 'run') &&
    unknowns.length === 0 &&
    errors.length === 0 &&
    names.some((name) => machinePrograms.has(name)) &&
    names.every((name) => machinePrograms.has(name) || plainPrograms.has(name) || filters.has(name))
  );
}

/** Questions about files of the workspace that wait for what a command really does to them. */
const waitingRules: ReadonlySet<string> = new Set(['workspace_deletion', 'git_file_discard']);
/** Programs that change files here and nothing elsewhere. */
const localPrograms: ReadonlySet<string> = new Set([
  'rm',
  'rmdir',
  'unlink',
  'find',
  'git',
  'mv',
  'shred',
  'mkdir',
  'touch',
]);

/**
 * Whether all that a command is asked about can wait until it ran aside. INVARIANT: a block never waits, nor does a
 * question about anything but files of the workspace, nor one beside a program whose effects are not followed.
 */
export function canWait(findings: readonly Finding[], { invocations, unknowns, errors }: Facts): boolean {
  const asking = findings.filter(({ decision }) => decision !== 'pass' && decision !== 'warn');
  return (
    asking.length > 0 &&
    asking.every(({ rule, decision }) => decision === 'approve' && waitingRules.has(rule)) &&
    unknowns.length === 0 &&
    errors.length === 0 &&
    invocations.every(
      ({ program }) => program !== null && (localPrograms.has(program) || plainPrograms.has(program)),
    )
  );
}

/** The question as something that is shown and decides nothing: what the command really deletes is asked about. */
export function asWarning(finding: Finding): Finding {
  return waitingRules.has(finding.rule) ? { ...finding, decision: 'warn' } : finding;
}
