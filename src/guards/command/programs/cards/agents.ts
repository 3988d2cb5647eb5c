// Command lines of other agents. What such an agent does is for its own guard to say, so that it is set to work is asked.

import { beginningOf, effect } from '../../tools/tool.ts';
import { works } from '../agents.ts';
import type { Card, Fact } from '../card.ts';

/** The fact that an agent is set to work. */
function worksOf(name: string): Fact {
  return {
    what: 'sets another agent to work',
    effects: works,
    examples: {
      hit: {
        [`${name}`]: 'run (agent)',
        [`${name} -p "fix it"`]: 'run (agent)',
        [`${name} mcp add a`]: 'run (agent)',
        [`${name} --<dangerously-skip-permissions yolo no-sandbox allow-all-tools full-auto auto-approve yes-always trust-all-tools>`]:
          'run (agent) force',
        [`${name} <-y danger-full-access bypassPermissions>`]: 'run (agent) force',
      },
      miss: [
        `${name} <-v --version -h --help version help doctor config mcp plugin plugins extension extensions list login status>`,
        `${name} mcp list`,
      ],
    },
  };
}

/** Their programs, and the names of packages that a runner of packages starts them by. */
export const agentNames =
  'agy aider amp antigravity auggie claude claude-code cline cn codebuddy codebuff codex copilot-cli crush cursor-agent devin droid forge gemini gemini-cli gptme grok hermes iflow junie kilo kilocode kimi kimi-cli kiro-cli letta mini-swe-agent openclaw opencode opencode-ai openhands pi plandex qodo qwen qwen-code rovodev sweagent trae-cli vibe';

const agents: Card = {
  names: agentNames,
  options: '',
  readings: '',
  idle: true,
  facts: [worksOf('claude')],
};

/** Two programs have this name: one asks tables, the other is an agent. */
const q: Card = {
  names: 'q',
  options: '',
  readings: '',
  idle: true,
  facts: [
    {
      what: 'sets another agent to work',
      effects: (call) =>
        /^(?:chat|translate|agent|restart)$/.test(beginningOf(call.args[0] ?? { kind: 'unknown' }))
          ? [effect(call, 'run', { detail: 'agent' })]
          : [],
      examples: { hit: { 'q <chat translate agent restart>': 'run (agent)' }, miss: ['q "SELECT 1"', 'q'] },
    },
  ],
};

export const cards = [agents, q];
