// A session for every tab of a browser: a new tab asks the open ones for theirs, so that a link opens what it names. The
// token passes from page to page and is stored nowhere; the key that signs stays in its tab.

import { session } from './api.ts';

const channel = 'sallyport.tabs';
/** How long a new tab waits for another to answer, in milliseconds. */
const waitMs = 150;

type Message = { readonly wanted: true } | { readonly token: string; readonly name: string | null };

/** Answers new tabs for as long as the page is open. */
export function shareSession(): void {
  const line = new BroadcastChannel(channel);
  line.onmessage = ({ data }: MessageEvent<Message>) => {
    const token = session.token();
    if ('wanted' in data && token !== null)
      line.postMessage({ token, name: session.name() } satisfies Message);
  };
}

/** Takes over the session of another tab, where this one has none and another is open. */
export async function joinSession(): Promise<void> {
  if (session.token() !== null) return;
  const line = new BroadcastChannel(channel);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    line.onmessage = ({ data }: MessageEvent<Message>) => {
      if (!('token' in data)) return;
      clearTimeout(timer);
      session.keep(data.token, data.name);
      resolve();
    };
    line.postMessage({ wanted: true } satisfies Message);
  });
  line.close();
}
