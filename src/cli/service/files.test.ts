// The service as its managers read it: systemd's own check, and the rules of the property list by hand.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { execLine, launchdService, systemdService } from './files.ts';

const parts = {
  user: '/home/ann',
  home: '/home/ann/.sallyport',
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/sallyport/bin/sallyport.cjs',
  path: '/usr/local/bin:/usr/bin:/bin',
};

const analyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!analyzer) process.stderr.write('Skipped: the check of the unit needs systemd-analyze.\n');

describe('the systemd unit', () => {
  it('starts the daemon of the home, and tries again only after a failure', () => {
    const { name, file, text } = systemdService(parts);
    expect({ name, file }).toEqual({
      name: 'sallyport.service',
      file: '/home/ann/.config/systemd/user/sallyport.service',
    });
    expect(text).toContain(`\nExecStart=/usr/bin/node ${parts.program} up --again --log info\n`);
    expect(text).toContain('\nRestart=on-failure\n');
    expect(text).toContain('"SALLYPORT_HOME=/home/ann/.sallyport"');
  });

  it('has a name of its own for another home, and heeds where the user keeps settings', () => {
    const { name, file } = systemdService({ ...parts, home: '/srv/two', configFolder: '/home/ann/settings' });
    expect(name).toMatch(/^sallyport-[0-9a-f]{8}\.service$/);
    expect(file).toBe(`/home/ann/settings/systemd/user/${name}`);
  });

  it.each([
    [['/usr/bin/node', 'up'], '/usr/bin/node up'],
    [['/home/a b/node', 'a b'], '"/home/a b/node" "a b"'],
    [['/home/50%/$x', '/50%/$x'], '/home/50%%/$x /50%%/$$x'],
    [['/a"b\\'], '"/a\\"b\\\\"'],
  ])('writes the words %j as %j', (words, written) => {
    expect(execLine(words)).toBe(written);
  });

  it.skipIf(!analyzer)('is right by systemd-analyze, with names that have blanks and signs', () => {
    const folder = join(temporaryFolder(), 'a b$c');
    const home = join(folder, '.sallyport');
    mkdirSync(home, { recursive: true });
    const node = join(folder, 'node');
    writeFileSync(node, '#!/bin/sh\n');
    chmodSync(node, 0o755);
    const { name, text } = systemdService({
      ...parts,
      user: folder,
      home,
      node,
      program: node,
      config: '/a b.toml',
    });
    const verify = (unit: string) => {
      const file = join(folder, name);
      writeFileSync(file, unit);
      const environment = { ...process.env, XDG_RUNTIME_DIR: folder };
      const { status, stderr } = spawnSync(
        'systemd-analyze',
        ['--user', '--recursive-errors=no', 'verify', file],
        {
          encoding: 'utf8',
          env: environment,
        },
      );
      return { status, stderr };
    };
    expect(verify(text)).toEqual({ status: 0, stderr: '' });
    // The check can fail: a program that is not there, and a key that there is not.
    expect(verify(text.replace('ExecStart="', 'ExecStart="/nowhere')).status).not.toBe(0);
    expect(verify(text.replace('Restart=', 'Restrat=')).stderr).toContain('Restrat');
  });
});

/** The keys of launchd.plist(5) that the service uses, and the element that each takes. */
const launchdKeys: Readonly<Record<string, string>> = {
  Label: 'string',
  ProgramArguments: 'array',
  EnvironmentVariables: 'dict',
  WorkingDirectory: 'string',
  RunAtLoad: 'true',
  KeepAlive: 'dict',
  ThrottleInterval: 'integer',
  Umask: 'integer',
  StandardOutPath: 'string',
  StandardErrorPath: 'string',
};

interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** Reads XML of elements and text; throws where a tag is not closed, is closed twice, or a sign stands alone. */
function readXml(text: string): Element {
  const top: Element = { name: '', children: [], text: '' };
  const open = [top];
  const rest = text.replace(/^<\?xml [^>]*\?>|<!DOCTYPE [^>]*>|<!--[\s\S]*?-->/gm, '');
  for (const [, tag = '', between = ''] of rest.matchAll(/<([^<>]*)>([^<]*)|[<>]/g)) {
    if (!/^\/?[a-z]+(?: version="1\.0")?\/?$/.test(tag)) throw new Error(`no tag: <${tag}>`);
    if (/&(?!(?:amp|lt|gt);)|>/.test(between)) throw new Error(`a sign stands alone: ${between}`);
    const parent = open.at(-1)!;
    if (tag.startsWith('/')) {
      if (open.pop()?.name !== tag.slice(1)) throw new Error(`<${tag}> closes another`);
    } else {
      const element: Element = { name: tag.replace(/\/$/, '').split(' ')[0]!, children: [], text: between };
      parent.children.push(element);
      if (!tag.endsWith('/')) open.push(element);
    }
  }
  if (open.length !== 1) throw new Error('an element is not closed');
  return top.children[0]!;
}

/** Holds an element to the DTD of property lists: what may stand in it, and keys and values in turn. */
function checkElement({ name, children, text }: Element): void {
  const values = ['array', 'dict', 'string', 'integer', 'true', 'false', 'data', 'date', 'real'];
  const allowed: Readonly<Record<string, readonly string[]>> = {
    plist: values,
    array: values,
    dict: [...values, 'key'],
  };
  for (const child of children) expect(allowed[name] ?? []).toContain(child.name);
  if (name === 'plist') expect(children).toHaveLength(1);
  if (name === 'integer') expect(text).toMatch(/^-?\d+$/);
  if (name === 'dict') {
    expect(children.map((child, at) => (child.name === 'key') === (at % 2 === 0))).not.toContain(false);
    expect(children.length % 2).toBe(0);
  }
  children.forEach(checkElement);
}

describe('the launchd agent', () => {
  const { name, file, text } = launchdService({
    ...parts,
    user: '/Users/ann',
    home: '/Users/ann/.sallyport',
    program: '/a & b/<s>.cjs',
  });
  const plist = readXml(text);

  it('is a property list by the rules of its DTD', () => {
    expect(plist.name).toBe('plist');
    checkElement(plist);
    expect(() => readXml(text.replace('</dict>', ''))).toThrow('closes another');
    expect(() => readXml(text.replace('&amp;', '&'))).toThrow('stands alone');
  });

  it('has keys that launchd knows, each with the type that it takes, and starts the daemon', () => {
    const [dict] = plist.children;
    const { children = [] } = dict ?? {};
    const found = Object.fromEntries(
      children.flatMap((child, at) => (child.name === 'key' ? [[child.text, children[at + 1]?.name]] : [])),
    );
    expect(found).toEqual(launchdKeys);
    const words = children[children.findIndex((child) => child.text === 'ProgramArguments') + 1]?.children;
    expect(words?.map((word) => word.text)).toEqual([
      ...['/usr/bin/node', '/a &amp; b/&lt;s&gt;.cjs', 'up', '--again', '--log', 'info'],
    ]);
    expect(file).toBe(`/Users/ann/Library/LaunchAgents/${name}.plist`);
    expect(name).toBe('dev.sallyport.sallyport');
  });
});
