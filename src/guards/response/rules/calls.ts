// Law (AG-OUT-3): a call that a model writes into its text is judged as the call that it is, and never run from there.
// A tool that nobody registered cannot be called, so its name in a text is only worth a warning.

import { type Finding, type Rule, type ToolSpec, visible } from '../../../core/index.ts';
import { hit, response } from './finding.ts';

const readDoc: ToolSpec = { name: 'read_doc', effect: 'read' };

export const unknownCall: Rule = {
  id: 'unknown_call_in_text',
  guard: 'response',
  decision: 'warn',
  reason:
    'The text calls a tool that is in no registry; nothing runs from a text, and nothing would answer to it.',
  contract: 'AG-OUT-3',
  examples: {
    hit: [
      response('<tool_call>{"name": "launch", "arguments": {"at": 5}}</tool_call>'),
      response('Action: Frobnicate\nAction Input: {"a": 1}'),
    ],
    miss: [
      response('<tool_call>{"name": "read_doc", "arguments": {}}</tool_call>', { tools: [readDoc] }),
      response('Write `{"name": "launch", "arguments": {}}` to call a tool.'),
      response('```json\n{"name": "launch", "arguments": {}}\n```\nThis is how a call looks.'),
      response('{"name": "Ann", "age": 5}'),
    ],
  },
};

/** What a finding about a call weighs in the text that holds it. */
export function weighCall(finding: Finding, tool: string): Finding {
  if (finding.guard !== 'tool' || finding.rule !== 'unknown_tool') return finding;
  return hit(unknownCall, `The text calls "${visible(tool, 80)}", which is in no registry.`);
}
