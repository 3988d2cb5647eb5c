// Rule: what is written can be read by the person who answers for it; a new secret is asked for, and what was redacted
// for a reader never replaces the real value.

import { type Finding, fixtureEffect, type Rule } from '../../../core/index.ts';
import type { ContentFacts, ContentProblem } from '../facts.ts';
import { hit, shown, write, writeBytes } from './finding.ts';

const rulesByProblem: Readonly<Record<ContentProblem, Rule>> = {
  too_large: {
    id: 'file_too_large',
    guard: 'write',
    decision: 'block',
    reason: 'A file of more than 1 MiB cannot be reviewed.',
    suggestion: 'Write it in parts, or make it with a command.',
    examples: {
      hit: [write('src/c.txt', 'a'.repeat(1_048_577)), write('src/c.txt', 'é'.repeat(600_000))],
      miss: [write('src/c.txt', 'a'.repeat(1_048_576))],
    },
  },
  binary: {
    id: 'binary_file',
    guard: 'write',
    decision: 'block',
    reason: 'A file with a NUL byte is not text, so it cannot be reviewed.',
    suggestion: 'Make binary files with a command.',
    examples: {
      hit: [write('src/c.txt', 'a\u0000b'), writeBytes('f0VMRgIBAQA=')],
      miss: [write('src/c.txt', ''), writeBytes('aGVsbG8K')],
    },
  },
  not_utf8: {
    id: 'not_utf8',
    guard: 'write',
    decision: 'block',
    reason: 'Text that is not UTF-8 looks different in each program.',
    suggestion: 'Write the file in UTF-8.',
    examples: {
      hit: [
        writeBytes('Y2Fm6Q=='),
        writeBytes('//5hAA=='),
        writeBytes('not base64!'),
        write('a.txt', '\ud800'),
      ],
      miss: [writeBytes('aMOp'), writeBytes('77u/eA==')],
    },
  },
};

const hiddenOrder: Rule = {
  id: 'hidden_order',
  guard: 'write',
  decision: 'approve',
  reason: 'Bidirectional control characters show a reviewer other code than what runs.',
  suggestion: 'Write the characters as escapes: `\\u202e`.',
  examples: {
    hit: [write('src/c.ts', 'if (x /*\u202e } \u2066if*/')],
    miss: [write('src/c.ts', 'if (x) {}'), write('src/c.ts', 'const mark = "\\u202e";')],
  },
};

/** Looks like a secret and is none. */
const assigned = 'const token = "ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN";'; // sallyport:allow

const newSecret: Rule = {
  id: 'new_secret',
  guard: 'write',
  decision: 'approve',
  reason: 'A secret in a file stays in its history.',
  suggestion: 'Read it from the environment: `process.env.API_KEY`.',
  contract: 'AG-OUT-1',
  examples: {
    hit: [write('src/c.ts', assigned)],
    miss: [
      write('src/c.ts', 'const token = process.env.TOKEN;'),
      write('src/c.ts', `${assigned} // more`, {
        files: { 'src/c.ts': assigned },
      }),
    ],
  },
};

const placeholderWritten: Rule = {
  id: 'placeholder_written',
  guard: 'write',
  decision: 'block',
  reason: 'A redacted placeholder would replace the real value in the file.',
  suggestion: 'Edit only the lines that you mean, without the redacted value.',
  examples: {
    hit: [
      write('src/c.ts', 'const token = "[REDACTED:api-key]";\nlet a;', {
        files: { 'src/c.ts': assigned },
      }),
    ],
    miss: [
      write('docs/redaction.md', 'A key becomes [REDACTED:api-key].'),
      write('docs/redaction.md', 'A key becomes [REDACTED:api-key], always.', {
        files: { 'docs/redaction.md': 'A key becomes [REDACTED:api-key].' },
      }),
    ],
  },
};

const noContent: Rule = {
  id: 'content_missing',
  guard: 'write',
  decision: 'block',
  reason: 'The result of the change is unknown, so it cannot be judged.',
  suggestion: 'Give the resulting content of the file.',
  examples: {
    hit: [{ action: { kind: 'write', changes: [{ op: 'edit', path: 'src/a.ts' }] } }],
    miss: [{ action: { kind: 'write', changes: [{ op: 'delete', path: 'src/a.ts' }] } }],
  },
};

/** The finding on a change that has no content. */
export function contentMissing(path: string, pointer: string): Finding {
  return hit(noContent, `The change to '${shown(path)}' has no content.`, { pointer });
}

/** The rules on content. */
export const contentRules: readonly Rule[] = [
  noContent,
  ...Object.values(rulesByProblem),
  hiddenOrder,
  newSecret,
  placeholderWritten,
];

/** What is wrong with the bytes, whatever was there before. */
export function contentFindings(content: ContentFacts, path: string, pointer: string): readonly Finding[] {
  if (content.problem !== null) {
    return [
      hit(
        rulesByProblem[content.problem],
        `The content for '${shown(path)}' is refused: ${told[content.problem]}.`,
        {
          pointer,
        },
      ),
    ];
  }
  if (!turns.test(content.text)) return [];
  return [hit(hiddenOrder, `The content for '${shown(path)}' turns the direction of writing.`, { pointer })];
}

const told: Readonly<Record<ContentProblem, string>> = {
  too_large: 'it is larger than 1 MiB',
  binary: 'it is binary',
  not_utf8: 'it is not UTF-8',
};

const turns = /[\u202a-\u202e\u2066-\u2069]/;
const placeholders = /\[REDACTED:[\w-]+\]|<redacted:[\w-]+>/g;

/** What a text holds that must not be lost or spread. */
export type Find = (text: string) => readonly { readonly text: string; readonly secret: boolean }[];

/**
 * What the new text adds and loses against the old one; `old` is undefined where it could not be read. `inside` is the
 * real place of the file from the workspace.
 */
export function changeFindings(
  text: string,
  old: string | null | undefined,
  find: Find,
  {
    path,
    inside,
    pointer,
  }: { readonly path: string; readonly inside: string | null; readonly pointer: string },
): readonly Finding[] {
  const findings: Finding[] = [];
  const before = old ?? '';
  const added = find(text).filter(({ text: value, secret }) => secret && !before.includes(value));
  if (added.length > 0) {
    findings.push(
      hit(
        newSecret,
        `The content for '${shown(path)}' holds ${added.length === 1 ? 'a new secret' : `${added.length} new secrets`}.`,
        {
          pointer,
          grant: inside === null ? undefined : fixtureEffect(inside),
        },
      ),
    );
  }
  const more = countOf(text) > countOf(before);
  const lost = old === undefined || find(before).some(({ text: value }) => !text.includes(value));
  if (more && lost) {
    findings.push(
      hit(placeholderWritten, `The content for '${shown(path)}' holds a placeholder where a value stood.`, {
        pointer,
      }),
    );
  }
  return findings;
}

function countOf(text: string): number {
  return text.match(placeholders)?.length ?? 0;
}
