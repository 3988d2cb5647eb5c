// Whose approval counts, since when and by whose word; and the passkeys of this browser.

import { useCallback, useState, useSyncExternalStore } from 'react';
import { type AnswerOf, type ApproverKey, session } from '../api.ts';
import { checkEnding, checkPasskey } from '../checks.ts';
import { useEntries } from '../events.ts';
import { Act, Badge, Empty, Notices, Shown, Time, useAsked, useDoing, useMay } from '../parts.tsx';
import { makePasskey, passkeysHere, passkeysWork } from '../passkeys.ts';
import { askSigned, heldKey, requireKey, type SignedCall } from '../signing.ts';
import { OtherAddress } from '../unlock.tsx';

const adding = 'POST /v1/approvers/passkeys';
const ending = 'POST /v1/approvers/end';
type Listed = AnswerOf<'GET /v1/approvers'>;

/** The keys that the log knows, and a reset that waits; asked for again when one of them changes. */
export function useApprovers() {
  const asked = useAsked('GET /v1/approvers');
  const { again } = asked;
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type.startsWith('approver_'))) again();
      },
      [again],
    ),
  );
  return asked;
}

export function Approvers() {
  const { data, error, again } = useApprovers();
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const may = useMay(adding);
  const keys = data?.approvers ?? [];
  const mayEnd = useMay(ending);
  const end = ({ key }: ApproverKey) =>
    doing.run(async () => {
      await endKey(keys, key);
      again();
      setSaid('The passkey does not count any more, and its sessions have ended.');
    });
  const add = () =>
    doing.run(async () => {
      await addPasskey(keys);
      again();
      setSaid('The passkey counts. Approvals on this page now take one touch.');
    });
  return (
    <>
      <p className="dim small">
        An approval counts if one of these keys signed it. The first key was made before an agent was
        connected; every later key counts because a key that counts signed for it. To end a key that is no
        passkey, run <code>sallyport approvers end</code> at a terminal.
      </p>
      {data?.approvers.length === 0 && (
        <Empty>
          No approver yet. Choose a passphrase: <code>sallyport passphrase</code>
        </Empty>
      )}
      {keys.length > 0 && <Keys keys={keys} end={mayEnd ? end : null} busy={doing.busy} />}
      <section className="panel stack" aria-labelledby="this-browser">
        <h3 id="this-browser">This browser</h3>
        <OpenHere />
        <OtherAddress />
        <PasskeysHere keys={keys} />
        {may && passkeysWork() && (
          <p>
            <Act className="primary" busy={doing.busy} act={add}>
              Add a passkey
            </Act>
          </p>
        )}
      </section>
      <Notices said={said} problem={error ?? doing.error} />
    </>
  );
}

/** The key that the passphrase opens, after the person was asked for it. */
async function ownKey(keys: readonly ApproverKey[], purpose: string): Promise<ApproverKey> {
  const opened = await requireKey(purpose);
  const name = session.name();
  const own = keys.find(
    ({ key, kind, name: whose, state }) =>
      state === 'counts' && (name === null ? key === opened.publicKey : kind === 'user' && whose === name),
  );
  if (own === undefined)
    throw new Error('Your own key does not count on this store, so it cannot sign this.');
  return own;
}

/** Has the passphrase end a key. */
async function endKey(keys: readonly ApproverKey[], key: string): Promise<void> {
  const purpose = 'end the passkey';
  const { key: by } = await ownKey(keys, purpose);
  const check: SignedCall['check'] = (needed, now) => checkEnding(needed, 'ending', key, now);
  await askSigned('POST /v1/approvers/end', { body: { key, by } }, { purpose, passkeys: false, check });
}

/** Has the passphrase stop a reset that waits. */
async function stopReset(keys: readonly ApproverKey[], key: string): Promise<void> {
  const purpose = 'stop the reset';
  const { key: by } = await ownKey(keys, purpose);
  const check: SignedCall['check'] = (needed, now) => checkEnding(needed, 'veto', key, now);
  await askSigned('POST /v1/approvers/veto', { body: { key, by } }, { purpose, passkeys: false, check });
}

/** A button that stops a reset, for the owner. */
export function StopReset({ listed, again }: { listed: Listed; again: () => void }) {
  const doing = useDoing();
  const { reset, approvers } = listed;
  // Only the owner stops a reset of the owner's passphrase.
  if (session.name() !== null || reset === null) return null;
  const stop = () =>
    doing.run(async () => {
      await stopReset(approvers, reset.key);
      again();
    });
  return (
    <>
      <Act className="no" busy={doing.busy} act={stop}>
        Stop the reset
      </Act>
      {doing.error !== undefined && <Notices said="" problem={doing.error} />}
    </>
  );
}

/** Makes a passkey and has the passphrase vouch for it. */
async function addPasskey(keys: readonly ApproverKey[]): Promise<void> {
  const own = await ownKey(keys, 'add a passkey');
  const counting = keys.filter(({ state }) => state === 'counts');
  const isOwn = (one: ApproverKey) =>
    one.kind === 'passkey' && one.home === own.home && one.name === own.name;
  const others = counting.filter(isOwn).flatMap(({ credential }) => credential ?? []);
  const made = await makePasskey(own, others);
  const body = { public_key: made.publicKey, credential: made.credential, by: own.key };
  await askSigned(
    adding,
    { body },
    {
      purpose: 'add a passkey',
      passkeys: false,
      check: (needed, now) => checkPasskey(needed, { ...made, origin: location.origin, owner: own }, now),
    },
  );
  passkeysHere.add(made.credential);
}

const weights = { counts: 'pass', waits: 'approve', ended: '', 'not vouched for': 'block' } as const;

/** Ends a key; null where the person may not. */
type End = ((key: ApproverKey) => void) | null;

function Keys({ keys, end, busy }: { keys: readonly ApproverKey[]; end: End; busy: boolean }) {
  const ended = keys.filter(({ state }) => state === 'ended');
  const others = keys.filter(({ state }) => state !== 'ended');
  return (
    <>
      <KeyTable caption="Keys" keys={others} all={keys} end={end} busy={busy} />
      {ended.length > 0 && (
        <details>
          <summary>
            {ended.length} {ended.length === 1 ? 'key has' : 'keys have'} ended
          </summary>
          <KeyTable caption="Keys that have ended" keys={ended} all={keys} end={null} busy={busy} />
        </details>
      )}
    </>
  );
}

function KeyTable({
  caption,
  keys,
  all,
  end,
  busy,
}: {
  caption: string;
  keys: readonly ApproverKey[];
  all: readonly ApproverKey[];
  end: End;
  busy: boolean;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="panel wide keys-table" tabIndex={0} aria-label={`${caption}, a table`}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Whose</th>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">Since</th>
            <th scope="col">Vouched for by</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={`${key.key} ${key.since}`}>
              <th scope="row">
                <strong>
                  <Shown text={key.name} limit={60} />
                </strong>{' '}
                <span className="dim">{rightsOf(key)}</span>
              </th>
              <td data-label="Key">
                {kindOf(key)} <code>{shortOf(key)}</code>{' '}
                {end !== null && key.kind === 'passkey' && key.state === 'counts' && (
                  <Act
                    className="no"
                    busy={busy}
                    act={() => end(key)}
                    aria-label={`End the passkey ${shortOf(key)} of ${key.name}`}
                  >
                    End
                  </Act>
                )}
              </td>
              <td data-label="State">
                <Badge decision={weights[key.state]} word={key.state} />
                {key.state === 'waits' && key.countsFrom !== null && (
                  <>
                    {' '}
                    from <Time at={key.countsFrom} dated />
                  </>
                )}
              </td>
              <td data-label="Since">
                <Time at={key.since} dated />
              </td>
              <td data-label="Vouched for by">
                <Voucher of={key} all={all} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Voucher({ of, all }: { of: ApproverKey; all: readonly ApproverKey[] }) {
  if (of.vouchedBy === null) return of.state === 'not vouched for' ? 'nobody' : 'the first key of this store';
  const by = all.find(({ key }) => key === of.vouchedBy);
  return by === undefined ? (
    'a key that is gone'
  ) : (
    <>
      <Shown text={by.name} limit={60} /> <code>{shortOf(by)}</code>
    </>
  );
}

function rightsOf({ role, tenant }: ApproverKey): string {
  return tenant === null ? role : `${role}, tenant ${tenant}`;
}

const kinds: Readonly<Record<ApproverKey['kind'], string>> = {
  owner: 'passphrase',
  user: 'passphrase',
  recovery: 'recovery code',
  passkey: 'passkey',
};

function kindOf(key: ApproverKey): string {
  return isHere(key) ? 'passkey of this browser' : kinds[key.kind];
}

function isHere({ credential }: ApproverKey): boolean {
  return credential !== null && passkeysHere.list().includes(credential);
}

/** Enough of a key to know it by; passkeys by the id that the browser gave them. */
function shortOf({ key, credential }: ApproverKey): string {
  return (credential ?? key).slice(0, 12);
}

/** Whether the key is open in this tab, and a button that closes it. */
function OpenHere() {
  const open = useSyncExternalStore(heldKey.watch, heldKey.isOpen);
  return open ? (
    <p>
      Your key is open in this tab. It is forgotten after 30 minutes without use, and when you sign out.{' '}
      <Act act={() => heldKey.forget()}>Close the key</Act>
    </p>
  ) : (
    <p>Your key is closed. The page asks for the passphrase or a passkey when you approve something.</p>
  );
}

function PasskeysHere({ keys }: { keys: readonly ApproverKey[] }) {
  if (!passkeysWork()) return null;
  const usable = keys.filter((key) => key.state === 'counts' && isHere(key));
  return (
    <p>
      {usable.length === 0
        ? 'This browser has no passkey. With one, each approval takes one touch and no passphrase.'
        : `This browser has ${usable.length === 1 ? 'a passkey' : `${usable.length} passkeys`}: each approval takes one touch.`}
    </p>
  );
}
