// Command lines of other agents. What such an agent does is for its own guard to say, so that it is set to work is asked.

import { beginningOf, effect, inert, type Tool } from './tool.ts';

/** Their programs, and the names of packages that a runner of packages starts them by. */
export const agentNames =
  'agy aider amp antigravity auggie claude claude-code cline cn codebuddy codebuff codex copilot-cli crush cursor-agent devin droid forge gemini gemini-cli gptme grok hermes iflow junie kilo kilocode kimi kimi-cli kiro-cli letta mini-swe-agent openclaw opencode opencode-ai openhands pi plandex qodo qwen qwen-code rovodev sweagent trae-cli vibe';

/** Another agent is set to work: what it does is for its own guard to say. */
export const agent: Tool = (call) => {
  const texts = call.args.map(beginningOf);
  if (
    texts.length > 0 &&
    texts.every((text) =>
      /^(?:-v|--version|-h|--help|version|help|doctor|config|mcp|plugins?|extensions?|list|login|status)$/.test(
        text,
      ),
    )
  )
    return inert(call);
  const unguarded = texts.some((text) =>
    /^--(?:dangerously|yolo|no-sandbox|allow-all|full-auto|auto-approve|yes-always|trust)|bypassPermissions|^danger-full-access$|^-y$/.test(
      text,
    ),
  );
  return [effect(call, 'run', { detail: 'agent', ...(unguarded ? { force: true } : {}) })];
};
