// Policies in Cedar: those in the store, each edited under the version that was read, checked while it is typed and tried
// on recent decisions before it counts; and their earlier versions.

import { useContext, useEffect, useState } from 'react';
import { type AnswerOf, ask, type Policy } from '../api.ts';
import { checkPolicies, type PolicyEdit } from '../checks.ts';
import { policyTemplate } from '../examples.ts';
import {
  Act,
  Badge,
  Empty,
  Items,
  messageOf,
  Person,
  Problem,
  Shown,
  Time,
  useAsked,
  useDoing,
  useMay,
} from '../parts.tsx';
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
      <p className="dim">
        The baseline and what follows from the configuration always count and are not edited here: sallyport
        policy check shows them. Policies of your own stand beside them
        {data === undefined ? '' : ` (engine ${data.engine})`}.
      </p>
      {data?.policies.length === 0 && <Empty>There is no policy of your own in the store.</Empty>}
      {(data?.policies ?? []).map((policy) => (
        <article key={policy.id} className="card" aria-label={policy.id}>
          <header>
            <strong>
              <Shown text={policy.id} limit={200} />
            </strong>{' '}
            <Effect text={policy.text} /> <span className="dim">version {policy.version}</span>
          </header>
          <pre className="rest">{policy.text}</pre>
          {may && (
            <>
              <button type="button" onClick={() => setEditing(policy)}>
                Edit
              </button>{' '}
              <Act className="no" busy={doing.busy} act={() => remove(policy)}>
                Remove
              </Act>
              {data?.engine === 'cedar' && <Tried title="Without it" body={{ remove: policy.id }} />}
            </>
          )}
        </article>
      ))}
      {may && editing === undefined && (
        <button
          type="button"
          className="yes"
          onClick={() => {
            setEditing('new');
            setSaid('');
          }}
        >
          New policy
        </button>
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
  const forbids = /\bforbid\s*\(/.test(text);
  return <Badge decision={forbids ? 'block' : 'pass'} word={forbids ? 'forbid' : 'permit'} />;
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
  const [text, setText] = useState(policy === 'new' ? policyTemplate : policy.text);
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
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Problem text={doing.error ?? checked.error} />
      <label>
        {policy === 'new' ? 'New policy' : `Policy ${policy.id}`}
        <textarea
          rows={12}
          spellCheck={false}
          value={text}
          aria-describedby="checked"
          aria-invalid={!fine}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <div id="checked" role="status">
        {fine ? (
          <p className="dim">
            It can be saved
            {policy === 'new' && checked.data?.id != null && (
              <>
                {' '}
                as <Shown text={checked.data.id} limit={200} />
              </>
            )}
            .
          </p>
        ) : (
          <Items
            className="findings"
            items={(checked.data?.problems ?? []).map(({ line, column, message }) => (
              <>
                line {line}, column {column}: <Shown text={message} />
              </>
            ))}
          />
        )}
      </div>
      {triable && fine && <Tried title="With it" body={{ ...named, text }} />}
      <button type="submit" className="yes" disabled={doing.busy || !fine}>
        Save
      </button>{' '}
      <button type="button" disabled={!fine} onClick={() => setText((old) => checked.data?.formatted ?? old)}>
        Format
      </button>{' '}
      <button type="button" onClick={() => ended('')}>
        Cancel
      </button>
    </form>
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

/** What a change of policies would have made of recent decisions. */
function Tried({ title, body }: { title: string; body: object }) {
  const [found, setFound] = useState<{ readonly of: string; readonly run: AnswerOf<typeof dryRun> }>();
  const doing = useDoing();
  const key = JSON.stringify(body);
  const run = found?.of === key ? found.run : undefined;
  const tryIt = () => doing.run(async () => setFound({ of: key, run: await ask(dryRun, { body }) }));
  return (
    <section className="tried" aria-label={`${title}: recent decisions`}>
      <button type="button" disabled={doing.busy} onClick={tryIt}>
        {title}: try it on recent decisions
      </button>
      <Problem text={doing.error} />
      <div role="status">
        {run !== undefined && (
          <p>
            <strong>
              {run.changed} of {run.judged}
            </strong>{' '}
            recent decisions would have been others
            {run.judged < run.of && ` (${run.of - run.judged} more cannot be looked at again)`}
            {run.counts.map(({ from, to, count }) => (
              <span key={`${from} ${to}`}>
                {' · '}
                {count} × <Badge decision={from} /> → <Badge decision={to} />
              </span>
            ))}
          </p>
        )}
      </div>
      {run !== undefined && run.changes.length > 0 && (
        <Items
          className="plain-list"
          items={run.changes.map(({ decision_id: id, time, agent, kind, from, to, policies }) => (
            <>
              <Time at={time} /> <Badge decision={from} /> → <Badge decision={to} />{' '}
              <a href={`#/log/${id ?? ''}`}>
                <Shown text={kind} limit={40} /> · <Shown text={agent} limit={40} />
              </a>{' '}
              <span className="dim">
                <Shown text={policies.join(', ')} limit={200} />
              </span>
            </>
          ))}
        />
      )}
    </section>
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
      <ul className="plain-list">
        {(data?.versions ?? []).map(({ version, signed, madeBy, madeAt, policies }) => (
          <li key={version}>
            <details>
              <summary>
                Version {version}, <Time at={madeAt} />, by <Shown text={madeBy} limit={60} />:{' '}
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
                  <Tried title={`With version ${version}`} body={{ restore: Number(version) }} />
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
