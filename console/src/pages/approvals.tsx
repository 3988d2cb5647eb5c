// The approvals that wait: what would happen, why it is asked and who asks. Approve or deny them by mouse or by keys.

import { useCallback, useEffect, useRef, useState } from 'react';
import type { PermissionTerms } from '../../../src/core/permission.ts';
import { type Approval, ask } from '../api.ts';
import { type Card, keepInPlace, nextWaiting, withoutEnded } from '../cards.ts';
import { checkAnswer } from '../checks.ts';
import { useEntries } from '../events.ts';
import { focusOn, useFocused } from '../focus.ts';
import { Act, Hint, Nothing, Notices, useAsked, useDoing, useKeys, useMay } from '../parts.tsx';
import { type Asked, readQuestion } from '../question.ts';
import { askSigned } from '../signing.ts';
import { useStill } from '../still.ts';
import { plural } from '../words.ts';
import { answering, isFolded, Question, type Waiting, type Word } from './question-card.tsx';

const lookEvery = 5000;
/** How long a question that has ended stays in its place at least, in milliseconds. */
const staysFor = 10_000;
const gone =
  'The question you were looking at was answered elsewhere or expired. Press j to choose the next one.';
const moved =
  'The question moved or changed under your answer, so nothing was sent. Look at it, then answer again.';

const done: Readonly<Record<Word, string>> = { approve: 'Approved', deny: 'Denied' };
const keys = { a: 'approves it once', d: 'denies it' };
const elementOf = (id: string) => document.getElementById(`approval-${id}`);

export function Approvals({ rest }: { rest: string }) {
  const { cards, known, error, again, drop, list } = useCards();
  const waiting = cards.filter(({ endedAt }) => endedAt === null);
  const may = useMay(answering);
  const { answer: send, answers, doing, said, setSaid } = useAnswers(again);
  const still = useStill(list);
  // INVARIANT: every answer, by key or by click, goes through here.
  const answer = (item: Waiting, word: Word, terms?: PermissionTerms | null) => {
    if (still.check(item.id)) send(item, word, terms);
    else setSaid(moved);
  };
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
      {cards.length === 0 && known && (
        <Nothing title="Nothing waits for you.">
          When an agent wants something that needs your approval, its question appears here at once, with what
          would happen in one sentence. To be told when this page is in the background, turn on{' '}
          <a href="#/notifications">notifications</a>. What waits was asked by agents of your{' '}
          <a href="#/hosts">hosts</a>.
        </Nothing>
      )}
      {/* In the place of the hint, and as high: the cards that have ended stay where they are. */}
      {cards.length > 0 && waiting.length === 0 && <p className="small hint done">Nothing waits for you.</p>}
      {waiting.length > 0 && <Hint thing="question" may={may} keys={keys} />}
      <div ref={list} className="stack">
        {cards.map(({ item, endedAt }) => (
          // INVARIANT: a question whose text changes is another card, which nobody has focused yet.
          <Question
            key={`${item.id} ${item.asked?.digest}`}
            approval={item}
            ended={endedAt === null ? undefined : endOf(answers.get(item.id))}
            keys={current === item.id && endedAt === null && still.ids.has(item.id)}
            busy={doing.busy}
            still={still.ids.has(item.id)}
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
            {plural(ended, 'question has', 'questions have')} ended.{' '}
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
      await sendAnswer(id, asked, word, terms).finally(again);
      setAnswers((old) => new Map(old).set(id, word));
      setSaid(`${done[word]}: ${id}`);
    });
  return { answer, answers, doing, said, setSaid };
}

/** A no is sent as it is; a yes is signed, over the text that is shown. */
async function sendAnswer(
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
  return word === undefined ? 'Answered elsewhere, or expired' : done[word];
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
  return { cards, known: from !== undefined, error, again, list, drop: () => dropUntil(Date.now()) };
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
