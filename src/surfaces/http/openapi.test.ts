// The OpenAPI document says what the daemon says: its references lead somewhere, and real answers fit its schemas.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { openApi } from './openapi.ts';

const document = JSON.parse(JSON.stringify(openApi('0'))) as JsonObject & {
  readonly components: { readonly schemas: JsonObject };
};
const { schemas } = document.components;

function referencesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const { $ref: reference, ...rest } = value;
  return [
    ...(typeof reference === 'string' ? [reference] : []),
    ...Object.values(rest).flatMap(referencesIn),
  ];
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: document.components });
/** What of a value does not fit a named schema. */
function misfits(name: string, value: unknown): unknown {
  const fits = ajv.getSchema(`api#/components/schemas/${name}`);
  if (fits === undefined) throw new Error(`there is no schema ${name}`);
  return fits(value) === true ? null : fits.errors;
}

describe('the OpenAPI document', () => {
  it('refers only to schemas that it has, and has none that nothing refers to', () => {
    const referred = new Set(referencesIn(document));
    const there = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    expect([...referred].filter((one) => !there.includes(one))).toEqual([]);
    expect(there.filter((one) => !referred.has(one))).toEqual([]);
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Action', 'Context', 'Verdict', 'Finding', 'Approval', 'ToolAction', 'Entry']),
    );
  });

  it('describes what the daemon answers', async () => {
    const { call, credential, workspace, session, decide } = await testDaemon({ passphrase: true });
    const token = await credential();
    const { body: waits } = await decide(token, 'https://example.com/');
    expect(waits.decision).toBe('approve');
    const shell = { kind: 'shell', command: 'rm -rf /', context: { workspace, mode: 'auto' } };
    expect(misfits('Action', shell)).toBeNull();
    const { body: blocked } = await call('/v1/decide', { token, body: shell });
    const rust = {
      kind: 'write',
      path: 'src/a.rs',
      content: 'use b::c;',
      context: { workspace, mode: 'auto' },
    };
    const { body: unchecked } = await call('/v1/decide', { token, body: rust });
    expect(unchecked.unchecked).toEqual([{ path: 'src/a.rs', why: 'language' }]);
    for (const verdict of [waits, blocked, unchecked]) expect(misfits('Verdict', verdict)).toBeNull();
    const { body: pending } = await call('/v1/approvals', { token });
    expect(pending.approvals).toHaveLength(1);
    expect(misfits('Approval', pending.approvals[0])).toBeNull();
    const answer = { answer: 'approve', permission: { reach: 'project', seconds: 60 } };
    const person = await session();
    const { body: approved } = await call(`/v1/approvals/${waits.approval.id}/answer`, {
      token: person,
      body: answer,
    });
    expect(misfits('Approval', approved)).toBeNull();
    const { body: standing } = await call('/v1/permissions', { token });
    expect(standing.permissions).toHaveLength(1);
    expect(misfits('Permission', standing.permissions[0])).toBeNull();
    const { body: log } = await call('/v1/log', { token: person });
    expect(log.entries.length).toBeGreaterThan(3);
    for (const entry of log.entries) expect(misfits('Entry', entry)).toBeNull();
    expect(misfits('Error', (await call('/v1/log')).body)).toBeNull();
  });

  it('describes what the daemon answers about streams', async () => {
    const { call, credential, workspace } = await testDaemon();
    const token = await credential();
    const { body: opened } = await call('/v1/streams', { token, body: { context: { workspace } } });
    expect(misfits('StreamOpened', opened)).toBeNull();
    const at = `/v1/streams/${opened.id}`;
    const { body: piece } = await call(`${at}/push`, { token, body: { piece: 'hello' } });
    expect(misfits('StreamPiece', piece)).toBeNull();
    expect(misfits('StreamEnd', (await call(`${at}/end`, { token, body: {} })).body)).toBeNull();
  });

  it('is found out where an answer is not as it says', () => {
    expect(misfits('Verdict', {})).not.toBeNull();
    expect(misfits('Entry', { event_type: 'nothing' })).not.toBeNull();
    expect(misfits('Action', { kind: 'shell' })).not.toBeNull();
  });
});
