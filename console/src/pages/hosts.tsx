// Which agents ask before every tool, when each was seen last, whether that holds, and a button that connects one.

import { useState } from 'react';
import { type AnswerOf, ask } from '../api.ts';
import { Act, Ago, Badge, Problem, Shown, useAsked, useDoing } from '../parts.tsx';

const checking = 'POST /v1/hosts/check';
const weights = { ok: 'pass', note: 'approve', fail: 'block' } as const;
const words = { ok: 'OK', note: 'Note', fail: 'Failed' } as const;

export function Hosts() {
  const { data, error, again } = useAsked('GET /v1/hosts');
  const [checks, setChecks] = useState<AnswerOf<typeof checking>['checks']>();
  const doing = useDoing();
  const check = async () => {
    const { checks: found } = await ask(checking);
    setChecks(found);
  };
  const connect = (host: string) =>
    doing.run(async () => {
      await ask('POST /v1/hosts/:host/wire', { path: { host } });
      again();
      await check();
    });
  return (
    <>
      <Problem text={error ?? doing.error} />
      <ul className="list panel hosts">
        {(data?.hosts ?? []).map(({ host, title, files, lastSeen }) => (
          <li key={host}>
            <strong className="host">{title}</strong>
            <Badge
              decision={files.length > 0 ? 'pass' : ''}
              word={files.length > 0 ? 'connected' : 'not connected'}
            />
            <span className="dim small files">
              {files.map((file) => (
                <Shown key={file} text={`${file} `} limit={160} />
              ))}
            </span>
            <span className="small">
              {lastSeen === null ? (
                <span className="dim">never seen</span>
              ) : (
                <>
                  seen <Ago at={lastSeen} />
                </>
              )}
            </span>
            {files.length === 0 ? (
              <Act busy={doing.busy} act={() => connect(host)} aria-label={`Connect ${title}`}>
                Connect
              </Act>
            ) : (
              <code className="small dim">sallyport init {host} --remove</code>
            )}
          </li>
        ))}
      </ul>
      <section className="row">
        <button type="button" className="primary" disabled={doing.busy} onClick={() => doing.run(check)}>
          {doing.busy ? 'Checking, for some seconds …' : 'Check that it blocks'}
        </button>
        <span className="dim small">Provokes a block through every part of this installation.</span>
      </section>
      {checks !== undefined && (
        <ul className="list panel" aria-label="What was checked">
          {checks.map(({ name, state, says }) => (
            <li key={name}>
              <Badge decision={weights[state]} word={words[state]} /> <strong>{name}</strong>{' '}
              <span>
                <Shown text={says} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
