// sallyport allow: makes a standing permission, out of a question that waits or by itself, signed with the passphrase.

import { hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import {
  anyOf,
  type Context,
  contentEffect,
  exitCodes,
  type Finding,
  fixtureEffect,
  isPermittable,
  longestPauseMs,
  longestPermissionMs,
  type Permission,
  type PermissionTerms,
  permissionsFor,
  SallyportError,
  UsageError,
  usualPermissionMs,
  visible,
  type World,
} from '../../core/index.ts';
import { createDecider, readRequest } from '../../decide/index.ts';
import { plainMessage } from '../../guards/command/error.ts';
import type { Ledger, ProposedPermission } from '../../ledger/index.ts';
import { type Call, type Command, durationOption, flagsOf, onlyWords, wholeNumber } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, type Opened, openConfig, openHome } from '../open.ts';
import { permittedBy, termsOf } from '../permitted.ts';
import { recorderOf, unlockHere } from '../unlock.ts';
import { waitingId } from '../waiting.ts';
import { showAtTerminal } from './approve.ts';
import { requireApprover } from './passphrase.ts';
import { softenableRule } from './rules.ts';

/** No permission can be made of this. */
class NothingToAllow extends SallyportError {}

const reachFlags = { session: 'session', project: 'project', always: 'always' } as const;

export const command: Command = {
  usage: [
    'allow ID [--session | --project | --always] [--for 30d] [--uses N]',
    'allow COMMAND [--project | --always] [--for 30d] [--uses N]',
    'allow --rule RULE [--project | --always] [--for 30d]',
    'allow --effect PATTERN [--project | --always] [--for 30d]',
    'allow --fixture PATH [--for 366d]',
    'allow --content FILE [--project | --always] [--for 366d]',
    'allow --all 10m [--project | --always]',
  ],
  about:
    'Makes a permission, so that you are not asked again: for a waiting question (ID), a command, the questions of one rule, or\n' +
    'effects that match a pattern (* and **). --all answers every question for a short time. The agent contract still asks every\n' +
    'time about pushes, deployments, messages and destruction, and a block stays a block. The passphrase signs the permission.',
  examples: [
    "allow 'cat .env' --for 30d",
    'allow 62gn9rwr --project',
    'allow --rule process_signal --always --for 90d',
    'allow --fixture tests/fixtures --for 366d',
    'allow --content scripts/release.sh --for 366d',
    'allow --all 10m',
  ],
  options: {
    session: { help: 'only for the session that asked' },
    project: { help: 'in this project (default)' },
    always: { help: 'in every project' },
    for: { value: 'TIME', help: 'duration: 30m, 8h, 30d (default), at most 366d' },
    uses: { value: 'N', help: 'maximum number of uses' },
    rule: { value: 'RULE', help: "answer the questions of this rule; see 'sallyport rules list'" },
    effect: { value: 'PATTERN', help: "an effect, such as 'command read /home/ann/shop/fixtures/**'" },
    fixture: {
      value: 'PATH',
      help: 'file or folder with made-up secrets, which may be written there',
    },
    content: {
      value: 'FILE',
      help: "file that you have read: an agent's code in it counts as yours until it changes",
    },
    all: { value: 'TIME', help: 'every question outside the agent contract, for at most 60m' },
    agent: {
      value: 'NAME',
      help: 'only for this agent; default: all, for a question the one that asked',
    },
  },
  async run(call) {
    const terms = termsIn(call);
    const opened = await openConfig(call);
    return await withLedger(call, async (ledger) => {
      const made = isByItself(call)
        ? await makeAlone(call, terms, opened, ledger)
        : await makeNamed(call, terms, opened, ledger);
      if (call.flag('json')) call.io.json({ permissions: made });
      else {
        for (const { id } of made)
          call.io.print(`Allowed: ${id}. To end it: sallyport permissions revoke ${id}`);
      }
      return exitCodes.pass;
    });
  },
};

/** Options that say by themselves what is allowed. */
const alone = ['rule', 'effect', 'fixture', 'content', 'all'] as const;

function isByItself(call: Call): boolean {
  return alone.some((name) => call.value(name) !== undefined);
}

/** How far, how long and how often. */
function termsIn(call: Call): PermissionTerms {
  const chosen = flagsOf(call, Object.keys(reachFlags));
  if (chosen.length > 1) throw new UsageError(`${chosen.join(' and ')} do not mix`);
  const reach = Object.values(reachFlags).find((name) => call.flag(name)) ?? 'project';
  return {
    reach,
    lifeMs: durationOption(call, 'for', longestPermissionMs) ?? usualPermissionMs,
    uses: wholeNumber(call, 'uses', 1, 1_000_000) ?? null,
  };
}

/** A permission that names a rule, a pattern or everything. */
async function makeAlone(
  call: Call,
  terms: PermissionTerms,
  opened: Opened,
  ledger: Ledger,
): Promise<readonly Permission[]> {
  onlyWords(call, []);
  const given = alone.filter((name) => call.value(name) !== undefined);
  if (given.length > 1) throw new UsageError(`--${given.join(' and --')} do not mix`);
  if (call.flag('session'))
    throw new UsageError('--session goes with a question', "see 'sallyport approvals'");
  const pauseMs = durationOption(call, 'all', longestPauseMs);
  if (pauseMs !== undefined && call.value('for') !== undefined)
    throw new UsageError('--all has its own time');
  const { world } = opened;
  const now = world.now();
  const context = contextHere(call, opened);
  const what = await coveredBy(call, context.workspace, world);
  const { user, tenant, agent, workspace } = context;
  const proposed: ProposedPermission = {
    ...what,
    ...{ user, tenant, agent },
    workspace: terms.reach === 'always' ? anyOf : workspace,
    session: null,
    createdAt: now,
    expiresAt: now + (pauseMs ?? terms.lifeMs),
    uses: terms.uses,
  };
  return await makeSigned(call, ledger, [proposed], now);
}

/** Shows what would be allowed, and makes it once the person has signed. */
async function makeSigned(
  call: Call,
  ledger: Ledger,
  proposed: readonly ProposedPermission[],
  now: number,
): Promise<readonly Permission[]> {
  preview(call, proposed);
  return await sign(call, ledger, (signer) => ledger.permissions.make(proposed, signer, now));
}

function preview(call: Call, proposed: readonly ProposedPermission[]): void {
  if (call.flag('json')) return;
  call.io.print('This will be allowed:');
  for (const line of proposed.flatMap(termsOf)) call.io.print(`  ${line}`);
}

async function coveredBy(
  call: Call,
  workspace: string,
  world: World,
): Promise<Pick<Permission, 'covers' | 'effect' | 'says'>> {
  const rule = call.value('rule');
  if (rule !== undefined) {
    await softenableRule(call, rule);
    return { covers: 'rule', effect: rule, says: rule };
  }
  const named = call.value('fixture');
  if (named !== undefined) {
    const effect = fixtureIn(call, named, workspace, world);
    return { covers: 'effect', effect, says: effect };
  }
  const file = call.value('content');
  if (file !== undefined) return acceptedIn(call, file, world);
  const effect = call.value('effect');
  if (effect === undefined) return { covers: 'everything', effect: anyOf, says: anyOf };
  if (/^[\s*]*$/.test(effect))
    throw new UsageError('--effect must name more than "*"', "see 'sallyport allow --all'");
  return { covers: 'pattern', effect, says: effect };
}

/** What marks a file or a folder of the project as one of made-up secrets. */
function fixtureIn(call: Call, named: string, workspace: string, world: World): string {
  if (call.flag('always')) throw new UsageError('--fixture is of one project; leave out --always');
  const path = resolve(call.io.folder(), named);
  const real = world.realPath(path) ?? path;
  if (!real.startsWith(`${workspace}/`))
    throw new UsageError(`--fixture names a file or a folder inside ${visible(workspace)}`);
  const isFolder = world.look(real)?.type === 'folder';
  return fixtureEffect(real.slice(workspace.length + 1), isFolder);
}

/** What accepts the content of a file as it is now. */
function acceptedIn(call: Call, named: string, world: World): Pick<Permission, 'covers' | 'effect' | 'says'> {
  if (call.value('uses') !== undefined) throw new UsageError('--content and --uses do not mix');
  const text = textAt(resolve(call.io.folder(), named), world);
  if (text === null) throw new UsageError(`${visible(named)} is no file that can be read as text`);
  return { covers: 'effect', effect: contentEffect(hash('sha256', text)), says: `run ${named} as it is now` };
}

function textAt(path: string, world: World): string | null {
  const real = world.realPath(path);
  return real !== null && world.look(real)?.type === 'file' ? world.readText(real) : null;
}

/** A permission for a question that waits, or for what a command would be asked about. */
async function makeNamed(
  call: Call,
  terms: PermissionTerms,
  opened: Opened,
  ledger: Ledger,
): Promise<readonly Permission[]> {
  const [given] = onlyWords(call, ['ID or COMMAND']);
  const { world } = opened;
  const waiting = await ledger.approvals.pending({}, world.now());
  if (waiting.some(({ id }) => id.startsWith(given))) {
    const id = waitingId(call, given, waiting);
    const approval = await ledger.approvals.show(id, {}, world.now());
    const asked = (approval.question?.findings ?? []).filter(({ decision }) => decision === 'approve');
    requirePermittable(asked, `approve it once: sallyport approve ${id}`);
    if (!call.flag('json')) await showAtTerminal(call, approval, world.now());
    preview(call, permittedBy(approval, world.now(), terms));
    const by = localAsker().user;
    const answered = await sign(call, ledger, (signer) =>
      ledger.approveForGood(id, by, signer, {}, terms, world.now()),
    );
    return answered.permissions;
  }
  const context = contextHere(call, opened);
  const asked = await questionsAbout(given, context, opened, ledger);
  const now = world.now();
  return await makeSigned(call, ledger, permissionsFor(asked, context, terms, now), now);
}

/** What a person would be asked about a command; throws where that is nothing, or nothing that can be allowed. */
async function questionsAbout(
  command: string,
  { agent, workspace }: Context,
  { config, world }: Opened,
  ledger: Ledger,
): Promise<readonly Finding[]> {
  const action = { kind: 'shell', command, context: { workspace, ...(agent === anyOf ? {} : { agent }) } };
  const request = await readRequest(action, { asker: localAsker(), folder: workspace, config, world });
  const decider = createDecider({ config, world, ledger }).under({ dry: true });
  const { verdict } = await decider.decide(request.action, request.context);
  if (verdict.decision === 'block') {
    throw new NothingToAllow(`this is blocked, and no permission lifts a block: ${verdict.explanation}`);
  }
  const asked = verdict.findings.filter(({ decision }) => decision === 'approve');
  if (asked.length === 0)
    throw new NothingToAllow('this command needs no approval: it passes already', {
      hint: `see 'sallyport test'`,
    });
  requirePermittable(asked, 'approve it when it is asked: sallyport approvals');
  return asked;
}

/** Throws where one of the questions is asked every time. */
function requirePermittable(asked: readonly Finding[], hint: string): void {
  const reserved = asked.find((finding) => !isPermittable(finding));
  if (reserved === undefined) return;
  const { rule, contract } = reserved;
  const message = plainMessage(reserved);
  throw new NothingToAllow(
    `${rule} asks every time${contract === undefined ? '' : ` (${contract} of the agent contract)`}: ${message}`,
    { hint },
  );
}

/** The person at this terminal, for all of their agents unless one is named, in the project around this folder. */
function contextHere(call: Call, { world }: Opened): Context {
  const { user, tenant } = localAsker();
  const folder = world.realPath(call.io.folder()) ?? call.io.folder();
  const workspace = projectAround(folder, (path) => world.realPath(path) !== null);
  return { user, tenant, agent: call.value('agent') ?? anyOf, session: anyOf, workspace, mode: 'default' };
}

/** The nearest folder above that holds a repository; the folder itself where none does. */
function projectAround(folder: string, isThere: (path: string) => boolean): string {
  for (let at = folder; ; at = dirname(at)) {
    if (isThere(`${at}/.git`)) return at;
    if (dirname(at) === at) return folder;
  }
}

type Signing = Awaited<ReturnType<typeof unlockHere>>;

async function sign<T>(call: Call, ledger: Ledger, work: (signer: Signing) => Promise<T>): Promise<T> {
  requireApprover(openHome(call).home);
  const signer = await unlockHere(call, 'allow', recorderOf(ledger));
  try {
    return await work(signer);
  } finally {
    signer.forget();
  }
}
