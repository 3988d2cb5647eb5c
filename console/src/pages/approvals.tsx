// What waits for a person: what would happen, why it is asked, who asks; yes or no, by mouse or by keys.

import { useCallback, useEffect, useState } from 'react';
import { type Action, type Approval, ask } from '../api.ts';
import { useEntries } from '../events.ts';
import {
  Empty,
  Findings,
  Left,
  Marked,
  Problem,
  Shown,
  useAsked,
  useDoing,
  useKeys,
  useMay,
} from '../parts.tsx';

const grants = [
  [0, 'once'],
  [3600, 'for an hour'],
  [28_800, 'for 8 hours'],
] as const;
const answering = 'POST /v1/approvals/:id/answer';

export function Approvals({ rest }: { rest: string }) {
  const { data, error, again } = useAsked<{ approvals: readonly Approval[] }>('/v1/approvals');
  const [chosen, setChosen] = useState<string | undefined>(rest);
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const may = useMay(answering);
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type.startsWith('approval_'))) again();
      },
      [again],
    ),
  );
  // What expires goes by itself, without an entry.
  useEffect(() => {
    const timer = setInterval(again, 5000);
    return () => clearInterval(timer);
  }, [again]);
  const waiting = data?.approvals ?? [];
  const at = Math.max(
    0,
    waiting.findIndex(({ id }) => id === chosen),
  );
  const current = waiting[at];
  const answer = (approval: Approval | undefined, word: 'approve' | 'deny', seconds = 0) => {
    if (approval === undefined || !may) return;
    doing.run(async () => {
      const grant = seconds === 0 ? {} : { grant_seconds: seconds };
      await ask(`/v1/approvals/${approval.id}/answer`, { body: { answer: word, ...grant } }).finally(again);
      setSaid(`${word === 'approve' ? 'Approved' : 'Denied'}: ${approval.id}`);
    });
  };
  useKeys({
    j: () => setChosen(waiting[Math.min(at + 1, waiting.length - 1)]?.id),
    k: () => setChosen(waiting[Math.max(at - 1, 0)]?.id),
    a: () => answer(current, 'approve'),
    d: () => answer(current, 'deny'),
  });
  return (
    <>
      <Problem text={error ?? doing.error} />
      <p role="status" className="dim">
        {said}
      </p>
      {waiting.length === 0 ? (
        <Empty>Nothing waits for you.</Empty>
      ) : (
        may && (
          <p className="dim">
            <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> approve once, <kbd>d</kbd> deny
          </p>
        )
      )}
      {waiting.map((approval) => (
        <Card
          key={approval.id}
          approval={approval}
          current={approval === current}
          busy={doing.busy}
          choose={() => setChosen(approval.id)}
          answer={(word, seconds) => answer(approval, word, seconds)}
        />
      ))}
    </>
  );
}

function Card({
  approval,
  current,
  busy,
  choose,
  answer,
}: {
  approval: Approval;
  current: boolean;
  busy: boolean;
  choose: () => void;
  answer: (word: 'approve' | 'deny', seconds?: number) => void;
}) {
  const [seconds, setSeconds] = useState(0);
  const [mayAnswer, mayGrant] = [useMay(answering), useMay(`${answering} with a grant`)];
  const { question } = approval;
  if (question === null) return null;
  const { action, context, findings } = question;
  // What was granted once may never be more than that where it cannot be taken back.
  const [text, rest] = textOf(action);
  return (
    <article
      className={current ? 'card current' : 'card'}
      onFocus={choose}
      aria-label={`Approval ${approval.id}`}
    >
      <header>
        <strong>
          <Shown text={approval.agent} limit={60} />
        </strong>{' '}
        wants {wordsOf(action)} <Left until={approval.expiresAt} />
      </header>
      <Marked text={text} findings={findings} />
      {rest !== '' && <pre className="rest">{rest}</pre>}
      <Findings findings={findings} />
      <dl>
        <dt>it says</dt>
        <dd>
          {action.justification === undefined ? 'no reason given' : <Shown text={action.justification} />}
        </dd>
        <dt>where</dt>
        <dd>
          <Shown text={String(action['cwd'] ?? context.workspace)} /> (session{' '}
          <Shown text={context.session} limit={60} />, mode {context.mode})
        </dd>
        <dt>who</dt>
        <dd>
          <Shown text={approval.user} limit={60} />, <Shown text={approval.tenant} limit={60} />
        </dd>
      </dl>
      {mayAnswer && (
        <footer>
          <button type="button" className="yes" disabled={busy} onClick={() => answer('approve', seconds)}>
            Approve
          </button>{' '}
          {mayGrant && (
            <label>
              <span className="unseen">How long it counts</span>
              <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
                {grants.map(([value, title]) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          )}{' '}
          <button type="button" className="no" disabled={busy} onClick={() => answer('deny')}>
            Deny
          </button>
        </footer>
      )}
    </article>
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
      return `to write ${String(action['path'] ?? 'files')}`;
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

/** The text that the findings point into, and the rest of the action. */
function textOf(action: Action): readonly [string, string] {
  // Where it starts is said below, with the workspace.
  const { kind, justification: _, cwd: __, ...members } = action;
  const name = {
    shell: 'command',
    python: 'source',
    code: 'source',
    query: 'text',
    write: 'content',
    fetch: 'url',
    read: 'path',
  }[kind];
  const text = name === undefined ? undefined : members[name];
  if (name === undefined || typeof text !== 'string') return [JSON.stringify(members, null, 2), ''];
  const { [name]: ___, ...rest } = members;
  return [text, Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2)];
}
