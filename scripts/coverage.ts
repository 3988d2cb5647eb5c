// Which functions of a running process are called, threads of its own included: V8's precise counts, asked over the inspector.

import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What Node needs to be started with so that it can be watched: it waits until somebody does. */
export const watchable = ['--inspect-wait=127.0.0.1:0'];

/** How often it is looked whether a process rests, in milliseconds, and how many times at most. */
const lookEvery = 500;
/** How many looks in a row must find nothing new: on a busy machine a program pauses without being done, and timers go on. */
const quietLooks = 3;
const mostLooks = 60;

/** From where to where a function stands in its file. */
export type Range = readonly [from: number, to: number];

/** The functions that were called, by the path of their file. */
export type Called = ReadonlyMap<string, readonly Range[]>;

interface Counted {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

/** A question to the inspector, and what it says. */
type Ask = (method: string, params?: object) => Promise<{ readonly result?: readonly Counted[] }>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

/** One process whose calls are counted. What a thread called between the last look at it and its end is lost. */
export class Watch {
  readonly #socket: WebSocket;
  readonly #main: Conversation;
  readonly #threads = new Map<string, Conversation>();
  readonly #called = new Map<string, Map<string, Range>>();
  #ending: () => void = () => {};
  /** When the process has done all that it does and waits for us to let it go, or is gone. */
  readonly ending = new Promise<void>((resolve) => {
    this.#ending = resolve;
  });

  /** Watches a process that was started to be, from its first line on. */
  static async over(stderr: Readable): Promise<Watch> {
    const socket = new WebSocket(await addressIn(stderr));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')));
    });
    const watch = new Watch(socket);
    await watch.#main.ask('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true });
    // A thread waits as the process does, so that none of its calls is missed.
    await watch.#main.ask('NodeWorker.enable', { waitForDebuggerOnStart: true });
    await begin(watch.#main.ask);
    return watch;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#main = new Conversation((text) => socket.send(text));
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data))));
    socket.addEventListener('close', () => {
      this.#ending();
      for (const one of [this.#main, ...this.#threads.values()]) one.end();
    });
  }

  #take(message: Message): void {
    const { method, params = {} } = message;
    const { sessionId = '' } = params;
    if (method === 'NodeRuntime.waitingForDisconnect') this.#ending();
    else if (method === 'NodeWorker.attachedToWorker') {
      const thread = new Conversation((text) => {
        void this.#main.ask('NodeWorker.sendMessageToWorker', { sessionId, message: text });
      });
      this.#threads.set(sessionId, thread);
      void begin(thread.ask);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#threads.get(sessionId)?.take(JSON.parse(params['message'] ?? '{}'));
    } else if (method === 'NodeWorker.detachedFromWorker') {
      this.#threads.get(sessionId)?.end();
      this.#threads.delete(sessionId);
    } else this.#main.take(message);
  }

  /** Waits until nothing new is called, and forgets what was. */
  async forget(): Promise<void> {
    await this.settled();
    this.#called.clear();
  }

  /** What was called, once nothing new is: work goes on after an answer, as after a start. */
  async settled(): Promise<Called> {
    let quiet = 0;
    for (let looks = 0; looks < mostLooks; looks++) {
      await setTimeout(lookEvery);
      quiet = (await this.#look()) ? 0 : quiet + 1;
      if (quiet === quietLooks) return this.#all();
    }
    throw new Error(`it does not come to rest in ${(mostLooks * lookEvery) / 1000} s`);
  }

  /** What was called so far. */
  async called(): Promise<Called> {
    await this.#look();
    return this.#all();
  }

  #all(): Called {
    return new Map([...this.#called].map(([file, ranges]) => [file, [...ranges.values()]]));
  }

  /** Whether something was called that was not called before. */
  async #look(): Promise<boolean> {
    let isNew = false;
    for (const { ask } of [this.#main, ...this.#threads.values()]) {
      const { result = [] } = await ask('Profiler.takePreciseCoverage');
      for (const one of result) if (this.#note(one)) isNew = true;
    }
    return isNew;
  }

  #note({ url, functions }: Counted): boolean {
    if (!url.startsWith('file:')) return false;
    // What begins where the file does is the file itself: to be loaded is not to be called.
    const called = functions.flatMap(({ ranges: [whole] }): Range[] =>
      whole === undefined || whole.count === 0 || whole.startOffset === 0
        ? []
        : [[whole.startOffset, whole.endOffset]],
    );
    if (called.length === 0) return false;
    const file = fileURLToPath(url);
    const known = this.#called.get(file) ?? new Map<string, Range>();
    const before = known.size;
    for (const range of called) known.set(range.join(' '), range);
    this.#called.set(file, known);
    return known.size > before;
  }

  /** Lets the process go. */
  close(): void {
    this.#socket.close();
  }
}

/** Questions and answers with one isolate. */
class Conversation {
  readonly #send: (text: string) => void;
  readonly #waiting = new Map<number, { resolve: (result: object) => void; method: string }>();
  #last = 0;
  #isOver = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  readonly ask: Ask = (method, params = {}) =>
    new Promise((resolve) => {
      if (this.#isOver) return resolve({});
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, method });
      this.#send(JSON.stringify({ id, method, params }));
    });

  take({ id = 0, result = {}, error }: Message): void {
    const asked = this.#waiting.get(id);
    if (asked === undefined) return;
    if (error !== undefined) throw new Error(`${asked.method}: ${error.message}`);
    this.#waiting.delete(id);
    asked.resolve(result);
  }

  /** Whoever still waits hears nothing more. */
  end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#waiting.values()) resolve({});
    this.#waiting.clear();
  }
}

async function begin(ask: Ask): Promise<void> {
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await ask('Runtime.runIfWaitingForDebugger');
}

/** Where the inspector of a process listens, which it says before all else. */
function addressIn(stderr: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [address] = /ws:\/\/\S+(?=\s)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    stderr.on('end', () => reject(new Error(`there is nothing to watch: ${said}`)));
  });
}
