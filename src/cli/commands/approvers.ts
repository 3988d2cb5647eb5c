// sallyport approvers: whose approval counts on this store, since when, and who vouched for them.

import { type ExitCode, exitCodes, SallyportError, UsageError, visible } from '../../core/index.ts';
import type { ApproverStatement } from '../../core/signing.ts';
import { type ApproverKey, type Ledger, ownerRole } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openConfig, openHome } from '../open.ts';
import { recorderOf, unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

/** No key has this name, or there is nothing to be done about it. */
class UnknownApprover extends SallyportError {}

export const command: Command = {
  usage: [
    'approvers',
    'approvers vouch NAME|KEY [--tenant NAME]',
    'approvers end NAME|KEY',
    'approvers veto',
  ],
  about:
    'Lists the keys that may approve: owner, since when, vouched for by whom. vouch accepts the key of a user, or of another\n' +
    'home on this store; end revokes it. veto stops a waiting passphrase reset. All three ask for your passphrase.',
  examples: ['approvers', 'approvers vouch ann', 'approvers veto'],
  options: { tenant: { value: 'NAME', help: 'with vouch: only for this tenant' } },
  async run(call) {
    const [verb = 'list'] = call.words;
    if (verb === 'list') {
      onlyWords(call, call.words.length === 0 ? [] : ['list']);
      return await list(call);
    }
    if (verb === 'veto') {
      onlyWords(call, ['veto']);
      return await veto(call);
    }
    if (verb !== 'vouch' && verb !== 'end')
      throw new UsageError(`unknown word "${verb}"`, "see 'sallyport approvers --help'");
    const [, name] = onlyWords(call, [verb, 'NAME']);
    return verb === 'vouch' ? await vouch(call, name) : await end(call, name);
  },
};

async function list(call: Call): Promise<ExitCode> {
  const { keys, reset } = await withLedger(
    call,
    async ({ approvers }) => ({ keys: await approvers.list(), reset: await approvers.pendingReset() }),
    'show',
  );
  const { io } = call;
  if (call.flag('json')) {
    io.json({ approvers: keys, reset });
    return exitCodes.pass;
  }
  if (keys.length === 0) io.print("No approver yet. Choose a passphrase: 'sallyport passphrase'.");
  for (const key of keys) io.print(lineOf(key, keys));
  if (reset !== null)
    io.print(
      `A reset of the passphrase of ${visible(reset.name)} waits until ${timeOf(reset.countsFrom)}. Not yours? 'sallyport approvers veto'`,
    );
  return exitCodes.pass;
}

/** One key: what it counts for, since when, and by whose word. */
export function lineOf(key: ApproverKey, all: readonly ApproverKey[]): string {
  const { name, kind, role, tenant, state, since, countsFrom, endedAt } = key;
  const when =
    state === 'waits' && countsFrom !== null
      ? `counts from ${timeOf(countsFrom)}`
      : state === 'ended' && endedAt !== null
        ? `ended ${timeOf(endedAt)}`
        : state;
  const where = tenant === null ? '' : `, tenant ${visible(tenant)}`;
  return `${visible(name)}  ${kind}${role === ownerRole ? '' : `, ${visible(role)}`}${where}  ${shortKey(key.key)}  ${when}  since ${timeOf(since)}, ${originOf(key, all)}`;
}

/** By whose word a key counts. */
function originOf({ origin, vouchedBy }: ApproverKey, all: readonly ApproverKey[]): string {
  if (origin === 'first') return 'the first key of this store';
  if (origin === 'reset') return 'by a reset that was not stopped';
  if (vouchedBy === null) return 'no approver vouched for it';
  const by = all.find((one) => one.key === vouchedBy);
  return `vouched for by ${visible(by?.name ?? 'a key that is gone')} (${shortKey(vouchedBy)})`;
}

/** Enough of a key to know it by. */
function shortKey(key: string): string {
  // The end of a passkey's public part differs; what follows is the origin, which is the same for all.
  const [, spki] = /^passkey\.([\w-]+)\./.exec(key) ?? [];
  return spki === undefined ? key.slice(0, 12) : `passkey ${spki.slice(-12)}`;
}

/** Whether a key begins so, or is shown so. */
function isKeyOf(key: string, given: string): boolean {
  return key.startsWith(given) || shortKey(key).endsWith(given);
}

async function vouch(call: Call, name: string): Promise<ExitCode> {
  const { home, config } = await openConfig(call);
  requireApprover(home);
  return await withLedger(call, async (ledger) => {
    const user = config.users.find((one) => one.name === name);
    const statement =
      user === undefined
        ? proposed(ledger, await keyNamed(ledger, name, ['not vouched for']), call.value('tenant'))
        : ledger.approvers.statement('user', {
            ...{ key: user.passphrase.publicKey, name: user.name, role: user.role },
            tenant: call.value('tenant') ?? user.tenant,
          });
    const { kind, role, tenant, key } = statement;
    call.io.warn(
      `Vouching for ${visible(statement.name)} (${kind}, ${visible(role)}, ${tenant === null ? 'every tenant' : `tenant ${visible(tenant)}`}) with the key ${shortKey(key)}.`,
    );
    const signer = await unlockHere(call, 'approvers vouch', recorderOf(ledger));
    try {
      await ledger.approvers.add(statement, signer, localAsker());
    } finally {
      signer.forget();
    }
    if (call.flag('json')) call.io.json({ key, name: statement.name });
    else call.io.print(`The approval of ${visible(statement.name)} counts now.`);
    return exitCodes.pass;
  });
}

function proposed(ledger: Ledger, key: ApproverKey, tenant: string | undefined): ApproverStatement {
  const { kind, name, role, home, credential } = key;
  return ledger.approvers.statement(kind, {
    ...{ key: key.key, name, role, home, credential, tenant: tenant ?? key.tenant },
  });
}

async function end(call: Call, name: string): Promise<ExitCode> {
  requireApprover(openHome(call).home);
  return await withLedger(call, async (ledger) => {
    const { key } = await keyNamed(ledger, name, ['counts', 'waits']);
    const signer = await unlockHere(call, 'approvers end', recorderOf(ledger));
    try {
      await ledger.approvers.end(key, signer, localAsker());
    } finally {
      signer.forget();
    }
    if (call.flag('json')) call.io.json({ key, ended: true });
    else call.io.print(`The key ${shortKey(key)} does not count any more.`);
    return exitCodes.pass;
  });
}

async function veto(call: Call): Promise<ExitCode> {
  requireApprover(openHome(call).home);
  return await withLedger(call, async (ledger) => {
    const reset = await ledger.approvers.pendingReset();
    if (reset === null) throw new UnknownApprover('no reset waits');
    const signer = await unlockHere(call, 'approvers veto', recorderOf(ledger));
    try {
      await ledger.approvers.veto(reset.key, signer, localAsker());
    } finally {
      signer.forget();
    }
    if (call.flag('json')) call.io.json({ key: reset.key, vetoed: true });
    else call.io.print('The reset is stopped. Your passphrase still counts.');
    return exitCodes.pass;
  });
}

/** The one key of a name, or that begins so; throws `UnknownApprover`. */
async function keyNamed(
  { approvers }: Ledger,
  name: string,
  states: readonly ApproverKey['state'][],
): Promise<ApproverKey> {
  const fitting = (await approvers.list()).filter(
    ({ name: own, key, state }) =>
      states.includes(state) && (own === name || (name.length >= 8 && isKeyOf(key, name))),
  );
  const [found, ...others] = fitting;
  if (found === undefined)
    throw new UnknownApprover(`no key of "${visible(name, 80)}" is ${states.join(' or ')}`, {
      hint: "see 'sallyport approvers'",
    });
  if (others.length > 0)
    throw new UsageError(`there are ${fitting.length} keys of "${visible(name, 80)}"`, 'name one by its key');
  return found;
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}
