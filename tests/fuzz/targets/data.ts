// Data: requests on the wire, configuration, hooks of hosts, rules of gitleaks, baselines, servers of other programs.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml } from 'smol-toml';
import { BaselineWriter, readBaseline } from '../../../src/cli/scan/baseline.ts';
import { ConfigError, loadConfig } from '../../../src/config/index.ts';
import { fileShape } from '../../../src/config/schema.ts';
import {
  canonicalJson,
  InputError,
  isJsonObject,
  type JsonValue,
  NotAllowed,
  parseJson,
  readAction,
} from '../../../src/core/index.ts';
import { readRequest } from '../../../src/decide/index.ts';
import { readGitleaks } from '../../../src/detect/gitleaks.ts';
import { readJsonc } from '../../../src/guards/symbols/jsonc.ts';
import { goReferences } from '../../../src/guards/symbols/languages/go.ts';
import { pythonReferences } from '../../../src/guards/symbols/languages/python-references.ts';
import type { References } from '../../../src/guards/symbols/reference.ts';
import { actionOf, hostNames, hosts } from '../../../src/surfaces/hooks/index.ts';
import { fakeWorld } from '../../support/fake-world.ts';
import { context, exampleActions, invariant, orRefusal, stillWorld, type Target } from '../target.ts';

const jsonWords =
  '{ } [ ] : , " null true false 0 1e9 \\u0000 \\ud800 \\ud83d\\ude00 \\" "__proto__" "kind" "context" "id"'.split(
    ' ',
  );

/** What the engine's own reader makes of a text; undefined where it cannot be read. */
function byEngine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const wire: Target = {
  name: 'wire',
  invariant: 'what is read, the engine reads as the same value; its canonical form is read as itself',
  words: [
    ...jsonWords,
    ...'"shell" "command" "python" "source" "code" "query" "target" "language" "text" "read" "write" "path"'.split(
      ' ',
    ),
    ...'"content" "contentBase64" "changes" "fetch" "url" "tool" "arguments" "prompt" "response" "mode" "auto"'.split(
      ' ',
    ),
  ],
  seeds: (await exampleActions('tool')).map((action) => JSON.stringify(action)),
  cost: 70,
  open: () => {
    const config = { settingsFor: () => Promise.reject(new ConfigError('there is none')) };
    const options = { asker: { ...context, agent: null }, folder: '/workspace', config, world: stillWorld() };
    return async (text) => {
      let value: JsonValue;
      try {
        value = parseJson(text);
      } catch (error) {
        if (error instanceof InputError) return 'unreadable';
        throw error;
      }
      const canonical = canonicalJson(value);
      invariant(canonicalJson(byEngine(text)) === canonical, 'the engine reads another value');
      invariant(canonicalJson(parseJson(canonical)) === canonical, 'its canonical form is another value');
      try {
        const { action } = await readRequest(value, options);
        return `a ${action.kind}`;
      } catch (error) {
        if (error instanceof InputError || error instanceof NotAllowed) return `refused: ${error.message}`;
        throw error;
      }
    };
  },
};

const toml: Target = {
  name: 'toml',
  invariant: 'a file with a key that nobody knows is refused; a refusal names a place in the file',
  words: [
    ...Object.keys(fileShape.fields),
    ...'[ [[ ] ]] = " """ \' \'\'\' # true false 1979-05-27 inf nan 0x1f ${HOME} env:HOME . , { } \\u0000'.split(
      ' ',
    ),
  ],
  seeds: [],
  cost: 300,
  open: () => {
    const home = '/home/ann/.sallyport';
    const known = Object.keys(fileShape.schema()['properties'] ?? {});
    return async (text) => {
      const world = fakeWorld({ [`${home}/sallyport.toml`]: text });
      try {
        await loadConfig({ home, environment: { HOME: '/home/ann' }, world });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const lines = text.split('\n').length;
        for (const { line, column } of error.problems) {
          invariant(
            line >= 1 && line <= lines + 1 && column >= 1,
            `line ${line} of ${lines}, column ${column}`,
          );
        }
        return error.message;
      }
      const unknown = Object.keys(parseToml(text)).filter((key) => !known.includes(key));
      invariant(unknown.length === 0, 'it was read with a key that nobody knows');
      return `read: ${Object.keys(parseToml(text)).join(' ')}`;
    };
  },
};

/** The calls of every host that are kept as fixtures. */
function hookFixtures(): readonly string[] {
  const folder = new URL('../../fixtures/hooks/', import.meta.url);
  return hostNames.flatMap((host) =>
    readdirSync(new URL(`${host}/`, folder)).map((file) => {
      const { event, stdin } = JSON.parse(readFileSync(new URL(`${host}/${file}`, folder), 'utf8'));
      return JSON.stringify({ host, event, body: stdin });
    }),
  );
}

const hooks: Target = {
  name: 'hooks',
  invariant: 'what a host sends becomes an action that the wire takes, or is refused',
  words: [
    ...jsonWords,
    ...hostNames.map((name) => `"${name}"`),
    '"PreToolUse"',
    '"tool_name"',
    '"tool_input"',
    '"cwd"',
  ],
  seeds: hookFixtures(),
  cost: 60,
  open: () => (text) =>
    orRefusal(() => {
      const value = parseJson(text);
      if (!isJsonObject(value)) return 'no object';
      const { host = 'claude', event = '', body = {} } = value;
      const known = hosts[String(host) as keyof typeof hosts];
      if (!Object.hasOwn(hosts, String(host)) || !isJsonObject(body)) return 'nobody';
      const action = actionOf(known.read(String(event), body), known);
      const taken = orRefusal(() => canonicalJson({ ...readAction({ ...action }).action }), InputError);
      invariant(taken === canonicalJson({ ...action }), `the wire takes another action, or none: ${taken}`);
      return taken;
    }, InputError),
};

const gitleaks: Target = {
  name: 'gitleaks',
  invariant: 'a file is refused as a whole, or each of its rules is taken or refused with a reason',
  words:
    '[[rules]] id regex keywords entropy secretGroup path (?i) (?P<a> \\b [a-z]{8,64} .* .+ (a|b)* [^ $ ^ (?: ) allowlist'.split(
      ' ',
    ),
  seeds: [],
  limit: 200,
  cost: 140,
  open: () => (text) => {
    let value: unknown;
    try {
      value = parseToml(text, { maxDepth: 16, unsafeKeyBehaviour: 'keep' });
    } catch {
      return 'no TOML';
    }
    return orRefusal(() => {
      const { rules, refused } = readGitleaks(JSON.parse(JSON.stringify(value)));
      invariant(
        refused.every(({ reason }) => reason !== ''),
        'a rule is refused without a reason',
      );
      return `${rules.map(({ id }) => id).join(' ')} | ${refused.map(({ reason }) => reason).join(' ')}`;
    }, InputError);
  },
};

const baseline: Target = {
  name: 'baseline',
  invariant: 'what was read and is written again is read as the same',
  words: [...jsonWords, '"sallyport-baseline"', '"version"', '"findings"', '"fingerprint"'],
  seeds: [],
  cost: 500,
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-fuzz-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const [file, copy] = [join(folder, 'baseline.json'), join(folder, 'copy.json')];
    return (text) => {
      writeFileSync(file, text);
      return orRefusal(() => {
        const known = readBaseline(file);
        const writer = new BaselineWriter(copy);
        for (const fingerprint of known) writer.add({ fingerprint, rule: 'r', file: 'f' });
        writer.finish();
        invariant(isDeepStrictEqual(readBaseline(copy), known), 'it is read as something else');
        return [...known].join(' ');
      }, InputError);
    };
  },
};

const jsonc: Target = {
  name: 'jsonc',
  invariant: 'what the engine reads as an object is read as the same object',
  words: [...jsonWords, '//', '/*', '*/', '"mcpServers"', ',}', ',]'],
  seeds: [],
  cost: 70,
  open: () => (text) => {
    const value = readJsonc(text);
    const engine = byEngine(text);
    if (isJsonObject(engine))
      invariant(isDeepStrictEqual(engine, value), 'another object than the engine reads');
    return JSON.stringify(value);
  },
};

/** What the guard on references reads in a language: each reference stands where it says. */
function references(
  name: string,
  read: (text: string) => References | null,
  words: readonly string[],
  seed: string,
): Target {
  return {
    name,
    invariant: 'each name that is found stands at its place in the text',
    words,
    seeds: [seed],
    cost: 150,
    open: () => (text) => {
      const found = read(text)?.found ?? null;
      for (const { name: named, start, end } of found ?? [])
        invariant(named === '' || text.slice(start, end) === named, 'a name stands elsewhere');
      return JSON.stringify(found);
    },
  };
}

const go = references(
  'go',
  goReferences,
  [
    ...'package import func type var const struct interface map chan := ... . ( ) { } [ ] // /* */ ; , a.B f('.split(
      ' ',
    ),
    ...['"', '`', "'", '\n', '"fmt"'],
  ],
  '//go:build linux\npackage a\n\nimport (\n\t"fmt"\n\tx "example.com/x"\n)\n\ntype T[K any] struct{ fmt.Stringer }\n\nfunc (t T[K]) Do(a, b int) (n int) {\n\tfmt.Println(x.Name, `raw`, \'r\', "s")\n\treturn helper(a)\n}\n',
);
const pythonSource = references(
  'python-references',
  pythonReferences,
  [
    ...'import from as def class if else try except with lambda match : ( ) [ ] { } # . , a.b f( * ='.split(
      ' ',
    ),
    ...['"""', "'''", '\n', '\n    ', '\\\n'],
  ],
  'import a.b as c\nfrom . import d\nif TYPE_CHECKING:\n    from e import f\n@c.deco\ndef g(h, *i):\n    d.x = c.y(h)\n    return [j for j in k(i)]\n',
);

export const dataTargets: readonly Target[] = [
  wire,
  toml,
  hooks,
  gitleaks,
  baseline,
  jsonc,
  go,
  pythonSource,
];
