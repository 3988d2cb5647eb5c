// The card of one question: what will happen in a sentence, the thing itself with the risky part marked, why it is asked,
// and the answers with their reach. Who and where stand below, in small.

import { useState } from 'react';
import {
  type ActionText,
  actionTexts,
  flaggedIn,
  marksIn,
  rowsIn,
  shownTexts,
} from '../../../src/core/action-text.ts';
import type { PermissionTerms } from '../../../src/core/permission.ts';
import { grouped, shownWhole } from '../../../src/core/text.ts';
import type { Approval } from '../api.ts';
import type { useFocused } from '../focus.ts';
import { Act, Ago, Badge, Left, Prose, Shown, useMay } from '../parts.tsx';
import { type Action, type Asked, type Finding, permittableIn } from '../question.ts';
import { commandNames, inWorkspace, pathNames, reasonOf, reasonsOf, sentenceOf } from '../sentence.ts';
import { ChangedFiles, isOfChange, Marked, NamedTexts, Sentence } from '../texts.tsx';
import { nameOfPath } from '../words.ts';

export const answering = 'POST /v1/approvals/:id/answer';

const hour = 3_600_000;
const month = 30 * 24 * hour;
/** How far an approval may reach, in words. */
const choices: readonly (readonly [string, PermissionTerms | null])[] = [
  ['Only this once', null],
  ['In this session', { reach: 'session', lifeMs: 24 * hour, uses: null }],
  ['In this project, 1 hour', { reach: 'project', lifeMs: hour, uses: null }],
  ['In this project, 30 days', { reach: 'project', lifeMs: month, uses: null }],
  ['In every project, 30 days', { reach: 'always', lifeMs: month, uses: null }],
];

export type Word = 'approve' | 'deny';

/** An approval with the question as it is shown; null where it cannot be shown. */
export interface Waiting extends Approval {
  readonly asked: Asked | null;
}

interface Answering {
  readonly busy: boolean;
  /** Stands still long enough to be answered. */
  readonly still: boolean;
  /** Only its beginning is shown, so it cannot be approved yet. */
  readonly folded: boolean;
  readonly answer: (word: Word, terms?: PermissionTerms | null) => void;
}

export interface QuestionProps extends Answering {
  readonly approval: Waiting;
  /** How it ended; undefined while it waits. */
  readonly ended: string | undefined;
  /** Keys count for it. */
  readonly keys: boolean;
  readonly open: () => void;
  readonly focusable: ReturnType<ReturnType<typeof useFocused>['card']>;
}

export function Question(props: QuestionProps) {
  const { approval, ended, keys, folded, open, focusable } = props;
  const mayAnswer = useMay(answering);
  const { id, asked } = approval;
  if (asked === null) return <Unshown approval={approval} />;
  const { action, context, findings } = asked;
  const texts = textsOf(asked);
  return (
    <article
      id={`approval-${id}`}
      data-card={id}
      data-says={asked.digest}
      className={`card question${keys ? ' keys' : ''}${ended === undefined ? '' : ' ended'}`}
      aria-label={`Approval ${id}`}
      {...(ended === undefined ? focusable : {})}
    >
      <header>
        <span className="agent">
          <Shown text={context.agent} limit={60} />
        </span>
        <span className="dim">
          in <Shown text={nameOfPath(context.workspace)} limit={60} />
        </span>
        <Ago at={approval.createdAt} />
        <span className="until">
          {ended === undefined ? <Left until={approval.expiresAt} /> : <strong>{ended}</strong>}
        </span>
      </header>
      <h3>
        <Sentence pieces={sentenceOf(action, findings, context.workspace)} />
      </h3>
      {isLong(texts) && <Flagged asked={asked} />}
      <div className={folded ? 'folded' : undefined}>
        <Texts texts={texts} findings={findings} workspace={context.workspace} />
      </div>
      {folded && (
        <p>
          <Act act={open}>Show all {grouped(lengthOf(texts))} characters</Act>
        </p>
      )}
      <Reasons findings={findings} workspace={context.workspace} />
      {action.justification !== undefined && (
        <p className="says">
          The agent says:{' '}
          <q>
            <Shown text={action.justification} />
          </q>
        </p>
      )}
      {mayAnswer && (
        <Answers
          {...props}
          disabled={ended !== undefined}
          reaches={permittableIn(findings) === null ? [] : approval.reaches}
        />
      )}
      <Where asked={asked} approval={approval} />
    </article>
  );
}

function Unshown({ approval: { id, text } }: { approval: Waiting }) {
  return (
    <article className="card" aria-label={`Approval ${id}`}>
      This question cannot be shown here:{' '}
      {text === null
        ? 'the rules for secrets of its workspace cannot be read.'
        : 'the daemon sent a text that is not a question with this id.'}{' '}
      Answer it at a terminal: <code>sallyport approve {id}</code>
    </article>
  );
}

/** Who asks and where, folded: it is rarely what decides. */
function Where({ asked: { context, action }, approval: { id } }: { asked: Asked; approval: Approval }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Workspace', context.workspace],
    ['Session', context.session],
    ['Mode', context.mode],
    ['User', `${context.user}, ${context.tenant}`],
    ...(action.justification === undefined ? [['Reason', 'The agent gave none'] as const] : []),
    ['Question', id],
  ];
  return (
    <details className="where">
      <summary>Who and where</summary>
      <dl className="pairs">
        {rows.map(([name, value]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>
              <Shown text={value} limit={4096} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="small">
        <a href={`#/log/session/${encodeURIComponent(context.session)}`}>What this session did</a>
      </p>
    </details>
  );
}

const destructive = 'destructive_call';

/**
 * Why it is asked: the verdict and its rules in one row, then each reason that the sentence does not say yet, and what to do
 * instead.
 */
function Reasons({ findings, workspace }: { findings: readonly Finding[]; workspace: string }) {
  // What passed is no reason to ask.
  const reasons = reasonsOf(findings.filter(({ decision }) => decision !== 'pass'));
  const asking = reasons.filter(({ decision }) => decision === 'approve' || decision === 'block');
  const [inSentence] = asking;
  const isSaid = (finding: Finding) =>
    (finding === inSentence && !finding.message.includes('; ')) ||
    (finding.rule === destructive && !reasonOf(finding).includes(':'));
  const rules = new Set(asking.map(({ guard, rule }) => `${guard}/${rule}`));
  return (
    <div className="reasons">
      <p className="row">
        <Badge decision={asking.some(({ decision }) => decision === 'block') ? 'block' : 'approve'} />
        {asking.some(({ rule }) => rule === destructive) && (
          <Badge decision="block" word="Cannot be undone" />
        )}
        <code className="rule">{[...rules].join(', ')}</code>
      </p>
      <ul>
        {reasons.map((finding) => (
          <li key={`${finding.rule} ${finding.message}`}>
            {!isSaid(finding) && (
              <p>
                {finding.decision === 'warn' || finding.decision === 'redact' ? (
                  <Badge decision={finding.decision} />
                ) : (
                  'Also:'
                )}{' '}
                <Prose text={reasonOf(finding, workspace)} />
              </p>
            )}
            {finding.suggestion !== undefined && (
              <p className="instead">
                Instead: <Prose text={finding.suggestion} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function textsOf({ action, findings, context }: Asked): readonly ActionText[] {
  const texts = actionTexts(action, findings, context.workspace);
  return [...texts.filter(({ text }, at) => at === 0 || !isQuoted(action, text)), ...shownTexts(findings)];
}

/** Whether the agent's reason is a text of the action, such as the description of a command: it is quoted as that. */
function isQuoted({ justification }: Action, text: string): boolean {
  return justification !== undefined && justification.trim() === text.trim();
}

/** Rows of about a screen, above which what findings point at is named first, and those of a few, which are folded. */
const [longRows, mostRows, columns] = [16, 60, 100];

function rowsOf(texts: readonly ActionText[]): number {
  return texts.reduce((rows, { text }) => rows + rowsIn(shownWhole(text), columns), 0);
}

function isLong(texts: readonly ActionText[]): boolean {
  return rowsOf(texts) > longRows;
}

/** Whether only the beginning of a question is shown at first. */
export function isFolded({ asked }: Waiting): boolean {
  return asked !== null && rowsOf(textsOf(asked)) > mostRows;
}

function lengthOf(texts: readonly ActionText[]): number {
  return texts.reduce((count, { text }) => count + text.length, 0);
}

const mostFlagged = 10;

/** What the findings that ask point at, before the text that they point into. */
function Flagged({ asked: { action, findings } }: { asked: Asked }) {
  const flagged = flaggedIn(action, findings);
  if (flagged.length === 0) return null;
  return (
    <ul className="findings">
      {flagged.slice(0, mostFlagged).map((text) => (
        <li key={text}>
          Asked about: <code>{shownWhole(text.slice(0, 300))}</code>
        </li>
      ))}
    </ul>
  );
}

/** All texts of an action: the main one large, the others under their names; what is written under its path. */
function Texts({
  texts,
  findings,
  workspace,
}: {
  texts: readonly ActionText[];
  findings: readonly Finding[];
  workspace: string;
}) {
  const [main, ...others] = texts.filter((text) => !isOfChange(text));
  // What passed marks nothing: a mark says "this is what you are asked about".
  const marking = findings.filter(({ decision }) => decision !== 'pass');
  const changed = <ChangedFiles texts={texts} findings={marking} />;
  if (main === undefined) return changed;
  const is = (names: readonly string[]) => names.includes(main.name);
  const isFile = is(pathNames) && marksIn(main, marking).length === 0;
  return (
    <>
      <div className={is(commandNames) ? 'prompt' : undefined}>
        {isFile ? (
          <p className="what path">{shownWhole(inWorkspace(main.text, workspace))}</p>
        ) : (
          <Marked text={main} findings={marking} />
        )}
      </div>
      <NamedTexts texts={others} findings={marking} under={isFile} />
      {changed}
    </>
  );
}

/** Approve, for how long, or deny. */
function Answers({
  busy,
  still,
  disabled,
  folded,
  reaches,
  answer,
}: Answering & {
  disabled: boolean;
  /** How far a permission may reach; none where it is asked about every time. */
  reaches: readonly string[];
}) {
  const [chosen, setChosen] = useState(0);
  const mayPermit = useMay(`${answering} with a permission`);
  const offered = choices.filter(([, terms]) => terms === null || reaches.includes(terms.reach));
  const terms = offered[chosen]?.[1] ?? null;
  const waits = busy || !still;
  return (
    <footer>
      <Act className="yes" busy={waits} disabled={disabled || folded} act={() => answer('approve', terms)}>
        {terms === null ? 'Approve once' : 'Approve'} <kbd>a</kbd>
      </Act>
      <Act className="no" busy={waits} disabled={disabled} act={() => answer('deny')}>
        Deny <kbd>d</kbd>
      </Act>
      {mayPermit && offered.length > 1 && (
        <label>
          <span className="unseen">How long it counts</span>
          <select
            value={chosen}
            disabled={disabled}
            onChange={(event) => setChosen(Number(event.target.value))}
          >
            {offered.map(([title], index) => (
              <option key={title} value={index}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {mayPermit && offered.length === 1 && !disabled && (
        <span className="dim small">This is asked every time.</span>
      )}
    </footer>
  );
}
