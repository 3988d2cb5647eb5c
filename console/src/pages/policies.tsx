// Policies in Cedar: those in the store, each edited under the version that was read, checked while it is typed and tried
// on recent decisions before it counts; and their earlier versions.

import { useContext, useEffect, useState } from 'react';
import { type AnswerOf, ask, type Policy } from '../api.ts';
import { checkPolicies, type PolicyEdit } from '../checks.ts';
import {
  Act,
  Badge,
  Items,
  messageOf,
  Nothing,
  Person,
  Problem,
  Shown,
  Time,
  useAsked,
  useDoing,
  useMay,
} from '../parts.tsx';
import { policyExamples } from '../policy-examples.ts';
import { askSigned, type SignedCall } from '../signing.ts';

type Versions = AnswerOf<'GET /v1/policy-versions'>['versions'];

const dryRun = 'POST /v1/policies/dry-run';
const seen = (version: string) => ({ 'if-match': `"${version}"` });

export function Policies() {
  const { data, error, again } = useAsked('GET /v1/policies');
  const [editing, setEditing] = useState<Policy | 'new'>();
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const may = useMay('POST /v1/policies');
  const signing = useSigning(data);
  const ended = (words: string) => {
    setEditing(undefined);
    setSaid(words);
    again();
  };
  const remove = (policy: Policy) =>
    doing.run(async () => {
      const call = signing({ remove: policy.id }, `remove the policy ${policy.id}`);
      const options = { path: { id: policy.id }, headers: seen(policy.version) };
      await askSigned('DELETE /v1/policies/:id', options, call);
      ended(`Removed: ${policy.id}`);
    });
  return (
    <>
      <Problem text={error ?? doing.error} />
      <p role="status">{said}</p>
      <p className="row spread">
        <span className="dim small">
          The baseline and the configuration always count: <code>sallyport policy check</code> shows them.
          Policies of your own only add.
        </span>
        {may && editing === undefined && (
          <button
            type="button"
            className="primary"
            onClick={() => {
              setEditing('new');
              setSaid('');
            }}
          >
            New policy
          </button>
        )}
      </p>
      {data?.policies.length === 0 && editing === undefined && (
        <Nothing title="There is no policy of your own.">
          A policy blocks what the guards would allow, or asks about it: deletions of orders, commands that
          talk to the network, new dependencies. Begin with an example; it is tested on recent decisions
          before it counts.
        </Nothing>
      )}
      {editing !== undefined && (
        <Editor
          key={editing === 'new' ? '' : `${editing.id} ${editing.version}`}
          policy={editing}
          triable={data?.engine === 'cedar'}
          signing={signing}
          ended={ended}
        />
      )}
      <div className="stack policies">
        {(data?.policies ?? []).map((policy) => (
          <article key={policy.id} className="card" aria-label={policy.id}>
            <header className="row spread">
              <h3>
                <Shown text={policy.id} limit={200} />
              </h3>
              <span className="row">
                <Effect text={policy.text} /> <span className="dim small">version {policy.version}</span>
              </span>
            </header>
            <pre className="rest">{policy.text}</pre>
            {may && (
              <div className="row actions">
                <button type="button" onClick={() => setEditing(policy)}>
                  Edit
                </button>
                <Act className="no" busy={doing.busy} act={() => remove(policy)}>
                  Remove
                </Act>
                {data?.engine === 'cedar' && <Tried title="Test removal" body={{ remove: policy.id }} />}
              </div>
            )}
          </article>
        ))}
      </div>
      {data?.engine === 'cedar' && (
        <Versions key={data.version} current={data.version} signing={signing} ended={ended} may={may} />
      )}
    </>
  );
}

type Signing = (change: PolicyEdit['change'], purpose: string) => SignedCall;

/** How a change of the policies is signed: they must be those that are shown, with that change and no other. */
function useSigning(kept: AnswerOf<'GET /v1/policies'> | undefined): Signing {
  const { user } = useContext(Person);
  const { version = '', policies = [] } = kept ?? {};
  return (change, purpose) => ({
    purpose,
    check: (needed, now) => checkPolicies(needed, { version, policies, user, change }, now),
  });
}

function Effect({ text }: { text: string }) {
  const asks = /@decision\("approve"\)/.test(text);
  if (!/\bforbid\s*\(/.test(text)) return <Badge decision="pass" word="Permits" />;
  return <Badge decision={asks ? 'approve' : 'block'} word={asks ? 'Asks' : 'Blocks'} />;
}

/** One policy while it is written. */
function Editor({
  policy,
  triable,
  signing,
  ended,
}: {
  policy: Policy | 'new';
  triable: boolean;
  signing: Signing;
  ended: (words: string) => void;
}) {
  const [text, setText] = useState<string>(policy === 'new' ? policyExamples[0].text : policy.text);
  const named = policy === 'new' ? {} : { id: policy.id };
  const checked = useChecked(text, policy === 'new' ? undefined : policy.id);
  const doing = useDoing();
  const save = () =>
    doing.run(async () => {
      // A new policy is saved under the name that was shown while it was typed.
      const id = policy === 'new' ? (checked.data?.id ?? null) : policy.id;
      const call = signing({ put: { id, text } }, `save the policy ${id ?? ''}`.trimEnd());
      if (policy === 'new')
        await askSigned('POST /v1/policies', { body: { text, ...(id === null ? {} : { id }) } }, call);
      else {
        const headers = seen(policy.version);
        await askSigned('PUT /v1/policies/:id', { path: { id: policy.id }, body: { text }, headers }, call);
      }
      ended('Saved, and recorded. It counts from the next decision on.');
    });
  const fine = checked.data?.problems.length === 0;
  const body = { ...named, text };
  const dry = useDryRun(body);
  const mustTest = triable && dry.run === undefined;
  return (
    <form
      className="card stack editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (mustTest) dry.test();
        else save();
      }}
    >
      <Problem text={doing.error ?? checked.error ?? dry.error} />
      {policy === 'new' && (
        <label className="small">
          Begin with{' '}
          <select defaultValue={policyExamples[0].text} onChange={(event) => setText(event.target.value)}>
            {policyExamples.map(({ purpose, text: example }) => (
              <option key={purpose} value={example}>
                {purpose}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <strong>{policy === 'new' ? 'New policy' : `Policy ${policy.id}`}</strong>
        <textarea
          className="code"
          rows={10}
          spellCheck={false}
          value={text}
          aria-describedby="checked"
          aria-invalid={!fine}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Checked found={checked.data} isNew={policy === 'new'} />
      <DryRun run={dry.run} />
      <div className="row actions">
        {mustTest ? (
          <button type="submit" className="primary" disabled={dry.busy || !fine}>
            {dry.busy ? 'Testing …' : 'Test on recent decisions'}
          </button>
        ) : (
          <button type="submit" className="primary" disabled={doing.busy || !fine}>
            Save
          </button>
        )}
        <button
          type="button"
          disabled={!fine}
          onClick={() => setText((old) => checked.data?.formatted ?? old)}
        >
          Format
        </button>
        <button type="button" onClick={() => ended('')}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Whether a text can be saved, and what is wrong with it where it cannot. */
function Checked({
  found,
  isNew,
}: {
  found: AnswerOf<'POST /v1/policies/check'> | undefined;
  isNew: boolean;
}) {
  const fine = found?.problems.length === 0;
  return (
    <div id="checked" role="status" className="checked small">
      {fine ? (
        <>
          <Badge decision="pass" word="Valid" /> It can be saved
          {isNew && found.id != null && (
            <>
              {' '}
              as <Shown text={found.id} limit={200} />
            </>
          )}
          .
        </>
      ) : (
        <Items
          className="findings"
          items={(found?.problems ?? []).map(({ line, column, message }) => (
            <>
              <Badge decision="block" word="Not valid" /> line {line}, column {column}:{' '}
              <Shown text={message} />
            </>
          ))}
        />
      )}
    </div>
  );
}

/** What is wrong with a text, asked once nobody types; nothing is known of a text that was not asked about. */
function useChecked(text: string, id: string | undefined) {
  const [state, setState] = useState<{
    readonly of: string;
    readonly data?: AnswerOf<'POST /v1/policies/check'>;
    readonly error?: string;
  }>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = { ...(id === undefined ? {} : { id }), text };
      ask('POST /v1/policies/check', { body, signal: stop.signal }).then(
        (data) => setState({ of: text, data }),
        (error: unknown) => {
          if (!stop.signal.aborted) setState({ of: text, error: messageOf(error) });
        },
      );
    }, 250);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, id]);
  return state?.of === text ? state : { data: undefined, error: undefined };
}

type Run = AnswerOf<typeof dryRun>;

/** What a change of policies would make of recent decisions; nothing is known of another change. */
function useDryRun(body: object) {
  const [found, setFound] = useState<{ readonly of: string; readonly run: Run }>();
  const doing = useDoing();
  const key = JSON.stringify(body);
  const test = () => doing.run(async () => setFound({ of: key, run: await ask(dryRun, { body }) }));
  return {
    run: found?.of === key ? found.run : undefined,
    test,
    busy: doing.busy,
    error: doing.error,
  };
}

function Tried({ title, body }: { title: string; body: object }) {
  const { run, test, busy, error } = useDryRun(body);
  return (
    <>
      <button type="button" disabled={busy} onClick={test}>
        {title}
      </button>
      <Problem text={error} />
      <DryRun run={run} />
    </>
  );
}

function DryRun({ run }: { run: Run | undefined }) {
  return (
    <div className="tried" role="status">
      {run !== undefined && (
        <p>
          <strong>
            Would change {run.changed} of {run.judged}
          </strong>{' '}
          recent decisions
          {run.judged < run.of && ` (${run.of - run.judged} more cannot be looked at again)`}
          {run.counts.map(({ from, to, count }) => (
            <span key={`${from} ${to}`}>
              {' · '}
              {count} × <Badge decision={from} /> → <Badge decision={to} />
            </span>
          ))}
        </p>
      )}
      {run !== undefined && run.changes.length > 0 && (
        <Items
          className="list small"
          items={run.changes.map(({ decision_id: id, time, agent, what, from, to, policies }) => (
            <>
              <Time at={time} dated /> <Badge decision={from} /> → <Badge decision={to} />{' '}
              <a href={`#/log/${id ?? ''}`}>
                <code>
                  <Shown text={what} limit={160} />
                </code>
              </a>{' '}
              <span className="dim">
                <Shown text={agent} limit={40} /> · <Shown text={policies.join(', ')} limit={200} />
              </span>
            </>
          ))}
        />
      )}
    </div>
  );
}

/** Earlier versions; each can be restored, as a new version. */
function Versions({
  current,
  signing,
  ended,
  may,
}: {
  current: string;
  signing: Signing;
  ended: (words: string) => void;
  may: boolean;
}) {
  const { data, error } = useAsked('GET /v1/policy-versions');
  const doing = useDoing();
  const restore = (version: string, policies: Versions[number]['policies']) =>
    doing.run(async () => {
      const call = signing({ restore: policies }, `restore version ${version} of the policies`);
      const options = { path: { version }, headers: seen(current) };
      await askSigned('POST /v1/policy-versions/:version/restore', options, call);
      ended(`Version ${version} was restored, as a new version.`);
    });
  if (data?.versions.length === 0) return null;
  return (
    <section aria-labelledby="versions">
      <h3 id="versions">Versions</h3>
      <Problem text={error ?? doing.error} />
      <ul className="list">
        {(data?.versions ?? []).map(({ version, signed, madeBy, madeAt, policies }) => (
          <li key={version}>
            <details>
              <summary>
                Version {version}, <Time at={madeAt} dated />, by <Shown text={madeBy} limit={60} />:{' '}
                {policies.length} {policies.length === 1 ? 'policy' : 'policies'}{' '}
                {!signed && <Badge decision="block" word="not signed" />}
                {version === current && <Badge decision="pass" word="in force" />}
              </summary>
              {policies.map(({ id, text }) => (
                <pre key={id} className="rest">
                  {text}
                </pre>
              ))}
              {version !== current && signed && (
                <>
                  <Tried title={`Test version ${version}`} body={{ restore: Number(version) }} />
                  {may && (
                    <Act busy={doing.busy} act={() => restore(version, policies)}>
                      Restore version {version}
                    </Act>
                  )}
                </>
              )}
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
