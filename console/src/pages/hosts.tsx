// Which agents ask before every tool, whether that holds, and a button that wires one in.

import { useState } from 'react';
import { ask } from '../api.ts';
import { Act, Badge, Problem, Shown, useAsked, useDoing } from '../parts.tsx';

interface Host {
  readonly host: string;
  readonly title: string;
  readonly files: readonly string[];
}

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'fail';
  readonly says: string;
}

const weights = { ok: 'pass', note: 'approve', fail: 'block' } as const;

export function Hosts() {
  const { data, error, again } = useAsked<{ hosts: readonly Host[] }>('/v1/hosts');
  const [checks, setChecks] = useState<readonly Check[]>();
  const doing = useDoing();
  const check = async () => {
    const { checks: found } = await ask<{ checks: readonly Check[] }>('/v1/hosts/check', { body: {} });
    setChecks(found);
  };
  const wire = (host: string) =>
    doing.run(async () => {
      await ask(`/v1/hosts/${host}/wire`, { body: {} });
      again();
      await check();
    });
  return (
    <>
      <Problem text={error ?? doing.error} />
      <table>
        <caption>Agent hosts</caption>
        <thead>
          <tr>
            <th scope="col">host</th>
            <th scope="col">wired in</th>
            <th scope="col">
              <span className="unseen">what to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {(data?.hosts ?? []).map(({ host, title, files }) => (
            <tr key={host}>
              <th scope="row">{title}</th>
              <td>
                {files.length === 0
                  ? 'no'
                  : files.map((file) => <Shown key={file} text={file} limit={120} />)}
              </td>
              <td>
                {files.length === 0 && (
                  <Act busy={doing.busy} act={() => wire(host)}>
                    Wire {title} in
                  </Act>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" className="yes" disabled={doing.busy} onClick={() => doing.run(check)}>
          {doing.busy ? 'Checking …' : 'Check that it blocks'}
        </button>
      </p>
      {checks !== undefined && (
        <ul className="findings" aria-label="What was checked">
          {checks.map(({ name, state, says }) => (
            <li key={name}>
              <Badge decision={weights[state]} word={state} /> <strong>{name}</strong> <Shown text={says} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
