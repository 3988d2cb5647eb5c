// A fixture of the agent contract: one input in one context, and what must become of it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Decision,
  decisions,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../src/core/index.ts';
import {
  choice,
  either,
  integer,
  json,
  object,
  optional,
  readShape,
  record,
  text,
} from '../../../src/core/shape.ts';

const layers = ['input', 'output', 'tool'] as const;
const nobody = either(text({ max: 256 }), json());

const shape = object({
  /** A word to whoever reads the file. */
  note: optional(text()),
  version: integer(1, 1),
  name: text({ pattern: /^[a-z0-9_]+$/, what: 'a name of small letters, digits and "_"' }),
  rule: text({ pattern: /^AG-(?:IN|OUT|TOOL)-\d$/, what: 'a clause of the contract' }),
  layer: choice(layers),
  context: object({
    /** Null where nobody is authenticated. */
    userId: optional(nobody),
    tenantId: optional(nobody),
    agent: optional(text()),
    permissionMode: optional(text()),
  }),
  input: record(json()),
  expect: object({
    decision: choice(decisions),
    rule: optional(text()),
    text: optional(text()),
    arguments: optional(record(json())),
    event_type: optional(text()),
  }),
});

export interface Fixture {
  readonly name: string;
  readonly rule: string;
  readonly layer: (typeof layers)[number];
  readonly user: string | null;
  readonly tenant: string | null;
  readonly agent: string | undefined;
  readonly mode: string | undefined;
  readonly input: JsonObject;
  readonly expect: {
    readonly decision: Decision;
    readonly rule?: string;
    readonly text?: string;
    readonly arguments?: JsonObject;
    readonly event_type?: string;
  };
}

/** Who the fixtures are run as, where the endpoint says that and not the fixture. */
export interface Caller {
  readonly user: string;
  readonly tenant: string;
}

/** Reads a fixture; `$userId` and `$tenantId` in it are the caller's. Throws on what is no fixture. */
export function readFixture(source: string, caller?: Caller): Fixture {
  const { context, input, expect, name, rule, layer } = readShape(shape, parseJson(source));
  const user = context.userId === undefined ? 'ann' : idOf(context.userId, caller?.user);
  const tenant = context.tenantId === undefined ? 'acme' : idOf(context.tenantId, caller?.tenant);
  const fill = (value: JsonObject): JsonObject => {
    const filled = withIds(value, user ?? '', tenant ?? '');
    return isJsonObject(filled) ? filled : value;
  };
  return {
    name,
    rule,
    layer,
    user,
    tenant,
    agent: context.agent,
    mode: context.permissionMode,
    input: fill(input),
    expect: { ...expect, ...(expect.arguments === undefined ? {} : { arguments: fill(expect.arguments) }) },
  };
}

function idOf(id: JsonValue, caller: string | undefined): string | null {
  return typeof id === 'string' ? (caller ?? id) : null;
}

function withIds(value: JsonValue, user: string, tenant: string): JsonValue {
  if (typeof value === 'string') return value.replaceAll('$userId', user).replaceAll('$tenantId', tenant);
  if (Array.isArray(value)) return value.map((item) => withIds(item, user, tenant));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withIds(member, user, tenant)]),
  );
}

/** The files of all fixtures in a folder and the folders of the layers in it. */
export function fixtureFiles(folder: string): readonly string[] {
  return layers.flatMap((layer) => {
    const inside = join(folder, layer);
    return listed(inside).map((file) => join(inside, file));
  });
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

/** Reads the fixtures of some files. */
export function readFixtures(files: readonly string[], caller?: Caller): readonly Fixture[] {
  return files.map((file) => {
    try {
      return readFixture(readFileSync(file, 'utf8'), caller);
    } catch (error) {
      throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
