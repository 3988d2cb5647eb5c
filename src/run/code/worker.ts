// The thread that code runs on: one VM for one run, made ready before it is asked for. It trusts nothing that comes
// out of the VM, and its starter may kill it at any time.

import { parentPort, workerData } from 'node:worker_threads';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { JSValueHandle, QuickJS } from 'quickjs-wasi';
import { answerBuiltin } from './builtins/host.ts';
import { isLimitCode, type LimitCode, type Limits, limitMessages } from './limits.ts';
import type {
  Answers,
  AnswersText,
  Call,
  End,
  Failure,
  Log,
  Message,
  Outcome,
  Pause,
  Resume,
  Returned,
  RunError,
  Standstill,
  Start,
  ThreadData,
  ThreadMessage,
} from './protocol.ts';
import { readAnswers } from './protocol.ts';
import { Rejections } from './rejections.ts';
import { SpinWait } from './spin-wait.ts';
import { truncateJson } from './truncate.ts';
import { connect, hasFilledStack, imageOf, loadVms, putBack, type Vm, type VmMaker } from './vm.ts';

const { wasm, meter, port, since, limits: fixed }: ThreadData = workerData;

/** When the code began to compute, how long it has computed, and how many calls it has started: seen from outside. */
const gauge = new Int32Array(meter);

const fileName = 'code';
const longestMessage = 2000;

/** A timer of the code, and when it is due by the clock of this thread. */
interface Timer {
  readonly handle: NodeJS.Timeout;
  readonly dueAt: number;
  readonly wait: number;
  readonly repeat: boolean;
}

type Way = 'offer' | 'run' | 'settle' | 'fire';

/** Timers that are fired ahead of time to see whether they lead to a call; nothing of it counts. */
interface Trial {
  /** When each is due. */
  readonly armed: Map<number, number>;
  now: number;
  hasCalled: boolean;
}

/** How many timers are tried, each of which may set another. */
const mostTried = 100;
/** How many refused calls of one turn are reported one by one. */
const mostRefused = 100;
/** Limits after which the VM cannot be resumed. */
const unsound: ReadonlySet<string> = new Set<LimitCode>(['memory_limit', 'stack_limit']);

/** A VM with its prelude, waiting for code or in the middle of it. */
class Run {
  readonly #maker: VmMaker;
  readonly #whole: Vm;
  readonly #vm: QuickJS;
  /** The ways into the VM, once they were taken. */
  readonly #inward = new Map<Way, JSValueHandle>();
  #limits: Limits | undefined;
  #clock = 0;
  #calls: Call[] = [];
  #refused: { list: [number, LimitCode][]; more: number } = { list: [], more: 0 };
  #logs: Log[] = [];
  #logChars = 0;
  #logsDropped = false;
  #lastCall = 0;
  #open = 0;
  readonly #timers = new Map<number, Timer>();
  readonly #reached = new Set<LimitCode>();
  #used = 0;
  #began = 0;
  #rejections: Rejections;
  /** The code's result, before it is read. */
  #finished: { readonly isOk: boolean; readonly text: string } | null = null;
  /** A later rejection that the code did not handle. */
  #late: string | null = null;
  #outcome: Outcome | null = null;
  /** The value that the code returned, until the host has it. */
  #returned: Returned | null = null;
  #trial: Trial | null = null;
  #end: End | null = null;

  constructor(maker: VmMaker, whole: Vm) {
    this.#maker = maker;
    this.#whole = whole;
    this.#vm = whole.vm;
    this.#rejections = new Rejections(whole.vm);
    whole.host = this;
    connect(whole, {
      1: (tool, json) => this.#send(tool, json),
      2: (level, text) => this.#log(level, text),
      3: (id, delay, repeat) => this.#arm(id, delay, repeat),
      4: (id) => this.#disarm(id),
      5: (status, text) => this.#finish(status, text),
      6: (name, given) => this.#vm.newString(answerBuiltin(name.toString(), given.toString())),
    });
  }

  get clock(): number {
    return this.#clock;
  }

  /** Asked again and again while the code computes. */
  mustStop(): boolean {
    if (this.#limits === undefined) return false;
    if (this.#used + performance.now() - this.#began <= this.#limits.cpuMs) return false;
    this.#reached.add('cpu_limit');
    return true;
  }

  /** INVARIANT: as with every function of the host, nothing here throws. */
  rejected(promise: JSValueHandle, isHandled: boolean): void {
    if (this.#trial === null) this.#rejections.change(promise, isHandled);
  }

  start({ source, tools, limits, now, seed }: Start): void {
    this.#limits = limits;
    this.#clock = now;
    this.#turn(() => {
      const vm = this.#vm;
      const text = `(function () { return async () => {\n${source}\n} })`;
      let code: Uint8Array;
      try {
        const { compiler, library } = this.#maker;
        code = compiler.compile(text, fileName, library.EvalFlags.STRICT);
      } catch (error) {
        const [, name, message] =
          /^Compilation error: (\w+): (.*)/s.exec(error instanceof Error ? error.message : '') ?? [];
        if (name === undefined) throw error;
        // It failed in the VM that compiles, which code does not reach.
        this.#end = isOverflow(message)
          ? this.#limit('stack_limit')
          : this.#failed(JSON.stringify({ name, message, made: 'engine' }));
        return;
      }
      this.#inside('offer', vm.newString(JSON.stringify(tools)), vm.newNumber(seed));
      // Called from here and not from the prelude, so that no stack shows what is behind the code.
      const make = vm.callFunction(vm.evalBytecode(code), vm.undefined);
      this.#inside('run', vm.callFunction(make, vm.undefined));
    });
  }

  /** Resumes paused code. */
  resume({ standstill: { thread }, limits, now }: Resume): void {
    this.#limits = limits;
    this.#clock = Math.max(thread.clock, now);
    this.#used = thread.used;
    this.#lastCall = thread.lastCall;
    this.#open = thread.open;
    this.#logChars = thread.logChars;
    this.#logsDropped = thread.logsDropped;
    this.#outcome = thread.outcome ?? null;
    this.#rejections = new Rejections(this.#vm, thread.rejected);
    for (const code of thread.reached) this.#reached.add(code);
    for (const { id, left, wait, repeat } of thread.timers) {
      this.#wait(id, wait, repeat, this.#clock + left, left);
    }
  }

  /** Pauses, if the code waits only for calls that the host holds back. */
  pause({ open }: Pause): void {
    if (this.#end !== null || open !== this.#open) return;
    const end: End = { status: 'paused', standstill: this.#standstill() };
    this.#end = end;
    this.#post(end);
    over(this, end);
  }

  #standstill(): Standstill {
    const rejected = this.#rejections.places();
    const { memory, ...places } = imageOf(this.#whole);
    const now = performance.now();
    return {
      memory: deflateRawSync(memory, { level: 1 }),
      thread: {
        ...places,
        clock: this.#clock,
        used: this.#used,
        lastCall: this.#lastCall,
        open: this.#open,
        logChars: this.#logChars,
        logsDropped: this.#logsDropped,
        reached: [...this.#reached],
        timers: [...this.#timers].map(([id, { dueAt, wait, repeat }]) => {
          return { id, left: Math.max(1, Math.ceil(dueAt - now)), wait, repeat };
        }),
        ...(this.#outcome === null ? {} : { outcome: this.#outcome }),
        rejected,
      },
    };
  }

  answer({ now, count, reached, list }: Answers): void {
    this.#clock = Math.max(this.#clock, now);
    this.#open -= count;
    for (const code of reached) this.#reached.add(code);
    this.#turn(() => {
      const text = this.#vm.newString(list);
      this.#inside('settle', text);
      // An answer may be large, and belongs to the code from here on.
      text.dispose();
    });
  }

  /** Gives the VM back; nothing of this run reaches it any more. */
  leave(): Vm {
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    this.#timers.clear();
    return this.#whole;
  }

  #way(name: Way): JSValueHandle {
    const known = this.#inward.get(name) ?? this.#whole.inner.getProp(name);
    this.#inward.set(name, known);
    return known;
  }

  #inside(name: Way, ...given: JSValueHandle[]): void {
    this.#vm.callFunction(this.#way(name), this.#vm.undefined, ...given);
  }

  /** Runs the code until it waits, and reports what it did. */
  #turn(go: () => void): void {
    if (this.#end !== null) return;
    this.#began = performance.now();
    Atomics.store(gauge, 0, Date.now() - since + 1);
    try {
      go();
      if (this.#end === null) this.#vm.executePendingJobs();
      this.#settle();
    } catch (error) {
      this.#end ??= this.#thrown(error);
    }
    this.#used += performance.now() - this.#began;
    Atomics.store(gauge, 0, 0);
    Atomics.store(gauge, 1, Math.floor(this.#used));
    if (this.#reached.has('cpu_limit')) this.#end = this.#limit('cpu_limit');
    this.#end ??= this.#stuck();
    const end = this.#end;
    this.#post(end);
    if (end !== null) over(this, end);
  }

  /** Reports what the code did since the last report. */
  #post(end: End | null): void {
    const [calls, refused, logs] = [this.#calls, this.#refused, this.#logs];
    const returned = end === null ? this.#returned : null;
    const made = JSON.stringify(calls);
    const isMore = logs.length > 0 || refused.list.length > 0 || returned !== null || end !== null;
    if (isMore) post({ calls: made, refused, logs, logsDropped: this.#logsDropped, returned, end });
    else if (calls.length > 0) post(made);
    if (calls.length > 0) this.#calls = [];
    if (!isMore) return;
    this.#logs = [];
    this.#refused = { list: [], more: 0 };
    this.#returned = null;
  }

  /** The run is over once the code is, no call is open, and no timer would make one. */
  #settle(): void {
    if (this.#finished !== null && this.#outcome === null) {
      this.#outcome = this.#ended(this.#finished);
      if (this.#outcome.status === 'ok') this.#returned = this.#outcome;
    }
    if (this.#outcome === null) return;
    const isUnsound = this.#outcome.status === 'limit' && unsound.has(this.#outcome.error.code);
    if (isUnsound || (this.#isQuiet() && !this.#hasUnhandled())) this.#end = this.#outcome;
  }

  #isQuiet(): boolean {
    return this.#open === 0 && !this.#timersWouldCall();
  }

  /** Finds an unhandled rejection, and lets the code report it; true if that resumed the code. */
  #hasUnhandled(): boolean {
    if (this.#outcome?.status !== 'ok' || this.#outcome.unhandled !== undefined) return false;
    const failed = this.#late === null ? this.#rejections.first() : null;
    if (failed !== null) {
      this.#inside('run', failed);
      this.#vm.executePendingJobs();
    }
    if (this.#late !== null) this.#outcome = { ...this.#outcome, unhandled: this.#failed(this.#late) };
    return !this.#isQuiet();
  }

  /**
   * Whether a timer that is still to fire would lead to a call: it is fired ahead of time, and the VM is put back. One
   * that repeats ends with the code.
   */
  #timersWouldCall(): boolean {
    const armed = [...this.#timers].filter(([, { repeat }]) => !repeat);
    if (armed.length === 0) return false;
    const now = performance.now();
    const trial: Trial = {
      armed: new Map(armed.map(([id, { dueAt }]) => [id, dueAt])),
      now,
      hasCalled: false,
    };
    // INVARIANT: no handle that is used later is made while it is tried.
    this.#way('fire');
    const [image, clock] = [imageOf(this.#whole), this.#clock];
    this.#trial = trial;
    for (let tried = 0; tried < mostTried && trial.armed.size > 0 && !trial.hasCalled; tried++) {
      const [id, dueAt] = [...trial.armed].reduce((first, other) => (other[1] < first[1] ? other : first));
      trial.armed.delete(id);
      trial.now = Math.max(trial.now, dueAt);
      this.#clock = clock + trial.now - now;
      try {
        this.#inside('fire', this.#vm.newNumber(id));
        this.#vm.executePendingJobs();
      } catch {
        // An error that it throws would be thrown again; without a call it is no reason to wait.
      }
    }
    this.#trial = null;
    this.#clock = clock;
    putBack(this.#whole, image);
    return trial.hasCalled;
  }

  /** An error thrown out of the VM, and not only in it: a timer's function, or the engine. */
  #thrown(error: unknown): End {
    if (!(error instanceof this.#maker.library.JSException)) {
      const isStopped = this.#reached.has('cpu_limit');
      if (isStopped) return this.#limit('cpu_limit');
      return { status: 'fault', error: { code: 'fault', message: 'the engine failed' } };
    }
    const { name, message, stack } = error;
    return this.#failed(JSON.stringify({ name, message, stack, made: 'engine' }));
  }

  /** There is nothing left that could settle the promise that the code awaits. */
  #stuck(): End | null {
    if (this.#open > 0 || this.#timers.size > 0) return null;
    const { mallocSize } = this.#vm.getMemoryUsage();
    return this.#limit(mallocSize > fixed.memoryMb * 1_048_576 * 0.9 ? 'memory_limit' : 'deadlock');
  }

  #limit(code: LimitCode): Failure {
    return { status: 'limit', error: { code, message: this.#say(code) } };
  }

  #say(code: LimitCode): string {
    return this.#limits === undefined ? code : limitMessages[code](this.#limits);
  }

  #send(tool: JSValueHandle, json: JSValueHandle): JSValueHandle {
    const limits = this.#limits;
    const text = json.toString();
    const number = tool.toNumber();
    if (this.#trial !== null) {
      this.#trial.hasCalled = true;
      return this.#refuse('timeout');
    }
    Atomics.add(gauge, 2, 1);
    // INVARIANT: a call that is refused here never becomes a message, so that no flood of calls reaches the host.
    if (limits === undefined || this.#lastCall >= limits.maxToolCalls)
      return this.#refuseCall(number, 'tool_call_limit');
    if (Buffer.byteLength(text) > limits.maxArgumentBytes) return this.#refuseCall(number, 'argument_limit');
    // INVARIANT: the prelude counts as this does, so nothing may throw behind the count.
    this.#open++;
    this.#calls.push([++this.#lastCall, number, text]);
    return this.#vm.undefined;
  }

  #refuseCall(tool: number, code: LimitCode): JSValueHandle {
    if (this.#refused.list.length < mostRefused) this.#refused.list.push([tool, code]);
    else this.#refused.more++;
    return this.#refuse(code);
  }

  #refuse(code: LimitCode): JSValueHandle {
    if (this.#trial === null) this.#reached.add(code);
    return this.#vm.newString(JSON.stringify([code, this.#say(code)]));
  }

  #log(level: JSValueHandle, text: JSValueHandle): JSValueHandle {
    if (this.#trial !== null) return this.#vm.undefined;
    const left = (this.#limits?.maxLogChars ?? 0) - this.#logChars;
    const line = text.toString();
    if (line.length > left) this.#logsDropped = true;
    const shown = line.slice(0, Math.max(0, left)).toWellFormed();
    this.#logChars += shown.length + 1;
    if (shown !== '' || line === '') {
      const said = level.toString();
      const known = levels.find((one) => one === said) ?? 'log';
      if (left > 0) this.#logs.push({ level: known, text: shown });
    }
    return this.#vm.undefined;
  }

  #arm(id: JSValueHandle, delay: JSValueHandle, repeat: JSValueHandle): JSValueHandle {
    const limits = this.#limits;
    if (limits === undefined || this.#timers.size >= limits.maxTimers) return this.#refuse('timer_limit');
    const wait = Math.min(Math.max(delay.toNumber(), 1), limits.timeoutMs + 1000);
    if (this.#trial === null) this.#wait(id.toNumber(), wait, repeat.toBoolean(), this.#clock + wait);
    else if (!repeat.toBoolean()) this.#trial.armed.set(id.toNumber(), this.#trial.now + wait);
    return this.#vm.newString('');
  }

  #wait(id: number, wait: number, repeat: boolean, due: number, left = wait): void {
    const fire = () => {
      this.#timers.delete(id);
      this.#clock = Math.max(this.#clock, due);
      if (repeat) this.#wait(id, wait, repeat, due + wait);
      this.#turn(() => this.#fire(id));
    };
    const dueAt = performance.now() + left;
    this.#timers.set(id, { handle: setTimeout(fire, left), dueAt, wait, repeat });
  }

  #fire(id: number): void {
    try {
      this.#inside('fire', this.#vm.newNumber(id));
    } catch (error) {
      // The code cannot catch an error of a timer, so the code has failed; its calls are settled all the same.
      if (!(error instanceof this.#maker.library.JSException) || this.#reached.has('cpu_limit')) throw error;
      const { name, message, stack } = error;
      this.#note({ isOk: false, text: JSON.stringify({ name, message, stack, made: 'engine' }) });
    }
  }

  #disarm(id: JSValueHandle): JSValueHandle {
    const known = id.toNumber();
    if (this.#trial !== null) {
      this.#trial.armed.delete(known);
      return this.#vm.undefined;
    }
    clearTimeout(this.#timers.get(known)?.handle);
    this.#timers.delete(known);
    return this.#vm.undefined;
  }

  /** INVARIANT: an error of a host function would be visible in the VM, so none of them runs code that may throw. */
  #finish(status: JSValueHandle, text: JSValueHandle): JSValueHandle {
    if (this.#trial === null) this.#note({ isOk: status.toString() === 'ok', text: text.toString() });
    return this.#vm.undefined;
  }

  /** The first end is that of the code; a later failure was not awaited. */
  #note(outcome: { readonly isOk: boolean; readonly text: string }): void {
    if (this.#outcome === null && this.#finished === null) this.#finished = outcome;
    else if (!outcome.isOk) this.#late ??= outcome.text;
  }

  #ended({ isOk, text }: { readonly isOk: boolean; readonly text: string }): Outcome {
    if (!isOk) return this.#failed(text);
    if (text === '') return { status: 'ok', json: null, truncated: false };
    return { status: 'ok', ...truncateJson(text, this.#limits?.maxOutputChars ?? 0) };
  }

  /** The end of code that threw; its error is only ever treated as text. */
  #failed(thrown: string): Failure {
    const {
      name = 'Error',
      message = '',
      code,
      stack = '',
      made,
    }: Readonly<Record<string, string | undefined>> = JSON.parse(thrown);
    const isEngine = made === 'engine';
    if (isEngine && name === 'InternalError' && message === 'out of memory')
      return this.#limit('memory_limit');
    if (isEngine && isOverflow(message) && hasFilledStack(this.#whole, fixed.stackKb))
      return this.#limit('stack_limit');
    if (isLimitCode(code) && this.#reached.has(code)) return this.#limit(code);
    const error: RunError = { code: cut(code ?? name), message: cut(message), ...placeIn(stack) };
    return { status: 'error', error };
  }
}

/** Whether this is the engine's error for a stack overflow. */
function isOverflow(message = ''): boolean {
  return message === 'Maximum call stack size exceeded' || message === 'stack overflow';
}

const levels = ['log', 'info', 'warn', 'error', 'debug'] as const;

function cut(text: string): string {
  return text.slice(0, longestMessage).toWellFormed();
}

/** The position in the code where an error was created; a line precedes the code. */
function placeIn(stack: string): { line?: number; column?: number } {
  const [, line, column] = /\(?code:(\d+):(\d+)\)?/.exec(stack) ?? [];
  if (line === undefined || column === undefined || Number(line) < 2) return {};
  return { line: Number(line) - 1, column: Number(column) };
}

const maker = loadVms(wasm, fixed);
/** The VM of the next run, which is made before it is asked for. */
let next: Promise<Vm> = maker.then((loaded) => loaded.fresh());
/** The current run, or the VM that is being created for one. */
let current: Run | Promise<Run> | null = null;
/** Whether the current run began here, and its VM can be reused. */
let isOwn = false;

/** The run is over, and the VM of the next one is made. After a fault the thread is not used again. */
function over(run: Run, { status }: End): void {
  current = null;
  if (status === 'fault') return;
  const used = run.leave();
  // INVARIANT: from here on no run gets the VM as the code left it.
  if (isOwn) next = maker.then((loaded) => (loaded.reset(used) ? used : another(loaded, used)));
  else used.vm.dispose();
}

/** A new VM in place of one that has grown too large. */
async function another(loaded: VmMaker, used: Vm): Promise<Vm> {
  used.vm.dispose();
  return await loaded.fresh();
}

async function start(message: Start): Promise<Run> {
  const run = new Run(await maker, await next);
  isOwn = true;
  current = run;
  run.start(message);
  return run;
}

async function resume(message: Resume): Promise<Run> {
  const loaded = await maker;
  const { memory, thread } = message.standstill;
  const run = new Run(loaded, await loaded.restored({ ...thread, memory: inflateRawSync(memory) }));
  isOwn = false;
  current = run;
  run.resume(message);
  return run;
}

function tell(run: Run, message: AnswersText | Pause): void {
  if (typeof message === 'string') run.answer(readAnswers(message));
  else run.pause(message);
}

function post(message: ThreadMessage): void {
  port.postMessage(message);
}

function take(message: Message): void {
  if (typeof message !== 'string' && message.type === 'start') current = start(message);
  else if (typeof message !== 'string' && message.type === 'resume') current = resume(message);
  else if (current instanceof Run) tell(current, message);
  // Messages that arrive while a VM is created wait for it.
  else void current?.then((run) => tell(run, message));
}

const spinWait = new SpinWait(port);

port.on('message', (first: Message) => {
  for (let message: Message | undefined = first; message !== undefined; ) {
    take(message);
    message = current instanceof Run ? spinWait.receive<Message>() : undefined;
  }
});

// An error here ends the thread, and its starter receives it.
void next.then(() => parentPort?.postMessage('ready'));
