// A value outside of React that components follow.

import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get(): T;
  set(value: T): void;
  watch(watcher: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  const watchers = new Set<() => void>();
  let value = first;
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const watcher of watchers) watcher();
    },
    watch: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

export function useStore<T>({ watch, get }: Store<T>): T {
  return useSyncExternalStore(watch, get);
}
