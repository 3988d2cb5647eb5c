// Where a person is told that a question waits: this browser, and the places of the configuration.

import { useState } from 'react';
import { type NoticeState, noticeState, setNotices } from '../notices.ts';
import { Act, Badge, Problem, useAsked, useDoing } from '../parts.tsx';

const places = [
  ['webhook', 'Webhook', 'notify.webhook'],
  ['slack', 'Slack', 'notify.slack'],
  ['ntfy', 'ntfy', 'notify.ntfy'],
  ['desktop', 'This desktop', 'notify.desktop'],
] as const;

const says: Readonly<Record<NoticeState, string>> = {
  on: 'This browser tells you about new questions while the page is in the background.',
  off: 'This browser does not tell you about new questions.',
  refused: 'This browser refuses notifications of this page. Allow them in its settings for this address.',
  unknown: 'This browser has no notifications.',
};

export function Notifications() {
  const { data, error } = useAsked('GET /v1/notifications');
  const [state, setState] = useState(noticeState);
  const doing = useDoing();
  const turn = (on: boolean) => doing.run(async () => setState(await setNotices(on)));
  return (
    <>
      <Problem text={error ?? doing.error} />
      <article className="card stack" aria-labelledby="this-browser">
        <div className="row">
          <h3 id="this-browser">This browser</h3>
          <Badge decision={state === 'on' ? 'pass' : ''} word={state === 'on' ? 'on' : 'off'} />
        </div>
        <p>{says[state]} A notification does not say what is asked; it opens the question.</p>
        {state === 'off' && (
          <p>
            <Act className="primary" busy={doing.busy} act={() => turn(true)}>
              Turn on
            </Act>
          </p>
        )}
        {state === 'on' && (
          <p>
            <Act busy={doing.busy} act={() => turn(false)}>
              Turn off
            </Act>
          </p>
        )}
      </article>
      <section aria-labelledby="places">
        <h3 id="places">From the daemon</h3>
        {data !== undefined && (
          <>
            <p className="dim under-title">
              A question that waits for {data.after_seconds} seconds is sent to these places. Set them in{' '}
              <code>sallyport.toml</code>.
            </p>
            <ul className="list panel">
              {places.map(([name, title, key]) => (
                <li key={name}>
                  <strong className="host">{title}</strong>
                  <Badge decision={data[name] ? 'pass' : ''} word={data[name] ? 'on' : 'off'} />
                  <code className="dim small">{key}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </>
  );
}
