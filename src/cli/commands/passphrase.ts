// sallyport passphrase: chooses, changes or replaces the passphrase that approvals ask for.

import {
  type ApproverFile,
  changePassphrase,
  newKey,
  newRecoveryCode,
  prepareHome,
  readApprover,
  recoveryKey,
  type Signer,
  storeKey,
  WrongPassphrase,
} from '../../config/index.ts';
import { type ExitCode, exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import { type ApproverKey, type Ledger, ownerRole } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { askNewSecret, askSecret } from '../secret.ts';
import { openTerminal } from '../terminal.ts';
import { recordedHere, recorderOf, unlockHere } from '../unlock.ts';

/** Nobody chose a passphrase yet. */
export class NoPassphrase extends SallyportError {}

/** Throws with the way out if no passphrase was chosen. */
export function requireApprover(home: string): void {
  if (readApprover(home) === null) {
    throw new NoPassphrase('no passphrase was chosen in this home', {
      hint: "choose one: 'sallyport passphrase'; 'sallyport approvers' lists whose approval counts",
    });
  }
}

export const command: Command = {
  usage: ['passphrase', 'passphrase --recovery-code', 'passphrase --reset [--without-code]'],
  about:
    'Sets or changes the passphrase for approvals, at the terminal only, so that an agent cannot approve. Set it before you\n' +
    'connect a host: a first key made later counts after 24 hours. The printed recovery code replaces a lost passphrase at once\n' +
    '(--reset). Without the code it takes 24 hours, in which the old passphrase can stop it and destructive actions are\n' +
    'blocked. A reset ends open answers and permissions.',
  examples: ['passphrase', 'passphrase --reset'],
  options: {
    'recovery-code': { help: 'print a new recovery code; the old one is void' },
    reset: { help: 'replace a lost passphrase with the recovery code' },
    'without-code': { help: 'with --reset: without the recovery code, after 24 hours' },
  },
  async run(call) {
    onlyWords(call, []);
    const { home } = openHome(call);
    prepareHome(home);
    if (call.flag('without-code') && !call.flag('reset'))
      throw new UsageError('--without-code goes with --reset');
    if (call.flag('reset')) return await reset(call, home);
    if (readApprover(home) === null) return await choose(call, home);
    return call.flag('recovery-code') ? await renewCode(call, home) : await change(call, home);
  },
};

/** Makes the key of this home. It counts at once only if it is the first of the store. */
export async function choose(call: Call, home: string): Promise<ExitCode> {
  const { file, signer } = await newKey(await askNewSecret('New passphrase'));
  return await withLedger(call, async (ledger) => {
    const first = (await ledger.approvers.first()) === null;
    storeKey(home, file, 'in use');
    let key: ApproverKey | null = null;
    try {
      await note(call, ledger, 'passphrase_chosen', file.publicKey);
      if (first) key = await enrol(ledger, signer);
      else await propose(ledger, signer);
    } finally {
      signer.forget();
    }
    const waits = key?.state === 'waits' ? key.countsFrom : null;
    if (call.flag('json')) call.io.json({ changed: false, counts: key?.state === 'counts' });
    else {
      call.io.print('The passphrase is set.');
      if (waits !== null)
        call.io.print(`A host was connected before, so it counts from ${timeOf(waits)} on.`);
      if (!first) await sayWhoVouches(call, ledger);
    }
    return exitCodes.pass;
  });
}

async function change(call: Call, home: string): Promise<ExitCode> {
  const old = await askSecret('Current passphrase');
  const chosen = await askNewSecret('New passphrase');
  const signer = await recordedHere(call, 'passphrase', () => changePassphrase(home, old, chosen));
  return await withLedger(call, async (ledger) => {
    try {
      await note(call, ledger, 'passphrase_changed', signer.publicKey);
      // A home that turned to another store has no key there yet.
      if ((await ledger.approvers.first()) === null) await enrol(ledger, signer);
      else if ((await counts(ledger, signer)) && (await recoveryOf(ledger)) === undefined)
        await printCode(ledger, signer);
    } finally {
      signer.forget();
    }
    if (call.flag('json')) call.io.json({ changed: true });
    else call.io.print('The passphrase is changed.');
    return exitCodes.pass;
  });
}

async function renewCode(call: Call, home: string): Promise<ExitCode> {
  requireApprover(home);
  return await withLedger(call, async (ledger) => {
    const signer = await unlockHere(call, 'passphrase', recorderOf(ledger));
    try {
      const before = await recoveryOf(ledger);
      await printCode(ledger, signer);
      if (before !== undefined) await ledger.approvers.end(before.key, signer, localAsker());
    } finally {
      signer.forget();
    }
    if (call.flag('json')) call.io.json({ recovery_code: 'printed' });
    return exitCodes.pass;
  });
}

/** Puts another key in the place of the owner's. */
async function reset(call: Call, home: string): Promise<ExitCode> {
  return await withLedger(call, async (ledger) => {
    const current = (await ledger.approvers.list()).find(
      ({ kind, state, home: chain }) =>
        kind === 'owner' && state === 'counts' && chain === ledger.audit.chain,
    );
    if (current === undefined) {
      throw new NoPassphrase('no key of this home counts, so there is nothing to replace', {
        hint: "see 'sallyport approvers'",
      });
    }
    const withCode = !call.flag('without-code');
    const code = withCode ? await askSecret('Recovery code') : '';
    const recovery = withCode
      ? await recordedHere(call, 'passphrase --reset', () => rightCode(ledger, code), recorderOf(ledger))
      : null;
    const { file, signer } = await newKey(await askNewSecret('New passphrase'));
    try {
      return await replace(call, { ledger, home, current, file, signer, recovery });
    } finally {
      signer.forget();
      recovery?.forget();
    }
  });
}

/** The key of a recovery code that counts; throws `WrongPassphrase`. */
async function rightCode(ledger: Ledger, code: string): Promise<Signer> {
  const signer = recoveryKey(code);
  if (await counts(ledger, signer)) return signer;
  signer.forget();
  throw new WrongPassphrase('this recovery code does not count: it was replaced, or it is of another home');
}

interface Replacement {
  readonly ledger: Ledger;
  readonly home: string;
  readonly current: ApproverKey;
  readonly file: ApproverFile;
  readonly signer: Signer;
  readonly recovery: Signer | null;
}

async function replace(
  call: Call,
  { ledger, home, current, file, signer, recovery }: Replacement,
): Promise<ExitCode> {
  const { approvers } = ledger;
  const { name, role, tenant } = current;
  const statement = approvers.statement('owner', {
    ...{ key: file.publicKey, name, role, tenant, replaces: current.key },
  });
  if (recovery === null) {
    const { countsFrom } = await approvers.requestReset(statement, signer, localAsker());
    storeKey(home, file, 'waiting');
    if (call.flag('json')) call.io.json({ counts: false, countsFrom });
    else
      call.io.print(
        `The new passphrase counts from ${timeOf(countsFrom)} on. Until then destructive actions are blocked, and the old\n` +
          "passphrase can stop the reset: 'sallyport approvers veto'.",
      );
    return exitCodes.pass;
  }
  await approvers.add(statement, recovery, localAsker());
  storeKey(home, file, 'in use');
  await note(call, ledger, 'passphrase_chosen', file.publicKey);
  await printCode(ledger, signer);
  if (call.flag('json')) call.io.json({ counts: true });
  else call.io.print('The passphrase is replaced. Open answers and permissions of the old one have ended.');
  return exitCodes.pass;
}

/** Makes the first key count, and prints the code that can replace it. */
async function enrol(ledger: Ledger, signer: Signer): Promise<ApproverKey> {
  const key = await ledger.enrolOwner(signer, localAsker());
  if (key.state === 'counts') await printCode(ledger, signer);
  return key;
}

async function propose(ledger: Ledger, signer: Signer): Promise<void> {
  const fields = { key: signer.publicKey, name: localAsker().user, role: ownerRole };
  await ledger.approvers.propose(ledger.approvers.statement('owner', fields), signer, localAsker());
}

/** Records the key of a new recovery code and shows the code at the terminal, once. It is stored nowhere. */
async function printCode(ledger: Ledger, signer: Signer): Promise<void> {
  const own = (await ledger.approvers.list()).find(
    ({ key, state }) => key === signer.publicKey && state === 'counts',
  );
  if (own === undefined) return;
  const { name, role, tenant, home } = own;
  const code = newRecoveryCode();
  const recovery = recoveryKey(code);
  const fields = { key: recovery.publicKey, name, role, tenant, home };
  recovery.forget();
  await ledger.approvers.add(ledger.approvers.statement('recovery', fields), signer, localAsker());
  const terminal = openTerminal('the recovery code is shown at a terminal');
  terminal.write(
    `Recovery code: ${code}\nKeep it on paper: it replaces a lost passphrase, and it is stored nowhere.\n`,
  );
  terminal.close();
}

async function recoveryOf(ledger: Ledger): Promise<ApproverKey | undefined> {
  return (await ledger.approvers.list()).find(
    ({ kind, state, home }) => kind === 'recovery' && state === 'counts' && home === ledger.audit.chain,
  );
}

async function counts(ledger: Ledger, { publicKey }: Signer): Promise<boolean> {
  return (await ledger.approvers.list()).some(({ key, state }) => key === publicKey && state === 'counts');
}

async function sayWhoVouches(call: Call, ledger: Ledger): Promise<void> {
  const owners = (await ledger.approvers.list()).filter(
    ({ state, role }) => state === 'counts' && role === ownerRole,
  );
  const names = [...new Set(owners.map(({ name }) => name))].join(', ');
  call.io.print(
    `It does not count on this store yet: ${names} must vouch for it with 'sallyport approvers vouch ${localAsker().user}'.`,
  );
}

async function note(
  call: Call,
  ledger: Ledger,
  event: 'passphrase_chosen' | 'passphrase_changed',
  publicKey: string,
): Promise<void> {
  const { world } = openHome(call);
  const { user, tenant } = localAsker();
  const details = { public_key: publicKey };
  await ledger.audit.append({ time: world.now(), event_type: event, user, tenant, agent: '', details });
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}
