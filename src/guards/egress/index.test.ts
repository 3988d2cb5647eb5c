import { describe, expect, it } from 'vitest';
import { compilePack } from '../../detect/pack.ts';
import { createEgress, egressRules } from './index.ts';

const egress = createEgress({ workspace: '/home/ana/project' });
const text = (given: string) => egress.text(given).text;
/** Put together here, so that no line of this file is itself a find. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

describe('what goes out', () => {
  it.each([
    ['a path outside', 'see /etc/nginx/nginx.conf.', 'see [REDACTED:path]'],
    ['a home folder', '"/home/bob/.ssh/id_rsa"', '"[REDACTED:path]"'],
    ['a path beside the workspace', '/home/ana/project-2/a.ts:10', '[REDACTED:path]:10'],
    ['one that leaves the workspace', '/home/ana/project/../x.ts', '[REDACTED:path]'],
    ["a Mac's home", '(/Users/bob/Library/x)', '([REDACTED:path])'],
    ['a file URL', 'file:///home/bob/x.txt', 'file://[REDACTED:path]'],
    ['a Windows home', 'C:\\Users\\bob\\x.txt and more', '[REDACTED:path] and more'],
    ['an escaped Windows home', '"C:\\\\Users\\\\bob\\\\x.txt"', '"[REDACTED:path]"'],
    ['a network share', '\\\\server\\share\\x.txt', '[REDACTED:path]'],
    ['a token', `token ${token} end`, 'token [REDACTED:api-key] end'],
  ])('loses %s', (_what, given, expected) => {
    expect(text(given).replace('[REDACTED:access-token]', '[REDACTED:api-key]')).toBe(expected);
  });

  it.each([
    ['the workspace', 'in /home/ana/project'],
    ['a path inside', '/home/ana/project/src/a.ts:3:4'],
    ['a relative path', 'src/home/a.ts and ./etc/x and ../var/log'],
    ['a URL', 'https://example.com/home/ana/x and http://a.b/etc/passwd'],
    ['what is the same everywhere', '/usr/bin/env /bin/sh /dev/null /proc/self/status /lib/x.so'],
    ['prose', 'and/or, home/work, 1/2/3, n/a'],
    ['a regular expression', 'text.replace(/etc/g, "")'],
  ])('keeps %s', (_what, given) => {
    expect(text(given)).toBe(given);
  });

  it('is counted, and nothing else is kept of it', () => {
    expect(egress.text('/etc/aa /etc/bb')).toEqual({
      text: '[REDACTED:path] [REDACTED:path]',
      redactions: { path: 2 },
    });
    expect(egress.text('plain')).toEqual({ text: 'plain', redactions: {} });
  });

  it('is read anew for another folder, another name and other rules, however often it was clean', () => {
    const value = { note: '/home/ana/project/a.ts' };
    for (let time = 0; time < 2; time++) expect(egress.value(value).value).toEqual(value);
    expect(createEgress({ workspace: '/home/ana/other' }).value(value).value).toEqual({
      note: '[REDACTED:path]',
    });
    const word = ['x7Kq', '9vLw', '2pRt'].join('-');
    expect(egress.value({ note: word }).value).toEqual({ note: word });
    expect(egress.value({ database_password: word }).value['database_password']).toContain('[REDACTED');
    const examples = { hit: ['horse-7'], miss: ['horse'] };
    const own = {
      id: 'own',
      name: 'Own',
      kind: 'own',
      keywords: ['horse'],
      pattern: 'horse-[0-9]',
      examples,
    };
    const ruleset = egressRules(compilePack([own], 'user'));
    expect(egress.value({ note: 'a horse-7' }).value).toEqual({ note: 'a horse-7' });
    const others = createEgress({ workspace: '/home/ana/project', ruleset });
    expect(others.value({ note: 'a horse-7' }).value).toEqual({ note: 'a [REDACTED:own]' });
  });

  it('is redacted once', () => {
    const once = text(`/etc/aa ${token}`);
    expect(text(once)).toBe(once);
  });

  it('is read after its name in a value', () => {
    const password = ['x7Kq', '9vLw', '2pRt'].join('-');
    const { value, redactions } = egress.value({
      host: 'db.example.com',
      port: 5432,
      database_password: password,
      notes: ['/etc/passwd', null, true, { inner: 'plain' }],
    });
    expect(value).toEqual({
      host: 'db.example.com',
      port: 5432,
      database_password: '[REDACTED:password]',
      notes: ['[REDACTED:path]', null, true, { inner: 'plain' }],
    });
    expect(redactions).toEqual({ password: 1, path: 1 });
  });

  it('stays in its place around what was taken out of it, whatever it is called', () => {
    const given = JSON.parse(
      `{"a":1,"__proto__":["x","/etc/aa","y",["z","/etc/bb"]],"b":{"c":null,"/etc/cc":true,"d":"e"},"f":[2]}`,
    );
    const { value } = egress.value(given);
    expect(JSON.stringify(value)).toBe(JSON.stringify(given).replace(/\/etc\/\w+/g, '[REDACTED:path]'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['f']).toBe(given.f);
  });

  it('is counted however often it stands in a value', () => {
    const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN\n'; // sallyport:allow
    const { redactions } = createEgress({ workspace: '/work' }).value({ output: token.repeat(130_000) });
    expect(redactions).toEqual({ 'access-token': 130_000 });
  });

  it('is redacted as it flows, the same way', () => {
    const given = `a ${token} b /home/bob/x.txt c /home/ana/project/y.ts d`;
    for (let at = 0; at <= given.length; at++) {
      const stream = egress.stream();
      const out = stream.push(given.slice(0, at)) + stream.push(given.slice(at)) + stream.end();
      expect(out).toBe(text(given));
      expect(Object.values(stream.redactions)).toEqual([1, 1]);
    }
  });

  it('names no folder where there is no workspace', () => {
    expect(createEgress({ workspace: '' }).text('/home/ana/project/x').text).toBe('[REDACTED:path]');
  });
});
