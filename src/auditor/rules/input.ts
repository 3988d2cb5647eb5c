// AG-IN: what goes to a model has passed layer 1.

import { injection, passed, pii, proved, type Rule } from './rule.ts';

const check = {
  go: `checked := guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
if checked.Blocked || checked.NeedsApproval {
	return checked.ToUserError()
}
// … and from here on checked.Text, not text`,
  typescript: `const checked = await Guardrails.input.check({ text, context });
if (checked.blocked || checked.needsApproval) throw checked.toUserError();
// … and from here on checked.text, not text`,
  python: `checked = guardrails.input.check(text=text, context=context)
if checked.blocked or checked.needs_approval:
    raise checked.to_user_error()
# … and from here on checked.text, not text`,
};

export const inputRules: readonly Rule[] = [
  {
    id: 'AG-IN-1',
    title: 'Texts pass the prompt-injection guard before a model reads them',
    wrong: 'reaches the model without having passed a guard against prompt injection',
    fix: check,
    judge: passed(['prompt'], ['user', 'tool'], injection),
  },
  {
    id: 'AG-IN-2',
    title: 'Personal data is redacted or refused before a text goes to a model',
    wrong:
      'reaches the model without having passed a guard for personal data, or as it was before that guard',
    fix: check,
    judge: passed(['prompt'], ['user'], pii),
  },
  {
    id: 'AG-IN-3',
    title: 'Attempts to break out are recorded',
    wrong: 'is refused without a record of the attempt (event_type jailbreak_attempt)',
    fix: {
      go: `audit.Record(ctx, Event{Type: "jailbreak_attempt", Text: text, Findings: findings})`,
      typescript: "await audit.record({ event_type: 'jailbreak_attempt', text, context, findings });",
      python: 'audit.record(event_type="jailbreak_attempt", text=text, context=context, findings=findings)',
    },
    judge: ({ sink, recorded, tags }) => {
      if (sink !== 'refusal') return [];
      return [recorded === true ? proved : { answer: 'violated', missing: 0, tag: tags[0] ?? null }];
    },
  },
  {
    id: 'AG-IN-4',
    title: 'Files and images pass layer 1 like texts',
    wrong: 'is a file whose content reaches the model without having passed the guards that a text passes',
    fix: {
      go: `checked := guard.Input.Check(ctx, sallyport.InputRequest{ContentBase64: content, Origin: "file", Name: name})
if checked.Blocked || checked.NeedsApproval {
	return checked.ToUserError()
}`,
      typescript: `const checked = await Guardrails.input.check({ contentBase64, origin: 'file', name, context });
if (checked.blocked || checked.needsApproval) throw checked.toUserError();`,
      python: `checked = guardrails.input.check(content_base64=content, origin="file", name=name, context=context)
if checked.blocked or checked.needs_approval:
    raise checked.to_user_error()`,
    },
    judge: passed(['prompt'], ['upload'], injection | pii),
  },
];
