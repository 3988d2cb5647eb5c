// Amazon Verified Permissions for tests and benchmarks: speaks its wire format over loopback and evaluates with Cedar. It knows as
// much as we use: policies are listed, read, made, changed and deleted, and requests decided.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthorizationCall, CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { loadCedar } from '../../src/policy/schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: the body of a request is read as it comes
type Body = any;

interface Held {
  statement: string;
  readonly createdDate: number;
  lastUpdatedDate: number;
}

/** An answer that is an error, by the name that the service gives it. */
class Fault extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

export interface AvpServer {
  readonly url: string;
  readonly policies: Map<string, Held>;
  /** The operations that were asked for, in order. */
  readonly calls: string[];
  /** What is answered to an operation instead. */
  fail(operation: string, status: number): void;
  /** Answers nothing any more. */
  stop(): Promise<void>;
}

/** Starts the server; its owner stops it. */
export async function serveAvp(storeId: string): Promise<AvpServer> {
  const cedar = await loadCedar();
  const policies = new Map<string, Held>();
  const calls: string[] = [];
  const failing = new Map<string, number>();
  let clock = 1_700_000_000;
  let storeUpdated = clock;
  const tick = () => {
    clock++;
    storeUpdated = clock;
    return clock;
  };
  const find = (id: string): Held => {
    const found = policies.get(id);
    if (found === undefined) throw new Fault('ResourceNotFoundException', 'no such policy');
    return found;
  };
  const checked = (statement: string): string => {
    const read = cedar.policyToJson(statement);
    if (read.type === 'failure') throw new Fault('ValidationException', 'Invalid input');
    return statement;
  };
  const described = (policyId: string, { createdDate, lastUpdatedDate }: Held) => ({
    policyStoreId: storeId,
    policyId,
    policyType: 'STATIC',
    createdDate: iso(createdDate),
    lastUpdatedDate: iso(lastUpdatedDate),
  });

  const operations: Readonly<Record<string, (body: Body) => object>> = {
    GetPolicyStore: () => ({
      policyStoreId: storeId,
      arn: `arn:aws:verifiedpermissions::1:policy-store/${storeId}`,
      validationSettings: { mode: 'OFF' },
      createdDate: iso(1_700_000_000),
      lastUpdatedDate: iso(storeUpdated),
    }),
    ListPolicies: ({ maxResults = 10, nextToken = '0' }) => {
      const start = Number(nextToken);
      const page = [...policies].slice(start, start + maxResults);
      const more = start + page.length < policies.size;
      return {
        policies: page.map(([id, held]) => ({ ...described(id, held), definition: { static: {} } })),
        ...(more ? { nextToken: String(start + page.length) } : {}),
      };
    },
    GetPolicy: ({ policyId }) => {
      const held = find(policyId);
      return { ...described(policyId, held), definition: { static: { statement: held.statement } } };
    },
    CreatePolicy: ({ definition }) => {
      const statement = checked(definition.static.statement);
      const policyId = randomUUID().replaceAll('-', '').slice(0, 22);
      const at = tick();
      const held = { statement, createdDate: at, lastUpdatedDate: at };
      policies.set(policyId, held);
      return described(policyId, held);
    },
    UpdatePolicy: ({ policyId, definition }) => {
      const held = find(policyId);
      held.statement = checked(definition.static.statement);
      held.lastUpdatedDate = tick();
      return described(policyId, held);
    },
    DeletePolicy: ({ policyId }) => {
      find(policyId);
      policies.delete(policyId);
      tick();
      return {};
    },
    IsAuthorized: (body) => {
      const asked: AuthorizationCall = {
        principal: uid(body.principal),
        action: { type: body.action.actionType, id: body.action.actionId },
        resource: uid(body.resource),
        context: recordOf(body.context?.contextMap ?? {}),
        entities: (body.entities?.entityList ?? []).map((entity: Body) => ({
          uid: uid(entity.identifier),
          attrs: recordOf(entity.attributes ?? {}),
          parents: (entity.parents ?? []).map(uid),
        })),
        policies: {
          staticPolicies: Object.fromEntries([...policies].map(([id, { statement }]) => [id, statement])),
        },
      };
      const answer = cedar.isAuthorized(asked);
      if (answer.type === 'failure') {
        throw new Fault('ValidationException', answer.errors[0]?.message ?? '');
      }
      const { decision, diagnostics } = answer.response;
      return {
        decision: decision.toUpperCase(),
        determiningPolicies: diagnostics.reason.map((policyId) => ({ policyId })),
        errors: diagnostics.errors.map(({ error }) => ({ errorDescription: error.message })),
      };
    },
  };

  const answerTo = (operation: string, body: Body): object => {
    const status = failing.get(operation);
    if (status !== undefined) throw new Fault('InternalServerException', 'failing', status);
    if (body.policyStoreId !== storeId) throw new Fault('ResourceNotFoundException', 'no such store');
    const work = operations[operation];
    if (work === undefined) throw new Fault('UnknownOperationException', operation);
    return work(body);
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const operation = String(request.headers['x-amz-target']).replace('VerifiedPermissions.', '');
    calls.push(operation);
    let [status, body]: [number, object] = [200, {}];
    try {
      const signed = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') === true;
      if (!signed) throw new Fault('AccessDeniedException', 'not signed');
      body = answerTo(operation, JSON.parse(Buffer.concat(chunks).toString() || '{}'));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      status = error.status;
      body = { __type: `com.amazonaws.verifiedpermissions#${error.type}`, message: error.message };
    }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url, policies, calls, stop, fail: (operation, status) => void failing.set(operation, status) };
}

/** The variables that the client of the service reads when it is made. */
export const avpEnvironment = (url: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_VERIFIEDPERMISSIONS: url,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_EC2_METADATA_DISABLED: 'true',
});

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function uid({ entityType, entityId }: Body) {
  return { type: entityType, id: entityId };
}

function recordOf(map: Body): Record<string, CedarValueJson> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, cedarValue(value)]));
}

function cedarValue(value: Body): CedarValueJson {
  if ('string' in value) return value.string;
  if ('long' in value) return value.long;
  if ('boolean' in value) return value.boolean;
  if ('set' in value) return value.set.map(cedarValue);
  if ('record' in value) return recordOf(value.record);
  throw new Fault('ValidationException', 'an attribute of an unknown kind');
}
