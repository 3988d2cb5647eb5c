// The frame around the pages: who is signed in, which page is open, and what waits.

import { useCallback, useEffect, useMemo, useState } from 'react';
import { ask, endSession, session, signedOut } from './api.ts';
import { Door } from './door.tsx';
import { changesWaiting, followLog, useEntries, useLine } from './events.ts';
import { Approvals } from './pages/approvals.tsx';
import { Approvers, StopReset, useApprovers } from './pages/approvers.tsx';
import { Changes } from './pages/changes.tsx';
import { Hosts } from './pages/hosts.tsx';
import { Log } from './pages/log.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { Policies } from './pages/policies.tsx';
import { TryIt } from './pages/try.tsx';
import { Fence, Person, Problem, Shown, Time, useAsked, useKeys } from './parts.tsx';
import { Unlock } from './unlock.tsx';

/** Each with the call that it cannot do without. */
const pages = {
  overview: { title: 'Overview', page: OverviewPage, needs: 'GET /v1/overview' },
  approvals: { title: 'Approvals', page: Approvals, needs: 'GET /v1/approvals' },
  changes: { title: 'Changes', page: Changes, needs: 'GET /v1/changes' },
  log: { title: 'Receipts and log', page: Log, needs: 'GET /v1/log' },
  policies: { title: 'Policies', page: Policies, needs: 'GET /v1/policies' },
  try: { title: 'Try it', page: TryIt, needs: 'POST /v1/try' },
  hosts: { title: 'Hosts', page: Hosts, needs: 'GET /v1/hosts' },
  approvers: { title: 'Approvers', page: Approvers, needs: 'GET /v1/approvers' },
} as const;

type PageName = keyof typeof pages;
const names = Object.keys(pages) as PageName[];

/** What follows `#/`: a page, and the item of it that is open. */
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

export function App({ problem }: { problem: string | undefined }) {
  const [signedIn, setSignedIn] = useState(session.token() !== null);
  useEffect(() => {
    const end = () => setSignedIn(false);
    window.addEventListener(signedOut, end);
    return () => window.removeEventListener(signedOut, end);
  }, []);
  return signedIn ? <House /> : <Door problem={problem} enter={() => setSignedIn(true)} />;
}

function House() {
  const [wanted, rest] = useRoute();
  const line = useLine();
  const who = useAsked('GET /v1/session');
  const person = useMemo(() => ({ user: who.data?.user ?? '', may: new Set(who.data?.may) }), [who.data]);
  const open = names.filter((page) => person.may.has(pages[page].needs));
  const name = open.includes(wanted) || who.data === undefined ? wanted : 'overview';
  const overview = useAsked('GET /v1/overview', { query: { minutes: 5 } });
  useEffect(() => followLog(), []);
  useEntries(
    useCallback(
      (entries) => {
        if (changesWaiting(entries)) overview.again();
      },
      [overview.again],
    ),
  );
  useKeys(
    Object.fromEntries(
      open.map((page) => [
        String(names.indexOf(page) + 1),
        () => {
          location.hash = `#/${page}`;
        },
      ]),
    ),
  );
  useEffect(() => {
    document.title = `${pages[name].title} · Sallyport`;
  }, [name]);
  const signOut = () => {
    void ask('DELETE /v1/session')
      .catch(() => undefined)
      .finally(endSession);
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
          {open.map((page) => (
            <a key={page} href={`#/${page}`} aria-current={page === name ? 'page' : undefined}>
              <kbd>{names.indexOf(page) + 1}</kbd> {pages[page].title}
              {waiting[page] !== undefined && (
                // It keeps its room, so that a page moves nothing when something comes.
                <span className={waiting[page] === 0 ? 'count none' : 'count'} role="status">
                  {waiting[page]}
                  <span className="unseen"> waiting</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <p className="who">
          <span className={`line ${line}`}>{line === 'open' ? 'live' : line}</span>{' '}
          {who.data === undefined ? '' : `${who.data.user}, ${who.data.tenant}, ${who.data.role}`}{' '}
          <button type="button" className="plain" onClick={signOut}>
            Sign out
          </button>
        </p>
      </header>
      <main id="page" tabIndex={-1}>
        <ResetNotice />
        <h2>{pages[name].title}</h2>
        <Problem text={who.error} />
        {who.data !== undefined && (
          <Person value={person}>
            <Fence key={name}>
              <Page rest={rest} />
            </Fence>
          </Person>
        )}
      </main>
      <Unlock />
    </div>
  );
}

/** Says on every page that somebody asked for another approver key, for as long as it can be stopped. */
function ResetNotice() {
  const { data, again } = useApprovers();
  useEffect(() => {
    const timer = setInterval(again, 60_000);
    return () => clearInterval(timer);
  }, [again]);
  const reset = data?.reset ?? null;
  return reset === null ? null : (
    <div className="alarm" role="alert">
      <strong>
        A reset of the passphrase of <Shown text={reset.name} limit={60} /> is pending until{' '}
        <Time at={reset.countsFrom} />.
      </strong>{' '}
      Then another key approves in its place. Until then destructive actions and those of the closed list are
      blocked. If you did not ask for it, stop it here or at a terminal: <code>sallyport approvers veto</code>{' '}
      {data !== undefined && <StopReset listed={data} again={again} />}
    </div>
  );
}
