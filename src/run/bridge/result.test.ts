// Tests of what code finds where a tool gave something, or nothing.

import { describe, expect, it } from 'vitest';
import {
  BlockedByMcpPolicy,
  UpstreamAborted,
  UpstreamFailed,
  UpstreamGone,
  UpstreamTimedOut,
} from '../mcp/index.ts';
import { failureIn, failureOf, splitMedia, ToolFailed } from './result.ts';

describe('a failure on the way to a tool', () => {
  it.each<[unknown, string, string]>([
    [new UpstreamGone('it ended'), 'server_gone', 'it ended'],
    [new UpstreamTimedOut('too slow'), 'tool_timeout', 'too slow'],
    [new UpstreamAborted('given up'), 'aborted', 'given up'],
    [new UpstreamFailed('no such tool'), 'tool_error', 'no such tool'],
    [
      new BlockedByMcpPolicy('s', 't', "server 's' not allowed"),
      'blocked',
      "MCP tool 'mcp:s:t' blocked by MCP policy (server 's' not allowed).",
    ],
    [
      new BlockedByMcpPolicy('s', 't', "tool 't' not allowed"),
      'blocked',
      "MCP tool 'mcp:s:t' blocked by MCP policy (tool 't' not allowed).",
    ],
    [new ToolFailed('tool_error', 'no'), 'tool_error', 'no'],
    [new Error('at /srv/secret.ts'), 'tool_error', 'the tool could not be called'],
    ['a text', 'tool_error', 'the tool could not be called'],
  ])('has a code, and says no more than it may: %s', (error, code, message) => {
    expect(failureOf(error)).toMatchObject({ code, message });
  });

  it('is not told at any length', () => {
    const text = '\ud83d\ude00'.repeat(5000);
    const told = failureIn({ content: [{ type: 'text', text: `x${text}` }], isError: true });
    expect(told.length).toBe(2000);
    expect(told.isWellFormed()).toBe(true);
  });
});

describe('what code returns', () => {
  const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' } as const;
  const sound = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' } as const;
  it.each([
    [null, [], null],
    [image, [image], null],
    [[image, sound], [image, sound], null],
    [[1, image, 'a'], [image], [1, 'a']],
    [[], [], []],
    [[1], [], [1]],
    [{ image }, [], { image }],
    [{ ...image, mimeType: 'audio/wav' }, [], { ...image, mimeType: 'audio/wav' }],
    [{ ...image, data: 'aGVsbG8' }, [], { ...image, data: 'aGVsbG8' }],
    [{ ...image, data: '' }, [], { ...image, data: '' }],
    [{ ...sound, type: 'text' }, [], { ...sound, type: 'text' }],
  ])('%j is taken apart', (value, media, rest) => {
    expect(splitMedia(value)).toEqual({ media, rest });
  });

  it('has no more in an image than an image has', () => {
    expect(splitMedia({ ...image, annotations: { audience: ['user'] }, _meta: {} }).media).toEqual([image]);
  });
});
