// The frame around the pages: who is here, where one is, and what waits.

import { useCallback, useEffect, useState } from 'react';
import { ask, type Overview, session } from './api.ts';
import { followLog, useEntries, useLine } from './events.ts';
import { Approvals } from './pages/approvals.tsx';
import { Changes } from './pages/changes.tsx';
import { Hosts } from './pages/hosts.tsx';
import { Log } from './pages/log.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { Policies } from './pages/policies.tsx';
import { TryIt } from './pages/try.tsx';
import { Fence, useAsked, useKeys } from './parts.tsx';

const pages = {
  overview: { title: 'Overview', page: OverviewPage },
  approvals: { title: 'Approvals', page: Approvals },
  changes: { title: 'Changes', page: Changes },
  log: { title: 'Receipts and log', page: Log },
  policies: { title: 'Policies', page: Policies },
  try: { title: 'Try it', page: TryIt },
  hosts: { title: 'Hosts', page: Hosts },
} as const;

type PageName = keyof typeof pages;
const names = Object.keys(pages) as PageName[];

/** What stands behind `#/`: a page, and what of it is looked at. */
function useRoute(): readonly [PageName, string] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = () => setHash(location.hash);
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  const [, name = '', rest = ''] = hash.split('/');
  return [names.find((known) => known === name) ?? 'overview', decodeURIComponent(rest)];
}

const waitingTypes = /^(?:approval_|change_|receipt$)/;

export function App({ problem }: { problem: string | undefined }) {
  const [here, setHere] = useState(session.token() !== null);
  useEffect(() => {
    const left = () => setHere(false);
    window.addEventListener('sallyport-left', left);
    return () => window.removeEventListener('sallyport-left', left);
  }, []);
  return here ? <House /> : <Door problem={problem} />;
}

function Door({ problem }: { problem: string | undefined }) {
  return (
    <main className="door">
      <h1>Sallyport</h1>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <p>
        To come in, run <code>sallyport console</code> at a terminal, give the passphrase, and open the link
        that it prints. A link counts once, for a minute.
      </p>
    </main>
  );
}

function House() {
  const [name, rest] = useRoute();
  const line = useLine();
  const who = useAsked<{ user: string; tenant: string; version: string }>('/v1/session');
  const overview = useAsked<Overview>('/v1/overview?minutes=5');
  useEffect(() => followLog(), []);
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => waitingTypes.test(type))) overview.again();
      },
      [overview.again],
    ),
  );
  useKeys(
    Object.fromEntries(
      names.map((page, index) => [
        String(index + 1),
        () => {
          location.hash = `#/${page}`;
        },
      ]),
    ),
  );
  useEffect(() => {
    document.title = `${pages[name].title} · Sallyport`;
  }, [name]);
  const leave = () => {
    void ask('/v1/session', { method: 'DELETE' })
      .catch(() => undefined)
      .finally(() => {
        session.forget();
        window.dispatchEvent(new Event('sallyport-left'));
      });
  };
  const Page = pages[name].page;
  const waiting: Partial<Record<PageName, number>> = overview.data?.waiting ?? {};
  return (
    <div className="house">
      <a className="skip" href="#page">
        To the page
      </a>
      <header>
        <h1>Sallyport</h1>
        <nav aria-label="Pages">
          {names.map((page, index) => (
            <a key={page} href={`#/${page}`} aria-current={page === name ? 'page' : undefined}>
              <kbd>{index + 1}</kbd> {pages[page].title}
              {(waiting[page] ?? 0) > 0 && (
                <span className="count" role="status">
                  {waiting[page]}
                  <span className="unseen"> waiting</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <p className="who">
          <span className={`line ${line}`}>{line === 'open' ? 'live' : line}</span>{' '}
          {who.data === undefined ? '' : `${who.data.user}, ${who.data.tenant}`}{' '}
          <button type="button" className="plain" onClick={leave}>
            leave
          </button>
        </p>
      </header>
      <main id="page" tabIndex={-1}>
        <h2>{pages[name].title}</h2>
        <Fence key={name}>
          <Page rest={rest} />
        </Fence>
      </main>
    </div>
  );
}
