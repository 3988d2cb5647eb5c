// Rule: a file that cannot be read whole is not sent to a model; each reason has its own name. A file that is only written
// in a text as base64 is reported, since a model sees its signs and not the file.

import type { Settings } from '../../../config/settings.ts';
import type { Finding, Rule, UploadProblem } from '../../../core/index.ts';
import type { PromptFacts } from '../facts.ts';
import { file, hit, says, showing } from './finding.ts';

const contract = 'AG-IN-4';

/** A rule for one reason why a file is not read. */
function rule(problem: UploadProblem, reason: string, suggestion: string): readonly [UploadProblem, Rule] {
  return [
    problem,
    {
      id: `upload_${problem}`,
      guard: 'prompt',
      decision: 'block',
      reason,
      suggestion,
      contract,
      examples: {
        hit: [file({ problem }), file({ problem }, 'image')],
        miss: [file(showing('Minutes of the meeting')), says('Minutes of the meeting', 'file')],
      },
    },
  ];
}

const smaller = 'Send a smaller file, or the part that matters as text.';
const unpacked = 'Unpack it and send the files that matter.';

const byProblem: Readonly<Record<UploadProblem, Rule>> = Object.fromEntries([
  rule('too_large', 'The file is too large to read.', smaller),
  rule('too_many_pages', 'The file has too many pages.', smaller),
  rule('too_many_pixels', 'The image has too many pixels.', smaller),
  rule('too_much_text', 'The file has too much text.', smaller),
  rule('too_many_files', 'The archive has too many files.', unpacked),
  rule('too_deep', 'Archives are nested too deeply.', unpacked),
  rule('bomb', 'The file unpacks to a suspicious size.', unpacked),
  rule('too_slow', 'Reading the file took too long.', smaller),
  rule('busy', 'Too many files are queued.', 'Send it again in a moment.'),
  rule(
    'unknown_type',
    'This file type is not supported, so its content cannot be checked.',
    'Send it as text, PDF, DOCX, PNG or JPEG.',
  ),
  rule('polyglot', 'The file has two types at once.', 'Save it anew in one format.'),
  rule(
    'encrypted',
    'The file is encrypted, so its content cannot be checked.',
    'Send it without a password.',
  ),
  rule('broken', 'The file is corrupt.', 'Save it anew, or send the part that matters as text.'),
  rule(
    'reader_missing',
    'The package for this file type is not installed.',
    'Install the optional packages: npm install.',
  ),
]) as Record<UploadProblem, Rule>;

const embeddedUnread: Rule = {
  id: 'embedded_file_unread',
  guard: 'prompt',
  decision: 'warn',
  reason: 'A base64 file in the text could not be read; the profile strict blocks it.',
  contract,
  examples: {
    hit: [
      says(`![chart](data:image/png;base64,iVBORw0KGgo${'A'.repeat(80)})`, 'user', {
        extracted: { problem: 'broken' },
      }),
      says(`JVBERi0xLjQK${'A'.repeat(80)}`, 'tool', { agent: { profile: 'strict' } }),
    ],
    miss: [
      says(`![chart](data:image/png;base64,iVBORw0KGgo${'A'.repeat(80)})`, 'user', {
        extracted: showing('Sales', 'png'),
      }),
      says(
        'integrity sha512-XfYBhP7nvV1i9tYk2c4oBz2sMh0V2J4d2d1b4p8d0o1r6tq0gJ7g7Qn3m5m5y8C1B0i5n2m9k8h7g6f5e4d3c2b1A==',
        'tool',
      ),
    ],
  },
};

/** The rules on what could not be read. */
export const uploadRules: readonly Rule[] = [...Object.values(byProblem), embeddedUnread];

/** One finding for everything that could not be read. */
export function uploadFindings({ problems }: PromptFacts, { profile }: Settings): readonly Finding[] {
  return problems.flatMap(({ problem, detail, embedded, pointer, blob }) => {
    const { reason } = byProblem[problem];
    const message = detail === undefined ? reason : `${reason.replace(/\.$/, '')}: ${detail}.`;
    if (!embedded) return hit(byProblem[problem], message, { pointer });
    return hit(embeddedUnread, `A file in the text was not read: ${message}`, {
      pointer,
      span: blob,
      decision: profile === 'strict' ? 'block' : 'warn',
    });
  });
}
