// Findings as SARIF 2.1.0, written one by one, so that any number of them fits.

import type { CompiledRule } from '../../detect/index.ts';
import { artifact, sarifHead } from '../sarif.ts';
import { version } from '../version.ts';
import type { Finding } from './locate.ts';

export class SarifWriter {
  readonly #write: (text: string) => void;
  readonly #rules: ReadonlyMap<string, CompiledRule>;
  /** The rules met so far, each with its place in the list. */
  readonly #met = new Map<string, number>();
  readonly #notifications: unknown[] = [];
  #count = 0;

  constructor(rules: ReadonlyMap<string, CompiledRule>, write: (text: string) => void) {
    this.#rules = rules;
    this.#write = write;
    const opening = JSON.stringify({ ...sarifHead, runs: [] }).slice(0, -2);
    this.#write(`${opening}{"columnKind":"utf16CodeUnits","results":[`);
  }

  /** `path` goes from the root of the sources, or is absolute; bytes as characters. */
  add(path: string, finding: Finding): void {
    const { rule, kind, pack, line, column, endLine, endColumn, excerpt, fingerprint, marked } = finding;
    const index = this.#met.get(rule) ?? this.#met.size;
    this.#met.set(rule, index);
    const result = {
      ruleId: rule,
      ruleIndex: index,
      level: pack === 'pii' ? 'warning' : 'error',
      message: { text: `${this.#rules.get(rule)?.name ?? rule} (${kind}) in the text.` },
      locations: [
        {
          physicalLocation: {
            artifactLocation: artifact(path),
            region: {
              startLine: line,
              startColumn: column,
              endLine,
              endColumn,
              snippet: { text: excerpt },
            },
          },
        },
      ],
      partialFingerprints: { 'sallyport/v1': fingerprint },
      ...(marked ? { suppressions: [{ kind: 'inSource' }] } : {}),
    };
    this.#write(`${this.#count++ === 0 ? '' : ','}\n${JSON.stringify(result)}`);
  }

  /** Something was not scanned. */
  unread(path: string, reason: string): void {
    this.#notifications.push({
      level: 'error',
      message: { text: `Not scanned: ${reason}.` },
      locations: [{ physicalLocation: { artifactLocation: artifact(path) } }],
    });
  }

  end(): void {
    const rules = [...this.#met.keys()].map((id) => {
      const rule = this.#rules.get(id);
      return {
        id,
        shortDescription: { text: rule?.name ?? id },
        properties: { kind: rule?.kind ?? id, tags: ['security', rule?.pack ?? 'user'] },
      };
    });
    const rest = {
      tool: { driver: { name: 'Sallyport', version, rules } },
      invocations: [
        {
          executionSuccessful: this.#notifications.length === 0,
          toolExecutionNotifications: this.#notifications,
        },
      ],
    };
    this.#write(`\n],${JSON.stringify(rest).slice(1)}]}\n`);
  }
}
