// A server's progress reports on a call: numbers are passed on at once, messages once they were judged.

/** Receives a progress report: the number, and the message. */
export type Progress = (progress: number, total: number | undefined, message?: string) => void;

/** The number of messages of one call that are judged; after them, only numbers are passed on. */
const mostMessages = 100;
const longestMessage = 1000;

/** Progress whose messages are judged, and its end: after that, nothing more is passed on. */
export interface JudgedProgress {
  readonly onProgress: Progress;
  settled(): Promise<void>;
}

/**
 * `judge` returns the part of a text that may be shown, if any. INVARIANT: the order is preserved, however long judging
 * takes.
 */
export function judgedProgress(
  send: Progress,
  judge: (text: string) => Promise<string | undefined>,
): JudgedProgress {
  let left = mostMessages;
  let last: Promise<void> | undefined;
  return {
    onProgress(progress, total, message) {
      const isJudged = message !== undefined && message.length <= longestMessage && left-- > 0;
      if (last === undefined && !isJudged) {
        send(progress, total);
        return;
      }
      last = (last ?? Promise.resolve()).then(async () => {
        // A message that cannot be judged is not shown; the number is.
        const shown = isJudged ? await judge(message).catch(() => undefined) : undefined;
        send(progress, total, shown);
      });
    },
    settled: async () => await last,
  };
}
