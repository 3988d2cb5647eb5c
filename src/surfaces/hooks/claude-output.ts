// What stands in place of an output that Claude Code must not hand to its model. Claude Code checks a replacement against
// the tool's own form and uses the original where it does not fit, so the form is kept and every text in it goes.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** The output that is withheld, and the tool that it came from. */
export interface ToolOutput {
  readonly tool: string;
  /** The MCP server of the tool; absent for Claude Code's own. */
  readonly server?: string;
  readonly output: JsonValue;
}

/** A replacement, and whether Claude Code is known to take it. */
export interface Withheld {
  readonly output: JsonValue;
  readonly fits: boolean;
}

/** Words that Claude Code's forms demand in certain places. None of them tells or commands anything, wherever it stands. */
const formWords: ReadonlySet<string> = new Set([
  ...[
    'text',
    'image',
    'notebook',
    'pdf',
    'parts',
    'content',
    'files_with_matches',
    'count',
    'create',
    'update',
  ],
  ...['added', 'modified', 'pending', 'in_progress', 'completed', 'code', 'markdown', 'async_launched'],
  ...[
    'committed',
    'amended',
    'cherry-picked',
    'merged',
    'rebased',
    'created',
    'edited',
    'closed',
    'commented',
  ],
  ...[
    'ready',
    'draft',
    'reopened',
    'error',
    'unknown',
    'keep',
    'remove',
    'remote_launched',
    'local_workflow',
  ],
  ...['remote_agent', 'low', 'medium', 'high', 'xhigh', 'max', 'fixed', 'skipped', 'no_change_needed'],
]);

type Form = (output: JsonObject, text: string) => JsonValue;

/** Forms that say the same in fewer members than the tool gave, or in another of the tool's variants. */
const forms: Readonly<Record<string, Form>> = {
  // A picture in the output is a text here too, which must not be read as one.
  Bash: (output, text) => ({ stdout: '', stderr: text, interrupted: output['interrupted'] === true }),
  // Pictures and documents are no texts that could be replaced; a text in their place is a form of this tool.
  Read: (_, text) => ({
    type: 'text',
    file: { filePath: '', content: text, numLines: 1, startLine: 1, totalLines: 1 },
  }),
  Grep: (_, text) => ({ mode: 'content', numFiles: 0, filenames: [], content: text, numLines: 1 }),
  Glob: (_, text) => ({ durationMs: 0, numFiles: 1, filenames: [text], truncated: false }),
};

/** Tools whose outputs hold texts, numbers, flags and the words above, and nothing else. */
const plainForms: ReadonlySet<string> = new Set([
  ...['Agent', 'Task', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch', 'TodoWrite'],
  ...['TaskCreate', 'TaskGet', 'TaskUpdate', 'TaskList', 'TaskStop'],
]);

/** The output without a word of what it said. */
export function withheldOutput({ tool, server, output }: ToolOutput, text: string): Withheld {
  if (server !== undefined) return { output: text, fits: true };
  if (typeof output === 'string') return { output: text, fits: true };
  const form = Object.hasOwn(forms, tool) ? forms[tool] : undefined;
  if (form !== undefined && isJsonObject(output)) return { output: form(output, text), fits: true };
  return { output: emptied(output, text), fits: plainForms.has(tool) };
}

/** The same form with a text in place of every other; names of members stay, since the form is made of them. */
function emptied(value: JsonValue, text: string): JsonValue {
  if (typeof value === 'string') return formWords.has(value) ? value : text;
  if (Array.isArray(value)) return value.map((item) => emptied(item, text));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, emptied(item, text)]));
}
