// Tells whether a text tries to command the model that reads it. Looks at wording alone: docs/detect.md says what
// that can and cannot find.

import { type InjectionProfile, type InjectionVerdict, judge } from './detect.ts';
import stored from './model.json' with { type: 'json' };
import { type Model, readModel } from './model.ts';

export type { InjectionProfile, InjectionVerdict } from './detect.ts';
export type { InjectionFlag } from './hidden.ts';

let model: Model | undefined;

/** Judges a text as the user's or, with the profile `tool`, as something that a tool, a page or a file brought. */
export function detectInjection(
  text: string,
  options: { readonly profile?: InjectionProfile } = {},
): InjectionVerdict {
  model ??= readModel(stored);
  return judge(text, options.profile ?? 'user', model);
}
