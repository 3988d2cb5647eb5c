// Changes that agents propose: each hunk to accept or reject, what the guards say of each file, and applying the rest.

import { useCallback, useMemo, useState } from 'react';
import { Decoration, Diff, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { visible } from '../../../src/core/text.ts';
import {
  ask,
  type Change,
  type ChangeFile,
  type ChangeHunk,
  type ChangeSummary,
  type Outcome,
} from '../api.ts';
import { useEntries } from '../events.ts';
import {
  Badge,
  Empty,
  Findings,
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
            <dd>
              {Object.entries(change.redactions)
                .map(([kind, count]) => `${count} × ${kind}`)
                .join(', ')}
            </dd>
          </>
        )}
      </dl>
      <Findings findings={change.findings} />
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
          view={view}
          open={open && !doing.busy}
          missing={change.missing_references.filter(({ path }) => path === file.path)}
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

function FileView({
  file,
  view,
  open,
  missing,
  decide,
}: {
  file: ChangeFile;
  view: View;
  open: boolean;
  missing: Change['missing_references'];
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
          <Badge key={name} decision={outcomes[outcome]} word={`${name} ${outcome}`} />
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
      {missing.length > 0 && (
        <p className="instead">
          Not found in the workspace:{' '}
          {missing.map(({ name, line }) => (
            <code key={`${name}${line}`}>
              {name} (line {line}){' '}
            </code>
          ))}
        </p>
      )}
      {file.hunks.map((hunk) => (
        <HunkView key={hunk.number} hunk={hunk} path={file.path} view={view} open={open} decide={decide} />
      ))}
    </article>
  );
}

function HunkView({
  hunk,
  path,
  view,
  open,
  decide,
}: {
  hunk: ChangeHunk;
  path: string;
  view: View;
  open: boolean;
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
        <pre className="rest">{diff}</pre>
      </>
    );
  }
  return (
    <Diff viewType={view} diffType="modify" hunks={parsed}>
      {(hunks) => [
        <Decoration key="bar">{bar}</Decoration>,
        ...hunks.map((one) => <Hunk key={one.content} hunk={one} />),
      ]}
    </Diff>
  );
}

/** The lines of a hunk, their tricks made visible; undefined where it is none that can be drawn. */
function readDiff(diff: string) {
  const lines = diff
    .split('\n')
    .map((line) => (line.startsWith('@@') ? line : (line[0] ?? '') + visible(line.slice(1), 4000)));
  try {
    const [file] = parseDiff(`--- a/file\n+++ b/file\n${lines.join('\n')}`);
    return file === undefined || file.hunks.length === 0 ? undefined : file.hunks;
  } catch {
    return undefined;
  }
}
