// The approvals that wait: what would happen, why it is asked and who asks. Approve or deny them by mouse or by keys.

import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type ActionText,
  actionTexts,
  flaggedIn,
  rowsIn,
  shownTexts,
} from '../../../src/core/action-text.ts';
import type { PermissionTerms } from '../../../src/core/permission.ts';
import { grouped, shownWhole } from '../../../src/core/text.ts';
import { type Approval, ask } from '../api.ts';
import { type Card, keepInPlace, nextWaiting, withoutEnded } from '../cards.ts';
import { checkAnswer } from '../checks.ts';
import { useEntries } from '../events.ts';
import { focusOn, useFocused } from '../focus.ts';
import {
  Act,
  Empty,
  Findings,
  Hint,
  Items,
  Left,
  Marked,
  Notices,
  Shown,
  useAsked,
  useDoing,
  useKeys,
  useMay,
} from '../parts.tsx';
import { type Action, type Asked, type Finding, permittableIn, readQuestion } from '../question.ts';
import { askSigned } from '../signing.ts';

const hour = 3_600_000;
const month = 30 * 24 * hour;
/** What an approval may be good for, in words. */
const choices: readonly (readonly [string, PermissionTerms | null])[] = [
  ['once', null],
  ['in this session', { reach: 'session', lifeMs: 24 * hour, uses: null }],
  ['in this project for an hour', { reach: 'project', lifeMs: hour, uses: null }],
  ['in this project for 30 days', { reach: 'project', lifeMs: month, uses: null }],
  ['in every project for 30 days', { reach: 'always', lifeMs: month, uses: null }],
];
const answering = 'POST /v1/approvals/:id/answer';
const lookEvery = 5000;
/** How long a question that has ended stays in its place at least, in milliseconds. */
const staysFor = 10_000;
const gone =
  'The question you were looking at was answered elsewhere or ran out. Press j to choose the next one.';

type Word = 'approve' | 'deny';

/** An approval with the question as it is shown; null where it cannot be shown. */
interface Waiting extends Approval {
  readonly asked: Asked | null;
}

const done: Readonly<Record<Word, string>> = { approve: 'Approved', deny: 'Denied' };
const keys = { a: 'approves it once', d: 'denies it' };
const elementOf = (id: string) => document.getElementById(`approval-${id}`);

export function Approvals({ rest }: { rest: string }) {
  const { cards, error, again, drop, list } = useCards();
  const waiting = cards.filter(({ endedAt }) => endedAt === null);
  const may = useMay(answering);
  const { answer, answers, doing, said, setSaid } = useAnswers(again);
  const focused = useFocused();
  const last = useRef<string>(undefined);
  if (focused.id !== undefined) last.current = focused.id;
  const move = (step: 1 | -1) => {
    const id = nextWaiting(cards, last.current, step);
    if (id === undefined) return;
    last.current = id;
    setSaid('');
    focusOn(elementOf(id));
  };
  // By the text: another text under the same id was not opened.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const open = ({ text }: Waiting) => setOpened((old) => new Set(old).add(text ?? ''));
  const isClosed = (item: Waiting) => !opened.has(item.text ?? '') && isFolded(item);
  const press = (word: Word) => (event: KeyboardEvent) => {
    const id = focused.meant(event);
    const item = waiting.find((card) => card.item.id === id)?.item;
    if (!may || item === undefined) return;
    // INVARIANT: nobody approves what was not shown whole.
    if (word === 'approve' && isClosed(item)) {
      open(item);
      setSaid('All of it is shown now. Read it, then press a again to approve it.');
    } else answer(item, word);
  };
  useKeys({ j: () => move(1), k: () => move(-1), a: press('approve'), d: press('deny') });
  // INVARIANT: when the question that has the focus ends, nothing has it.
  const { id: current, release } = focused;
  const over = current !== undefined && !waiting.some(({ item }) => item.id === current);
  const mine = doing.busy || (current !== undefined && answers.has(current));
  useEffect(() => {
    if (!over) return;
    release();
    if (!mine) setSaid(gone);
  }, [over, mine, release, setSaid]);
  useNamed(rest, cards);
  const ended = cards.length - waiting.length;
  return (
    <>
      {waiting.length === 0 ? (
        <Empty>Nothing waits for you.</Empty>
      ) : (
        <Hint thing="question" may={may} keys={keys} />
      )}
      <div ref={list}>
        {cards.map(({ item, endedAt }) => (
          // INVARIANT: a question whose text changes is another card, which nobody has focused yet.
          <Question
            key={`${item.id} ${item.asked?.digest}`}
            approval={item}
            ended={endedAt === null ? undefined : endOf(answers.get(item.id))}
            keys={current === item.id && endedAt === null}
            busy={doing.busy}
            folded={isClosed(item)}
            open={() => open(item)}
            focusable={focused.card(item.id)}
            answer={(word, terms) => answer(item, word, terms)}
          />
        ))}
      </div>
      <Notices said={said} problem={error ?? doing.error}>
        {ended > 0 && (
          <p>
            {ended} {ended === 1 ? 'question has' : 'questions have'} ended.{' '}
            <Act act={drop}>{ended === 1 ? 'Hide it' : 'Hide them'}</Act>
          </p>
        )}
      </Notices>
    </>
  );
}

/** Answers questions by their ids, one at a time, and knows which were answered here. */
function useAnswers(again: () => void) {
  const [said, setSaid] = useState('');
  const [answers, setAnswers] = useState<ReadonlyMap<string, Word>>(new Map());
  const doing = useDoing();
  const answer = ({ id, asked }: Waiting, word: Word, terms: PermissionTerms | null = null) =>
    doing.run(async () => {
      await send(id, asked, word, terms).finally(again);
      setAnswers((old) => new Map(old).set(id, word));
      setSaid(`${done[word]}: ${id}`);
    });
  return { answer, answers, doing, said, setSaid };
}

/** A no is sent as it is; a yes is signed, over the text that is shown. */
async function send(
  id: string,
  asked: Asked | null,
  word: Word,
  terms: PermissionTerms | null,
): Promise<void> {
  const route = 'POST /v1/approvals/:id/answer';
  const path = { id };
  if (word === 'deny') await ask(route, { path, body: { answer: word } });
  else if (asked !== null) {
    const permission =
      terms === null ? {} : { permission: { reach: terms.reach, seconds: terms.lifeMs / 1000 } };
    const check: Parameters<typeof askSigned>[2]['check'] = (needed, now) =>
      checkAnswer(needed, { asked, terms }, now);
    await askSigned(
      route,
      { path, body: { answer: word, ...permission } },
      { purpose: `approve ${id}`, check },
    );
  }
}

function endOf(word: Word | undefined): string {
  return word === undefined ? 'Answered elsewhere, or run out.' : `${done[word]}.`;
}

/** The questions that wait, each in its place for as long as somebody may point at it. */
function useCards() {
  const { data, error, again } = useAsked('GET /v1/approvals');
  const [{ cards, from }, setState] = useState<{ cards: readonly Card<Waiting>[]; from: typeof data }>({
    cards: [],
    from: undefined,
  });
  // What could not be asked for is no news of any question.
  if (data !== undefined && data !== from)
    setState({ cards: keepInPlace(cards, data.approvals.map(waitingIn(cards)), Date.now()), from: data });
  const list = useRef<HTMLDivElement>(null);
  const dropUntil = useCallback(
    (until: number) => setState((old) => ({ ...old, cards: withoutEnded(old.cards, until) })),
    [],
  );
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type.startsWith('approval_'))) again();
      },
      [again],
    ),
  );
  useEffect(() => {
    const timer = setInterval(() => {
      // What expires goes by itself, without an entry.
      again();
      // A finger comes without a sign, so there only the button takes cards away.
      const resting = matchMedia('(hover: hover)').matches && list.current?.matches(':hover') === false;
      if (resting) dropUntil(Date.now() - staysFor);
    }, lookEvery);
    return () => clearInterval(timer);
  }, [again, dropUntil]);
  return { cards, error, again, list, drop: () => dropUntil(Date.now()) };
}

/** Reads what waits; a text that is shown already is not read again. */
function waitingIn(cards: readonly Card<Waiting>[]): (approval: Approval) => Waiting {
  const known = new Map(cards.map(({ item }) => [item.id, item]));
  return (approval) => {
    const { id, text } = approval;
    const same = known.get(id);
    const asked = same?.text === text ? same.asked : text === null ? null : readQuestion(text, id);
    return { ...approval, asked };
  };
}

/** Focuses the question that the address names, once it is there. */
function useNamed(id: string, cards: readonly Card<Waiting>[]): void {
  const there = cards.some(({ item }) => item.id === id);
  useEffect(() => {
    if (there) focusOn(elementOf(id));
  }, [id, there]);
}

function Question({
  approval,
  ended,
  keys,
  busy,
  folded,
  open,
  focusable,
  answer,
}: {
  approval: Waiting;
  /** How it ended; undefined while it waits. */
  ended: string | undefined;
  /** Keys count for it. */
  keys: boolean;
  busy: boolean;
  /** Only its beginning is shown, so it cannot be approved yet. */
  folded: boolean;
  open: () => void;
  focusable: ReturnType<ReturnType<typeof useFocused>['card']>;
  answer: (word: Word, terms?: PermissionTerms | null) => void;
}) {
  const mayAnswer = useMay(answering);
  const { id, asked, text } = approval;
  if (asked === null)
    return (
      <article className="card" aria-label={`Approval ${id}`}>
        This question cannot be shown here:{' '}
        {text === null
          ? 'the rules for secrets of its workspace cannot be read.'
          : 'the daemon sent a text that is not a question with this id.'}{' '}
        Answer it at a terminal: <code>sallyport approve {id}</code>
      </article>
    );
  const { action, context, findings } = asked;
  const texts = textsOf(asked);
  return (
    <article
      id={`approval-${id}`}
      className={`card question${keys ? ' keys' : ''}${ended === undefined ? '' : ' ended'}`}
      aria-label={`Approval ${id}`}
      {...(ended === undefined ? focusable : {})}
    >
      <header>
        <strong>
          <Shown text={context.agent} limit={60} />
        </strong>{' '}
        wants <Shown text={wordsOf(action)} limit={Number.POSITIVE_INFINITY} />{' '}
        {ended === undefined ? <Left until={approval.expiresAt} /> : <strong>{ended}</strong>}
      </header>
      {isLong(texts) && <Flagged action={action} findings={findings} />}
      <div className={folded ? 'folded' : undefined}>
        <Texts texts={texts} findings={findings} />
      </div>
      {folded && <Act act={open}>Show all {grouped(lengthOf(texts))} characters</Act>}
      <Findings findings={findings} />
      <dl>
        <dt>it says</dt>
        <dd>
          {action.justification === undefined ? 'no reason given' : <Shown text={action.justification} />}
        </dd>
        <dt>where</dt>
        <dd>
          <Shown text={context.workspace} limit={4096} /> (session <Shown text={context.session} limit={60} />
          , mode {context.mode})
        </dd>
        <dt>who</dt>
        <dd>
          <Shown text={context.user} limit={60} />, <Shown text={context.tenant} limit={60} />
        </dd>
      </dl>
      {mayAnswer && (
        <Answers
          busy={busy}
          disabled={ended !== undefined}
          folded={folded}
          permittable={permittableIn(findings) !== null}
          answer={answer}
        />
      )}
    </article>
  );
}

function textsOf({ action, findings, context }: Asked): readonly ActionText[] {
  return [...actionTexts(action, findings, context.workspace), ...shownTexts(findings)];
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
function isFolded({ asked }: Waiting): boolean {
  return asked !== null && rowsOf(textsOf(asked)) > mostRows;
}

function lengthOf(texts: readonly ActionText[]): number {
  return texts.reduce((count, { text }) => count + text.length, 0);
}

const mostFlagged = 10;

/** What the findings that ask point at, before the text that they point into. */
function Flagged({ action, findings }: { action: Action; findings: readonly Finding[] }) {
  const flagged = flaggedIn(action, findings);
  if (flagged.length === 0) return null;
  const items = flagged.slice(0, mostFlagged).map((text) => (
    <>
      asks for <code>{shownWhole(text.slice(0, 300))}</code>
    </>
  ));
  return <Items className="findings" items={items} />;
}

/** All texts of an action, the main one first. */
function Texts({
  texts: [main, ...others],
  findings,
}: {
  texts: readonly ActionText[];
  findings: readonly Finding[];
}) {
  return (
    <>
      {main !== undefined && <Marked text={main} findings={findings} />}
      {others.length > 0 && (
        <dl className="texts">
          {others.map((text) => (
            <div key={text.pointer}>
              <dt>
                <Shown text={text.name} />
              </dt>
              <dd>
                <Marked className="rest" text={text} findings={findings} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** Approve, for how long, or deny. */
function Answers({
  busy,
  disabled,
  folded,
  permittable,
  answer,
}: {
  busy: boolean;
  disabled: boolean;
  folded: boolean;
  /** Whether it can be approved for longer, and not once only. */
  permittable: boolean;
  answer: (word: Word, terms?: PermissionTerms | null) => void;
}) {
  const [chosen, setChosen] = useState(0);
  const mayPermit = useMay(`${answering} with a permission`);
  const approve = () => answer('approve', choices[chosen]?.[1] ?? null);
  return (
    <footer>
      <Act className="yes" busy={busy} disabled={disabled || folded} act={approve}>
        Approve <kbd>a</kbd>
      </Act>{' '}
      {mayPermit && permittable && (
        <label>
          <span className="unseen">How long it counts</span>
          <select
            value={chosen}
            disabled={disabled}
            onChange={(event) => setChosen(Number(event.target.value))}
          >
            {choices.map(([title], index) => (
              <option key={title} value={index}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}{' '}
      <Act className="no" busy={busy} disabled={disabled} act={() => answer('deny')}>
        Deny <kbd>d</kbd>
      </Act>
    </footer>
  );
}

/** What is wanted, in plain words. */
function wordsOf(action: Action): string {
  switch (action.kind) {
    case 'shell':
      return 'to run a command';
    case 'python':
      return 'to run a Python program';
    case 'code':
      return 'to run code that calls tools';
    case 'query':
      return `to send a query to ${String(action['target'])}`;
    case 'write':
      return action['path'] === undefined ? 'to change files' : 'to write a file';
    case 'read':
      return 'to read a file';
    case 'fetch':
      return `to send a request (${String(action['method'] ?? 'GET')})`;
    case 'tool':
      return `to call the tool ${String(action['tool'])}${action['server'] === undefined ? '' : ` of ${String(action['server'])}`}`;
    default:
      return `to do this (${action.kind})`;
  }
}
