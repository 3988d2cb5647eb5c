// sallyport audit as people and pipelines meet it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';

const sarifSchema = JSON.parse(
  readFileSync(new URL('../fixtures/sarif-2.1.0.parts.schema.json', import.meta.url), 'utf8'),
);

const open = `import OpenAI from 'openai';
const client = new OpenAI();
export async function run(text: string) {
  return await client.responses.create({ model: 'm', input: text });
}
`;
const guarded = `import OpenAI from 'openai';
import { guardedGenerate } from 'sallyport';
const client = new OpenAI();
export async function run(prompt: string) {
  const { text } = await guardedGenerate({
    prompt,
    ask: async ({ prompt: checked }) => (await client.responses.create({ model: 'm', input: checked })).output_text,
  });
  return text;
}
`;

function agent(files: Readonly<Record<string, string>>): Place {
  const place = newPlace();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
    writeFileSync(join(place.workspace, name), text);
  }
  return place;
}

const command = ['audit', 'policies', 'agent-guardrails'];

describe('sallyport audit', () => {
  it('ends with 0 where all is proved', async () => {
    const { status, stdout } = await cli(agent({ 'agent.ts': guarded }), [...command, '.']);
    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).toContain('AG-IN-1    proved in 1 place');
  });

  it('names rule, file, line, the way and a fix, and ends with 1', async () => {
    const { status, stdout } = await cli(agent({ 'src/agent.ts': open }), [...command, 'src']);
    expect(status).toBe(1);
    expect(stdout).toContain('src/agent.ts:4:3  violated  AG-IN-1');
    expect(stdout).toContain('"text" comes in');
    expect(stdout).toContain('await Guardrails.input.check({ text, context });');
  });

  it.each([
    ['bot.dart', "import 'package:openai_dart/openai_dart.dart';", 'Dart'],
    ['src/main.rs', 'fn main() {}', 'Rust'],
    ['ask.sh', 'curl https://api.openai.com/v1/responses -d "$1"', 'Shell'],
    ['agent.ipynb', '{}', 'Jupyter notebook'],
  ])('is not clean beside %s, which it cannot read', async (name, text, language) => {
    const place = agent({ 'agent.ts': guarded, [name]: text });
    const { status, stderr } = await cli(place, [...command, '.']);
    expect(status).toBe(2);
    expect(stderr).toContain(`not read, so nothing is proved of it: 1 file of ${language} (${name})`);
    const lines = jsonLines((await cli(place, [...command, '--json', '.'])).stdout);
    expect(lines).toContainEqual({ file: name, unread: `${language} is not read` });
    const sarif = await cli(place, [...command, '--sarif', '-', '.']);
    expect([sarif.status, sarif.stdout]).toEqual([2, expect.stringContaining(`${language} is not read`)]);
  });

  it('reads Go', async () => {
    const go = `package main
import ("context"; "github.com/openai/openai-go"; "sallyport")
func Ask(ctx context.Context, client openai.Client, guard *sallyport.Guardrails, text string) string {
	checked := guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	if checked.Blocked || checked.NeedsApproval {
		return "refused"
	}
	said, _ := client.Responses.New(ctx, openai.ResponseNewParams{Input: checked.Text})
	shown := guard.Output.Check(ctx, sallyport.OutputRequest{Text: said.OutputText()})
	if shown.Blocked || shown.NeedsApproval {
		return "refused"
	}
	return shown.Text
}
`;
    const proved = await cli(agent({ 'main.go': go, 'main_test.go': 'package main' }), [...command, '.']);
    expect(proved).toMatchObject({ status: 0, stderr: '' });
    expect(proved.stdout).toContain('AG-OUT-1   proved in 1 place');
    const raw = agent({ 'main.go': go.replace('Input: checked.Text', 'Input: text') });
    const { status, stdout } = await cli(raw, [...command, '.']);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^main\.go:4:\d+ {2}violated {2}AG-IN-2$/m)]);
    expect(stdout).toContain('if checked.Blocked || checked.NeedsApproval {');
  });

  it('is clean beside scripts and tests that ask no model', async () => {
    const place = agent({ 'agent.ts': guarded, 'build.sh': 'make', 'main_test.go': 'package main' });
    expect(await cli(place, [...command, '.'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('is not clean where no call of a model was found, nor where the syntax is broken', async () => {
    const none = await cli(agent({ 'a.py': 'print(1)', 'b.ts': 'export {}' }), [...command, '.']);
    expect(none).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('found in 2 files: nothing is proved'),
    });
    const broken = agent({ 'agent.ts': guarded, 'ask.ts': 'import OpenAI from "openai"; const = ;' });
    const { status, stderr } = await cli(broken, [...command, '.']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('the syntax is broken: 1 file (ask.ts)')]);
  });

  it('says that a rule is violated before it says what it did not read', async () => {
    const { status, stderr } = await cli(agent({ 'agent.ts': open, 'x.rs': '' }), [...command, '.']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('1 file of Rust (x.rs)')]);
  });

  it('speaks JSON', async () => {
    const { stdout } = await cli(agent({ 'agent.ts': open }), [...command, '--json', '.']);
    const lines = jsonLines(stdout);
    expect(lines[0]).toMatchObject({ rule: 'AG-IN-1', file: 'agent.ts', line: 4, answer: 'violated' });
    expect(lines.at(-1)).toMatchObject({ summary: { files: 1, models: 1, unread: 0 } });
  });

  it('says at the end how much it could not follow', async () => {
    const deep = Array.from(
      { length: 14 },
      (_, index) => `const f${index} = (x) => { ${`f${index + 1}(x); `.repeat(4)} };`,
    );
    const text = `${guarded}export async function more(llm) { f0(llm); }\n${deep.join('\n')}\nconst f14 = (x) => x;\n`;
    const place = agent({ 'agent.ts': text });
    const { status, stdout } = await cli(place, [...command, '.']);
    expect(status).toBe(0);
    expect(stdout).toContain('cannot tell of 1 part: more steps than the auditor may take\n');
    const lines = jsonLines((await cli(place, [...command, '--json', '.'])).stdout);
    expect(lines.at(-1)).toMatchObject({ summary: { unfollowed: 1 } });
  });

  it('writes SARIF that is valid', async () => {
    const place = agent({ 'agent.ts': open, 'broken.ts': 'import OpenAI from "openai"; const = ;' });
    await cli(place, [...command, '--sarif', 'out.sarif', '.']);
    const log = JSON.parse(readFileSync(join(place.workspace, 'out.sarif'), 'utf8'));
    const validate = new Ajv({ strict: false }).compile(sarifSchema);
    expect([validate(log), validate.errors]).toEqual([true, null]);
    const [result] = log.runs[0].results;
    expect(result).toMatchObject({ ruleId: 'AG-IN-1', level: 'error' });
    expect(result.codeFlows[0].threadFlows[0].locations.length).toBeGreaterThan(1);
    expect(result.fixes[0].artifactChanges[0].replacements[0].insertedContent.text).toContain('Guardrails');
    expect(log.runs[0].tool.driver.rules[result.ruleIndex].id).toBe('AG-IN-1');
    expect(validate({ ...log, version: '2.0.0' })).toBe(false);
  });

  it('annotates for GitHub', async () => {
    const { stdout } = await cli(agent({ 'agent.ts': open }), [...command, '--github', '.']);
    expect(stdout).toMatch(/^::error file=agent\.ts,line=4,col=3,title=AG-IN-1::"text" reaches/);
  });

  it('keeps a baseline, and reports what is new', async () => {
    const place = agent({ 'agent.ts': open });
    expect((await cli(place, [...command, '--write-baseline', 'known.json', '.'])).status).toBe(0);
    expect((await cli(place, [...command, '--baseline', 'known.json', '.'])).status).toBe(0);
    writeFileSync(join(place.workspace, 'other.ts'), open);
    const { status, stdout } = await cli(place, [...command, '--baseline', 'known.json', '.']);
    expect(status).toBe(1);
    expect(stdout).not.toContain('agent.ts:4');
    expect(stdout).toContain('other.ts:4');
  });

  it('leaves out what a comment with a reason leaves out', async () => {
    const reason = '// sallyport:audit-ignore AG-IN-1,AG-IN-2,AG-OUT-1,AG-OUT-2 a toy\n  return';
    const place = agent({ 'agent.ts': open.replace('return', reason) });
    const { status, stdout } = await cli(place, [...command, '.']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('suppressed: a toy')]);
  });

  it('takes the guards that the configuration names', async () => {
    const screened = open.replace('  return', '  house.screen(text);\n  return');
    const place = agent({ 'agent.ts': screened });
    const config =
      '[[auditor.guards]]\nname = "house.screen"\nrules = ["AG-IN-1", "AG-IN-2"]\nthrows = true\n';
    writeFileSync(join(place.workspace, 'own.toml'), config);
    const { stdout } = await cli(place, [...command, '--config', 'own.toml', '--json', '.']);
    const rules = jsonLines(stdout).flatMap((line) => ('rule' in line ? [line['rule']] : []));
    expect(rules).toEqual(['AG-OUT-1', 'AG-OUT-2']);
  });

  it('stands behind the action and the hook as they are published', () => {
    const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));
    const [install, run] = action.runs.steps;
    expect(action.runs.using).toBe('composite');
    expect(install.uses).toMatch(/^actions\/setup-node@/);
    expect(run.run).toContain('audit policies agent-guardrails --github');
    const [, hook] = parse(readFileSync(new URL('../../.pre-commit-hooks.yaml', import.meta.url), 'utf8'));
    expect(hook).toMatchObject({
      id: 'sallyport-audit',
      entry: 'sallyport audit policies agent-guardrails .',
    });
  });

  it.each([
    [['audit']],
    [['audit', 'policies', 'agent-gardrails', '.']],
    [['audit', 'policies', 'agent-guardrails']],
    [[...command, 'nowhere']],
    [[...command, '.', 'more']],
    [[...command, '--json', '--github', '.']],
  ])('refuses %j with 2', async (args) => {
    expect((await cli(agent({ 'agent.ts': open }), args)).status).toBe(2);
  });
});
