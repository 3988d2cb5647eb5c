// Changes that agents propose: each hunk to accept or reject, what the guards say of each file, and applying the rest.

import { useCallback, useEffect, useMemo, useState } from 'react';
import { type ChangeData, Decoration, Diff, getChangeKey, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { shownWhole } from '../../../src/core/text.ts';
import { type AnswerOf, ask, type Change } from '../api.ts';
import { nextWaiting } from '../cards.ts';
import { checkApply } from '../checks.ts';
import { useEntries } from '../events.ts';
import { type Focused, focusOn, useFocused } from '../focus.ts';
import {
  Act,
  Badge,
  Empty,
  Findings,
  Hint,
  Items,
  Left,
  Notices,
  Problem,
  Shown,
  type ShownFinding,
  useAsked,
  useDoing,
  useKeys,
  useMay,
} from '../parts.tsx';
import { askSigned } from '../signing.ts';

type ChangeSummary = AnswerOf<'GET /v1/changes'>['changes'][number];
type ChangeFile = Change['files'][number];
type ChangeHunk = ChangeFile['hunks'][number];
type Outcome = ChangeFile['guards']['write'];
type Missing = Change['missing_references'][number];
type View = 'unified' | 'split';

const deciding = 'POST /v1/changes/:id/decisions';

const keys = { a: 'accepts all of it', r: 'rejects all of it' };
const gone =
  'The change you were looking at was applied, rejected or ran out. Press j to choose the next one.';

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
        <Empty>No change waits to be reviewed.</Empty>
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
      <Notices said={said} problem={error ?? doing.error} />
    </>
  );
}

function Waiting({ changes, shown }: { changes: readonly ChangeSummary[]; shown: string | undefined }) {
  return (
    <ul className="plain-list waiting" aria-label="Changes that wait">
      {changes.map((change) => (
        <li key={change.id}>
          <a href={`#/changes/${change.id}`} aria-current={change.id === shown}>
            <Shown text={change.agent} limit={40} />: {change.files.length}{' '}
            {change.files.length === 1 ? 'file' : 'files'}, {change.undecided} of {change.hunks} undecided
          </a>{' '}
          <Left until={change.expiresAt} />
        </li>
      ))}
    </ul>
  );
}

/** The most hunks that one request names. */
const mostNamed = 10_000;

type Decide = (decision: 'accept' | 'reject', hunks: readonly ChangeHunk[]) => void;

/** What a file and a hunk know of the review. */
interface Deciding {
  readonly may: boolean;
  /** It still waits. */
  readonly open: boolean;
  readonly busy: boolean;
  readonly missing: readonly Missing[];
  readonly decide: Decide;
}

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
  const { data: change, error, again } = useAsked('GET /v1/changes/:id', { path });
  const [view, setView] = useState<View>('unified');
  const may = useMay(deciding);
  const shown = change !== undefined && 'result' in change ? change : undefined;
  const open = may && !over && shown?.state === 'staged';
  // What is decided about is what was shown, by the numbers of its hunks.
  const decide: Decide = (decision, hunks) =>
    doing.run(async () => {
      const numbers = hunks.map(({ number }) => number);
      for (let at = 0; at < numbers.length; at += mostNamed)
        await ask(deciding, {
          path,
          body: { decision, hunks: numbers.slice(at, at + mostNamed) },
        });
      again();
    });
  const finish = (word: 'apply' | 'reject') =>
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
      ended(state === 'applied' ? 'Applied, with a receipt.' : `The change is ${state}.`);
    });
  const focused = useReview({ id, chosen: chosen && shown !== undefined, over, busy: doing.busy, lost });
  const press = (decision: 'accept' | 'reject') => (event: KeyboardEvent) => {
    if (open && focused.meant(event) === id) decide(decision, hunksOf(shown));
  };
  useKeys({ a: press('accept'), r: press('reject') });
  if (change === undefined) return <Problem text={error} />;
  // What has ended holds no lines any more.
  if (shown === undefined) return <Empty>The change is {change.state}.</Empty>;
  return (
    <section
      id={`change-${id}`}
      className={`change${focused.id === undefined ? '' : ' keys'}${over ? ' ended' : ''}`}
      aria-label={`Change ${id}`}
      {...(over ? {} : focused.card(id))}
    >
      <About change={shown} />
      {may && (
        <Bar
          change={shown}
          over={over}
          open={open}
          busy={doing.busy}
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
          busy={doing.busy}
          missing={shown.missing_references.filter(({ path }) => path === (file.to ?? file.path))}
          decide={decide}
        />
      ))}
    </section>
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
      <dl>
        <dt>workspace</dt>
        <dd>
          <Shown text={change.workspace} limit={4096} />
        </dd>
        <dt>it says</dt>
        <dd>{change.justification === null ? 'no reason given' : <Shown text={change.justification} />}</dd>
        {Object.keys(change.redactions).length > 0 && (
          <>
            <dt>hidden here</dt>
            <dd>{counted(change.redactions)}</dd>
          </>
        )}
        {change.suggest && (
          <>
            <dt>suggest only</dt>
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
    <p className="bar">
      <Act className="yes" busy={busy} disabled={!open} act={() => decide('accept', all)}>
        Accept all <kbd>a</kbd>
      </Act>{' '}
      <Act className="no" busy={busy} disabled={!open} act={() => decide('reject', all)}>
        Reject all <kbd>r</kbd>
      </Act>{' '}
      <Act busy={busy} disabled={!open || change.result.hash === null} act={() => finish('apply')}>
        {change.suggest ? 'Keep as a suggestion' : 'Apply what is accepted'}
      </Act>{' '}
      <Act busy={busy} disabled={!open} act={() => finish('reject')}>
        Discard it
      </Act>{' '}
      <label>
        <input
          type="checkbox"
          checked={view === 'split'}
          onChange={(event) => setView(event.target.checked ? 'split' : 'unified')}
        />{' '}
        side by side
      </label>{' '}
      <span className="dim">{over ? 'This change does not wait any more.' : undecidedIn(all)}</span>
    </p>
  );
}

function hunksOf(change: Change): readonly ChangeHunk[] {
  return change.files.flatMap(({ hunks }) => hunks);
}

function undecidedIn(hunks: readonly ChangeHunk[]): string {
  const count = hunks.filter(({ decision }) => decision === null).length;
  return count === 0 ? 'all decided' : `${count} undecided: those stay out`;
}

const outcomes: Readonly<Record<Outcome, 'pass' | 'unchecked' | 'approve' | 'block'>> = {
  pass: 'pass',
  unchecked: 'unchecked',
  warn: 'approve',
  fail: 'block',
};

/** How many of each kind. */
function counted(kinds: Readonly<Record<string, number>>): string {
  return Object.entries(kinds)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
}

/** The guard that a chip is of, as findings name it. */
const guardOf: Readonly<Record<string, string>> = { write: 'write', hallucination: 'symbols' };

function FileView({
  file,
  workspace,
  findings,
  view,
  may,
  open,
  busy,
  missing,
  decide,
}: {
  file: ChangeFile;
  workspace: string;
  findings: readonly ShownFinding[];
  view: View;
} & Deciding) {
  return (
    <article className="card" aria-label={file.path}>
      <header>
        <code>
          <Shown text={file.path} limit={4096} />
          {file.to !== null && (
            <>
              {' → '}
              <Shown text={file.to} limit={4096} />
            </>
          )}
        </code>{' '}
        <span className="dim">{file.op}</span>{' '}
        {Object.entries(file.guards).map(([name, outcome]) => (
          <Chip
            key={name}
            name={name}
            outcome={outcome}
            findings={findings.filter(({ guard }) => guard === guardOf[name])}
            hidden={name === 'egress' ? file.redactions : {}}
          />
        ))}{' '}
        {may && (
          <>
            <Act busy={busy} disabled={!open} act={() => decide('accept', file.hunks)}>
              Accept file
            </Act>{' '}
            <Act busy={busy} disabled={!open} act={() => decide('reject', file.hunks)}>
              Reject file
            </Act>
          </>
        )}
      </header>
      <p className="dim">
        On disk: <Shown text={`${workspace}/${file.to ?? file.path}`} limit={8192} />
      </p>
      {file.hunks.map((hunk) => (
        <HunkView
          key={hunk.number}
          hunk={hunk}
          path={file.path}
          view={view}
          may={may}
          open={open}
          busy={busy}
          missing={missing}
          decide={decide}
        />
      ))}
    </article>
  );
}

/** What a guard says of a file, and why once one asks. */
function Chip({
  name,
  outcome,
  findings,
  hidden,
}: {
  name: string;
  outcome: Outcome;
  findings: readonly ShownFinding[];
  hidden: Readonly<Record<string, number>>;
}) {
  const word = `${name} ${outcome}`;
  const count = Object.values(hidden).reduce((sum, one) => sum + one, 0);
  if (findings.length + count === 0) return <Badge decision={outcomes[outcome]} word={word} />;
  return (
    <details className="chip">
      <summary>
        <Badge decision={outcomes[outcome]} word={`${word} (${findings.length + count})`} />
      </summary>
      <Findings findings={findings} />
      {count > 0 && <p>Not shown, and not in records: {counted(hidden)}</p>}
    </details>
  );
}

function HunkView({
  hunk,
  path,
  view,
  may,
  open,
  busy,
  missing,
  decide,
}: {
  hunk: ChangeHunk;
  path: string;
  view: View;
} & Deciding) {
  const { number, decision, diff, kind } = hunk;
  const parsed = useMemo(() => readDiff(diff), [diff]);
  const bar = (
    <div className={`hunk-bar ${decision ?? ''}`}>
      <span>
        {kind === 'lines' ? `hunk ${number}` : kind} {decision === null ? '' : `· ${decision}ed`}
      </span>
      {may && (
        <>
          <Act
            aria-label={`Accept hunk ${number} of ${path}`}
            busy={busy}
            disabled={!open}
            act={() => decide('accept', [hunk])}
          >
            Accept
          </Act>
          <Act
            aria-label={`Reject hunk ${number} of ${path}`}
            busy={busy}
            disabled={!open}
            act={() => decide('reject', [hunk])}
          >
            Reject
          </Act>
        </>
      )}
    </div>
  );
  if (parsed === undefined) {
    return (
      <>
        {bar}
        <pre className="rest">{visibleLines(diff)}</pre>
      </>
    );
  }
  const at = (change: ChangeData) => missing.filter(({ line }) => line === newLine(change));
  const widgets = Object.fromEntries(
    parsed
      .flatMap(({ changes }) => changes)
      .filter((change) => at(change).length > 0)
      .map((change) => [getChangeKey(change), <NotFound key={getChangeKey(change)} missing={at(change)} />]),
  );
  return (
    <Diff
      viewType={view}
      diffType="modify"
      hunks={parsed}
      widgets={widgets}
      renderGutter={({ change, side, renderDefault }) =>
        side === 'new' && at(change).length > 0 ? (
          <>
            <span className="warning" role="img" aria-label="a name here is not found">
              ⚠
            </span>{' '}
            {renderDefault()}
          </>
        ) : (
          renderDefault()
        )
      }
    >
      {(hunks) => [
        <Decoration key="bar">{bar}</Decoration>,
        ...hunks.map((one) => <Hunk key={one.content} hunk={one} />),
      ]}
    </Diff>
  );
}

/** Names that are not there, under the line that has them, with those that may have been meant. */
function NotFound({ missing }: { missing: readonly Missing[] }) {
  const items = missing.map(({ name, near = [] }) => (
    <>
      <code>
        <Shown text={name} limit={100} />
      </code>{' '}
      is not found in the workspace
      {near.length > 0 && (
        <>
          ; there is <Shown text={near.join(', ')} limit={300} />
        </>
      )}
    </>
  ));
  return <Items className="not-found" items={items} />;
}

/** The number of a line in the file as it would be; undefined for one that goes. */
function newLine(change: ChangeData): number | undefined {
  if (change.type === 'normal') return change.newLineNumber;
  return change.type === 'insert' ? change.lineNumber : undefined;
}

/** Lines of a diff with their tricks made visible. */
function visibleLines(diff: string): string {
  const lines = diff
    .split('\n')
    .map((line) => (line.startsWith('@@') ? line : (line[0] ?? '') + shownWhole(line.slice(1))));
  return lines.join('\n');
}

/** The lines of a hunk; undefined where it is none that can be drawn. */
function readDiff(diff: string) {
  try {
    const [file] = parseDiff(`--- a/file\n+++ b/file\n${visibleLines(diff)}`);
    return file === undefined || file.hunks.length === 0 ? undefined : file.hunks;
  } catch {
    return undefined;
  }
}
