// How the scripts of built-in cases are written down: what a model says, calls or plans in one turn.

import type { JsonObject } from '../../../core/index.ts';
import type { BenchCase } from '../case.ts';

type Script = NonNullable<NonNullable<BenchCase['script']>['tool_call']>;
type Turn = Script[number];

/** The model answers. */
export function says(text: string): Turn {
  return { text };
}

/** The model calls tools: of a server as `server.tool`, of the harness by their name. */
export function calls(...wanted: readonly (readonly [string, JsonObject])[]): Turn {
  return {
    calls: wanted.map(([tool, given]) => ({ tool: tool.replace('.', '__'), arguments: given })),
  };
}

/** The model plans a program. */
export function plans(code: string, reasoning = 'It does what the task asks for.'): Turn {
  return { text: JSON.stringify({ code: code.trim(), reasoning }) };
}
