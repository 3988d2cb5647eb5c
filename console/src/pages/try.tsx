// Something typed, and what would become of it: the verdict and how it came about. Nothing runs, nothing is recorded.

import { type ReactNode, useState } from 'react';
import { actionTexts } from '../../../src/core/action-text.ts';
import { type AnswerOf, send } from '../api.ts';
import { type Triable, triable, triedAction } from '../examples.ts';
import { Badge, Findings, Items, Problem, Shown, useDoing } from '../parts.tsx';
import type { Action } from '../question.ts';
import { sentenceOf } from '../sentence.ts';
import { Marked, Sentence } from '../texts.tsx';

type Tried = AnswerOf<'POST /v1/try'>;

export function TryIt() {
  const [kind, setKind] = useState<Triable>('shell');
  const [text, setText] = useState<string>(triable.shell.example);
  const [workspace, setWorkspace] = useState('/tmp');
  const [target, setTarget] = useState('');
  const [language, setLanguage] = useState('graphql');
  const [tried, setTried] = useState<{ action: Action; answer: Tried; workspace: string }>();
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
      setTried({ action, answer: await send('POST /v1/try', { body }), workspace });
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
          <button type="submit" className="primary" disabled={doing.busy}>
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

function Answer({
  action,
  answer: { verdict, facts, view },
  workspace,
}: {
  action: Action;
  answer: Tried;
  workspace: string;
}) {
  const [main] = actionTexts(action, verdict.findings);
  return (
    <section className="card stack" aria-label="Verdict" aria-live="polite">
      <h3 className="row verdict">
        <Badge decision={verdict.decision} />{' '}
        <span>
          <Sentence pieces={sentenceOf(action, deciding(verdict), workspace)} />
        </span>
      </h3>
      {main !== undefined && <Marked text={main} findings={verdict.findings} />}
      <Findings findings={verdict.findings} workspace={workspace} />
      {view !== null && (
        <details open>
          <summary>How it came about</summary>
          <Items className="steps" items={stepsOf(view)} />
        </details>
      )}
      <details>
        <summary>Facts</summary>
        <pre className="rest">{JSON.stringify(facts, null, 2)}</pre>
      </details>
    </section>
  );
}

/** The findings with those that decide first: the sentence tells the first. */
function deciding({ decision, findings }: Tried['verdict']): Tried['verdict']['findings'] {
  return findings.toSorted((a, b) => Number(b.decision === decision) - Number(a.decision === decision));
}

/** What was read in a command: what runs, what it does, how data flows. */
function stepsOf({ parsed, effects, flows }: NonNullable<Tried['view']>): readonly ReactNode[] {
  return [
    ...parsed.map(({ program, arguments: words }) => (
      <Step key="runs" does="runs" what={[program ?? '…', ...words].join(' ')} />
    )),
    ...effects.map(({ kind, target, zone }) => (
      <Step key="effect" does={kind} what={target ?? '…'} where={zone?.replace('_', ' ')} />
    )),
    ...flows.map(({ from, to, target }) => (
      <Step key="flow" does="data flows" what={`${from} → ${to} ${target ?? ''}`} />
    )),
  ];
}

function Step({ does, what, where }: { does: string; what: string; where?: string | undefined }) {
  return (
    <>
      <span className="dim">{does}</span>
      <code>
        <Shown text={what} />
      </code>
      <span className="dim">{where}</span>
    </>
  );
}
