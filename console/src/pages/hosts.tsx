// Which agents ask before every tool, whether that holds, and a button that wires one in.

import { useState } from 'react';
import { type AnswerOf, ask } from '../api.ts';
import { Act, Badge, Problem, Shown, useAsked, useDoing } from '../parts.tsx';

const checking = 'POST /v1/hosts/check';
const weights = { ok: 'pass', note: 'approve', fail: 'block' } as const;

export function Hosts() {
  const { data, error, again } = useAsked('GET /v1/hosts');
  const [checks, setChecks] = useState<AnswerOf<typeof checking>['checks']>();
  const doing = useDoing();
  const check = async () => {
    const { checks: found } = await ask(checking);
    setChecks(found);
  };
  const wire = (host: string) =>
    doing.run(async () => {
      await ask('POST /v1/hosts/:host/wire', { path: { host } });
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
