// What the result of a guard says: yes, no, or nothing that its name tells.

import { folded } from '../ir.ts';

/** Whether a property that is true says no, or yes; undefined where it tells nothing. */
export function saysNo(property: string): boolean | undefined {
  const name = folded(property);
  if (
    /^(is|has|was|should)?(block|flag|detect|refus|reject|violat|unsafe|malicious|injection|leak|secret|denied|deny|matche?[sd]|hit|finding|threat|suspicious|infected|triggered|pii|found|risk|error|requires|needs|jailbreak)/.test(
      name,
    )
  ) {
    return true;
  }
  if (
    /^(is|was|has)?(allow|ok|safe|pass|valid|clean|approv|accept|permit|grant|clear|confirmed|success)/.test(
      name,
    )
  )
    return false;
  return undefined;
}

const noWords: ReadonlySet<string> = new Set([
  'block',
  'blocked',
  'deny',
  'denied',
  'reject',
  'refuse',
  'approve',
  'unsafe',
  'flagged',
]);
const yesWords: ReadonlySet<string> = new Set([
  'pass',
  'allow',
  'allowed',
  'ok',
  'safe',
  'approved',
  'yes',
  'y',
  'redact',
]);

/** Whether a word that a result is compared with says no. */
export function wordSaysNo(word: unknown): boolean | undefined {
  if (typeof word !== 'string') return undefined;
  const plain = word.toLowerCase();
  return noWords.has(plain) ? true : yesWords.has(plain) ? false : undefined;
}
