// The files of a proposed change: what guards say of each, and its hunks, each accepted or rejected.

import { useMemo } from 'react';
import { type ChangeData, Decoration, Diff, getChangeKey, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { shownWhole } from '../../../src/core/text.ts';
import type { Change } from '../api.ts';
import { Act, Badge, Findings, Items, Shown, type ShownFinding } from '../parts.tsx';

type ChangeFile = Change['files'][number];
export type ChangeHunk = ChangeFile['hunks'][number];
type Outcome = ChangeFile['guards']['write'];
type Missing = Change['missing_references'][number];
export type View = 'unified' | 'split';

export type Decide = (decision: 'accept' | 'reject', hunks: readonly ChangeHunk[]) => void;

/** What a file and a hunk know of the review. */
interface Deciding {
  readonly may: boolean;
  /** It still waits. */
  readonly open: boolean;
  readonly busy: boolean;
  readonly missing: readonly Missing[];
  readonly decide: Decide;
}

/** How a guard's outcome looks and what it is called. INVARIANT: what was not checked is not green. */
const outcomes: Readonly<Record<Outcome, readonly [look: string, word: string]>> = {
  pass: ['pass', 'passed'],
  unchecked: ['unchecked', 'unchecked'],
  warn: ['approve', 'warning'],
  fail: ['block', 'blocked'],
};

const chipNames: Readonly<Record<string, string>> = {
  egress: 'Secrets',
  hallucination: 'References',
  write: 'Write rules',
};

/** What each guard says of a file or a receipt, in one row. */
export function Chips({ guards }: { guards: Readonly<Record<string, Outcome>> }) {
  return Object.entries(guards).map(([name, outcome]) => {
    const [look, word] = outcomes[outcome];
    return <Badge key={name} decision={look} word={`${chipNames[name] ?? name} ${word}`} />;
  });
}

/** How many of each kind. */
export function counted(kinds: Readonly<Record<string, number>>): string {
  return Object.entries(kinds)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
}

export function FileView({
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
    <article className="card file" aria-label={file.path}>
      <header>
        <div className="path">
          <code title={`${workspace}/${file.to ?? file.path}`}>
            <Shown text={file.path} limit={4096} />
            {file.to !== null && (
              <>
                {' → '}
                <Shown text={file.to} limit={4096} />
              </>
            )}
          </code>
          <span className="dim small">{ops[file.op]}</span>
          <Counted hunks={file.hunks} />
        </div>
        <div className="row">
          <Chips guards={file.guards} />
        </div>
        {may && (
          <div className="row">
            <Act busy={busy} disabled={!open} act={() => decide('accept', file.hunks)}>
              Accept file
            </Act>
            <Act busy={busy} disabled={!open} act={() => decide('reject', file.hunks)}>
              Reject file
            </Act>
          </div>
        )}
      </header>
      <div className="notes">
        <p className="dim small">
          On disk: <Shown text={`${workspace}/${file.to ?? file.path}`} limit={8192} />
        </p>
        <Findings findings={findings} />
        {Object.keys(file.redactions).length > 0 && (
          <p className="small">Not shown, and not in records: {counted(file.redactions)}</p>
        )}
      </div>
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

const ops: Readonly<Record<string, string>> = {
  create: 'new file',
  edit: 'edited',
  delete: 'deleted',
  rename: 'renamed',
};

/** How many lines come and go. */
function Counted({ hunks }: { hunks: readonly ChangeHunk[] }) {
  const lines = hunks.flatMap(({ diff }) => diff.split('\n')).filter((line) => !/^(?:\+\+\+|---)/.test(line));
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return (
    <span className="small number">
      <span className="plus">+{count('+')}</span> <span className="minus">−{count('-')}</span>
    </span>
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
        {kind === 'lines' ? `hunk ${number}` : kind} · {decision === null ? 'undecided' : `${decision}ed`}
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
