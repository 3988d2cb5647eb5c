// What to run instead, by the program at hand. A rule is hit by many programs, and advice about another one helps
// nobody; where nothing fits, the rule's own sentence, which names no program, is shown.
// INVARIANT: a command in backticks is one of the program at hand, or of its family, and passes the guard itself.

import type { Effect } from '../effects.ts';

/** What one program can do instead of what the rule stops. */
interface Advice {
  readonly programs: readonly string[];
  /** Only for these details of the effect; left out: for all. */
  readonly details?: readonly string[];
  readonly text: string;
}

/** Programs that are one tool under several names, or a tool and the one that reads what it changes. */
export const families: readonly (readonly string[])[] = [
  ['kill', 'pkill', 'killall', 'pgrep'],
  ['swapoff', 'swapon'],
];

/** One entry for several programs that take the same words. */
function each(programs: readonly string[], text: (program: string) => string): readonly Advice[] {
  return programs.map((program) => ({ programs: [program], text: text(program) }));
}

const look = (command: string) => `Look first: \`${command}\`.`;
const planners = ['terraform', 'tofu', 'terragrunt'];
const publishers = ['npm', 'pnpm', 'cargo'];
const engines = ['docker', 'podman'];

const databaseReads: readonly Advice[] = [
  { programs: ['psql'], text: "Read first: `psql -c 'SELECT 1'`." },
  { programs: ['mysql'], text: "Read first: `mysql -e 'SHOW TABLES'`." },
  { programs: ['mariadb'], text: "Read first: `mariadb -e 'SHOW TABLES'`." },
  { programs: ['sqlite3'], text: "Read first: `sqlite3 dev.db '.tables'`." },
  { programs: ['redis-cli'], text: 'Read first: `redis-cli DBSIZE`.' },
  { programs: ['alembic'], text: 'Look at the migrations first: `alembic history`.' },
  { programs: ['prisma'], text: 'Look at the migrations first: `prisma migrate status`.' },
];

const cloudReads: readonly Advice[] = [
  ...each(planners, (program) => `Look at the changes first: \`${program} plan\`.`),
  { programs: ['pulumi'], text: 'Look at the changes first: `pulumi preview`.' },
  { programs: ['gh'], text: 'Look first: `gh pr view`, `gh repo view`.' },
  {
    programs: ['aws'],
    text: 'Look first with a command of the service that lists or describes, such as `aws s3 ls`.',
  },
  { programs: ['gcloud'], text: 'Look first with a command that lists, such as `gcloud projects list`.' },
  { programs: ['az'], text: look('az group list') },
];

const discarded: readonly Advice[] = [
  { programs: ['git'], details: ['stash-drop'], text: 'Look at what was stashed: `git stash list`.' },
  { programs: ['git'], text: 'Set the changes aside instead: `git stash push -u`.' },
];

const signals: readonly Advice[] = [
  { programs: ['kill'], text: 'End what this shell started: `kill %1`.' },
  { programs: ['pkill', 'killall'], text: 'Look at which processes these are: `pgrep -l .`.' },
];

/** By rule; the first entry that fits counts. */
export const advice: Readonly<Record<string, readonly Advice[]>> = {
  mass_deletion: [
    { programs: ['rm'], text: 'Delete by name what a rebuild restores, such as `rm -rf node_modules`.' },
    { programs: ['find'], text: 'Look at what it finds: `find . -name notes.txt`.' },
  ],
  workspace_deletion: [
    { programs: ['rm'], text: 'Delete single files by name: `rm notes.txt`.' },
    { programs: ['find'], text: 'Look at what it finds: `find . -name notes.txt`.' },
  ],
  database_drop: databaseReads,
  database_write: databaseReads,
  cloud_deletion: cloudReads,
  cloud_change: cloudReads,
  deployment: [
    ...each(publishers, (program) => `Try it without publishing: \`${program} publish --dry-run\`.`),
    {
      programs: ['kubectl'],
      text: 'Try it without changing anything: `kubectl apply --dry-run=client -f deploy.yaml`.',
    },
    { programs: ['helm'], text: look('helm list') },
    ...each(engines, (program) => look(`${program} images`)),
    ...cloudReads,
  ],
  container_deletion: [
    ...each(engines, (program) => look(`${program} ps -a`)),
    { programs: ['kubectl'], text: look('kubectl get pods') },
    { programs: ['helm'], text: look('helm list') },
  ],
  container_stop: each(engines, (program) => `Stop the one that is meant: \`${program} stop web\`.`),
  container_privileged: each(
    engines,
    (program) => `Give it the workspace only: \`${program} run --rm -v "$PWD:/work" alpine ls /work\`.`,
  ),
  git_worktree_loss: discarded,
  git_file_discard: discarded,
  git_history_loss: [
    { programs: ['git'], details: ['tag-delete'], text: 'Look at the tags first: `git tag -l`.' },
    { programs: ['git'], details: ['reflog-expire', 'prune'], text: 'Look at it first: `git reflog`.' },
    {
      programs: ['git'],
      details: ['worktree-remove', 'submodule-deinit'],
      text: 'Look at what was not committed: `git status`.',
    },
    { programs: ['git'], text: 'Keep a branch on what is there: `git branch backup`.' },
  ],
  force_push: [
    {
      programs: ['git'],
      details: ['force-push'],
      text: 'Push so that others’ commits are kept: `git fetch origin`, then an ordinary push.',
    },
    { programs: ['git'], text: 'Look at what others have there: `git fetch origin`, then `git branch -r`.' },
  ],
  git_configuration: [{ programs: ['git'], text: 'Look at the settings: `git config --list`.' }],
  service_change: [
    { programs: ['systemctl'], text: look('systemctl status') },
    { programs: ['service'], text: look('service --status-all') },
    { programs: ['swapoff'], text: look('swapon --show') },
    { programs: ['date'], text: look('date') },
    { programs: ['sysctl'], text: look('sysctl -a') },
    { programs: ['timedatectl'], text: look('timedatectl status') },
    { programs: ['hostnamectl'], text: look('hostnamectl status') },
  ],
  force_kill: [
    { programs: ['kill'], text: 'Let it end by itself: `kill %1` ends a job of this shell.' },
    { programs: ['pkill', 'killall'], text: 'Look at which processes these are: `pgrep -l .`.' },
  ],
  process_signal: signals,
  process_attach: each(['strace', 'ltrace'], (program) => `Let it start the program: \`${program} -f ls\`.`),
  every_process: signals,
  world_writable: [
    { programs: ['chmod'], text: 'Give the owner what is needed: `chmod 755 scripts/run.sh`.' },
  ],
  privilege_escalation: [
    {
      programs: ['chown'],
      text: 'Keep files with the account that works on them: `chown "$(id -un)" file`.',
    },
    { programs: ['chmod'], text: 'Leave the special bits out: `chmod 755 scripts/run.sh`.' },
  ],
  system_permissions: [
    { programs: ['chmod'], text: 'Change the one file that is meant: `chmod 644 README.md`.' },
  ],
  persistence: [
    {
      programs: ['crontab'],
      text: 'Look first: `crontab -l`; a script of the workspace can be run when it is needed.',
    },
    { programs: ['systemctl'], text: look('systemctl status') },
  ],
  guard_tampering: [{ programs: ['sallyport'], text: 'Look at what it says: `sallyport status`.' }],
  package_removal: [
    { programs: ['npm'], text: look('npm ls -g') },
    { programs: ['pip', 'pip3'], text: look('pip list') },
    { programs: ['brew'], text: look('brew list') },
  ],
  workspace_secret_read: [{ programs: ['cat'], text: 'Show the names only: `cat .env.example`.' }],
  network_listener: [
    {
      programs: ['http.server'],
      text: 'Listen for this machine alone: `python3 -m http.server --bind 127.0.0.1 8000`.',
    },
  ],
  reverse_shell: [
    { programs: ['nc'], text: 'Check a connection without a shell behind it: `nc -z localhost 8080`.' },
  ],
  raw_disk_write: [
    {
      programs: ['dd'],
      text: 'Write to a file of the workspace: `dd if=/dev/zero of=disk.img bs=1M count=1`.',
    },
  ],
};

/** What to run instead, where something is known for the program that has the effect. */
export function adviceFor(
  rule: string,
  { program, detail = '' }: Pick<Effect, 'program' | 'detail'>,
): string | undefined {
  const entries = Object.hasOwn(advice, rule) ? (advice[rule] ?? []) : [];
  return entries.find(
    ({ programs, details }) =>
      programs.includes(program) && (details === undefined || details.includes(detail)),
  )?.text;
}
