// The shapes that answers of several routes have. They only describe: the daemon does not read what it sends.

import {
  type Decision,
  decisionSchema,
  type Finding,
  findingSchema,
  type toWire,
  verdictSchema,
  wireContext,
} from '../../core/index.ts';
import { reply, texts, words } from '../../core/replies.ts';
import { described, type Infer, named, optional } from '../../core/shape.ts';

export const decision = described<Decision>(() => decisionSchema);
export const finding = described<Finding>(() => findingSchema);
export const verdict = described<ReturnType<typeof toWire>>(() => verdictSchema);

/** What every refusal says. */
export const refusal = named('Error', reply({ error: words, name: words, hint: optional(words) }));
export type Refusal = Infer<typeof refusal>;

/** Who asked and where, completed by what the credential says. */
export const fullContext = named(
  'FullContext',
  reply({
    ...texts('user', 'tenant', 'agent', 'session', 'workspace'),
    mode: { ...wireContext.fields.mode, optional: false },
  }),
);
