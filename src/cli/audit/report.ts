// What an audit tells: each finding to people, to machines or to GitHub, then one line a rule.

import { createHash } from 'node:crypto';
import type { AuditFinding, AuditResult } from '../../auditor/index.ts';
import { visible } from '../../core/index.ts';
import type { Io } from '../io.ts';
import type { Unread } from './files.ts';
import type { Fingerprinted } from './sarif.ts';

/** Gives every finding a fingerprint of its rule, its file and its line's text, with a number where that comes again. */
export function fingerprinted(findings: readonly AuditFinding[]): readonly Fingerprinted[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const words = `${finding.rule}\0${finding.file}\0${finding.excerpt.replaceAll(/\s+/g, ' ')}`;
    const count = seen.get(words) ?? 0;
    seen.set(words, count + 1);
    const fingerprint = createHash('sha256').update(`${words}\0${count}`).digest('hex').slice(0, 32);
    return { ...finding, fingerprint };
  });
}

export function printFinding(finding: Fingerprinted, io: Io): void {
  const { file, line, column, rule, answer, message, path, fix, suppressed } = finding;
  const place = io.paint('bold', `${visible(file)}:${line}:${column}`);
  const note = answer === 'unknown' || suppressed !== undefined;
  io.print(
    `${place}  ${io.paint(note ? 'dim' : 'red', answer === 'unknown' ? 'cannot tell' : 'violated')}  ${rule}`,
  );
  io.print(`    ${visible(message)}`);
  if (suppressed !== undefined) io.print(io.paint('dim', `    suppressed: ${visible(suppressed)}`));
  for (const step of path)
    io.print(io.paint('dim', `      ${visible(step.file)}:${step.line}  ${visible(step.what)}`));
  if (note || fix === '') return;
  io.print('    such as');
  for (const text of fix.split('\n')) io.print(io.paint('green', `      ${text}`));
}

/** As a command of a workflow, so that GitHub shows the finding at its line. */
export function printAnnotation({ file, line, column, rule, answer, message }: Fingerprinted, io: Io): void {
  const escaped = (text: string) =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string) => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const level = answer === 'violated' ? 'error' : 'notice';
  io.print(
    `::${level} file=${property(file)},line=${line},col=${column},title=${property(rule)}::${escaped(message)}`,
  );
}

export function printAnswers({ answers, read, files, models, unfollowed }: AuditResult, io: Io): void {
  for (const { rule, proved, violated, unknown } of answers) {
    if (proved + violated + unknown === 0) continue;
    const parts = [
      proved > 0 ? `proved in ${proved} ${proved === 1 ? 'place' : 'places'}` : '',
      violated > 0 ? io.paint('red', `violated in ${violated}`) : '',
      unknown > 0 ? `cannot tell in ${unknown}` : '',
    ];
    io.print(`${rule.padEnd(9)}  ${parts.filter((part) => part !== '').join(', ')}`);
  }
  const asked =
    models === 0 ? 'no call of a model' : `${models} ${models === 1 ? 'call' : 'calls'} of a model`;
  io.print(`${files} ${files === 1 ? 'file' : 'files'}, ${read} followed, ${asked}`);
  if (unfollowed > 0)
    io.print(
      `cannot tell of ${unfollowed} ${unfollowed === 1 ? 'part' : 'parts'}: more steps than the auditor may take`,
    );
}

/** How many files of one language are named. */
const named = 3;

/** Says of what nothing is proved. */
export function warnOfUnread(
  unread: readonly Unread[],
  { models, files, broken }: AuditResult,
  io: Io,
): void {
  const byLanguage = Map.groupBy(unread, ({ language }) => language);
  for (const { file, reason } of byLanguage.get(undefined) ?? [])
    io.warn(`${visible(file)}: not read: ${reason}`);
  byLanguage.delete(undefined);
  for (const [language, all] of byLanguage)
    io.warn(
      `not read, so nothing is proved of it: ${counted(all.length, 'file')} of ${language} ${list(all.map(({ file }) => file))}`,
    );
  if (broken.length > 0)
    io.warn(`read in part, the syntax is broken: ${counted(broken.length, 'file')} ${list(broken)}`);
  if (models === 0) io.warn(`no call of a model was found in ${counted(files, 'file')}: nothing is proved`);
}

function list(files: readonly string[]): string {
  const shown = files.slice(0, named).map((file) => visible(file));
  const more = files.length > named ? `, and ${files.length - named} more` : '';
  return `(${shown.join(', ')}${more})`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
