// The rules of the response guard.

import type { Guideline } from '../../config/detection.ts';
import {
  type Example,
  type Finding,
  type Given,
  type Rule,
  type ToolSpec,
  visible,
} from '../../core/index.ts';
import { builtinGuidelines } from './guidelines/builtin.ts';

// ── Builds findings and examples, so that every rule of this guard writes them alike.

/** One hit of a rule; the message holds names, and nothing of the text. */
export function hit(rule: Rule, message: string, span?: readonly [number, number]): Finding {
  const { id, decision, suggestion, contract } = rule;
  return {
    rule: id,
    guard: 'response',
    decision,
    message,
    ...(contract === undefined ? {} : { contract }),
    pointer: '/text',
    ...(span === undefined ? {} : { span }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** A response as an example. */
function response(text: string, given?: Given): Example {
  return given === undefined
    ? { action: { kind: 'response', text } }
    : { action: { kind: 'response', text }, given };
}

// ── Rule (AG-OUT-1): no secret is in a response, whether it stands there plainly, is taken apart by markup or line ends,
// or is written in escapes, base64 or hex.

/** Looks like a secret and is none. */
const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
const head = token.slice(0, 12);
const tail = token.slice(12);

export const secretInResponse: Rule = {
  id: 'secret_in_response',
  guard: 'response',
  decision: 'block',
  reason: 'A secret that was shown is compromised: screens, logs and other models store it.',
  suggestion: 'Answer without it, and name where it is stored, such as a variable.',
  contract: 'AG-OUT-1',
  examples: {
    hit: [
      response(`Use ${token} for the request.`),
      response(`The token is \`${head}\`**${tail}**.`),
      response(`It begins with\n> ${head}\n> ${tail}`),
      response(`const token = "${head}" + "${tail}";`),
      response(JSON.stringify({ note: `a\n${token}` })),
      response(`ghp\\_${token.slice(4)}`),
      response(`In base64: ${btoa(token)}`),
      response(`${[...token].map((letter) => letter.charCodeAt(0).toString(16)).join('')} is hex`),
    ],
    miss: [
      response('Use the token in $GITHUB_TOKEN for the request.'),
      response('A GitHub token begins with ghp_ and has 36 letters and digits behind that.'),
      response('const token = process.env.GITHUB_TOKEN;'),
      response(`In base64: ${btoa('the quick brown fox jumps over the lazy dog')}`),
      response('[REDACTED:api-key]'),
    ],
  },
};

// ── Rule (AG-OUT-2): a response does not do what a guideline forbids; the check is made before anything of it is shown.

/** The rule that stands for a guideline. */
export function guidelineRule({ name, reason, examples }: Guideline): Rule {
  return {
    id: `guideline_${name}`,
    guard: 'response',
    decision: 'block',
    reason,
    suggestion: 'Decline that part without its details, and help with the rest.',
    contract: 'AG-OUT-2',
    examples: {
      hit: examples.hit.map((text) => response(text)),
      miss: examples.miss.map((text) => response(text)),
    },
  };
}

const guidelineRules: readonly Rule[] = builtinGuidelines.map(guidelineRule);

// ── Rule (AG-OUT-2): where a judge model is configured, nothing is shown that it has not passed; no answer is no pass.

const judge = { provider: 'local', model: 'guard' };

export const judgeFailed: Rule = {
  id: 'judge_failed',
  guard: 'response',
  decision: 'block',
  reason: 'The judge model gave no valid answer, so the response is withheld.',
  suggestion: 'The user checks [judge] and its provider.',
  examples: {
    // Nobody can be asked here.
    hit: [response('All is well.', { judge })],
    miss: [response('All is well.')],
  },
};

// ── Rule (AG-OUT-3): a call that a model writes into its text is judged as the call that it is, and never run from there.
// A tool that nobody registered cannot be called, so its name in a text is only worth a warning.

const readDoc: ToolSpec = { name: 'read_doc', effect: 'read' };

const unknownCall: Rule = {
  id: 'unknown_call_in_text',
  guard: 'response',
  decision: 'warn',
  reason: 'The text calls an unregistered tool, which cannot run.',
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

// ── All rules of this guard.

export const responseRules: readonly Rule[] = [secretInResponse, ...guidelineRules, judgeFailed, unknownCall];
