// Changes that agents propose: each hunk to accept or reject, what the guards say of each file, and applying the rest.

import { useCallback, useMemo, useState } from 'react';
import { type ChangeData, Decoration, Diff, getChangeKey, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { visible } from '../../../src/core/text.ts';
import {
  ask,
  type Change,
  type ChangeFile,
  type ChangeHunk,
  type ChangeSummary,
  type Finding,
  type Missing,
  type Outcome,
} from '../api.ts';
import { useEntries } from '../events.ts';
import {
  Badge,
  Empty,
  Findings,
  Items,
  Left,
  Problem,
  Shown,
  useAsked,
  useDoing,
  useKeys,
  useMay,
} from '../parts.tsx';

type View = 'unified' | 'split';

export function Changes({ rest }: { rest: string }) {
  const { data, error, again } = useAsked<{ changes: readonly ChangeSummary[] }>('/v1/changes');
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type.startsWith('change_') || type === 'receipt')) again();
      },
      [again],
    ),
  );
  const [said, setSaid] = useState('');
  const waiting = (data?.changes ?? []).filter(({ state }) => state === 'staged');
  const id = rest !== '' ? rest : waiting[0]?.id;
  return (
    <>
      <Problem text={error} />
      <p role="status">{said}</p>
      {waiting.length === 0 && <Empty>No change waits to be reviewed.</Empty>}
      <ul className="plain-list" aria-label="Changes that wait">
        {waiting.map((change) => (
          <li key={change.id}>
            <a href={`#/changes/${change.id}`} aria-current={change.id === id}>
              <Shown text={change.agent} limit={40} />: {change.files.length}{' '}
              {change.files.length === 1 ? 'file' : 'files'}, {change.undecided} of {change.hunks} undecided
            </a>{' '}
            <Left until={change.expiresAt} />
          </li>
        ))}
      </ul>
      {id !== undefined && (
        <One
          key={id}
          id={id}
          ended={(how) => {
            setSaid(how);
            again();
          }}
        />
      )}
    </>
  );
}

function One({ id, ended }: { id: string; ended: (how: string) => void }) {
  const { data: change, error, again } = useAsked<Change>(`/v1/changes/${id}`);
  const [view, setView] = useState<View>('unified');
  const doing = useDoing();
  const may = useMay('POST /v1/changes/:id/decisions');
  const decide = (
    decision: 'accept' | 'reject',
    which: { hunks: readonly number[] } | { files: readonly string[] } | { all: true },
  ) =>
    doing.run(async () => {
      await ask(`/v1/changes/${id}/decisions`, { body: { decision, ...which } });
      again();
    });
  const finish = (word: 'apply' | 'reject') =>
    doing.run(async () => {
      const body = word === 'apply' ? { result: change?.result.hash } : {};
      const { state } = await ask<{ state: string }>(`/v1/changes/${id}/${word}`, { body }).finally(again);
      ended(state === 'applied' ? 'Applied, with a receipt.' : `The change is ${state}.`);
    });
  useKeys(may ? { a: () => decide('accept', { all: true }), r: () => decide('reject', { all: true }) } : {});
  if (change === undefined) return <Problem text={error} />;
  // What has ended holds no lines any more.
  if (!('result' in change)) return null;
  const undecided = change.files
    .flatMap(({ hunks }) => hunks)
    .filter(({ decision }) => decision === null).length;
  const open = may && change.state === 'staged';
  return (
    <section aria-label={`Change ${id}`}>
      <Problem text={doing.error} />
      <dl>
        <dt>workspace</dt>
        <dd>
          <Shown text={change.workspace} limit={300} />
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
      {open && (
        <p className="bar">
          <button
            type="button"
            className="yes"
            disabled={doing.busy}
            onClick={() => decide('accept', { all: true })}
          >
            Accept all <kbd>a</kbd>
          </button>{' '}
          <button
            type="button"
            className="no"
            disabled={doing.busy}
            onClick={() => decide('reject', { all: true })}
          >
            Reject all <kbd>r</kbd>
          </button>{' '}
          <button
            type="button"
            disabled={doing.busy || change.result.hash === null}
            onClick={() => finish('apply')}
          >
            {change.suggest ? 'Keep as a suggestion' : 'Apply what is accepted'}
          </button>{' '}
          <button type="button" disabled={doing.busy} onClick={() => finish('reject')}>
            Give it up
          </button>{' '}
          <label>
            <input
              type="checkbox"
              checked={view === 'split'}
              onChange={(event) => setView(event.target.checked ? 'split' : 'unified')}
            />{' '}
            side by side
          </label>{' '}
          <span className="dim">
            {undecided === 0 ? 'all decided' : `${undecided} undecided: those stay out`}
          </span>
        </p>
      )}
      {change.files.map((file) => (
        <FileView
          key={file.path}
          file={file}
          workspace={change.workspace}
          findings={change.findings.filter(({ path }) => path === file.path || path === file.to)}
          view={view}
          open={open && !doing.busy}
          missing={change.missing_references.filter(({ path }) => path === (file.to ?? file.path))}
          decide={decide}
        />
      ))}
    </section>
  );
}

const outcomes: Readonly<Record<Outcome, 'pass' | 'approve' | 'block'>> = {
  pass: 'pass',
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
  open,
  missing,
  decide,
}: {
  file: ChangeFile;
  workspace: string;
  findings: readonly Finding[];
  view: View;
  open: boolean;
  missing: readonly Missing[];
  decide: (
    decision: 'accept' | 'reject',
    which: { hunks: readonly number[] } | { files: readonly string[] },
  ) => void;
}) {
  return (
    <article className="card" aria-label={file.path}>
      <header>
        <code>
          <Shown text={file.path} limit={300} />
          {file.to !== null && (
            <>
              {' → '}
              <Shown text={file.to} limit={300} />
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
        {open && (
          <>
            <button type="button" onClick={() => decide('accept', { files: [file.path] })}>
              Accept file
            </button>{' '}
            <button type="button" onClick={() => decide('reject', { files: [file.path] })}>
              Reject file
            </button>
          </>
        )}
      </header>
      <p className="dim">
        On disk: <Shown text={`${workspace}/${file.to ?? file.path}`} limit={600} />
      </p>
      {file.hunks.map((hunk) => (
        <HunkView
          key={hunk.number}
          hunk={hunk}
          path={file.path}
          view={view}
          open={open}
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
  findings: readonly Finding[];
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
  open,
  missing,
  decide,
}: {
  hunk: ChangeHunk;
  path: string;
  view: View;
  open: boolean;
  missing: readonly Missing[];
  decide: (decision: 'accept' | 'reject', which: { hunks: readonly number[] }) => void;
}) {
  const { number, decision, diff, kind } = hunk;
  const parsed = useMemo(() => readDiff(diff), [diff]);
  const bar = (
    <div className={`hunk-bar ${decision ?? ''}`}>
      <span>
        {kind === 'lines' ? `hunk ${number}` : kind} {decision === null ? '' : `· ${decision}ed`}
      </span>
      {open && (
        <>
          <button
            type="button"
            aria-label={`Accept hunk ${number} of ${path}`}
            onClick={() => decide('accept', { hunks: [number] })}
          >
            Accept
          </button>
          <button
            type="button"
            aria-label={`Reject hunk ${number} of ${path}`}
            onClick={() => decide('reject', { hunks: [number] })}
          >
            Reject
          </button>
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
    .map((line) => (line.startsWith('@@') ? line : (line[0] ?? '') + visible(line.slice(1), 4000)));
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
