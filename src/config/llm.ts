// The content of [llm.NAME]: a provider of models that the daemon's proxy sends requests to.

import { parseDestination } from '../core/destination.ts';
import { messageOf } from '../core/index.ts';
import {
  checked,
  choice,
  describe,
  type Infer,
  integer,
  object,
  optional,
  record,
  text,
} from '../core/shape.ts';
import { ConfigError } from './errors.ts';
import type { ConfigWorld, Environment } from './home.ts';
import { type InForce, inForce, key } from './key.ts';

const providerForms = ['openai', 'anthropic', 'gemini'] as const;

/** The API of a provider: Chat Completions and Responses, Messages, or generateContent. */
type ProviderForm = (typeof providerForms)[number];

const number = (says: string, fallback: number, least: number, most: number) =>
  key({ says, shape: integer(least, most), fallback });

const limits = {
  connect_timeout_ms: number('Time limit to connect.', 10_000, 10, 600_000),
  first_byte_timeout_ms: number('Time limit for the first byte of an answer.', 600_000, 10, 3_600_000),
  idle_timeout_ms: number('Longest pause in an answer.', 300_000, 10, 3_600_000),
  retries: number('Retries of a request that was not answered.', 2, 0, 5),
  max_request_bytes: number('Largest request.', 33_554_432, 1024, 268_435_456),
  max_answer_bytes: number('Largest answer or stream event.', 16_777_216, 1024, 268_435_456),
};

/** A provider of models, as the proxy uses it. */
export interface Provider extends InForce<typeof limits> {
  readonly name: string;
  readonly form: ProviderForm;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /**
   * The key that is sent with every request; null if the client sends its own. Throws `ConfigError` if there is none.
   */
  readonly key: (() => string) | null;
}

const providerFields = object({
  form: describe('Whose API it speaks.', choice(providerForms)),
  base_url: describe(
    'Base URL, without `/chat/completions`, `/v1/messages` or `/v1beta/models`. May be a local address.',
    text({ min: 1, max: 2048 }),
  ),
  key_env: describe(
    "Variable of the daemon with the key; default: the client's key.",
    optional(text({ min: 1, max: 128, pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, what: 'the name of a variable' })),
  ),
  key_file: describe(
    'Absolute path of a file with the key.',
    optional(text({ min: 2, max: 4096, pattern: /^\/[^\0]+$/, what: 'an absolute path' })),
  ),
  ...limits,
});

type ProviderValue = Infer<typeof providerFields>;

const provider = checked(providerFields, (value, path, report) => {
  const problem = urlProblem(value.base_url);
  if (problem !== undefined) report({ path: [...path, 'base_url'], message: problem });
  if (value.key_env !== undefined && value.key_file !== undefined) {
    report({ path: [...path, 'key_file'], message: 'goes with no "key_env": a key stands in one place' });
  }
});

/** The shape of all of them. */
export const llmShape = record(provider, {
  fits: (name) => /^[a-z][a-z0-9_-]{0,31}$/.test(name),
  message: 'a provider has a name of small letters, digits, "-" and "_", at most 32',
});

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'must be an address that begins with https:// or http://';
  }
  if (url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#')) {
    return 'must have no user, password, "?" or "#"';
  }
  try {
    parseDestination(destinationOf(text));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The one entry of an allowlist that names where a provider is. */
export function destinationOf(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${protocol}//${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

/** The public providers; the client's key is forwarded unless the user's file sets another. */
const known: Readonly<Record<string, ProviderValue>> = {
  openai: { form: 'openai', base_url: 'https://api.openai.com/v1' },
  anthropic: { form: 'anthropic', base_url: 'https://api.anthropic.com' },
  gemini: { form: 'gemini', base_url: 'https://generativelanguage.googleapis.com' },
};

/** Every provider that the proxy may use: the known ones, and those of the user's file, which win. */
export function providersFrom(
  values: Readonly<Record<string, ProviderValue>> | undefined,
  environment: Environment,
  world: ConfigWorld,
): readonly Provider[] {
  return Object.entries({ ...known, ...values }).map(([name, value]) => ({
    name,
    form: value.form,
    baseUrl: value.base_url.replace(/\/+$/, ''),
    key: keyOf(name, value, environment, world),
    ...inForce(limits, value),
  }));
}

/** Read on each use: a renewed key is effective at once, and a missing one affects nothing else. */
function keyOf(
  name: string,
  { key_env: variable, key_file: file }: ProviderValue,
  environment: Environment,
  world: ConfigWorld,
): (() => string) | null {
  if (variable !== undefined) {
    return () => usable(`the variable ${variable} of llm.${name}`, environment[variable]);
  }
  if (file === undefined) return null;
  return () => usable(`the file of the key of llm.${name}`, readKey(file, world));
}

function readKey(file: string, world: ConfigWorld): string | undefined {
  try {
    return world.readText(file)?.trim();
  } catch (error) {
    throw new ConfigError(`the key cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** A key is sent in a header, so it is plain text in one line. */
function usable(what: string, key: string | undefined): string {
  if (key === undefined || !/^[\x21-\x7e]{1,4096}$/.test(key)) {
    throw new ConfigError(`${what} holds no key that can be sent`);
  }
  return key;
}
