// Keys answer only the card that the person focused: it has the browser's own focus, its focus was painted before the key
// was pressed, and it is on the screen. No card is ever focused because another one went away.

import { type FocusEvent, useCallback, useState } from 'react';
import { isOnScreen } from './cards.ts';

interface Focus {
  readonly id: string;
  readonly element: HTMLElement;
  /** When it had been painted, on the clock of events. */
  readonly since: number;
}

export interface Focused {
  /** The card that keys count for. */
  readonly id: string | undefined;
  /** What makes an element a card that can be focused. */
  readonly card: (id: string) => {
    readonly tabIndex: -1;
    readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
    readonly onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
  /**
   * The id that a key is for; undefined where the person has focused none, or pressed before the focus could be seen. A
   * card that was scrolled away is brought back instead.
   */
  readonly meant: (event: KeyboardEvent) => string | undefined;
  /** Leaves nothing focused. */
  readonly release: () => void;
}

/** Focuses a card for the person who asked for it. */
export function focusOn(element: HTMLElement | null, block: 'nearest' | 'start' = 'nearest'): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block });
}

/** What of a card must be on the screen: the text that says what would happen, or all of it. */
function seenPart(element: HTMLElement): Element {
  return element.querySelector('.what') ?? element;
}

export function useFocused(): Focused {
  const [focus, setFocus] = useState<Focus>();
  const take = useCallback((id: string, element: HTMLElement, again = false) => {
    afterPaint(() => {
      if (!element.contains(document.activeElement)) return;
      const fresh = { id, element, since: performance.now() };
      setFocus((old) => (old?.element === element && !again ? old : fresh));
    });
  }, []);
  const card: Focused['card'] = (id) => ({
    tabIndex: -1,
    onFocus: ({ currentTarget }) => take(id, currentTarget),
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget)) setFocus(undefined);
    },
  });
  const meant: Focused['meant'] = (event) => {
    if (focus === undefined || event.timeStamp < focus.since) return undefined;
    const { id, element } = focus;
    if (!element.isConnected || !element.contains(document.activeElement)) return undefined;
    const part = seenPart(element);
    if (isOnScreen(part.getBoundingClientRect(), window.innerHeight)) return id;
    part.scrollIntoView({ block: 'nearest' });
    take(id, element, true);
    return undefined;
  };
  const release = useCallback(() => {
    const active = document.activeElement;
    if (active instanceof HTMLElement) active.blur();
    setFocus(undefined);
  }, []);
  return { id: focus?.id, card, meant, release };
}

/** Calls back once what was rendered until now has been painted. */
function afterPaint(call: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(call));
}
