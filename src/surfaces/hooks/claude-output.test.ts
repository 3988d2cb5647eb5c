import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../core/index.ts';
import { claude } from './claude.ts';
import { withheldOutput } from './claude-output.ts';
import { unansweredReply } from './client.ts';

const secret = 'OPEN-SESAME';
const picture = 'iVBORw0KGgo=';
const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${secret}`] }];
const gitDiff = {
  filename: secret,
  status: 'modified',
  additions: 1,
  deletions: 1,
  changes: 2,
  patch: secret,
};

/** Outputs as Claude Code hands them to hooks, and what of them its forms demand. */
const outputs: readonly [string, JsonValue, object][] = [
  [
    'Bash',
    {
      stdout: secret,
      stderr: secret,
      interrupted: false,
      isImage: false,
      gitOperation: { commit: { sha: secret, kind: 'committed' } },
    },
    { stdout: '', stderr: 'W', interrupted: false },
  ],
  [
    'Bash',
    { stdout: `data:image/png;base64,${picture}`, stderr: '', interrupted: true, isImage: true },
    { stdout: '', stderr: 'W', interrupted: true },
  ],
  [
    'Read',
    { type: 'text', file: { filePath: secret, content: secret, numLines: 2, startLine: 1, totalLines: 2 } },
    { type: 'text', file: { filePath: '', content: 'W', numLines: 1, startLine: 1, totalLines: 1 } },
  ],
  [
    'Read',
    { type: 'image', file: { base64: picture, type: 'image/png', originalSize: 9 } },
    { type: 'text', file: { content: 'W' } },
  ],
  [
    'Read',
    { type: 'pdf', file: { filePath: secret, base64: picture, originalSize: 9 } },
    { type: 'text', file: { content: 'W' } },
  ],
  [
    'Grep',
    { mode: 'files_with_matches', numFiles: 1, filenames: [secret] },
    { mode: 'content', filenames: [], content: 'W' },
  ],
  ['Glob', { durationMs: 3, numFiles: 1, filenames: [secret], truncated: false }, { filenames: ['W'] }],
  [
    'Edit',
    {
      filePath: secret,
      oldString: secret,
      newString: secret,
      originalFile: null,
      structuredPatch: patch,
      userModified: false,
      replaceAll: false,
      gitDiff,
    },
    {
      filePath: 'W',
      originalFile: null,
      structuredPatch: [{ oldStart: 1, lines: ['W'] }],
      gitDiff: { status: 'modified', additions: 1, patch: 'W' },
    },
  ],
  [
    'Write',
    { type: 'create', filePath: secret, content: secret, structuredPatch: [], originalFile: null },
    { type: 'create', content: 'W' },
  ],
  [
    'WebFetch',
    { bytes: 9, code: 200, codeText: 'OK', result: secret, durationMs: 1, url: secret },
    { bytes: 9, code: 200, result: 'W' },
  ],
  [
    'WebSearch',
    {
      query: secret,
      durationSeconds: 1,
      results: [secret, { tool_use_id: secret, content: [{ title: secret, url: secret }] }],
    },
    { results: ['W', { content: [{ title: 'W', url: 'W' }] }], durationSeconds: 1 },
  ],
  [
    'Agent',
    { status: 'completed', agentId: secret, content: [{ type: 'text', text: secret }], totalTokens: 3 },
    { status: 'completed', content: [{ type: 'text', text: 'W' }], totalTokens: 3 },
  ],
];

describe('an output that Claude Code must not hand on', () => {
  it.each(outputs)('of %s keeps its form and none of its texts: %j', (tool, output, wanted) => {
    const withheld = withheldOutput({ tool, output }, 'W');
    expect(withheld).toMatchObject({ output: wanted, fits: true });
    expect(JSON.stringify(withheld)).not.toMatch(new RegExp(`${secret}|${picture}`));
  });

  it.each<JsonValue>([
    secret,
    [{ type: 'text', text: secret }],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }],
    { content: [{ type: 'text', text: secret }], structuredContent: { [secret]: secret } },
    null,
  ])('of an MCP server becomes a text: %j', (output) => {
    expect(withheldOutput({ tool: 'leak', server: 'mail', output }, 'W')).toEqual({
      output: 'W',
      fits: true,
    });
  });

  it('of a tool that is not known has its texts taken out, and ends the turn', () => {
    const output = { kind: 'merged', note: secret, more: [{ deep: [secret] }], count: 3, ok: true };
    const reply = claude.answer('PostToolUse', {
      does: 'deny',
      reason: 'no',
      of: { tool: 'New', output },
    });
    expect(JSON.parse(reply.stdout)).toEqual({
      continue: false,
      stopReason: 'no',
      decision: 'block',
      reason: 'no',
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        updatedToolOutput: {
          kind: 'merged',
          note: '[output withheld] no',
          more: [{ deep: ['[output withheld] no'] }],
          count: 3,
          ok: true,
        },
      },
    });
  });

  it('of a known tool lets the turn go on', () => {
    const of = { tool: 'Bash', output: { stdout: secret, stderr: '', interrupted: false } };
    const reply = claude.answer('PostToolUse', { does: 'deny', reason: 'no', of });
    expect(JSON.parse(reply.stdout)).not.toHaveProperty('continue');
    expect(reply.stdout).not.toContain(secret);
  });

  it('that the client never got judged ends the turn', () => {
    expect(JSON.parse(unansweredReply(claude, 'PostToolUse').stdout)).toMatchObject({
      continue: false,
      stopReason: expect.stringContaining('the daemon did not answer'),
      hookSpecificOutput: { updatedToolOutput: { stdout: '', interrupted: false } },
    });
  });
});
