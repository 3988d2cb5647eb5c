// The words of the page: what a decision is called, how long something still counts, and when something was.

const decisionWords: Readonly<Record<string, string>> = {
  pass: 'Passed',
  redact: 'Redacted',
  approve: 'Needs approval',
  block: 'Blocked',
  warn: 'Warning',
  unchecked: 'Unchecked',
};

/** What a decision is called. */
export function decisionWord(decision: string): string {
  return decisionWords[decision] ?? decision;
}

/** An event of the log, in words. */
export function eventWord(type: string): string {
  const words = type.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

const [minute, hour, day] = [60, 3600, 86_400];

/** A span of time in its largest fitting unit: "23 h", "12 min", "40 s". */
export function spanOf(seconds: number): string {
  if (seconds >= 2 * day) return `${Math.floor(seconds / day)} days`;
  if (seconds >= 2 * hour) return `${Math.floor(seconds / hour)} h`;
  if (seconds >= 2 * minute) return `${Math.floor(seconds / minute)} min`;
  return `${Math.max(0, Math.floor(seconds))} s`;
}

/** A measured time in milliseconds. */
export function msOf(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** The last part of a path. */
export function nameOfPath(path: string): string {
  return path.split('/').filter(Boolean).at(-1) ?? path;
}
