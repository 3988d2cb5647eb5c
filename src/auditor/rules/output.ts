// AG-OUT: what a model says has passed layer 2 before anybody sees it, and is never run as code.

import { passed, policy, type Rule, secrets, spoken, tool } from './rule.ts';

const check = {
  go: `checked := guard.Output.Check(ctx, sallyport.OutputRequest{Text: answer})
if checked.Blocked || checked.NeedsApproval {
	return checked.ToUserError()
}
// … and from here on checked.Text, not answer`,
  typescript: `const checked = await Guardrails.output.check({ text: answer, context });
if (checked.blocked || checked.needsApproval) throw checked.toUserError();
// … and from here on checked.text, not answer`,
  python: `checked = guardrails.output.check(text=answer, context=context)
if checked.blocked or checked.needs_approval:
    raise checked.to_user_error()
# … and from here on checked.text, not answer`,
};

export const outputRules: readonly Rule[] = [
  {
    id: 'AG-OUT-1',
    title: 'No answer is shown before it was searched for secrets',
    wrong: 'is shown without having passed a guard for secrets',
    fix: check,
    judge: passed(['show'], ['model'], secrets),
  },
  {
    id: 'AG-OUT-2',
    title: 'No answer is shown before it was held against the guidelines',
    wrong: 'is shown without having passed the guard for guidelines',
    fix: check,
    judge: (reach, around) => {
      const whole = passed(['show'], ['model'], policy)(reach, around);
      if ((around.named & policy) === 0) return whole;
      return [...whole, ...passed(['show'], ['chunk'], policy)(reach, around)];
    },
  },
  {
    id: 'AG-OUT-3',
    title: "What a model says is never run as code outside the tools' registry",
    wrong: 'is run as code or as a command without having passed the guard of tools',
    fix: {
      go: `validation := guard.Tool.Validate(ctx, sallyport.ValidateRequest{ToolCall: call})
if validation.Blocked || validation.NeedsApproval {
	return validation.ToUserError()
}
tools[call.Name](ctx, validation.Arguments)`,
      typescript: `const validation = await Guardrails.tool.validate({ toolCall, context });
if (validation.blocked || validation.needsApproval) throw validation.toUserError();
await tools[toolCall.name].execute(validation.arguments);`,
      python: `validation = guardrails.tool.validate(tool_call=tool_call, context=context)
if validation.blocked or validation.needs_approval:
    raise validation.to_user_error()
tools[tool_call.name](**validation.arguments)`,
    },
    judge: passed(['interpret'], spoken, tool),
  },
  {
    id: 'AG-OUT-4',
    title: 'No piece of a stream is shown before the detector has passed it',
    wrong: 'is shown piece by piece without the pieces having passed the detector',
    fix: {
      go: `guarded := guard.Output.Stream(ctx, sallyport.CallContext{})
for stream.Next() {
	piece := guarded.Push(ctx, stream.Current().Choices[0].Delta.Content, "")
	if guarded.Blocked() {
		break
	}
	fmt.Fprint(w, piece.Emit)
}
end := guarded.End(ctx)`,
      typescript: `const guarded = await guard.output.stream(context);
for await (const chunk of stream) {
  const { emit } = await guarded.push(chunk);
  if (guarded.blocked) break;
  write(emit);
}
await guarded.end();`,
      python: `guarded = await guard.output.stream(context)
async for chunk in stream:
    piece = await guarded.push(chunk)
    if guarded.blocked:
        break
    yield piece.emit
await guarded.end()`,
    },
    judge: passed(['show'], ['chunk'], secrets),
  },
];
