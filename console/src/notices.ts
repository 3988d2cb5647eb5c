// Browser notifications: a question that waits is announced while the page is in the background. They say that something
// waits and not what: others may look at the screen.

import { useEffect, useRef } from 'react';

const place = 'sallyport.notify';

export type NoticeState = 'on' | 'off' | 'refused' | 'unknown';

/** Whether this browser announces questions. */
export function noticeState(): NoticeState {
  if (!('Notification' in window)) return 'unknown';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(place) === 'yes' ? 'on' : 'off';
}

/** Turns announcements on or off, and asks the browser where it must. */
export async function setNotices(on: boolean): Promise<NoticeState> {
  if (on && 'Notification' in window && (await Notification.requestPermission()) === 'granted')
    localStorage.setItem(place, 'yes');
  if (!on) localStorage.removeItem(place);
  return noticeState();
}

/** Announces questions that are new, and leads to them. */
export function useNotices(waiting: number | undefined): void {
  const before = useRef<number>(undefined);
  useEffect(() => {
    const old = before.current;
    before.current = waiting;
    if (waiting === undefined || old === undefined || waiting <= old) return;
    if (document.visibilityState === 'visible' || noticeState() !== 'on') return;
    const text = waiting === 1 ? 'A question waits for you.' : `${waiting} questions wait for you.`;
    const notice = new Notification('Sallyport', {
      body: text,
      tag: 'sallyport-questions',
      icon: './icon.svg',
    });
    notice.onclick = () => {
      window.focus();
      location.hash = '#/approvals';
      notice.close();
    };
  }, [waiting]);
}
