// The limits of one run of code, and the message when one is reached. Each has a name of its own.

/** How much a run of code may use. */
export interface Limits {
  /** Wall time, including waits for tools and for a free thread. */
  readonly timeoutMs: number;
  /** Time that the code itself takes. */
  readonly cpuMs: number;
  readonly maxToolCalls: number;
  /** Calls beyond these wait. */
  readonly maxConcurrentCalls: number;
  readonly maxArgumentBytes: number;
  readonly maxResultBytes: number;
  readonly maxTotalResultBytes: number;
  /** The returned value is truncated to this, with a note. */
  readonly maxOutputChars: number;
  /** Log output beyond this is dropped, and the run reports it. */
  readonly maxLogChars: number;
  readonly maxTimers: number;
  readonly memoryMb: number;
  readonly stackKb: number;
}

export const defaultLimits: Limits = {
  timeoutMs: 30_000,
  cpuMs: 5000,
  maxToolCalls: 30,
  maxConcurrentCalls: 8,
  maxArgumentBytes: 262_144,
  maxResultBytes: 1_048_576,
  maxTotalResultBytes: 8_388_608,
  maxOutputChars: 200_000,
  maxLogChars: 20_000,
  maxTimers: 100,
  memoryMb: 64,
  stackKb: 256,
};

/** The name of the limit that ends a run, or refuses a call. */
export const limitMessages = {
  timeout: ({ timeoutMs }: Limits) => `the code took longer than ${timeoutMs} ms`,
  cpu_limit: ({ cpuMs }: Limits) => `the code computed for longer than ${cpuMs} ms`,
  memory_limit: ({ memoryMb }: Limits) => `the code needed more than ${memoryMb} MB of memory`,
  stack_limit: ({ stackKb }: Limits) => `the code needed more than ${stackKb} KB of stack`,
  tool_call_limit: ({ maxToolCalls }: Limits) =>
    `tool-call count ${maxToolCalls + 1} exceeds cap ${maxToolCalls}`,
  argument_limit: ({ maxArgumentBytes }: Limits) => `the arguments have more than ${maxArgumentBytes} bytes`,
  result_limit: ({ maxResultBytes }: Limits) => `the tool's result has more than ${maxResultBytes} bytes`,
  total_result_limit: ({ maxTotalResultBytes }: Limits) =>
    `the results of all calls have more than ${maxTotalResultBytes} bytes`,
  timer_limit: ({ maxTimers }: Limits) => `more than ${maxTimers} timers run at a time`,
  pause_limit: () => 'the code holds too much to be kept while a person is asked',
  deadlock: () => 'the code waits for something that nothing will settle',
} as const satisfies Readonly<Record<string, (limits: Limits) => string>>;

export type LimitCode = keyof typeof limitMessages;

export function isLimitCode(code: string | undefined): code is LimitCode {
  return code !== undefined && Object.hasOwn(limitMessages, code);
}
