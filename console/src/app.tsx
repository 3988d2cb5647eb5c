// The frame around the pages: who is signed in, which page is open, and what waits.

import { useCallback, useEffect, useMemo, useState } from 'react';
import { type AnswerOf, ask, endSession, type RouteName, session, signedOut } from './api.ts';
import { Door } from './door.tsx';
import { changesWaiting, followLog, useEntries, useLine } from './events.ts';
import { Help } from './help.tsx';
import { Icon } from './icons.tsx';
import { useNotices } from './notices.ts';
import { Approvals } from './pages/approvals.tsx';
import { Approvers, StopReset, useApprovers } from './pages/approvers.tsx';
import { Changes } from './pages/changes.tsx';
import { Hosts } from './pages/hosts.tsx';
import { Log } from './pages/log.tsx';
import { Notifications } from './pages/notifications.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { Permissions } from './pages/permissions.tsx';
import { Policies } from './pages/policies.tsx';
import { Servers } from './pages/servers.tsx';
import { TryIt } from './pages/try.tsx';
import { Fence, Person, Problem, Shown, Time, useAsked, useKeys } from './parts.tsx';
import { Unlock } from './unlock.tsx';

interface PageOf {
  readonly title: string;
  readonly about: string;
  readonly page: (given: { rest: string }) => React.ReactNode;
  /** The call that it cannot do without. */
  readonly needs: RouteName;
}

const pages = {
  overview: {
    title: 'Overview',
    about: 'What needs you, and what agents did',
    page: OverviewPage,
    needs: 'GET /v1/overview',
  },
  approvals: {
    title: 'Approvals',
    about: 'Questions that wait for your answer',
    page: Approvals,
    needs: 'GET /v1/approvals',
  },
  changes: {
    title: 'Changes',
    about: 'Proposed edits to review, and receipts of what was written',
    page: Changes,
    needs: 'GET /v1/changes',
  },
  log: { title: 'Log', about: 'Every decision, with its reason', page: Log, needs: 'GET /v1/log' },
  policies: {
    title: 'Policies',
    about: 'Your own rules, in Cedar',
    page: Policies,
    needs: 'GET /v1/policies',
  },
  try: {
    title: 'Try it',
    about: 'See a verdict; nothing runs or is recorded',
    page: TryIt,
    needs: 'POST /v1/try',
  },
  hosts: {
    title: 'Hosts',
    about: 'Agent hosts, and whether Sallyport guards them',
    page: Hosts,
    needs: 'GET /v1/hosts',
  },
  approvers: {
    title: 'Approvers',
    about: 'Keys that may approve',
    page: Approvers,
    needs: 'GET /v1/approvers',
  },
  permissions: {
    title: 'Permissions',
    about: 'Approvals that count more than once',
    page: Permissions,
    needs: 'GET /v1/permissions',
  },
  servers: {
    title: 'MCP servers',
    about: 'Servers behind the gateway',
    page: Servers,
    needs: 'GET /v1/servers',
  },
  notifications: {
    title: 'Notifications',
    about: 'Where waiting questions reach you',
    page: Notifications,
    needs: 'GET /v1/notifications',
  },
} as const satisfies Readonly<Record<string, PageOf>>;

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
  const [, name = '', ...rest] = hash.split('/');
  return [names.find((known) => known === name) ?? 'overview', rest.map(decodeURIComponent).join('/')];
}

export function App({ problem }: { problem: string | undefined }) {
  const [signedIn, setSignedIn] = useState(session.token() !== null);
  useEffect(() => {
    const end = () => setSignedIn(false);
    window.addEventListener(signedOut, end);
    return () => window.removeEventListener(signedOut, end);
  }, []);
  return signedIn ? <Shell /> : <Door problem={problem} enter={() => setSignedIn(true)} />;
}

/** The pages that a phone names at its bottom; the others are behind "More". */
const first: readonly PageName[] = ['overview', 'approvals', 'changes', 'log'];
/** The pages that begin a group. */
const groups: readonly PageName[] = ['policies', 'hosts'];

function Shell() {
  const [wanted, rest] = useRoute();
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
  const [help, setHelp] = useState(false);
  const leave = () => {
    if (rest !== '') location.hash = `#/${name}`;
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const go = (page: PageName) => () => {
    location.hash = `#/${page}`;
  };
  useKeys({
    '?': () => setHelp(true),
    Escape: leave,
    ...Object.fromEntries(open.flatMap((page) => keysOf(page).map((key) => [key, go(page)]))),
  });
  const waiting: Partial<Record<PageName, number>> = overview.data?.waiting ?? {};
  const count = (waiting.approvals ?? 0) + (waiting.changes ?? 0);
  useEffect(() => {
    document.title = `${count === 0 ? '' : `(${count}) `}${pages[name].title} · Sallyport`;
  }, [name, count]);
  useNotices(overview.data?.waiting.approvals);
  const Page = pages[name].page;
  return (
    <div className="shell">
      <a className="skip" href="#page">
        To the page
      </a>
      <header>
        <h1 className="brand">
          <Icon name="brand" /> Sallyport
        </h1>
        <Pages open={open} current={name} waiting={waiting} />
        <Who session={who.data} help={() => setHelp(true)} />
      </header>
      <main id="page" tabIndex={-1}>
        <ResetNotice />
        <div className="title">
          <h2>{pages[name].title}</h2>
          <p>{pages[name].about}</p>
        </div>
        <Problem text={who.error} />
        {who.data !== undefined && (
          <Person value={person}>
            <Fence key={name}>
              <Page rest={rest} />
            </Fence>
          </Person>
        )}
      </main>
      {help && (
        <Help
          pages={open.flatMap((page) => keysOf(page).map((key) => [key, pages[page].title] as const))}
          close={() => setHelp(false)}
        />
      )}
      <Unlock />
    </div>
  );
}

/** The digit that opens a page; the last has none. */
function keysOf(page: PageName): readonly string[] {
  const at = names.indexOf(page);
  return at < 10 ? [String((at + 1) % 10)] : [];
}

function Pages({
  open,
  current,
  waiting,
}: {
  open: readonly PageName[];
  current: PageName;
  waiting: Partial<Record<PageName, number>>;
}) {
  const [all, setAll] = useState(false);
  const link = (page: PageName) => {
    const kind = [first.includes(page) ? '' : 'second', groups.includes(page) ? 'group' : '']
      .join(' ')
      .trim();
    return (
      <a
        key={page}
        href={`#/${page}`}
        className={kind}
        aria-current={page === current ? 'page' : undefined}
        onClick={() => setAll(false)}
      >
        <Icon name={page} /> {pages[page].title}
        {waiting[page] !== undefined && (
          // It keeps its room, so that a page moves nothing when something comes.
          <span className={waiting[page] === 0 ? 'count none' : 'count'} role="status">
            {waiting[page]}
            <span className="unseen"> waiting</span>
          </span>
        )}
      </a>
    );
  };
  return (
    <nav aria-label="Pages" className={all ? 'open' : undefined}>
      {open.map(link)}
      <button type="button" className="more" aria-expanded={all} onClick={() => setAll(!all)}>
        <Icon name="more" /> More
      </button>
    </nav>
  );
}

function Who({ session: who, help }: { session: AnswerOf<'GET /v1/session'> | undefined; help: () => void }) {
  const line = useLine();
  const signOut = () => {
    void ask('DELETE /v1/session')
      .catch(() => undefined)
      .finally(endSession);
  };
  return (
    <div className="who">
      <span className={`line ${line}`}>{lines[line]}</span>
      <span className="name">{who === undefined ? '' : `${who.user}, ${who.tenant}, ${who.role}`}</span>
      <button type="button" className="plain" onClick={signOut}>
        Sign out
      </button>
      <button type="button" className="plain help" onClick={help}>
        Keys and help
      </button>
    </div>
  );
}

const lines = { open: 'live', lost: 'reconnecting', connecting: 'connecting' } as const;

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
