// Standing approvals: what each allows, where and until when; each can be revoked.

import { useCallback, useState } from 'react';
import { ask } from '../api.ts';
import { useEntries } from '../events.ts';
import { Act, Ago, Badge, Left, Nothing, Notices, Shown, useAsked, useDoing, useMay } from '../parts.tsx';
import { plural } from '../words.ts';

const any = '*';

/** What is allowed, with paths as the project names them. */
function inWorkspace(says: string, workspace: string): string {
  return workspace === any ? says : says.replaceAll(`${workspace}/`, '');
}

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
          A permission answers the same question for you, in a session or a project, until it expires. To make
          one, choose how long an approval counts under <a href="#/approvals">Approvals</a>, or run{' '}
          <code>sallyport allow</code> at a terminal.
        </Nothing>
      )}
      <div className="stack">
        {permissions.map(({ id, says, covers, agent, workspace, session, uses, createdAt, expiresAt }) => (
          <article key={id} className="card stack" aria-label={`Permission ${id}`}>
            <div className="what">
              <Shown text={inWorkspace(says, workspace)} limit={400} />
            </div>
            <p className="small">
              <strong>
                <Shown text={agent === any ? 'Every agent' : agent} limit={60} />
              </strong>{' '}
              <span className="dim">
                {session === null ? '' : `in the session ${session} `}in{' '}
                <Shown text={workspace === any ? 'every project' : workspace} limit={400} /> · allowed{' '}
                <Ago at={createdAt} /> ·{' '}
                {uses === null ? 'any number of uses' : plural(uses, 'use left', 'uses left')}
              </span>
            </p>
            <div className="row spread">
              <span className="row">
                <Badge decision="" word={covers === 'everything' ? 'everything' : `one ${covers}`} />
                <Left until={new Date(expiresAt).toISOString()} />
              </span>
              {may && (
                <Act className="no" busy={doing.busy} act={() => revoke(id)}>
                  Revoke
                </Act>
              )}
            </div>
          </article>
        ))}
      </div>
      <Notices said={said} problem={error ?? doing.error} />
    </>
  );
}
