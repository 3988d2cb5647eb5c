// `sallyport try` on sample histories: what it counts, what it shows, and that it leaves nothing behind.

import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserMissing, openPage } from '../support/browser.ts';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { type ClaudeCall, claudeLines, codexLines, writeHistory } from '../support/histories.ts';

const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow

/** A home of a person who never heard of Sallyport, with the folder that would be ours beside it. */
function newPerson(): Place & { readonly person: string; readonly environment: Record<string, string> } {
  const place = newPlace();
  const person = join(place.workspace, '..', 'person');
  mkdirSync(join(person, 'shop'), { recursive: true });
  return { ...place, person, environment: { HOME: person } };
}

function calls(shop: string): readonly ClaudeCall[] {
  return [
    ['Bash', { command: 'ls -la' }],
    ['Bash', { command: 'kill 12345' }],
    ['Bash', { command: 'kill 12346' }],
    ['Bash', { command: 'rm -rf ~' }],
    ['Write', { file_path: join(shop, 'a.py'), content: 'print(1)\n' }],
    ['Edit', { file_path: join(shop, 'b.py'), old_string: 'x = 1', new_string: 'x = 2' }],
    ['Bash', { command: `git push https://x:${secret}@github.com/a/b main` }],
    ['WebFetch', { url: 'https://docs.example.com/x?token=1', prompt: 'read' }],
    ['Bash', { command: 'cat package.json' }, join(shop, 'sub')],
  ];
}

describe('try', () => {
  it('judges transcripts and shell histories, and leaves nothing behind', async () => {
    const { person, environment, ...place } = newPerson();
    const shop = join(person, 'shop');
    const lines = claudeLines('s1', shop, calls(shop));
    writeHistory(person, '.claude/projects/-shop/s1.jsonl', [...lines, '{"half']);
    // A session that was resumed repeats what was said before.
    writeHistory(person, '.claude/projects/-shop/s2.jsonl', lines);
    writeHistory(person, '.codex/sessions/2026/10/05/rollout-1.jsonl', codexLines(shop));
    writeHistory(person, '.bash_history', ['#1760000000', 'git push', 'ls']);
    writeHistory(person, '.zsh_history', [': 1760000000:0;echo a; \\', 'kill 12347']);
    writeHistory(person, '.local/share/fish/fish_history', ['- cmd: cd a\\nrm -rf /', '  when: 1760000000']);
    const { status, stdout, stderr } = await cli(place, ['try', '--json', '--html', 'page.html'], {
      environment,
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.origins).toEqual({
      claude: { calls: 9, asked: 4, blocked: 1, sessions: 1 },
      codex: { calls: 4, asked: 1, blocked: 0, sessions: 1 },
      shell: { calls: 4, asked: 2, blocked: 1, sessions: 1 },
    });
    expect(report).toMatchObject({ calls: 17, asked: 7, blocked: 2, interruptionsPer100: 52.94 });
    expect(report.rules[0]).toMatchObject({ rule: 'process_signal', asked: 3, blocked: 0 });
    expect(report.changes[0]).toEqual({
      setting: 'sallyport allow --rule process_signal --always',
      says: 'whatever process_signal asks about',
      fewer: 3,
    });
    expect(report.changes.map(({ setting }: { setting: string }) => setting)).toContain(
      '[agents.claude]\negress_allowlist = ["docs.example.com"]',
    );
    const html = readFileSync(join(place.workspace, 'page.html'), 'utf8');
    for (const shown of [stdout, html]) expect(shown).not.toContain(secret);
    expect(html).not.toMatch(/<script|src=|href=/);
    expect(statSync(join(place.workspace, 'page.html')).mode & 0o777).toBe(0o600);
    expect(existsSync(place.home)).toBe(false);
  });

  it('judges a transcript that is named, and the sessions of a project', async () => {
    const { person, environment, ...place } = newPerson();
    const shop = join(person, 'shop');
    writeHistory(
      person,
      '.claude/projects/-a/s1.jsonl',
      claudeLines('s1', shop, [['Bash', { command: 'ls' }]]),
    );
    const other = claudeLines('s2', '/srv/other', [
      ['Bash', { command: 'ls' }],
      ['Bash', { command: 'pwd' }],
    ]);
    const file = writeHistory(person, '.claude/projects/-b/s2.jsonl', other);
    const ofFile = await cli(place, ['try', file], { environment });
    expect(ofFile.stdout).toContain('Judged 2 calls: Claude Code 2 in 1 session');
    expect(ofFile.stdout).toContain('0.00 interruptions per 100 calls');
    const ofProject = await cli(place, ['try', shop], { environment });
    expect(ofProject.stdout).toContain('Judged 1 call:');
    const since = await cli(place, ['try', file, '--since', '2026-10-02', '--json'], { environment });
    expect(JSON.parse(since.stdout).calls).toBe(1);
  });

  it.each([
    [['try', 'nowhere'], 'there is no file or folder'],
    [['try'], 'there is no history to judge'],
    [['try', '--mode', 'free'], '--mode is one of'],
    [['try', '--watch', '--open'], '--watch makes no page'],
  ])('refuses %j', async (args, reason) => {
    const { person: _, environment, ...place } = newPerson();
    const refused = await cli(place, args, { environment });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain(reason);
  });

  it('follows a transcript while a host writes it', async () => {
    const { person, environment, ...place } = newPerson();
    const shop = join(person, 'shop');
    const [first = '', ...lines] = claudeLines('s1', shop, [
      ['Bash', { command: 'rm -rf /' }],
      ['Bash', { command: 'kill 12345' }],
      ['Bash', { command: 'ls' }],
    ]);
    const file = writeHistory(person, '.claude/projects/-shop/s1.jsonl', [first, ...lines.slice(0, 2)]);
    const child = startCli(place, ['try', '--watch'], { environment });
    child.stdout?.on('data', (text) => {
      if (String(text).includes('Following 1 transcript'))
        appendFileSync(file, `${lines.slice(2).join('\n')}\n`);
      if (String(text).includes('process_signal')) child.kill('SIGINT');
    });
    const { stdout, status } = await ended(child);
    expect(status).toBe(0);
    expect(stdout).toContain('APPROVE  Bash kill 12345  (Claude Code)');
    expect(stdout).not.toContain('rm -rf /');
    expect(stdout).toContain('2 calls: 1 asked, 0 blocked, 50.00 per 100.');
    expect(jsonLines(readFileSync(file, 'utf8'))).toHaveLength(lines.length + 1);
  });
});

describe.skipIf(browserMissing !== null)('the page of try', () => {
  it('shows plots, settings and every stop in a browser, with nothing from elsewhere', async () => {
    const { person, environment, ...place } = newPerson();
    const shop = join(person, 'shop');
    writeHistory(person, '.claude/projects/-shop/s1.jsonl', claudeLines('s1', shop, calls(shop)));
    const opened = join(place.workspace, 'opened');
    const browser = writeHistory(place.workspace, 'browser', ['#!/bin/sh', `echo "$1" > ${opened}`]);
    const { chmodSync } = await import('node:fs');
    chmodSync(browser, 0o755);
    const { stdout } = await cli(place, ['try', '--open'], {
      environment: { ...environment, BROWSER: browser },
    });
    const file = /The page: (.*)/.exec(stdout)?.[1] ?? '';
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8').trim()).toBe(file);
    const { dom, errors } = await openPage(file);
    expect(errors).toEqual([]);
    expect(dom).toContain('<h1>55.56 interruptions per 100 calls</h1>');
    expect(dom.match(/<svg/g)).toHaveLength(2);
    expect(dom).toContain('sallyport allow --rule process_signal --always');
    expect(dom).toContain('<b>home_deletion</b>');
  });
});
