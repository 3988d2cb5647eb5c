// The frame around the pages: who is here, where one is, and what waits.

import { useCallback, useEffect, useMemo, useState } from 'react';
import { ask, login, type Overview, session, type Who } from './api.ts';
import { changesWaiting, followLog, useEntries, useLine } from './events.ts';
import { Approvals } from './pages/approvals.tsx';
import { Changes } from './pages/changes.tsx';
import { Hosts } from './pages/hosts.tsx';
import { Log } from './pages/log.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { Policies } from './pages/policies.tsx';
import { TryIt } from './pages/try.tsx';
import { Fence, Problem, Rights, useAsked, useDoing, useKeys } from './parts.tsx';

/** Each with the call that it cannot do without. */
const pages = {
  overview: { title: 'Overview', page: OverviewPage, needs: 'GET /v1/overview' },
  approvals: { title: 'Approvals', page: Approvals, needs: 'GET /v1/approvals' },
  changes: { title: 'Changes', page: Changes, needs: 'GET /v1/changes' },
  log: { title: 'Receipts and log', page: Log, needs: 'GET /v1/log' },
  policies: { title: 'Policies', page: Policies, needs: 'GET /v1/policies' },
  try: { title: 'Try it', page: TryIt, needs: 'POST /v1/try' },
  hosts: { title: 'Hosts', page: Hosts, needs: 'GET /v1/hosts' },
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

export function App({ problem }: { problem: string | undefined }) {
  const [here, setHere] = useState(session.token() !== null);
  useEffect(() => {
    const left = () => setHere(false);
    window.addEventListener('sallyport-left', left);
    return () => window.removeEventListener('sallyport-left', left);
  }, []);
  return here ? <House /> : <Door problem={problem} enter={() => setHere(true)} />;
}

function Door({ problem, enter }: { problem: string | undefined; enter: () => void }) {
  const { data } = useAsked<{ users: boolean }>('/v1/session/login');
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
      {data?.users === true && <Login enter={enter} />}
    </main>
  );
}

/** For those who have a name in the configuration. */
function Login({ enter }: { enter: () => void }) {
  const [name, setName] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const doing = useDoing();
  const come = () =>
    doing.run(async () => {
      await login(name, passphrase).finally(() => setPassphrase(''));
      enter();
    });
  return (
    <form
      className="login"
      onSubmit={(event) => {
        event.preventDefault();
        come();
      }}
    >
      <p>Or come in by your name:</p>
      <Problem text={doing.error} />
      <label>
        Name{' '}
        <input
          value={name}
          required
          autoComplete="username"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        Passphrase{' '}
        <input
          type="password"
          value={passphrase}
          required
          autoComplete="current-password"
          onChange={(event) => setPassphrase(event.target.value)}
        />
      </label>
      <button type="submit" className="yes" disabled={doing.busy}>
        Come in
      </button>
    </form>
  );
}

function House() {
  const [wanted, rest] = useRoute();
  const line = useLine();
  const who = useAsked<Who>('/v1/session');
  const rights = useMemo(() => new Set(who.data?.may), [who.data]);
  const open = names.filter((page) => rights.has(pages[page].needs));
  const name = open.includes(wanted) || who.data === undefined ? wanted : 'overview';
  const overview = useAsked<Overview>('/v1/overview?minutes=5');
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
          <button type="button" className="plain" onClick={leave}>
            leave
          </button>
        </p>
      </header>
      <main id="page" tabIndex={-1}>
        <h2>{pages[name].title}</h2>
        <Problem text={who.error} />
        {who.data !== undefined && (
          <Rights value={rights}>
            <Fence key={name}>
              <Page rest={rest} />
            </Fence>
          </Rights>
        )}
      </main>
    </div>
  );
}
