// sallyport credentials: who may call the daemon, and as whom.

import { type ExitCode, exitCodes, namedId, UsageError, visible } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

export const command: Command = {
  usage: [
    'credentials',
    'credentials add [--agent NAME] [--user U] [--tenant T] [--scope decide]',
    'credentials revoke ID',
  ],
  about:
    'Lists, makes or revokes credentials for the HTTP API. A new one is shown once. Scope decide asks for verdicts and sees its\n' +
    'own log; admin sees everything, and needs your passphrase to make. No credential approves.',
  examples: ['credentials', 'credentials add --agent support', 'credentials revoke 01a1'],
  options: {
    agent: { value: 'NAME', help: 'bind it to this agent; default: requests name theirs' },
    user: { value: 'USER', help: 'its user; default: you' },
    tenant: { value: 'TENANT', help: 'its tenant; default: local' },
    scope: { value: 'SCOPE', help: 'decide (default) or admin' },
  },
  async run(call) {
    const { world } = openHome(call);
    const [verb] = call.words;
    if (verb === undefined) return await list(call);
    if (verb === 'add') return await add(call, world.now());
    if (verb === 'revoke') {
      const [, given] = onlyWords(call, ['revoke', 'ID']);
      const id = await withLedger(call, async (ledger) => {
        const ids = (await ledger.credentials.list()).map(({ credential }) => credential);
        const found = namedId(given, ids, { what: 'credential', hint: "see 'sallyport credentials'" });
        await ledger.credentials.revoke(found, world.now());
        return found;
      });
      if (call.flag('json')) call.io.json({ revoked: id });
      else call.io.print(`Revoked: ${id}.`);
      return exitCodes.pass;
    }
    throw new UsageError(`unknown word "${verb}"`, "see 'sallyport credentials --help'");
  },
};

async function list(call: Call): Promise<ExitCode> {
  const all = await withLedger(call, (ledger) => ledger.credentials.list());
  if (call.flag('json')) call.io.json(all);
  else if (all.length === 0) call.io.print('There are no credentials yet; the daemon makes the first.');
  else {
    for (const { credential, scope, user, tenant, agent } of all) {
      const bound = agent === null ? 'any agent' : `agent ${visible(agent)}`;
      call.io.print(`${credential}  ${scope}  ${visible(user)} of ${visible(tenant)}, ${bound}`);
    }
  }
  return exitCodes.pass;
}

async function add(call: Call, now: number): Promise<ExitCode> {
  onlyWords(call, ['add']);
  const scope = call.value('scope') ?? 'decide';
  if (scope !== 'decide' && scope !== 'admin') throw new UsageError('--scope is decide or admin');
  if (scope === 'admin') {
    const { home } = openHome(call);
    requireApprover(home);
    (await unlockHere(call, 'credentials add')).forget();
  }
  const you = localAsker();
  const owner = {
    scope,
    user: call.value('user') ?? you.user,
    tenant: call.value('tenant') ?? you.tenant,
    agent: call.value('agent') ?? null,
  } as const;
  const { token, principal } = await withLedger(call, (ledger) => ledger.credentials.make(owner, now));
  if (call.flag('json')) call.io.json({ ...principal, token });
  else call.io.print(`${principal.credential}\n${token}`);
  return exitCodes.pass;
}
