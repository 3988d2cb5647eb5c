// What a command of the command line is, and how its arguments are read.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { messageOf, nearest, UsageError } from '../core/index.ts';
import type { Shape } from '../core/shape.ts';
import type { Io } from './io.ts';

export interface Option {
  /** What stands for the value in the help; a flag has none. */
  readonly value?: string;
  readonly help: string;
  /** One letter that stands for the name. */
  readonly short?: string;
}

export interface Command {
  /** The forms of the call, without the program's name. */
  readonly usage: readonly string[];
  readonly about: string;
  /** Calls that show what it is for; without the program's name, unless the line names it itself. */
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Gives the exit code: one of ours, or that of a command that it ran. */
  run(call: Call, all: Commands): Promise<number>;
}

/** Every command by its name, and what it is for. */
export type Commands = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly command: Command }> }>
>;

/** One call of a command, as read. */
export interface Call {
  readonly words: readonly string[];
  /** The value of an option, if it was given. */
  value(name: string): string | undefined;
  flag(name: string): boolean;
  readonly io: Io;
}

/** Options that every command takes. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { help: 'print JSON for machines' },
  config: { value: 'FILE', help: "read this file instead of the user's sallyport.toml" },
  help: { help: 'show this help' },
};

/** Reads a command's arguments; throws `UsageError` for an unknown option or a missing value. */
export function readCall(name: string, command: Command, args: readonly string[], io: Io): Call {
  const known = { ...command.options, ...commonOptions };
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(known).map(([option, { value, short }]) => [
      option,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(plainUsage(error, Object.keys(known)), `see 'sallyport ${name} --help'`);
  }
  const { values, positionals } = parsed;
  return {
    words: positionals,
    value: (option) => {
      const value = values[option];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => values[option] === true,
    io,
  };
}

function plainUsage(error: unknown, known: readonly string[]): string {
  const message = messageOf(error);
  const unknown = /Unknown option '--?([^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const near = nearest(unknown, known);
  return `unknown option --${unknown}${near === undefined ? '' : `; did you mean --${near}?`}`;
}

/** An example as it is typed. */
export function exampleLine(example: string): string {
  return /(?:^|[|;&] |sudo )sallyport /.test(example) ? example : `sallyport ${example}`;
}

/** The help page of one command. */
export function helpOf(command: Command): string {
  const rows = Object.entries({ ...command.options, ...commonOptions }).map(
    ([name, { value, help, short }]) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      help,
    ],
  );
  const width = Math.max(...rows.map(([left]) => left?.length ?? 0));
  return [
    ...command.usage.map((form, index) => `${index === 0 ? 'Usage:' : '      '} sallyport ${form}`),
    '',
    command.about,
    '',
    'Options:',
    ...rows.map(([left, right]) => `  ${left?.padEnd(width)}  ${right}`),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${exampleLine(example)}`),
    '',
  ].join('\n');
}

/** The words of a call, which must be as many as its form names. */
export function onlyWords<const Names extends readonly string[]>(
  call: Call,
  names: Names,
): { readonly [K in keyof Names]: string } {
  if (call.words.length !== names.length) {
    const missing = names[call.words.length];
    throw new UsageError(
      missing === undefined ? `unexpected argument "${call.words[names.length]}"` : `${missing} is missing`,
    );
  }
  return call.words as unknown as { readonly [K in keyof Names]: string };
}

/** A whole number from an option; `key` is that of the configuration in whose place it stands. */
export function numberFor(call: Call, name: string, key: Shape<number>): number | undefined {
  const { minimum, maximum } = key.schema();
  return wholeNumber(call, name, Number(minimum), Number(maximum));
}

/** The flags of a call among some, as they would be typed. */
export function flagsOf(call: Call, names: readonly string[]): readonly string[] {
  return names.filter((name) => call.flag(name)).map((name) => `--${name}`);
}

/** A whole number from an option. */
export function wholeNumber(call: Call, name: string, min: number, max: number): number | undefined {
  const value = call.value(name);
  if (value === undefined) return undefined;
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new UsageError(`--${name} must be a whole number between ${min} and ${max}`);
  }
  return number;
}

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs };

/** The milliseconds that a text such as 30m, 8h or 7d names; NaN for any other. */
function durationIn(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,4})([smhd])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
}

/** A span of time from an option, in milliseconds. */
export function durationOption(call: Call, name: string, longest: number): number | undefined {
  const value = call.value(name);
  if (value === undefined) return undefined;
  const ms = durationIn(value);
  if (!(ms <= longest)) {
    const [examples, most] =
      longest >= dayMs ? ['30m, 8h or 7d', `${longest / dayMs}d`] : ['90s or 10m', `${longest / 60_000}m`];
    throw new UsageError(`--${name} takes a time such as ${examples}, at most ${most}, not "${value}"`);
  }
  return ms;
}

/** The time that a text names: a span before now, a day of this machine's zone, or an exact time; NaN for any other. */
export function timeIn(text: string, now: number): number {
  const days = ['today', 'yesterday'].indexOf(text);
  if (days >= 0) {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T00:00:00`);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return Date.parse(text);
  return now - durationIn(text);
}

/** A time from an option, in milliseconds since 1970. */
export function timeOption(call: Call, name: string): number | undefined {
  const value = call.value(name);
  if (value === undefined) return undefined;
  const at = timeIn(value, Date.now());
  if (Number.isNaN(at)) {
    throw new UsageError(
      `--${name} is a time such as 8h (ago), today, yesterday, 2026-11-15 or 2026-11-15T10:00:00Z, not "${value}"`,
    );
  }
  return at;
}
