// Entries of a search, page by page, with new ones in front while the page is live.

import { useCallback, useEffect, useRef, useState } from 'react';
import { ask, type Entry } from '../api.ts';
import { useEntries } from '../events.ts';
import { messageOf } from '../parts.tsx';

const pageSize = 200;

type Search = Readonly<Record<string, string | undefined>>;

export function usePages(filter: Search, live: boolean) {
  const key = JSON.stringify(filter);
  const [state, setState] = useState<{ key: string; entries: readonly Entry[]; end: boolean }>({
    key,
    entries: [],
    end: false,
  });
  const [error, setError] = useState<string>();
  const [loading, setLoading] = useState(true);
  const busy = useRef<AbortController>(undefined);
  const load = useCallback(
    (before: number | undefined, old: readonly Entry[]) => {
      busy.current?.abort();
      const stop = new AbortController();
      busy.current = stop;
      setLoading(true);
      const place = before === undefined ? {} : { before };
      const query = { limit: pageSize, ...(JSON.parse(key) as Search), ...place };
      ask('GET /v1/log', { query, signal: stop.signal }).then(
        ({ entries }) => {
          setState({ key, entries: [...old, ...entries], end: entries.length < pageSize });
          setError(undefined);
          setLoading(false);
        },
        (reason: unknown) => {
          if (stop.signal.aborted) return;
          setError(messageOf(reason));
          setLoading(false);
        },
      );
    },
    [key],
  );
  useEffect(() => load(undefined, []), [load]);
  useEntries(
    useCallback(
      (fresh) => {
        if (!live) return;
        // What is new may not fit a search; the daemon knows.
        if (key !== '{}') return load(undefined, []);
        setState((old) => {
          const known = new Set(old.entries.map(({ place }) => place));
          const added = [...fresh].reverse().filter(({ place }) => !known.has(place));
          return { ...old, entries: [...added, ...old.entries] };
        });
      },
      [key, live, load],
    ),
  );
  const more = () => {
    if (loading || state.end || state.key !== key || state.entries.length === 0) return;
    load(state.entries.at(-1)?.place, state.entries);
  };
  return { entries: state.entries, end: state.end, more, error, loading };
}
