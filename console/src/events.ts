// Follows the log: one stream for the whole page, which comes back by itself, and hands new entries to whoever listens.

import { useEffect } from 'react';
import { type Entry, session } from './api.ts';
import { createStore, useStore } from './store.ts';

type Listener = (entries: readonly Entry[], skipped: number) => void;
export type Line = 'connecting' | 'open' | 'lost';

/** Whether other things may wait for a person than before. */
export function changesWaiting(entries: readonly Entry[]): boolean {
  return entries.some(({ event_type: type }) => /^(?:approval_|change_|receipt$)/.test(type));
}

const listeners = new Set<Listener>();
const line = createStore<Line>('connecting');
let running: AbortController | undefined;

/** Starts to follow; gives what stops it. */
export function followLog(): () => void {
  const stop = new AbortController();
  running?.abort();
  running = stop;
  void (async () => {
    for (let pause = 500; !stop.signal.aborted; pause = Math.min(pause * 2, 10_000)) {
      try {
        await read(stop.signal, () => {
          pause = 500;
        });
      } catch {
        // The daemon went away or ended the stream: it is asked again.
      }
      if (stop.signal.aborted || session.token() === null) return;
      line.set('lost');
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  })();
  return () => stop.abort();
}

async function read(signal: AbortSignal, opened: () => void): Promise<void> {
  const token = session.token();
  if (token === null) return;
  const answer = await fetch('/v1/events', { headers: { authorization: `Bearer ${token}` }, signal });
  if (!answer.ok || answer.body === null) throw new Error(String(answer.status));
  opened();
  line.set('open');
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) take(frame);
  }
}

function take(frame: string): void {
  const [, event] = /^event: (.*)$/m.exec(frame) ?? [];
  const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
  if (event !== 'entries' || data === undefined) return;
  const { entries, skipped } = JSON.parse(data) as { entries: Entry[]; skipped: number };
  for (const listener of listeners) listener(entries, skipped);
}

/** Calls back with new entries while the component stands. */
export function useEntries(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

/** How the stream stands. */
export function useLine(): Line {
  return useStore(line);
}
