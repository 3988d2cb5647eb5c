// Answers in Claude Code's form for hosts that run the tool where a hook fails: always JSON with exit code 0, and an empty
// object for nothing. Saying nothing at all is left to a client that is broken: the wired command then denies.

import type { JsonObject } from '../../core/index.ts';
import { type Answer, promptDecision, type Reply, say, shown } from './host.ts';

/** An answer that says something. */
export type Spoken = Exclude<Answer, { does: 'nothing' }>;

/** The answers of a host; `afterTool` says what it hears about an output. */
export function jsonAnswers(
  afterTool: (given: Spoken) => JsonObject,
): (event: string, given: Answer) => Reply {
  return (event, given) => {
    if (given.does === 'nothing') return say({});
    const { reason } = given;
    const specific = (more: JsonObject) => ({ hookSpecificOutput: { hookEventName: event, ...more } });
    switch (event) {
      case 'PostToolUse':
        return { ...say(afterTool(given)), stderr: reason };
      case 'UserPromptSubmit':
        if (given.does === 'note') return say({ systemMessage: reason });
        return { ...say({ decision: 'block', reason }), stderr: reason };
      case 'PermissionRequest':
        return say(specific({ decision: promptDecision(given) }));
      // What a tool failed with cannot be replaced; the model can be warned of it.
      case 'PostToolUseFailure':
        return given.does === 'note' ? say(specific({ additionalContext: reason })) : shown(given);
      // Nothing that is answered to these has an effect.
      case 'InstructionsLoaded':
      case 'SessionStart':
      case 'SessionEnd':
        return shown(given);
      default:
        return {
          ...say({
            hookSpecificOutput: {
              hookEventName: 'PreToolUse',
              permissionDecision: 'deny',
              permissionDecisionReason: reason,
            },
          }),
          stderr: reason,
        };
    }
  };
}
