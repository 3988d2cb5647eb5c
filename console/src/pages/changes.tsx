// Changes that agents propose: each hunk to accept or reject, what the guards say of each file, and applying the rest.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AnswerOf, ask, type Change } from '../api.ts';
import { digestOf } from '../bytes.ts';
import { nextWaiting } from '../cards.ts';
import { checkApply } from '../checks.ts';
import { useEntries } from '../events.ts';
import { type Focused, focusOn, useFocused } from '../focus.ts';
import {
  Act,
  Ago,
  Empty,
  Findings,
  Hint,
  Left,
  Nothing,
  Notices,
  Problem,
  Shown,
  useAsked,
  useDoing,
  useKeys,
  useMay,
} from '../parts.tsx';
import { askSigned } from '../signing.ts';
import { useStill } from '../still.ts';
import { nameOfPath, plural } from '../words.ts';
import { type ChangeHunk, counted, type Decide, FileView, type View } from './change-files.tsx';
import { Applied } from './receipts.tsx';

type ChangeSummary = AnswerOf<'GET /v1/changes'>['changes'][number];

const deciding = 'POST /v1/changes/:id/decisions';

const keys = { a: 'accepts all of it', r: 'rejects all of it' };
const gone =
  'The change you were looking at was applied, discarded or expired. Press j to choose the next one.';

/** The changes that wait; undefined until they are known. */
function useWaiting() {
  const { data, error, again } = useAsked('GET /v1/changes');
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type.startsWith('change_') || type === 'receipt')) again();
      },
      [again],
    ),
  );
  const [waiting, setWaiting] = useState<readonly ChangeSummary[]>();
  const staged = useMemo(() => data?.changes.filter(({ state }) => state === 'staged'), [data]);
  // What could not be asked for is no news of any change.
  if (staged !== undefined && staged !== waiting) setWaiting(staged);
  return { waiting, error, again };
}

export function Changes({ rest }: { rest: string }) {
  const { waiting, error, again } = useWaiting();
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const may = useMay(deciding);
  // The first is shown when the page opens. None follows by itself: what is shown stays until the person chooses another.
  const [first, setFirst] = useState<string | null>();
  if (first === undefined && waiting !== undefined) setFirst(waiting[0]?.id ?? null);
  const id = rest === '' ? (first ?? undefined) : rest;
  const over = waiting?.every((change) => change.id !== id) === true;
  const move = (step: 1 | -1) => {
    const cards = (waiting ?? []).map((item) => ({ item, endedAt: null }));
    // Before one was chosen, the one that is shown is the first to choose.
    const next = rest === '' && !over ? id : nextWaiting(cards, id, step);
    if (next === undefined) return;
    setSaid('');
    if (next === rest) focusOn(document.getElementById(`change-${next}`), 'start');
    else location.hash = `#/changes/${next}`;
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const lost = useCallback(() => setSaid(gone), []);
  return (
    <>
      {waiting?.length === 0 ? (
        <Nothing title="No change waits for review.">
          An agent that proposes a change (<code>sallyport changes</code>, or <code>POST /v1/changes</code>)
          waits here for you: accept or reject each hunk, then apply what you accepted.
        </Nothing>
      ) : (
        <Hint thing="change" may={may} keys={keys} />
      )}
      <Waiting changes={waiting ?? []} shown={id} />
      {id !== undefined && (
        <One
          key={id}
          id={id}
          chosen={rest !== ''}
          over={over}
          doing={doing}
          lost={lost}
          ended={(how) => {
            setSaid(how);
            setFirst(null);
            location.hash = '#/changes';
            again();
          }}
        />
      )}
      <Applied />
      <Notices said={said} problem={error ?? doing.error} />
    </>
  );
}

function Waiting({ changes, shown }: { changes: readonly ChangeSummary[]; shown: string | undefined }) {
  return (
    <ul className="waiting" aria-label="Changes that wait">
      {changes.map((change) => (
        <li key={change.id}>
          <a href={`#/changes/${change.id}`} aria-current={change.id === shown}>
            <strong>
              <Shown text={change.files.map(({ path }) => nameOfPath(path)).join(', ')} limit={60} />
            </strong>
            <span className="dim small">
              <Shown text={change.agent} limit={40} /> · {plural(change.files.length, 'file')} ·{' '}
              {change.undecided} of {change.hunks} undecided
            </span>
            <Left until={change.expiresAt} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The most hunks that one request names. */
const mostNamed = 10_000;

function One({
  id,
  chosen,
  over,
  doing,
  lost,
  ended,
}: {
  id: string;
  /** The person opened this one, so it gets the focus. */
  chosen: boolean;
  /** It does not wait any more. */
  over: boolean;
  doing: ReturnType<typeof useDoing>;
  /** It ended elsewhere while it had the focus. */
  lost: () => void;
  ended: (how: string) => void;
}) {
  const path = { id };
  const around = useRef<HTMLDivElement>(null);
  const still = useStill(around);
  const { data: change, error, again } = useAsked('GET /v1/changes/:id', { path });
  const [view, setView] = useState<View>('unified');
  const may = useMay(deciding);
  const shown = change !== undefined && 'result' in change ? change : undefined;
  const open = may && !over && shown?.state === 'staged';
  // What is decided about is what was shown, by the numbers of its hunks.
  // INVARIANT: what moved or changed a moment ago takes no decision, by key or by click.
  const decide: Decide = (decision, hunks) => {
    if (!still.check(id)) return;
    doing.run(async () => {
      const numbers = hunks.map(({ number }) => number);
      for (let at = 0; at < numbers.length; at += mostNamed)
        await ask(deciding, {
          path,
          body: { decision, hunks: numbers.slice(at, at + mostNamed) },
        });
      again();
    });
  };
  const finish = (word: 'apply' | 'reject') => {
    if (!still.check(id)) return;
    doing.run(async () => {
      if (shown === undefined) return;
      const sent =
        word === 'reject'
          ? ask('POST /v1/changes/:id/reject', { path })
          : askSigned(
              'POST /v1/changes/:id/apply',
              { path, body: { result: shown.result.hash ?? '' } },
              {
                purpose: `apply the change ${id}`,
                check: (needed, now) => checkApply(needed, shown, now),
              },
            );
      const { state } = await sent.finally(again);
      ended(state === 'applied' ? 'Applied, with a receipt.' : 'The change was discarded.');
    });
  };
  const focused = useReview({ id, chosen: chosen && shown !== undefined, over, busy: doing.busy, lost });
  const press = (decision: 'accept' | 'reject') => (event: KeyboardEvent) => {
    if (open && focused.meant(event) === id) decide(decision, hunksOf(shown));
  };
  useKeys({ a: press('accept'), r: press('reject') });
  if (change === undefined) return <Problem text={error} />;
  // What has ended holds no lines any more.
  if (shown === undefined) return <Empty>The change is {change.state}.</Empty>;
  const busy = doing.busy || !still.ids.has(id);
  return (
    <div ref={around}>
      <section
        id={`change-${id}`}
        data-card={id}
        data-says={saysOf(shown)}
        className={`change${focused.id === undefined || !still.ids.has(id) ? '' : ' keys'}${over ? ' ended' : ''}`}
        aria-label={`Change ${id}`}
        {...(over ? {} : focused.card(id))}
      >
        <About change={shown} />
        {may && (
          <Bar
            change={shown}
            over={over}
            open={open}
            busy={busy}
            view={view}
            setView={setView}
            decide={decide}
            finish={finish}
          />
        )}
        {shown.files.map((file) => (
          <FileView
            key={file.path}
            file={file}
            workspace={shown.workspace}
            findings={shown.findings.filter(({ path }) => path === file.path || path === file.to)}
            view={view}
            may={may}
            open={open}
            busy={busy}
            missing={shown.missing_references.filter(({ path }) => path === (file.to ?? file.path))}
            decide={decide}
          />
        ))}
      </section>
    </div>
  );
}

/** What a change shows to be decided about; what is decided already is no part of it. */
function saysOf({ id, files }: Change): string {
  return digestOf(
    [id, ...files.flatMap(({ path, hunks }) => [path, ...hunks.map(({ diff }) => diff)])].join('\n'),
  );
}

/** The focus of a change: it has it once the person chose it, and loses it when it ends. */
function useReview({
  id,
  chosen,
  over,
  busy,
  lost,
}: {
  id: string;
  chosen: boolean;
  over: boolean;
  busy: boolean;
  lost: () => void;
}): Focused {
  const focused = useFocused();
  useEffect(() => {
    if (chosen) focusOn(document.getElementById(`change-${id}`), 'start');
  }, [id, chosen]);
  // INVARIANT: when the change that has the focus ends, nothing has it.
  const { release } = focused;
  const left = over && focused.id !== undefined;
  useEffect(() => {
    if (!left) return;
    release();
    if (!busy) lost();
  }, [left, lost, release, busy]);
  return focused;
}

/** Where a change goes, why, and what is said of it as a whole. */
function About({ change }: { change: Change }) {
  return (
    <>
      <p className="purpose">
        <span className="agent">
          <Shown text={change.agent} limit={60} />
        </span>{' '}
        {change.justification === null ? (
          <span className="dim">gave no reason</span>
        ) : (
          <>
            says:{' '}
            <q>
              <Shown text={change.justification} />
            </q>
          </>
        )}{' '}
        <Ago at={change.createdAt} /> <Left until={change.expiresAt} />
      </p>
      <dl className="pairs">
        <dt>Workspace</dt>
        <dd>
          <Shown text={change.workspace} limit={4096} />
        </dd>
        {Object.keys(change.redactions).length > 0 && (
          <>
            <dt>Hidden here</dt>
            <dd>{counted(change.redactions)}</dd>
          </>
        )}
        {change.suggest && (
          <>
            <dt>Suggestion</dt>
            <dd>nothing will be written; what is accepted leaves a receipt</dd>
          </>
        )}
      </dl>
      <Findings findings={change.findings.filter(({ path }) => path === undefined)} />
      {change.result.stale.length > 0 && (
        <Problem text={`Changed since it was proposed: ${change.result.stale.join(', ')}`} />
      )}
    </>
  );
}

/** What can be done with a change as a whole. */
function Bar({
  change,
  over,
  open,
  busy,
  view,
  setView,
  decide,
  finish,
}: {
  change: Change;
  over: boolean;
  open: boolean;
  busy: boolean;
  view: View;
  setView: (view: View) => void;
  decide: Decide;
  finish: (word: 'apply' | 'reject') => void;
}) {
  const all = hunksOf(change);
  return (
    <div className="bar">
      <Act busy={busy} disabled={!open} act={() => decide('accept', all)}>
        Accept all <kbd>a</kbd>
      </Act>
      <Act busy={busy} disabled={!open} act={() => decide('reject', all)}>
        Reject all <kbd>r</kbd>
      </Act>
      <Act
        className="yes"
        busy={busy}
        disabled={!open || change.result.hash === null || all.every(({ decision }) => decision !== 'accept')}
        act={() => finish('apply')}
      >
        {change.suggest ? 'Keep as a suggestion' : 'Apply accepted'}
      </Act>
      <Act className="no" busy={busy} disabled={!open} act={() => finish('reject')}>
        Discard
      </Act>
      <label>
        <input
          type="checkbox"
          checked={view === 'split'}
          onChange={(event) => setView(event.target.checked ? 'split' : 'unified')}
        />{' '}
        side by side
      </label>
      <span className="dim small">{over ? 'This change does not wait any more.' : undecidedIn(all)}</span>
    </div>
  );
}

function hunksOf(change: Change): readonly ChangeHunk[] {
  return change.files.flatMap(({ hunks }) => hunks);
}

function undecidedIn(hunks: readonly ChangeHunk[]): string {
  const count = hunks.filter(({ decision }) => decision === null).length;
  return count === 0 ? 'all decided' : `${count} undecided: those stay out`;
}
