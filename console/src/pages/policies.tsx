// Policies in Cedar: those that are kept in the store, each edited under the version that was read.

import { useState } from 'react';
import { ask } from '../api.ts';
import { Badge, Empty, Problem, Shown, useAsked, useDoing } from '../parts.tsx';

interface Policy {
  readonly id: string;
  readonly text: string;
  readonly version: string | number;
  readonly title?: string;
}

interface Kept {
  readonly engine: string;
  readonly version: string | number;
  readonly signed?: boolean;
  readonly policies: readonly Policy[];
}

const example = `@id("no_deletes_of_orders")
@title("Nobody deletes orders")
forbid (principal, action == CodeMode::Action::"Delete", resource);`;

export function Policies() {
  const { data, error, again } = useAsked<Kept>('/v1/policies');
  const [editing, setEditing] = useState<Policy | 'new'>();
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const begin = (policy: Policy | 'new') => {
    setEditing(policy);
    setText(policy === 'new' ? example : policy.text);
    setSaid('');
  };
  const save = () =>
    doing.run(async () => {
      if (editing === 'new') await ask('/v1/policies', { body: { text } });
      else if (editing !== undefined) {
        const headers = { 'if-match': `"${editing.version}"` };
        await ask(`/v1/policies/${encodeURIComponent(editing.id)}`, {
          method: 'PUT',
          body: { text },
          headers,
        });
      }
      setEditing(undefined);
      setSaid('Saved, and recorded. It counts from the next decision on.');
      again();
    });
  const remove = (policy: Policy) =>
    doing.run(async () => {
      const headers = { 'if-match': `"${policy.version}"` };
      await ask(`/v1/policies/${encodeURIComponent(policy.id)}`, { method: 'DELETE', headers });
      setSaid(`Removed: ${policy.id}`);
      again();
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
              <Shown text={policy.title ?? policy.id} limit={200} />
            </strong>{' '}
            <Badge
              decision={policy.text.includes('forbid') ? 'block' : 'pass'}
              word={policy.text.includes('forbid') ? 'forbid' : 'permit'}
            />{' '}
            <span className="dim">version {policy.version}</span>
          </header>
          <pre className="rest">{policy.text}</pre>
          <button type="button" onClick={() => begin(policy)}>
            Edit
          </button>{' '}
          <button type="button" className="no" disabled={doing.busy} onClick={() => remove(policy)}>
            Remove
          </button>
        </article>
      ))}
      {editing === undefined ? (
        <button type="button" className="yes" onClick={() => begin('new')}>
          New policy
        </button>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <label>
            {editing === 'new' ? 'New policy' : `Policy ${editing.id}`}
            <textarea
              rows={12}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <button type="submit" className="yes" disabled={doing.busy}>
            Save
          </button>{' '}
          <button type="button" onClick={() => setEditing(undefined)}>
            Leave it
          </button>
        </form>
      )}
    </>
  );
}
