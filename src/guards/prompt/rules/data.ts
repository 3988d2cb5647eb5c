// Rule: personal data and secrets do not reach a model. In a text they are taken out; a file or a picture that holds some is
// rejected, since what it shows cannot be taken out. Both can be set stricter.
// sallyport:allow-file numbers that are made up for examples

import type { Settings } from '../../../config/settings.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import type { JudgedText, PromptFacts } from '../facts.ts';
import { file, hit, says, showing } from './finding.ts';

const contract = 'AG-IN-2';
const rejecting = { agent: { pii_text: 'reject' } };
const redacting = { agent: { pii_files: 'redact' } };

const dataInText: Rule = {
  id: 'data_in_text',
  guard: 'prompt',
  decision: 'redact',
  reason: 'Personal data and secrets are redacted before a model reads the text.',
  contract,
  examples: {
    hit: [
      says('My CPF is 529.982.247-25, please fill in the form.'),
      says('Write to joe.doe@corp.exemplo about the card 4111 1111 1111 1111.'),
      says('Call me: +55 11 98765-4321'),
      says('Q1BGIDUyOS45ODIuMjQ3LTI1'),
      says('customer: {"cpf":"529.982.247-25"}', 'tool'),
      says('My CPF is 529.982.247-25.', 'user', rejecting),
    ],
    miss: [
      says('What is a CPF, and who needs one?'),
      says('The order 529.982.247-26 is late.'),
      says('Restart nginx on 203.0.113.9.'),
      says('Author: Joe <joe@corp.exemplo>', 'tool'),
      says('My CPF is 529.982.247-25.', 'file'),
    ],
  },
};

const dataInFile: Rule = {
  id: 'data_in_file',
  guard: 'prompt',
  decision: 'block',
  reason: 'The file or image has personal data or secrets.',
  suggestion: 'Remove the data from the file, or paste the part that matters as text.',
  contract,
  examples: {
    hit: [
      says('My CPF is 529.982.247-25.', 'file'),
      file(showing('CPF 529.982.247-25', 'png'), 'image'),
      file(showing('Customer: joe.doe@corp.exemplo')),
      file(showing('CPF 529.982.247-25', 'text'), 'file', redacting),
      file(showing('CPF 529.982.247-25', 'pdf'), 'file', redacting),
    ],
    miss: [
      says('My CPF is 529.982.247-25.'),
      says('What is a CPF, and who needs one?', 'file'),
      file(showing('Invoice 7. Please pay within 30 days.')),
    ],
  },
};

/** The rules on personal data and secrets. */
export const dataRules: readonly Rule[] = [dataInText, dataInFile];

/** What texts carry that no model may read: one finding for each text. */
export function dataFindings(facts: PromptFacts, settings: Settings): readonly Finding[] {
  return facts.pieces.flatMap((piece) => {
    const { data, file: isFile, place, pointer, blob } = piece;
    const [first] = data;
    if (first === undefined) return [];
    const kinds = counted(piece);
    const where = place === undefined ? '' : ` in ${place}`;
    const span = blob ?? (pointer === '/text' ? ([first.start, first.end] as const) : undefined);
    if (!isFile) {
      const decision = settings.prompt.piiText === 'reject' ? 'block' : 'redact';
      return hit(dataInText, `The text holds ${kinds}${where}.`, { pointer, span, decision });
    }
    const decision = isRedactable(piece, facts, settings) ? 'redact' : 'block';
    return hit(dataInFile, `The file holds ${kinds}${where}.`, { pointer, span, decision });
  });
}

/** Whether data can be taken out of a file: only where the file is its text and nothing else. */
export function isRedactable(
  { pointer, blob }: JudgedText,
  { pieces, type }: PromptFacts,
  { prompt }: Settings,
): boolean {
  if (prompt.piiFiles !== 'redact') return false;
  return pointer === '/text' ? blob === undefined : type === 'text' && pieces.length === 1;
}

/** The kinds of data in a text with their numbers, in words. */
function counted({ data }: JudgedText): string {
  const counts = new Map<string, number>();
  for (const { kind } of data) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
