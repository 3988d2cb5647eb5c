// What a scan tells: each finding to people, to machines and into files, then one line about all of it.

import { visible } from '../../core/index.ts';
import type { Io } from '../io.ts';
import type { BaselineWriter } from './baseline.ts';
import type { Content } from './content.ts';
import { type Outcome, textOfPath } from './file.ts';
import type { Finding } from './locate.ts';
import type { SarifWriter } from './sarif.ts';
import type { Passed } from './walk.ts';

/** A file as it is called: by the person who named it, and from the root of the sources. Bytes as characters. */
export interface FileName {
  readonly shown: string;
  readonly sourcePath: string;
}

export interface ReportOptions {
  readonly io: Io;
  /** What standard output gets; nothing when it gets something else. */
  readonly form: 'text' | 'json' | 'nothing';
  readonly showMarked: boolean;
  readonly known: ReadonlySet<string>;
  readonly sarif?: SarifWriter;
  readonly baseline?: BaselineWriter;
  /** Takes the progress bar away before something is printed. */
  readonly clear: () => void;
}

/** The counts of a scan. */
export interface Tally extends Passed {
  files: number;
  bytes: number;
  findings: number;
  marked: number;
  /** Findings that the baseline knows. */
  known: number;
  binary: number;
  unread: number;
}

export class Report {
  readonly tally: Tally = {
    files: 0,
    bytes: 0,
    findings: 0,
    marked: 0,
    known: 0,
    binary: 0,
    unread: 0,
    ignored: 0,
    links: 0,
    special: 0,
  };
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  outcome(file: FileName, outcome: Outcome): void {
    if ('content' in outcome) this.content(file, outcome.content);
    else if ('unread' in outcome) this.unread(file, outcome.unread);
    else if (outcome.skipped === 'link') this.tally.links++;
    else this.tally.special++;
  }

  content(file: FileName, { bytes, binary, findings, unlisted }: Content): void {
    if (binary) {
      this.tally.binary++;
      return;
    }
    this.tally.files++;
    this.tally.bytes += bytes;
    for (const finding of findings) this.#finding(file, finding);
    if (unlisted > 0) this.#unlisted(file, unlisted);
  }

  /** What could not be read was not scanned, and is said. */
  unread(file: FileName, reason: string): void {
    const { io, form, sarif, clear } = this.#options;
    this.tally.unread++;
    sarif?.unread(file.sourcePath, reason);
    clear();
    if (form === 'json') io.json({ file: textOfPath(file.shown), unread: reason });
    else io.warn(`${shownName(file)}: not scanned: ${visible(reason)}`);
  }

  #finding(file: FileName, finding: Finding): void {
    const { known, showMarked, sarif, baseline } = this.#options;
    if (finding.marked) {
      this.tally.marked++;
      if (!showMarked) return;
    } else {
      const { fingerprint, rule } = finding;
      baseline?.add({ fingerprint, rule, file: textOfPath(file.sourcePath) });
      if (known.has(fingerprint)) {
        this.tally.known++;
        return;
      }
      this.tally.findings++;
    }
    sarif?.add(file.sourcePath, finding);
    this.#print(file, finding);
  }

  #print(file: FileName, finding: Finding): void {
    const { io, form, clear } = this.#options;
    if (form === 'nothing') return;
    clear();
    if (form === 'json') {
      io.json({ file: textOfPath(file.shown), ...finding });
      return;
    }
    const { line, column, kind, rule, excerpt, marked } = finding;
    const place = io.paint('bold', `${shownName(file)}:${line}:${column}`);
    const what = io.paint(marked ? 'dim' : 'red', marked ? `${kind} (marked)` : kind);
    io.print(`${place}  ${what}  ${rule}\n    ${excerpt}`);
  }

  #unlisted(file: FileName, count: number): void {
    const { io, form, clear } = this.#options;
    this.tally.findings += count;
    if (form === 'nothing') return;
    clear();
    if (form === 'json') io.json({ file: textOfPath(file.shown), unlisted: count });
    else io.print(`${shownName(file)}: ${count} more findings, not listed`);
  }

  /** The end of a scan. */
  summary(seconds: number): void {
    const { io, form, clear } = this.#options;
    clear();
    if (form === 'json') io.json({ summary: { ...this.tally, seconds: Number(seconds.toFixed(3)) } });
    if (form === 'text') io.print(summaryLine(this.tally, seconds));
    if (this.tally.unread > 0 && form !== 'json') io.warn('What could not be read was not scanned.');
  }
}

function shownName({ shown }: FileName): string {
  return visible(textOfPath(shown));
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function summaryLine(tally: Tally, seconds: number): string {
  const { files, bytes, findings, marked, known, binary, unread, ignored } = tally;
  const found = findings === 0 ? 'Nothing found' : findings === 1 ? '1 finding' : `${findings} findings`;
  const rest = [
    [marked, 'marked'],
    [known, 'in the baseline'],
    [binary, 'binary skipped'],
    [ignored, 'ignored'],
    [unread, 'not scanned'],
  ] as const;
  const counts = rest.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`);
  const where = `${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)}`;
  return `${found} in ${where}, ${seconds.toFixed(2)} s${counts.join('')}`;
}
