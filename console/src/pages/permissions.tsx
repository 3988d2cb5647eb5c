// Standing approvals: what each allows, where and until when; each can be revoked.

import { useCallback, useState } from 'react';
import { ask } from '../api.ts';
import { useEntries } from '../events.ts';
import { Act, Badge, Left, Nothing, Notices, Shown, Time, useAsked, useDoing, useMay } from '../parts.tsx';

const any = '*';

export function Permissions() {
  const { data, error, again } = useAsked('GET /v1/permissions');
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => /^(?:grant_|permission_)/.test(type))) again();
      },
      [again],
    ),
  );
  const [said, setSaid] = useState('');
  const doing = useDoing();
  const may = useMay('DELETE /v1/permissions/:id');
  const revoke = (id: string) =>
    doing.run(async () => {
      await ask('DELETE /v1/permissions/:id', { path: { id } }).finally(again);
      setSaid(`Revoked: ${id}. The agent is asked again from now on.`);
    });
  const permissions = data?.permissions ?? [];
  return (
    <>
      {data !== undefined && permissions.length === 0 && (
        <Nothing title="There is no standing permission.">
          Approve a question for longer than once, or run <code>sallyport allow</code> at a terminal.
        </Nothing>
      )}
      <div className="stack">
        {permissions.map(({ id, says, covers, agent, workspace, session, uses, createdAt, expiresAt }) => (
          <article key={id} className="card" aria-label={`Permission ${id}`}>
            <div className="row spread">
              <h3>
                <Shown text={says} limit={400} />
              </h3>
              <Left until={new Date(expiresAt).toISOString()} />
            </div>
            <p className="row small">
              <Badge decision="" word={covers === 'everything' ? 'everything' : `one ${covers}`} />
              <span className="dim">
                <Shown text={agent === any ? 'every agent' : agent} limit={60} />{' '}
                {session === null ? '' : `in the session ${session} `}in{' '}
                <Shown text={workspace === any ? 'every project' : workspace} limit={400} />
                {uses === null ? '' : `, ${uses} uses left`}, since <Time at={createdAt} />
              </span>
            </p>
            {may && (
              <p>
                <Act className="no" busy={doing.busy} act={() => revoke(id)}>
                  Revoke
                </Act>
              </p>
            )}
          </article>
        ))}
      </div>
      <Notices said={said} problem={error ?? doing.error} />
    </>
  );
}
