// The valid content of sallyport.toml: every key, its limits, and the schema for editors.

import { stringify } from 'smol-toml';
import { beforeAll, describe, expect, test } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { Problem, Shape } from '../core/shape.ts';
import { isKey } from './key.ts';
import { loadConfig } from './load.ts';
import { configSchema, fileShape, workspaceProblems } from './schema.ts';
import { loadTomlParser, readToml, type TomlParser } from './toml.ts';

let parse: TomlParser;

beforeAll(async () => {
  parse = await loadTomlParser();
});

function read(text: string) {
  const document = readToml(parse, text, {});
  if (!('value' in document)) throw new Error(document.message);
  const problems: Problem[] = [];
  const file = fileShape.read(document.value, [], (problem) => problems.push(problem));
  return { file, problems };
}

const rule = (more = '') =>
  `[[fetch.rules]]\nid = "r"\nhost = "a.com"\ndecision = "block"\nreason = "x"\nexamples = { hit = ["https://a.com/"] }\n${more}`;

describe('the file', () => {
  test.each([
    [''],
    ['[daemon]\nport = 0\nbody_limit_bytes = 1024'],
    ['[daemon]\nport = 65535\nbody_limit_bytes = 67108864'],
    ['[approvals]\nexpiry_seconds = 5\nmax_pending = 1'],
    ['[approvals]\nexpiry_seconds = 3600\nmax_pending = 1000'],
    ['[fetch]\ntimeout_ms = 100\nmax_response_bytes = 1\nmax_redirects = 0'],
    ['[fetch]\ntimeout_ms = 600000\nmax_response_bytes = 1073741824\nmax_redirects = 20'],
    [rule()],
    [
      '[agents.default]\nprofile = "strict"\nmode = "plan"\negress_allowlist = ["a.com", "*.b.com:8443", "10.0.0.0/8"]',
    ],
    ['[agents."claude code"]\nmode = "acceptEdits"'],
    ['[agents.default]\nautonomy = "manual"\n[workspaces."/w"]\nautonomy = "autonomous"'],
    ['[changes]\nundecided = "accept"\nsuggest_only = true\nrun_files = 0\nday_cost_cents = 1000000000'],
    ['[approvals]\nchange_expiry_seconds = 60\nmax_changes = 1'],
    ['[workspaces."/home/u/a b"]\negress_allowlist = []'],
    ['[workspaces."/"]\negress_allowlist = ["a.com"]'],
    ['[workspaces."/a/.hidden/..b"]'],
    ['[agents.default]\nuser_id_arguments = ["user_id", "/owner/id"]'],
    [
      '[agents.default]\npii_text = "reject"\npii_files = "redact"\ninjection_block = 0.6\ninjection_warn = 0.3',
    ],
    ['[tools.read_doc]\neffect = "read"\nschema = { type = "object" }\narguments = { "/a/*/b" = "user_id" }'],
    [
      '[tools.get]\neffect = "fetch"\narguments = { "/url" = { role = "url", user = ["/users/{}", "?user"] } }',
    ],
    ['[tools."mcp_*"]\nserver = "docs"\neffect = "destructive"\ncheckpointable = false\nuser_data = true'],
    ['[tools.sql]\neffect = "query"\ntarget = "shop"\nlanguage = "sql"'],
    ['[llm.local]\nform = "openai"\nbase_url = "http://127.0.0.1:11434/v1"\nretries = 0'],
    ['[llm.anthropic]\nform = "anthropic"\nbase_url = "https://a.example"\nkey_env = "KEY"'],
    ['[llm.b]\nform = "anthropic"\nbase_url = "https://a.example/x/"\nkey_file = "/etc/key"'],
  ])('may say %j', (text) => {
    expect(read(text).problems).toEqual([]);
  });

  test.each<[string, string, Problem['path']]>([
    ['[tools.a]', '"effect" is missing', ['tools', 'a']],
    ['[tools.a]\neffect = "raed"', 'did you mean "read"?', ['tools', 'a', 'effect']],
    ['[tools."a*b"]\neffect = "read"', '"*" only at its end', ['tools', 'a*b']],
    ['[tools.a]\neffect = "query"', 'a target and a language', ['tools', 'a']],
    [
      '[tools.a]\neffect = "push"\ncheckpointable = true',
      'no snapshot restores the effect "push"',
      ['tools', 'a', 'checkpointable'],
    ],
    [
      '[tools.a]\neffect = "read"\narguments = { path = "path" }',
      'JSON Pointer',
      ['tools', 'a', 'arguments', 'path'],
    ],
    ['[llm.a]\nform = "openai"', '"base_url" is missing', ['llm', 'a']],
    [
      '[llm.a]\nform = "opnai"\nbase_url = "https://a.example"',
      'did you mean "openai"?',
      ['llm', 'a', 'form'],
    ],
    ['[llm."A b"]\nform = "openai"\nbase_url = "https://a.example"', 'small letters', ['llm', 'A b']],
    ...[
      'ftp://a.example',
      'a.example',
      'https://u:p@a.example',
      'https://a.example/?k=1',
      'https://a.example/#',
    ].map((url): [string, string, Problem['path']] => [
      `[llm.a]\nform = "openai"\nbase_url = "${url}"`,
      'must ',
      ['llm', 'a', 'base_url'],
    ]),
    [
      '[llm.a]\nform = "openai"\nbase_url = "https://a.example"\nkey_env = "K"\nkey_file = "/k"',
      'a key stands in one place',
      ['llm', 'a', 'key_file'],
    ],
    [
      '[llm.a]\nform = "openai"\nbase_url = "https://a.example"\nkey_file = "keys"',
      'an absolute path',
      ['llm', 'a', 'key_file'],
    ],
    ['[deamon]', 'did you mean "daemon"?', ['deamon']],
    ['[daemon]\nprot = 1', 'did you mean "port"?', ['daemon', 'prot']],
    ['[daemon]\nport = -1', 'between 0 and 65535', ['daemon', 'port']],
    ['[daemon]\nport = 65536', 'between 0 and 65535', ['daemon', 'port']],
    ['[daemon]\nport = "4719"', 'must be a whole number, not text', ['daemon', 'port']],
    ['[daemon]\nport = 1.5', 'must be a whole number', ['daemon', 'port']],
    ['[daemon]\nbody_limit_bytes = 1023', 'between 1024', ['daemon', 'body_limit_bytes']],
    ['[daemon]\nbody_limit_bytes = 67108865', 'between 1024', ['daemon', 'body_limit_bytes']],
    ['[hosts.clade]\nanswer = "off"', 'did you mean "claude"?', ['hosts', 'clade']],
    ['[hosts.claude]\nanswer = "always"', 'off', ['hosts', 'claude', 'answer']],
    ['[approvals]\nexpiry_seconds = 4', 'between 5 and 604800', ['approvals', 'expiry_seconds']],
    ['[approvals]\nexpiry_seconds = 604801', 'between 5 and 604800', ['approvals', 'expiry_seconds']],
    ['[approvals]\nmax_pending = 0', 'between 1 and 1000', ['approvals', 'max_pending']],
    ['[approvals]\nmax_pending = 1001', 'between 1 and 1000', ['approvals', 'max_pending']],
    ['[approvals]\nchange_expiry_seconds = 59', 'between 60', ['approvals', 'change_expiry_seconds']],
    ['[approvals]\nmax_changes = 0', 'between 1', ['approvals', 'max_changes']],
    ['[changes]\nrun_bytes = -1', 'between 0', ['changes', 'run_bytes']],
    ['[changes]\nundecided = "ask"', 'must be one of reject, accept', ['changes', 'undecided']],
    ['[agents.a]\nautonomy = "autonomous"', 'must be one of manual, hybrid', ['agents', 'a', 'autonomy']],
    ['[workspaces."/a"]\nautonomy = "auto"', 'must be one of manual', ['workspaces', '/a', 'autonomy']],
    ['[fetch]\ntimeout_ms = 99', 'between 100', ['fetch', 'timeout_ms']],
    ['[fetch]\ntimeout_ms = 600001', 'between 100', ['fetch', 'timeout_ms']],
    ['[fetch]\nmax_response_bytes = 0', 'between 1', ['fetch', 'max_response_bytes']],
    ['[fetch]\nmax_response_bytes = 1073741825', 'between 1', ['fetch', 'max_response_bytes']],
    ['[fetch]\nmax_redirects = 21', 'between 0 and 20', ['fetch', 'max_redirects']],
    ['[fetch]\nmax_redirects = -1', 'between 0 and 20', ['fetch', 'max_redirects']],
    ['fetch = 1', 'must be a table', ['fetch']],
    ['daemon = []', 'must be a table', ['daemon']],
    ['[[fetch.rules]]\nid = "r"', '"host" is missing', ['fetch', 'rules', 0]],
    ['[agents]\nclaude = 1', 'must be a table', ['agents', 'claude']],
    ['[agents.a]\nprofile = "strong"', 'must be one of developer, strict', ['agents', 'a', 'profile']],
    ['[agents.a]\nmode = "yolo"', 'must be one of default', ['agents', 'a', 'mode']],
    ['[agents.a]\negress_allowlist = "a.com"', 'must be a list', ['agents', 'a', 'egress_allowlist']],
    ['[agents.a]\negress_allowlist = ["a b"]', 'not a destination', ['agents', 'a', 'egress_allowlist', 0]],
    ['[agents.a]\negress_allowlist = [""]', 'must not be empty', ['agents', 'a', 'egress_allowlist', 0]],
    ['[agents.""]', 'a name of 1 to 128', ['agents', '']],
    [`[agents.${'a'.repeat(129)}]`, 'a name of 1 to 128', ['agents', 'a'.repeat(129)]],
    ['[workspaces."a"]', 'absolute path', ['workspaces', 'a']],
    ['[workspaces."/a/"]', 'absolute path', ['workspaces', '/a/']],
    ['[workspaces."/a//b"]', 'absolute path', ['workspaces', '/a//b']],
    ['[workspaces."/a/../b"]', 'absolute path', ['workspaces', '/a/../b']],
    ['[workspaces."/a/."]', 'absolute path', ['workspaces', '/a/.']],
    ['[workspaces."/a"]\nmode = "auto"', 'unknown key "mode"', ['workspaces', '/a', 'mode']],
    [rule().replace('"r"', '"R"'), 'small letters', ['fetch', 'rules', 0, 'id']],
    [rule().replace('"r"', '"1r"'), 'small letters', ['fetch', 'rules', 0, 'id']],
    [rule().replace('"r"', '""'), 'small letters', ['fetch', 'rules', 0, 'id']],
    [rule().replace('"a.com"', '"a.com/x"'), 'not a destination', ['fetch', 'rules', 0, 'host']],
    [rule().replace('"block"', '"pass"'), 'must be one of', ['fetch', 'rules', 0, 'decision']],
    [rule().replace('"x"', '""'), 'must not be empty', ['fetch', 'rules', 0, 'reason']],
    [
      rule().replace('hit = ["https://a.com/"]', 'hit = []'),
      'at least one',
      ['fetch', 'rules', 0, 'examples', 'hit'],
    ],
    [
      rule().replace('https://a.com/', 'https://b.com/'),
      'the rule does not hit this URL',
      ['fetch', 'rules', 0, 'examples', 'hit', 0],
    ],
    [
      rule().replace(' }', ', miss = ["https://b.com/", "https://A.com:8080/"] }'),
      'the rule hits this URL',
      ['fetch', 'rules', 0, 'examples', 'miss', 1],
    ],
    [rule().replace('https://a.com/', 'a.com'), 'is not a URL', ['fetch', 'rules', 0, 'examples', 'hit', 0]],
    [rule().replace('hit =', 'miss ='), '"hit" is missing', ['fetch', 'rules', 0, 'examples']],
    [rule() + rule(), 'stands twice', ['fetch', 'rules', 1, 'id']],
    [rule('severity = 1'), 'unknown key "severity"', ['fetch', 'rules', 0, 'severity']],
  ])('may not say %j', (text, message, path) => {
    const { problems } = read(text);
    expect(problems[0]).toEqual({ path, message: expect.stringContaining(message) });
  });
});

describe('a workspace file', () => {
  const allowed = `[fetch]\ntimeout_ms = 100\nmax_response_bytes = 1\nmax_redirects = 0\n${rule()}
[agents.default]\nprofile = "developer"\negress_allowlist = []\n[agents.x]\nprofile = "strict"\n`;

  test('may narrow', () => {
    expect(workspaceProblems(read(allowed).file, false)).toEqual([]);
    expect(workspaceProblems(read(rule().replace('block', 'approve')).file, false)).toEqual([]);
  });

  test.each<[string, string, Problem['path']]>([
    ['[daemon]', 'belongs in your own file', ['daemon']],
    ['[approvals]\nmax_pending = 1', 'belongs in your own file', ['approvals']],
    ['[workspaces."/a"]', 'only narrow', ['workspaces']],
    ['[tools.a]\neffect = "read"', 'only narrow', ['tools']],
    ['[agents.default]\nmode = "default"', 'only narrow', ['agents', 'default', 'mode']],
    ['[agents.x]\nmode = "plan"', 'only narrow', ['agents', 'x', 'mode']],
    [rule().replace('block', 'warn'), 'must be approve or block', ['fetch', 'rules', 0, 'decision']],
  ])('that is not trusted may not say %j', (text, message, path) => {
    const { file, problems } = read(text);
    expect(problems).toEqual([]);
    expect(workspaceProblems(file, false)).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test('that is trusted may say all but what is the machine’s', () => {
    const { file } = read(`[agents.x]\nmode = "plan"\n[workspaces."/a"]\n${rule().replace('block', 'warn')}`);
    expect(workspaceProblems(file, true)).toEqual([]);
    expect(
      workspaceProblems(read('[daemon]\n[approvals]\n[snapshots]\n[telemetry]').file, true),
    ).toHaveLength(4);
  });
});

/** Every key that has a default, by its place in a file. */
function defaults(): [path: string, shape: Shape<unknown>, value: JsonValue, file: JsonObject][] {
  const inside = (path: readonly string[], shape: Shape<unknown>): ReturnType<typeof defaults> => {
    const standard = isKey(shape) ? shape.schema()['default'] : undefined;
    if (standard !== undefined) {
      const file = path.reduceRight<JsonValue>((value, name) => ({ [name]: value }), standard);
      return [[path.join('.'), shape, standard, isJsonObject(file) ? file : {}]];
    }
    const named = shape.item === undefined ? [] : inside([...path, 'default'], shape.item);
    const known = Object.entries(shape.fields ?? {});
    return [...named, ...known.flatMap(([name, field]) => inside([...path, name], field))];
  };
  return inside([], fileShape);
}

describe('the default of a key', () => {
  test.each(defaults())('fits its own shape: %s', (_, shape, value) => {
    const problems: Problem[] = [];
    shape.read(value, [], (problem) => problems.push(problem));
    expect(problems).toEqual([]);
  });

  // A provider, a host or a workspace has a name of its own, and a judge more than one key.
  const plain = defaults().filter(
    ([path]) => !/^(?:llm|hosts|servers|sources|workspaces|judge)\./.test(path),
  );

  const loaded = async (file: JsonObject) => {
    const world = fakeWorld();
    world.files.set('/h/sallyport.toml', stringify(file));
    const { settingsFor, ...config } = await loadConfig({ home: '/h', environment: {}, world });
    const { version } = await settingsFor({ agent: 'default', workspace: '/w' });
    return JSON.stringify({ ...config, version });
  };

  test.each(plain)('changes nothing where a file says it: %s', async (_path, _shape, _value, file) => {
    expect(await loaded(file)).toBe(await loaded({}));
  });

  test('is known for most keys', () => {
    expect(defaults().length).toBeGreaterThan(100);
    expect(plain.length).toBeGreaterThan(60);
  });
});

describe('configSchema', () => {
  const leaves = (schema: JsonValue | undefined, path: string): [string, JsonValue | undefined][] => {
    if (!isJsonObject(schema)) return [];
    const { properties, additionalProperties, items } = schema;
    return [
      [path, schema],
      ...(isJsonObject(properties)
        ? Object.entries(properties).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
        : []),
      ...leaves(additionalProperties, `${path}.*`),
      ...leaves(items, `${path}[]`),
    ];
  };

  test('has a title, a dialect, and refuses unknown keys', () => {
    expect(configSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Sallyport configuration',
      type: 'object',
      additionalProperties: false,
    });
  });

  test('describes every section and key', () => {
    const all = new Map(leaves(configSchema(), ''));
    for (const [name, part] of Object.entries(fileShape.fields)) {
      expect(all.get(`.${name}`)).toMatchObject({ description: expect.stringMatching(/\.$/) });
      for (const key of Object.keys(part.fields ?? part.item?.fields ?? {})) {
        const path = part.fields === undefined ? `.${name}.*.${key}` : `.${name}.${key}`;
        expect([path, all.get(path)]).toMatchObject([path, { description: expect.stringMatching(/\.$/) }]);
      }
    }
  });

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(configSchema()))).toEqual(configSchema());
  });
});
