// Small parts that every page uses.

import {
  Component,
  createContext,
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { visible } from '../../src/core/text.ts';
import {
  type AnswerOf,
  type AskOptions,
  addressOf,
  type PlainRoute,
  Refused,
  type RouteName,
  type Sent,
  send,
} from './api.ts';
import type { Finding } from './question.ts';
import { reasonOf } from './sentence.ts';
import { decisionWord, spanOf } from './words.ts';

/** A text of an agent's, with what could deceive a reader made visible. */
export function Shown({ text, limit = 2000 }: { text: string; limit?: number }) {
  return <>{visible(text, limit)}</>;
}

/** A message with what stands in backticks set apart. */
export function Prose({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have their places and nothing else
      <code key={index}>
        <Shown text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Shown key={index} text={part} />
    ),
  );
}

/** A word in the colour of a decision. */
export function Badge({ decision, word = decisionWord(decision) }: { decision: string; word?: string }) {
  return <span className={`badge ${decision}`}>{word}</span>;
}

const clock = new Intl.DateTimeFormat(undefined, {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
});
const day = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** A moment: of today its time, else with its date; `dated` shows the date in any case. */
export function Time({ at, dated = false }: { at: number | string; dated?: boolean }) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)}>
      {today && !dated ? clock.format(date) : day.format(date)}
    </time>
  );
}

/** Now, as often as it is drawn anew. */
function useNow(every: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** How long something still counts, second by second. */
export function Left({ until }: { until: string }) {
  const left = Math.max(0, Math.round((Date.parse(until) - useNow(1000)) / 1000));
  return (
    <span className={left < 60 ? 'left soon' : 'left'}>
      {left === 0 ? 'expired' : `expires in ${spanOf(left)}`}
    </span>
  );
}

/** How long ago something was. */
export function Ago({ at }: { at: number | string }) {
  const date = new Date(at);
  const past = (useNow(10_000) - date.getTime()) / 1000;
  return (
    <time className="dim" dateTime={date.toISOString()} title={whole.format(date)}>
      {past < 10 ? 'just now' : `${spanOf(past)} ago`}
    </time>
  );
}

/** Who is signed in, and what they may call. The daemon refuses the rest in any case; here it is not offered. */
export const Person = createContext<{ readonly user: string; readonly may: ReadonlySet<string> }>({
  user: '',
  may: new Set(),
});

/** Whether the person may make a call, named as the daemon's table names it. */
export function useMay(call: RouteName | `${RouteName} with a permission`): boolean {
  return useContext(Person).may.has(call);
}

/** A list that is made anew as a whole: its items have no identity but their place. */
export function Items({ items, className }: { items: readonly ReactNode[]; className?: string }) {
  return (
    <ul className={className}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={index}>{item}</li>
      ))}
    </ul>
  );
}

/** Words as they begin a sentence; a name stays as it is. */
function capital(text: string): string {
  return /^[a-z]+ /.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

/** What is shown of a finding. */
export interface ShownFinding extends Pick<Finding, 'guard' | 'rule' | 'message' | 'suggestion'> {
  readonly decision: string;
}

export function Findings({
  findings,
  workspace = '',
}: {
  findings: readonly ShownFinding[];
  workspace?: string;
}) {
  if (findings.length === 0) return null;
  const items = findings.map(({ decision, guard, rule, message, suggestion }) => (
    <>
      <Badge decision={decision} /> <Prose text={`${capital(reasonOf({ rule, message }, workspace))}.`} />{' '}
      <code className="rule">
        {guard}/{rule}
      </code>
      {suggestion !== undefined && (
        <p className="instead">
          Instead: <Prose text={suggestion} />
        </p>
      )}
    </>
  ));
  return <Items className="findings" items={items} />;
}

/**
 * A button that changes something. The second click of a double click was meant for what stood there at the first, so it
 * counts for nothing; while something is being done the button keeps the focus.
 */
export function Act({
  busy = false,
  disabled = false,
  act,
  children,
  ...rest
}: {
  busy?: boolean;
  disabled?: boolean;
  act: () => void;
  children: ReactNode;
  className?: string;
  'aria-label'?: string;
}) {
  return (
    <button
      type="button"
      disabled={disabled}
      aria-disabled={busy}
      onClick={({ detail }) => {
        if (detail < 2 && !busy) act();
      }}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Which keys there are: first one thing is chosen, then keys count for that. */
export function Hint({
  thing,
  may,
  keys,
}: {
  thing: string;
  may: boolean;
  keys: Readonly<Record<string, string>>;
}) {
  return (
    <p className="empty small hint">
      <kbd>j</kbd> <kbd>k</kbd> choose a {thing}
      {may &&
        Object.entries(keys).map(([key, does], index) => (
          <Fragment key={key}>
            {index === 0 ? '; then ' : ', '}
            <kbd>{key}</kbd> {does}
          </Fragment>
        ))}
    </p>
  );
}

/** What a page has to say, at the bottom of the screen, where it moves nothing that somebody may be about to click. */
export function Notices({
  said,
  problem,
  children,
}: {
  said: string;
  problem: string | undefined;
  children?: ReactNode;
}) {
  return (
    <div className="notices">
      <Problem text={problem} />
      <p role="status">{said}</p>
      {children}
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** A page with nothing on it, and what to do about that. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="nothing">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

interface Held<R extends RouteName> {
  readonly data: AnswerOf<R> | undefined;
  readonly error: string | undefined;
  readonly again: () => void;
}

/** What the daemon answers at a route, asked for again whenever it is told to. */
export function useAsked<R extends PlainRoute>(route: R): Held<R>;
export function useAsked<R extends RouteName>(route: R, options: AskOptions<R>): Held<R>;
export function useAsked(route: RouteName, options: Sent = {}): Held<RouteName> {
  const path = addressOf(route, options);
  const [state, setState] = useState<{ path: string; data?: AnswerOf<RouteName>; error?: string }>();
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path says what is asked for; a round means to ask again
  useEffect(() => {
    const stop = new AbortController();
    send(route, { ...options, signal: stop.signal }).then(
      (data) => setState({ path, data }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ path, error: messageOf(error) });
      },
    );
    return () => stop.abort();
  }, [path, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  const own = state?.path === path ? state : undefined;
  return { data: own?.data, error: own?.error, again };
}

export function messageOf(error: unknown): string {
  if (error instanceof Refused && error.hint !== undefined) return `${error.message} (${error.hint})`;
  return error instanceof Error ? error.message : String(error);
}

/** Does something once at a time, and says what went wrong. */
export function useDoing(): {
  readonly busy: boolean;
  readonly error: string | undefined;
  readonly run: (work: () => Promise<void>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const running = useRef(false);
  const run = useCallback((work: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    work()
      .catch((reason: unknown) => setError(messageOf(reason)))
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  }, []);
  return { busy, error, run };
}

export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className="problem" role="alert">
      {visible(text, 2000)}
    </p>
  );
}

/** Keeps the rest of the console standing where one page fails. */
export class Fence extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? (
      this.props.children
    ) : (
      <Problem text={`This page failed: ${error.message}`} />
    );
  }
}

/** Keys that do something on a page, while nobody types and no dialog is open; one that is held down counts once. */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const action = latest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action(event);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
