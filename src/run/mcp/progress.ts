// What a server says of a call that is under way: its numbers go on as they come, its words once they were judged.

/** Takes how far a server says it is, and what it says of that. */
export type Progress = (progress: number, total: number | undefined, message?: string) => void;

/** The words of one call that are judged; after them, only numbers go on. */
const mostMessages = 100;
const longestMessage = 1000;

/** Progress of which the words are judged, and its end: after that, nothing more comes of it. */
export interface JudgedProgress {
  readonly onProgress: Progress;
  settled(): Promise<void>;
}

/** `judge` gives what may be shown of a text, if anything. INVARIANT: the order stays, whatever judging takes. */
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
        // What cannot be judged is not shown; the number is.
        const shown = isJudged ? await judge(message).catch(() => undefined) : undefined;
        send(progress, total, shown);
      });
    },
    settled: async () => await last,
  };
}
