// Digests of files, trees and images: they change if the published content changes, and not otherwise.

import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/ledger.ts';
import { stateOf } from './state-of.ts';

describe('the state of what is published', () => {
  it('of a file is what it holds, text or not', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'plan.tfplan');
    expect(stateOf(`file ${file}`)).toBeNull();
    writeFileSync(file, Buffer.from([0x50, 0x4b, 0xff, 0x00]));
    const before = stateOf(`file ${file}`);
    expect(before).toMatch(/^[0-9a-f]{32}$/);
    utimesSync(file, 1, 1);
    expect(stateOf(`file ${file}`)).toBe(before);
    writeFileSync(file, Buffer.from([0x50, 0x4b, 0xff, 0x01]));
    expect(stateOf(`file ${file}`)).not.toBe(before);
    expect(stateOf(`file ${folder}`)).toBeNull();
  });

  it('of a tree is every file below it, without what tools fetch', () => {
    const folder = temporaryFolder();
    const put = (name: string, text: string) => {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    };
    put('index.js', 'a');
    put('dist/out.js', 'a');
    const before = stateOf(`tree ${folder}`);
    put('node_modules/x/index.js', 'a');
    put('.git/HEAD', 'ref: refs/heads/main\n');
    expect(stateOf(`tree ${folder}`)).toBe(before);
    put('dist/out.js', 'b');
    const changed = stateOf(`tree ${folder}`);
    expect(changed).not.toBe(before);
    put('dist/b.js', '');
    expect(stateOf(`tree ${folder}`)).not.toBe(changed);
    expect(stateOf(`tree ${join(folder, 'gone')}`)).toBeNull();
  });

  it('of an image is its id by the engine of this machine; none where no engine knows it', () => {
    const folder = temporaryFolder();
    const engine = join(folder, 'docker');
    writeFileSync(engine, '#!/bin/sh\n[ "$5" = acme/web:1 ] && echo sha256:1234 || exit 1\n');
    chmodSync(engine, 0o755);
    expect(stateOf('image acme/web:1', [join(folder, 'none'), engine])).toBe('sha256:1234');
    expect(stateOf('image acme/other', [engine])).toBeNull();
    expect(stateOf('image --help', [engine])).toBeNull();
    expect(stateOf('other /x', [engine])).toBeNull();
  });
});
