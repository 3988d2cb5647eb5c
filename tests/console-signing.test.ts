// What the console signs and with what: it opens the keys that the command line makes, and signs nothing that the person was
// not shown.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  checkAnswer,
  checkApply,
  checkEnding,
  checkPasskey,
  checkPolicies,
  type Needed,
  NotAsShown,
  type PolicyEdit,
} from '../console/src/checks.ts';
import { idleMs, KeyHolder, loginKey, openWrapped, signWith, stretch, userKey } from '../console/src/keys.ts';
import { type Asked, readQuestion } from '../console/src/question.ts';
import {
  createApprover,
  existingFile,
  hashPassphrase,
  leastCost,
  prepareHome,
  readApprover,
  verifySignature,
} from '../src/config/index.ts';
import { readVerifier } from '../src/config/users.ts';
import {
  type ApproverStatement,
  answerPayload,
  approverPayload,
  type Context,
  canonicalJson,
  endingPayload,
  type Finding,
  type JsonValue,
  type Payload,
  passkeyName,
  purposes,
  sessionPayload,
} from '../src/core/index.ts';
import { type PermissionTerms, permissionsFor } from '../src/core/permission.ts';
import { questionText } from '../src/ledger/approvals.ts';
import { digestOf } from '../src/ledger/index.ts';
import { withIds } from '../src/ledger/permissions.ts';
import { temporaryFolder } from './support/ledger.ts';

const passphrase = 'correct horse battery staple';
const payload = sessionPayload('challenge');

async function newHome(secret = passphrase) {
  const home = temporaryFolder();
  prepareHome(home);
  await createApprover(home, secret, leastCost);
  const approver = readApprover(home);
  if (approver === null) throw new Error('there is no approver');
  return { home, approver, file: existingFile(home) };
}

describe('keys in the browser', () => {
  it('are those that the command line made, and cannot be read', async () => {
    const { approver, file } = await newHome();
    const stretched = await stretch(passphrase, approver.kdf);
    const login = await loginKey(stretched);
    expect(verifySignature(approver.login ?? '', payload, await signWith(login, payload))).toBe(true);
    const { key, publicKey } = await openWrapped(file, stretched);
    expect(publicKey).toBe(approver.publicKey);
    expect(verifySignature(approver.publicKey, payload, await signWith(key, payload))).toBe(true);
    for (const one of [login, key]) {
      expect(one.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('pkcs8', one)).rejects.toThrow();
    }
  });

  it('of a user come of the passphrase itself, in its normal form', async () => {
    const kept = readVerifier(await hashPassphrase('\ufb01nd the \u2163th key', leastCost));
    if (kept === undefined) throw new Error('nothing was kept');
    const key = await userKey(await stretch('find the IVth key', kept));
    expect(verifySignature(kept.publicKey, payload, await signWith(key, payload))).toBe(true);
    const wrong = await userKey(await stretch('find the Vth key', kept));
    expect(verifySignature(kept.publicKey, payload, await signWith(wrong, payload))).toBe(false);
  });

  it('do not open with another passphrase, or once anything in their file was changed', async () => {
    const { file } = await newHome();
    const other = await newHome();
    const stretched = await stretch(passphrase, file.kdf);
    await expect(openWrapped(file, await stretch('another passphrase', file.kdf))).rejects.toThrow(
      'cannot be opened',
    );
    for (const changed of [
      { version: 1 },
      { publicKey: other.file.publicKey },
      { login: other.file.login },
      { createdAt: '2020-01-01T00:00:00.000Z' },
      { kdf: { ...file.kdf, N: 32_768 } },
      { kdf: { ...file.kdf, salt: other.file.kdf.salt } },
      { wrapped: other.file.wrapped },
      { wrapped: '' },
    ])
      await expect(openWrapped({ ...file, ...changed }, stretched)).rejects.toThrow('cannot be opened');
    for (const nothing of [null, undefined, 'key', {}, []])
      await expect(openWrapped(nothing, stretched)).rejects.toThrow('cannot be opened');
  });

  const salt = 'A'.repeat(22);
  it.each([
    [{ N: 1024, r: 8, p: 1, salt }, 'cheap enough to guess'],
    [{ N: 16_383, r: 8, p: 1, salt }, 'no power of two'],
    [{ N: 524_288, r: 8, p: 1, salt }, 'more than a machine should do'],
    [{ N: 16_384, r: 1, p: 1, salt }, 'too little memory'],
    [{ N: 16_384, r: 8, p: 0, salt }, 'nothing done'],
    [{ N: 16_384, r: 8, p: 5, salt }, 'too much done'],
    [{ N: 16_384, r: 8, p: 1, salt: '' }, 'no salt'],
    [{ N: 16_384, r: 8, p: 1, salt: 'AAAA' }, 'a short salt'],
    [{ N: '16384', r: 8, p: 1, salt }, 'a text'],
    [null, 'nothing'],
  ] as readonly (readonly [unknown, string])[])('are not stretched as %j says: %s', async (kdf) => {
    await expect(stretch(passphrase, kdf)).rejects.toThrow('not safe');
  });
});

describe('a key that is open', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function held() {
    const key = await userKey(crypto.getRandomValues(new Uint8Array(32)));
    const holder = new KeyHolder();
    holder.hold({ key, publicKey: null });
    return holder;
  }

  it('closes after half an hour without use, by its timer', async () => {
    const holder = await held();
    const told = vi.fn();
    holder.watch(told);
    vi.advanceTimersByTime(idleMs - 1);
    expect(holder.isOpen()).toBe(true);
    await holder.sign(payload);
    vi.advanceTimersByTime(idleMs - 1);
    expect(holder.isOpen()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(holder.isOpen()).toBe(false);
    expect(told).toHaveBeenCalledOnce();
    await expect(holder.sign(payload)).rejects.toThrow('the key is closed');
  });

  it.each([
    [idleMs, 'half an hour on'],
    [-1, 'back'],
  ])('signs nothing when the clock is %i ms further and no timer ran: %s', async (ms) => {
    const holder = await held();
    vi.setSystemTime(Date.now() + ms);
    await expect(holder.sign(payload)).rejects.toThrow('the key is closed');
    expect(holder.current()).toBe(null);
  });

  it('closes when it is told to', async () => {
    const holder = await held();
    holder.forget();
    expect(holder.current()).toBe(null);
    await expect(holder.sign(payload)).rejects.toThrow('the key is closed');
  });
});

// ── what is signed

const now = 1_800_000_000_000;
const context: Context = {
  ...{ user: 'ann', tenant: 'acme', agent: 'claude', session: 's', workspace: '/w', mode: 'auto' },
};
const finding: Finding = {
  ...{ rule: 'host_not_allowed', guard: 'fetch', decision: 'approve', message: 'not on the list' },
  grant: 'fetch https://example.com:443',
};
const fetching = { kind: 'fetch', url: 'https://example.com/' } as const;

/** A question as the daemon shows it, and what it then wants signed. */
function question(
  action: Parameters<typeof questionText>[1]['action'] = fetching,
  findings: readonly Finding[] = [finding],
) {
  const bound = digestOf('what the answer is bound to');
  const text = questionText('abcd2345', { action, context, findings }, bound);
  const asked = readQuestion(text, 'abcd2345');
  if (asked === null) throw new Error('the question cannot be read');
  return asked;
}

/** A permission in the project for so many seconds; null for once. */
const forSeconds = (seconds: number): PermissionTerms | null =>
  seconds === 0 ? null : { reach: 'project', lifeMs: seconds * 1000, uses: null };

function answerTo({ id, bound, text, digest, findings }: Asked, seconds = 0, at = now): Needed {
  const chosen = forSeconds(seconds);
  const permissions = chosen === null ? [] : withIds(id, permissionsFor(findings, context, chosen, at));
  const said = answerPayload({ id, bound, shown: digest, at, until: at + 1_800_000, permissions });
  return { payload: JSON.parse(JSON.stringify(said)), at, text };
}

/** The same with one member of the payload replaced. */
const replaced = ({ payload: old, ...rest }: Needed, index: number, value: unknown): Needed => ({
  ...rest,
  payload: (old as unknown[]).toSpliced(index, 1, value),
});

describe('a question', () => {
  it('is read from the text that is signed', () => {
    expect(question()).toMatchObject({ action: fetching, context, findings: [finding] });
    expect(question().digest).toBe(digestOf(question().text));
  });

  it('is not read from a text that is another, or that could be read in two ways', () => {
    const { text, id } = question();
    expect(readQuestion(text, 'other234')).toBe(null);
    expect(readQuestion(` ${text}`, id)).toBe(null);
    const twice = text.replace('"kind":"fetch"', '"kind":"read","kind":"fetch"');
    expect(JSON.parse(twice)).toEqual(JSON.parse(text));
    expect(readQuestion(twice, id)).toBe(null);
    for (const broken of [
      '',
      'null',
      '[]',
      '{}',
      canonicalJson({ id, action: {}, context: {}, findings: [] }),
    ])
      expect(readQuestion(broken, id)).toBe(null);
  });
});

describe('an approval', () => {
  it('is signed as it was shown, once or with the permission that was chosen', () => {
    const asked = question();
    const once = answerTo(asked);
    expect(checkAnswer(once, { asked, terms: forSeconds(0) }, now)).toEqual(once.payload);
    const anHour = answerTo(asked, 3600);
    expect(checkAnswer(anHour, { asked, terms: forSeconds(3600) }, now + 60_000)).toEqual(anHour.payload);
  });

  const asked = question();
  const other = question({ kind: 'fetch', url: 'https://evil.example/' });
  const anHour = answerTo(asked, 3600);
  const [permission] = (anHour.payload as unknown[])[6] as unknown[][];
  const widened = (index: number, value: unknown) =>
    replaced(anHour, 6, [(permission ?? []).toSpliced(index, 1, value)]);
  const lies: readonly (readonly [string, Needed, number?])[] = [
    ['another purpose', replaced(answerTo(asked), 0, purposes.policies)],
    ['another question', replaced(answerTo(asked), 1, 'other234')],
    ['another action behind the text', replaced(answerTo(asked), 2, digestOf('another'))],
    ['the digest of another text', replaced(answerTo(asked), 3, other.digest)],
    ['another text and its digest', answerTo(other)],
    ['another text beside it', { ...answerTo(asked), text: other.text }],
    ['no text', { ...answerTo(asked), text: null }],
    ['a time that is not now', answerTo(asked, 0, now + 121_000)],
    ['a time long ago', answerTo(asked, 0, now - 121_000)],
    ['a time that is not the one of the header', { ...answerTo(asked), at: now + 1 }],
    ['a time that is a text', { ...replaced(answerTo(asked), 4, String(now)), at: String(now) }],
    ['an end that is too far', replaced(answerTo(asked), 5, now + 604_800_001)],
    ['an end in the past', replaced(answerTo(asked), 5, now)],
    ['no end', replaced(answerTo(asked), 5, null)],
    ['a permission that nobody chose', answerTo(asked, 3600)],
    ['no list of permissions', replaced(answerTo(asked), 6, null)],
    ['no permission where one was chosen', answerTo(asked), 3600],
    ['a longer permission', answerTo(asked, 86_400), 3600],
    ['a second permission', replaced(anHour, 6, [permission, permission]), 3600],
    ['a permission of another effect', widened(1, 'fetch https://evil.example:443'), 3600],
    ['a permission for another user', widened(2, 'eve'), 3600],
    ['a permission for another tenant', widened(3, 'other'), 3600],
    ['a permission for another agent', widened(4, 'mallory'), 3600],
    ['a permission for another workspace', widened(5, '/'), 3600],
    ['a permission that began earlier', widened(6, now - 1), 3600],
    ['a permission that ends later', widened(7, now + 3_600_001), 3600],
    ['a permission with an id that is no id', widened(0, {}), 3600],
    ['a member more', { ...answerTo(asked), payload: [...(answerTo(asked).payload as unknown[]), 1] }],
    ['nothing', { payload: undefined, at: undefined, text: undefined }],
  ];
  it.each(lies.map(([lie, needed, seconds = 0]) => ({ lie, needed, seconds })))(
    'is not signed with $lie',
    ({ needed, seconds }) => {
      expect(() => checkAnswer(needed, { asked, terms: forSeconds(seconds) }, now)).toThrow(NotAsShown);
    },
  );

  it('is not signed with a permission where the question takes none', () => {
    const { grant: _, ...asksEachTime } = finding;
    const mixed = question(fetching, [finding, asksEachTime]);
    expect(() => checkAnswer(answerTo(mixed, 3600), { asked: mixed, terms: forSeconds(3600) }, now)).toThrow(
      NotAsShown,
    );
  });

  it('is not signed with any other value in any place', () => {
    const honest = answerTo(asked);
    const members = honest.payload as unknown[];
    fc.assert(
      fc.property(fc.nat(6), fc.jsonValue(), (index, value) => {
        fc.pre(canonicalJson(value) !== canonicalJson(members[index] as JsonValue));
        // Of the end alone another value may be right: any time within seven days.
        fc.pre(index !== 5 || !(typeof value === 'number' && value > now));
        expect(() =>
          checkAnswer(replaced(honest, index, value), { asked, terms: forSeconds(0) }, now),
        ).toThrow(NotAsShown);
      }),
    );
  });
});

describe('applying a change', () => {
  const change = {
    ...{ user: 'ann', agent: 'claude', workspace: '/w' },
    files: [
      { path: 'a.ts', to: null, op: 'edit', hunks: [{ decision: 'accept' }, { decision: 'reject' }] },
      { path: 'no.ts', to: null, op: 'create', hunks: [{ decision: 'reject' }] },
      { path: 'open.ts', to: null, op: 'create', hunks: [{ decision: null }] },
      { path: 'gone.ts', to: null, op: 'delete', hunks: [{ decision: 'accept' }] },
      { path: 'old.ts', to: 'new.ts', op: 'rename', hunks: [{ decision: 'accept' }] },
    ],
  } as const;
  const accepted = [
    { op: 'edit', path: 'a.ts', content: 'a' },
    { op: 'delete', path: 'gone.ts' },
    { op: 'delete', path: 'old.ts' },
    { op: 'create', path: 'new.ts', content: 'n' },
  ] as const;
  const writing = (changes: readonly object[]) =>
    answerTo(question({ kind: 'write', changes } as unknown as typeof fetching));

  it('is signed for the files that were accepted', () => {
    expect(checkApply(writing(accepted), change, now)).toEqual(writing(accepted).payload);
    // Hunks that nobody decided about are written where the configuration says so.
    const undecided = writing([...accepted, { op: 'create', path: 'open.ts', content: '' }]);
    expect(checkApply(undecided, change, now)).toEqual(undecided.payload);
  });

  it.each<readonly [string, Needed]>([
    ['a file that is not shown', writing([...accepted, { op: 'create', path: 'evil.ts', content: '' }])],
    ['a file that was rejected', writing([...accepted, { op: 'create', path: 'no.ts', content: '' }])],
    ['a file missing', writing(accepted.slice(1))],
    ['a file twice', writing([...accepted, accepted[0]])],
    [
      'a file deleted that is shown as edited',
      writing([{ op: 'delete', path: 'a.ts' }, ...accepted.slice(1)]),
    ],
    [
      'a file kept that is shown as deleted',
      writing([...accepted.slice(0, 1), { op: 'edit', path: 'gone.ts' }, ...accepted.slice(2)]),
    ],
    ['nothing written', writing([])],
    ['another kind of action', answerTo(question())],
    ['a grant', answerTo(question(), 3600)],
    ['no text', { ...writing(accepted), text: null }],
    ['a text that is not the one signed', { ...writing(accepted), text: question().text }],
  ])('is not signed with %s', (_, needed) => {
    expect(() => checkApply(needed, change, now)).toThrow(NotAsShown);
  });

  it.each(['user', 'agent', 'workspace'] as const)('is not signed for another %s', (name) => {
    expect(() => checkApply(writing(accepted), { ...change, [name]: 'other' }, now)).toThrow(NotAsShown);
  });
});

describe('a change of the policies', () => {
  const policy = (id: string, text = `forbid ${id}`, version = '3') => ({
    ...{ id, text, version, updatedAt: now - 5000, updatedBy: 'bob' },
  });
  const made = (id: string, text: string) => ({ id, text, version: '8', updatedAt: now, updatedBy: 'ann' });
  const edit = (change: PolicyEdit['change']): PolicyEdit => ({
    ...{ version: '7', user: 'ann', change },
    policies: [policy('a'), policy('b')].map((one) => ({
      ...one,
      updatedAt: new Date(one.updatedAt).toISOString(),
    })),
  });
  const needed = (policies: readonly JsonValue[], number = 8): Needed => ({
    payload: [purposes.policies, number, canonicalJson(policies)],
    at: now,
    text: null,
  });
  const a2 = made('a', 'permit a');

  it.each<readonly [string, PolicyEdit['change'], readonly JsonValue[]]>([
    ['a new one', { put: { id: 'c', text: 'forbid c' } }, [policy('a'), policy('b'), made('c', 'forbid c')]],
    [
      'a new one that names itself',
      { put: { id: null, text: 'forbid c' } },
      [policy('a'), policy('b'), made('c', 'forbid c')],
    ],
    ['another text', { put: { id: 'a', text: 'permit a' } }, [a2, policy('b')]],
    ['one removed', { remove: 'a' }, [policy('b')]],
    [
      'an older version',
      {
        restore: [
          { id: 'b', text: 'forbid b' },
          { id: 'z', text: 'forbid z' },
        ],
      },
      [policy('b'), made('z', 'forbid z')],
    ],
  ])('is signed: %s', (_, change, after) => {
    expect(checkPolicies(needed(after), edit(change), now)).toEqual(needed(after).payload);
  });

  const put = edit({ put: { id: 'a', text: 'permit a' } });
  const lies: readonly (readonly [string, Needed, PolicyEdit?])[] = [
    ['another text', needed([made('a', 'permit everything'), policy('b')])],
    ['another policy changed', needed([a2, policy('b', 'permit b')])],
    ['another policy missing', needed([a2])],
    ['another policy added', needed([a2, policy('b'), policy('c')])],
    ['the change left out', needed([policy('a'), policy('b')])],
    ['a policy twice', needed([a2, a2, policy('b')])],
    ['another author', needed([{ ...a2, updatedBy: 'eve' }, policy('b')])],
    ['another version of an unchanged policy', needed([a2, policy('b', 'forbid b', '4')])],
    ['a member more', needed([{ ...a2, more: 1 }, policy('b')])],
    ['an older number', needed([a2, policy('b')], 7)],
    ['a later number', needed([a2, policy('b')], 9)],
    ['no body', { ...needed([]), payload: [purposes.policies, 8, null] }],
    [
      'a body that could be read in two ways',
      { ...needed([]), payload: [purposes.policies, 8, ` ${canonicalJson([a2, policy('b')])}`] },
    ],
    ['another time', { ...needed([made('a', 'permit a'), policy('b')]), at: now + 300_000 }],
    ['another purpose', { ...needed([]), payload: [purposes.answer, 8, canonicalJson([a2, policy('b')])] }],
    [
      'a new policy in the place of another',
      needed([made('a', 'forbid c'), policy('b')]),
      edit({ put: { id: null, text: 'forbid c' } }),
    ],
    ['more removed than was meant', needed([]), edit({ remove: 'a' })],
  ];
  it.each(lies.map(([lie, needed, meant = put]) => ({ lie, needed, meant })))(
    'is not signed with $lie',
    ({ needed: lying, meant }) => {
      expect(() => checkPolicies(lying, meant, now)).toThrow(NotAsShown);
    },
  );
});

describe('a new passkey', () => {
  const owner = { name: 'ann', role: 'owner', tenant: null, home: 'chain' };
  const made = { publicKey: 'c3BraQ', credential: 'Y3JlZA', origin: 'http://localhost:4719', owner };
  const statement: ApproverStatement = {
    ...{ store: 'store', key: passkeyName(made.publicKey, made.origin), kind: 'passkey', ...owner },
    ...{ credential: made.credential, replaces: null, at: now },
  };
  const needed = (more: Partial<ApproverStatement> = {}): Needed => ({
    payload: approverPayload({ ...statement, ...more }) as Payload,
    at: now,
    text: null,
  });

  it('is signed for by the person who made it', () => {
    expect(checkPasskey(needed(), made, now)).toEqual(needed().payload);
  });

  it.each<readonly [string, Partial<ApproverStatement>]>([
    ['another key', { key: passkeyName('b3RoZXI', made.origin) }],
    ['a key of another page', { key: passkeyName(made.publicKey, 'http://localhost:9') }],
    ['a key that is no passkey', { key: 'A'.repeat(43) }],
    ['another credential', { credential: 'b3RoZXI' }],
    ['another kind', { kind: 'owner' }],
    ['a key that it takes the place of', { replaces: 'A'.repeat(43) }],
    ['another name', { name: 'eve' }],
    ['another role', { role: 'admin' }],
    ['a tenant', { tenant: 'acme' }],
    ['another home', { home: 'other' }],
    ['another time', { at: now - 121_000 }],
  ])('is not signed for with %s', (_, more) => {
    expect(() => checkPasskey(needed(more), made, now)).toThrow(NotAsShown);
  });
});

describe('the end of a key, and of a reset', () => {
  const needed = (purpose: 'ending' | 'veto', key = 'the key', at = now): Needed => ({
    payload: endingPayload(purpose, 'store', key, at) as Payload,
    at,
    text: null,
  });

  it.each(['ending', 'veto'] as const)('is signed: %s', (purpose) => {
    expect(checkEnding(needed(purpose), purpose, 'the key', now)).toEqual(needed(purpose).payload);
  });

  it.each<readonly [string, Needed]>([
    ['another key', needed('ending', 'other')],
    ['another purpose', needed('veto')],
    ['another time', needed('ending', 'the key', now - 121_000)],
    ['a time that is not the call’s', { ...needed('ending'), at: now + 1 }],
    [
      'one member more',
      { ...needed('ending'), payload: [...endingPayload('ending', 'store', 'the key', now), 1] },
    ],
  ])('is not signed with %s', (_, wrong) => {
    expect(() => checkEnding(wrong, 'ending', 'the key', now)).toThrow(NotAsShown);
  });
});
