// The baseline: a file of findings that are known, so that only new ones are reported.
//
// It holds fingerprints, which are made of the words around a value and of nothing of the value itself.

import { readFileSync, statSync } from 'node:fs';
import { InputError, isJsonObject, type JsonValue, parseJson, visible } from '../../core/index.ts';
import { codeOf, reasonOf } from './file.ts';
import { OutputFile } from './output.ts';

const kind = 'sallyport-baseline';
const version = 1;
const mostBytes = 256 << 20;

/** The fingerprints in a baseline; throws `InputError` if it is none. */
export function readBaseline(path: string): ReadonlySet<string> {
  const broken = (why: string) =>
    new InputError(`${visible(path)} is no baseline: ${why}`, {
      hint: 'make one with --write-baseline FILE',
    });
  let text: string;
  try {
    if (statSync(path).size > mostBytes) throw broken('it is too large');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (codeOf(error) === 'ENOENT') throw new InputError(`there is no baseline ${visible(path)}`);
    throw new InputError(`the baseline ${visible(path)} cannot be read: ${reasonOf(error)}`);
  }
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    throw broken('it is not JSON');
  }
  if (!isJsonObject(value) || value['kind'] !== kind) throw broken(`it does not say "kind": "${kind}"`);
  if (value['version'] !== version) throw broken(`only version ${version} is understood`);
  const { findings } = value;
  if (!Array.isArray(findings)) throw broken('it has no list of findings');
  return new Set(
    findings.map((finding) => {
      const fingerprint = isJsonObject(finding) ? finding['fingerprint'] : undefined;
      if (typeof fingerprint !== 'string') throw broken('a finding has no fingerprint');
      return fingerprint;
    }),
  );
}

/** Writes a baseline, one finding a line so that a change to it can be read. */
export class BaselineWriter {
  readonly #file: OutputFile;
  #count = 0;

  constructor(path: string) {
    this.#file = new OutputFile(path);
    this.#file.write(`{\n  "kind": "${kind}",\n  "version": ${version},\n  "findings": [`);
  }

  /** `rule` and `file` are for people: the fingerprint is made of them too. */
  add(finding: { readonly fingerprint: string; readonly rule: string; readonly file: string }): void {
    const { fingerprint, rule, file } = finding;
    const line = JSON.stringify({ fingerprint, rule, file });
    this.#file.write(`${this.#count++ === 0 ? '' : ','}\n    ${line}`);
  }

  /** Where it is written until it is whole. */
  get temporary(): string {
    return this.#file.temporary;
  }

  finish(): void {
    this.#file.write(`${this.#count === 0 ? '' : '\n  '}]\n}\n`);
    this.#file.finish();
  }

  abandon(): void {
    this.#file.abandon();
  }
}
