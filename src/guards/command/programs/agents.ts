// Other agents that are set to work, by the words of their command lines.

import type { Effect } from '../effects.ts';
import { beginningOf, type Call, effect, orInert } from '../tools/tool.ts';

const lookingOnly =
  /^(?:-v|--version|-h|--help|version|help|doctor|config|mcp|plugins?|extensions?|list|login|status)$/;

const unguarded =
  /^--(?:dangerously|yolo|no-sandbox|allow-all|full-auto|auto-approve|yes-always|trust)|bypassPermissions|^danger-full-access$|^-y$/;

/** Another agent is set to work: what it does is for its own guard to say. */
export function works(call: Call): readonly Effect[] {
  const texts = call.args.map(beginningOf);
  if (texts.length > 0 && texts.every((text) => lookingOnly.test(text))) return [];
  return [
    effect(call, 'run', {
      detail: 'agent',
      ...(texts.some((text) => unguarded.test(text)) ? { force: true } : {}),
    }),
  ];
}

/** The same, for programs that do other things too. */
export function agent(call: Call): readonly Effect[] {
  return orInert(call, works(call));
}
