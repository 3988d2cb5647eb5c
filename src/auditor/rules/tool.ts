// AG-TOOL: nothing that a model wants is done before layer 3 has passed it.

import type { Reach, Sink } from '../flow/reach.ts';
import { callRecorded } from '../value.ts';
import {
  approval,
  behind,
  egress,
  isSpoken,
  type Judgement,
  owner,
  passed,
  proved,
  type Rule,
  snapshot,
  spoken,
  tool,
} from './rule.ts';

const validate = {
  go: `validation := guard.Tool.Validate(ctx, sallyport.ValidateRequest{ToolCall: call})
if validation.Blocked || validation.NeedsApproval {
	return validation.ToUserError()
}
// … and call the tool with validation.Arguments`,
  typescript: `const validation = await Guardrails.tool.validate({ toolCall, context });
if (validation.blocked || validation.needsApproval) throw validation.toUserError();
// … and call the tool with validation.arguments`,
  python: `validation = guardrails.tool.validate(tool_call=tool_call, context=context)
if validation.blocked or validation.needs_approval:
    raise validation.to_user_error()
# … and call the tool with validation.arguments`,
};

/** An approval is needed for tools with such an effect, and for what has that effect itself. */
function approved(effect: 'message' | 'delete', sink: Sink): Rule['judge'] {
  return (reach, around) => {
    const spoken = reach.tags.filter(isSpoken);
    if (spoken.length === 0) return [];
    if (reach.sink !== sink && reach.sink !== 'dispatch') return [];
    const need = reach.sink === sink ? 'needed' : behind(reach, [effect], approval, around);
    if (need === 'free') return [];
    return spoken.map((tag): Judgement => {
      const missing = approval & ~tag.cleared;
      if (missing !== 0) return { answer: need === 'needed' ? 'violated' : 'unknown', missing, tag };
      if (effect !== 'delete' || isRecorded(reach)) return { ...proved, tag };
      return { answer: 'unknown', missing: 0, tag, wrong: unrecorded };
    });
  };
}

const unrecorded = 'may destroy something, and no record of the approval says why the model wanted it';

/** Our own guards record by themselves what they ask for; every other caller has to. */
function isRecorded({ attempts, held }: Reach): boolean {
  const asked = attempts.filter(({ guard, shadowed }) => !shadowed && (guard.kinds & approval) !== 0);
  return (held & callRecorded) !== 0 || asked.some(({ guard }) => guard.audits);
}

export const toolRules: readonly Rule[] = [
  {
    id: 'AG-TOOL-1',
    title: 'A tool runs only after the registry has validated the call',
    wrong: 'is run as a tool without having been validated',
    fix: validate,
    judge: passed(['dispatch'], spoken, tool),
  },
  {
    id: 'AG-TOOL-2',
    title: 'A snapshot is taken before anything is written',
    wrong: 'may write files, and no snapshot was taken before',
    fix: {
      go: `if _, err := workspaceSnapshot.Capture(ctx, workspace); err != nil {
	return err
}`,
      typescript: 'await WorkspaceSnapshot.capture(context.workspace);',
      python: 'await WorkspaceSnapshot.capture(context.workspace)',
    },
    judge: (reach, around) => {
      const spoken = reach.tags.filter(isSpoken);
      const acts = reach.sink === 'write' || reach.sink === 'delete' || reach.sink === 'interpret';
      if ((!acts && reach.sink !== 'dispatch') || spoken.length === 0) return [];
      const need = acts ? 'needed' : behind(reach, ['write'], snapshot, around);
      if (need === 'free') return [];
      if ((reach.held & snapshot) !== 0) return [proved];
      const [tag = null] = spoken;
      return [{ answer: need === 'needed' ? 'violated' : 'unknown', missing: snapshot, tag }];
    },
  },
  {
    id: 'AG-TOOL-3',
    title: 'What cannot be undone needs approval each time',
    wrong: 'may do what cannot be undone (a message, a payment, a deployment) without approval',
    fix: validate,
    judge: approved('message', 'message'),
  },
  {
    id: 'AG-TOOL-4',
    title: 'What destroys needs an explicit approval, and a record of why the model wanted it',
    wrong: 'may destroy something without approval',
    fix: validate,
    judge: approved('delete', 'delete'),
  },
  {
    id: 'AG-TOOL-5',
    title: 'Whose data a tool touches comes from the session, never from the model',
    wrong: 'says whose data it is about, and the model wrote it',
    fix: {
      go: 'args.UserID = session.UserID',
      typescript: 'await tool({ ...args, userId: context.userId });',
      python: 'tool(**{**args, "user_id": context.user_id})',
    },
    judge: ({ sink, tags }) => {
      if (sink !== 'owner') return [];
      const spoken = tags.filter(isSpoken);
      if (spoken.length === 0) return [proved];
      return spoken.map((tag) => {
        const missing = owner & ~tag.cleared;
        return missing === 0 ? { ...proved, tag } : { answer: 'violated', missing, tag };
      });
    },
  },
  {
    id: 'AG-TOOL-6',
    title: 'Requests go only where the allowlist says',
    wrong: 'says where a request goes, and nothing held it against the allowlist',
    fix: {
      go: `if !egressAllowlist.Has(target.Hostname()) {
	return errors.New("not on the egress allowlist")
}`,
      typescript: `if (!egressAllowlist.has(new URL(url).hostname)) throw new Error('not on the egress allowlist');`,
      python: `if urlparse(url).hostname not in egress_allowlist:
    raise PermissionError("not on the egress allowlist")`,
    },
    judge: ({ sink, tags, held }) => {
      if (sink !== 'http') return [];
      return tags.filter(isSpoken).map((tag) => {
        const missing = egress & ~(tag.cleared | held);
        return missing === 0 ? { ...proved, tag } : { answer: 'violated', missing, tag };
      });
    },
  },
];
