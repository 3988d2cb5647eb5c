// Something typed, and what would become of it: the verdict and how it came about. Nothing runs, nothing is recorded.

import { type ReactNode, useState } from 'react';
import { actionTexts } from '../../../src/core/action-text.ts';
import { type AnswerOf, send } from '../api.ts';
import { type Triable, triable, triedAction } from '../examples.ts';
import { Badge, Findings, Items, Problem, Shown, useDoing } from '../parts.tsx';
import type { Action } from '../question.ts';
import { Marked } from '../texts.tsx';
import { decisionWord } from '../words.ts';

type Tried = AnswerOf<'POST /v1/try'>;

export function TryIt() {
  const [kind, setKind] = useState<Triable>('shell');
  const [text, setText] = useState<string>(triable.shell.example);
  const [workspace, setWorkspace] = useState('/tmp');
  const [target, setTarget] = useState('');
  const [language, setLanguage] = useState('graphql');
  const [tried, setTried] = useState<{ action: Action; answer: Tried }>();
  const doing = useDoing();
  const choose = (next: Triable) => {
    setKind(next);
    setText(triable[next].example);
    setTried(undefined);
  };
  const judge = () =>
    doing.run(async () => {
      const action = triedAction(kind, text, { target, language });
      const body = { ...action, context: { workspace } };
      setTried({ action, answer: await send('POST /v1/try', { body }) });
    });
  return (
    <>
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          judge();
        }}
      >
        <div className="choices" role="radiogroup" aria-label="What it is">
          {(Object.keys(triable) as Triable[]).map((name) => (
            <label key={name}>
              <input type="radio" name="kind" checked={kind === name} onChange={() => choose(name)} />{' '}
              {triable[name].title}
            </label>
          ))}
        </div>
        <label>
          <strong>{triable[kind].title}</strong>
          <textarea
            className="code"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              // By the form, so that what it needs is asked for.
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        {kind === 'query' && (
          <div className="row">
            <label>
              Source{' '}
              <input
                value={target}
                required
                placeholder="its name in sallyport.toml"
                onChange={(event) => setTarget(event.target.value)}
              />
            </label>{' '}
            <label>
              Language{' '}
              <select value={language} onChange={(event) => setLanguage(event.target.value)}>
                {['graphql', 'sql', 'rest'].map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
        )}
        <div className="row">
          <label>
            Workspace <input value={workspace} onChange={(event) => setWorkspace(event.target.value)} />
          </label>{' '}
          <button type="submit" className="yes" disabled={doing.busy}>
            Test it
          </button>
          <span className="dim small">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
        </div>
      </form>
      <Problem text={doing.error} />
      {tried !== undefined && <Answer {...tried} />}
    </>
  );
}

function Answer({ action, answer: { verdict, facts, view } }: { action: Action; answer: Tried }) {
  const [main] = actionTexts(action, verdict.findings);
  return (
    <section className="card stack" aria-label="Verdict" aria-live="polite">
      <p className="verdict">
        <Badge decision={verdict.decision} /> <Shown text={explained(verdict)} />
      </p>
      {main !== undefined && <Marked text={main} findings={verdict.findings} />}
      <Findings findings={verdict.findings} />
      {view !== null && (
        <details open>
          <summary>How it came about</summary>
          <Items items={stepsOf(view)} />
        </details>
      )}
      <details>
        <summary>Facts</summary>
        <pre className="rest">{JSON.stringify(facts, null, 2)}</pre>
      </details>
    </section>
  );
}

/** The explanation without the word that the badge says already. */
function explained({ decision, explanation }: Tried['verdict']): string {
  const word = `${decisionWord(decision)}: `;
  return explanation.startsWith(word) ? explanation.slice(word.length) : explanation;
}

/** What was read in a command: what runs, what it does, how data flows. */
function stepsOf({ parsed, effects, flows }: NonNullable<Tried['view']>): readonly ReactNode[] {
  return [
    ...parsed.map(({ program, arguments: words }) => (
      <>
        runs <code>{[program ?? '…', ...words].join(' ')}</code>
      </>
    )),
    ...effects.map(({ kind, target, zone }) => (
      <>
        {kind} <code>{target ?? '…'}</code> {zone === undefined ? '' : `(${zone.replace('_', ' ')})`}
      </>
    )),
    ...flows.map(({ from, to, target }) => `data flows from ${from} to ${to} ${target ?? ''}`),
  ];
}
