// Texts: patches, calls of tools in prose, secrets as they flow, addresses, files that tell what to leave out.

import { isDeepStrictEqual } from 'node:util';
import { applyHunks, diffLines, readPatch, showHunks, takeHunks } from '../../../src/core/diff.ts';
import { parseIgnore } from '../../../src/core/ignore.ts';
import { Budget, BudgetExceeded, InputError } from '../../../src/core/index.ts';
import { builtin, createRedactor, redact } from '../../../src/detect/index.ts';
import { CallReader, readCalls, type TextCall } from '../../../src/guards/response/calls/index.ts';
import { changesIn } from '../../../src/guards/tool/patch.ts';
import {
  context,
  cut,
  deciderOf,
  exampleActions,
  invariant,
  orRefusal,
  type Target,
  verdictText,
} from '../target.ts';

const patchWords = [
  ...[
    '--- a/',
    '+++ b/',
    '--- /dev/null',
    '+++ /dev/null',
    '@@ -1 +1 @@',
    '@@ -0,0 +1,2 @@',
    '@@ -1,99999999999 +1 @@',
  ],
  ...['diff --git a/x b/x', 'rename from ', 'rename to ', 'new file mode 100644', 'deleted file mode 100755'],
  ...[
    'old mode 100644',
    'new mode 120000',
    'GIT binary patch',
    '\\ No newline at end of file',
    '"a/\\303\\244"',
  ],
  ...['*** Begin Patch', '*** End Patch', '*** Add File: ', '*** Update File: ', '*** Delete File: '],
  ...[
    '*** Move to: ',
    '*** End of File',
    '@@',
    '+',
    '-',
    ' ',
    '\n',
    '\n+',
    '\n-',
    '\n ',
    '\t',
    '\r\n',
    '../',
    '/etc/passwd',
  ],
];

/** A file that hunks are tried on. */
const file = Array.from({ length: 60 }, (_, line) => `line ${line % 7}`).join('\n');

const patch: Target = {
  name: 'patch',
  invariant:
    'every file of a patch is named in it; what a hunk adds stands in it; shown hunks are read as themselves',
  words: patchWords,
  seeds: [],
  cost: 110,
  open: () => (text) =>
    orRefusal(() => {
      const patches = readPatch(text);
      invariant(changesIn(text) !== null, 'the guard does not read what is applied');
      for (const { path, to, hunks } of patches) {
        for (const name of [path, to ?? path]) {
          invariant(name !== '', 'a file has no name');
          invariant(text.includes(name) || text.includes('"'), `${name} is not named`);
        }
        for (const { lines } of hunks) {
          for (const line of lines) {
            invariant(text.includes(line.text.replace(/\n$/, '')), 'a line stands nowhere in the patch');
          }
        }
        applyHunks(file, hunks);
      }
      return JSON.stringify(patches);
    }, InputError),
};

const diff: Target = {
  name: 'diff',
  invariant:
    'the hunks from one text to another make the one into the other, and none of them leaves it; shown, they are read as themselves',
  words: ['\n', '\r\n', '\n\n', '+', '-', '@@ ', '\\ No newline', '--- ', 'a', 'b'],
  seeds: [],
  cost: 170,
  open: () => (text) => {
    // What stands behind the first form feed is the new text.
    const [before = '', after = ''] = text.split('\f', 2);
    const hunks = diffLines(before, after);
    if (hunks.length === 0) {
      invariant(before === after, 'two texts differ and have no hunks');
      return 'the same';
    }
    invariant(takeHunks(before, hunks, () => true) === after, 'the hunks do not make one into the other');
    invariant(takeHunks(before, hunks, () => false) === before, 'no hunk leaves another text');
    const shown = showHunks('x', hunks);
    invariant(isDeepStrictEqual(readPatch(shown)[0]?.hunks, hunks), 'shown hunks are read as others');
    return shown;
  },
};

function shown(calls: readonly TextCall[]): string {
  const sorted = [...calls].sort(
    (a, b) => a.start - b.start || a.end - b.end || a.tool.localeCompare(b.tool),
  );
  return JSON.stringify(sorted);
}

const calls: Target = {
  name: 'calls',
  invariant: 'the calls in a text are the same wherever it is cut, and stand inside it',
  words:
    '{"name": "arguments": "tool": "tool_calls": [ ] { } ``` ```json ~~~ <tool_call> </tool_call> <function_calls> <invoke name=" <parameter name=" </invoke> <|python_tag|> [TOOL_CALLS] Action: Action Input: bash( print( ) \' " \\ \n `'.split(
      ' ',
    ),
  seeds: [],
  cost: 500,
  open: () => (text) =>
    orRefusal(() => {
      const whole = readCalls(text, new Budget(2_000_000));
      for (const { start, end } of whole) {
        invariant(0 <= start && start < end && end <= text.length, `a call from ${start} to ${end}`);
      }
      const reader = new CallReader(new Budget(2_000_000));
      const parts = [...cut(text).flatMap((piece) => reader.push(piece)), ...reader.end()];
      invariant(shown(parts) === shown(whole), 'other calls in pieces than in the whole');
      return shown(whole);
    }, BudgetExceeded),
};

// What looks like a secret here is put together, so that nobody takes this file for a leak.
const secretWords = [
  ...['gh', 'p_'].join('').split(' '),
  ...['AK', 'IA'].join('').split(' '),
  ...'x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN IOSFODNN7 password= api_key: Bearer -----BEGIN PRIVATE KEY----- ann@example.com 4111 1111 +49 DE89 123-45-6789 xoxb- sk- eyJhbGciOi . = \n'.split(
    ' ',
  ),
];

const redactor: Target = {
  name: 'redactor',
  invariant:
    'a text is redacted the same wherever it is cut, and what was redacted holds nothing more to redact',
  words: secretWords,
  seeds: [],
  cost: 80,
  open: () => {
    const ruleset = builtin('secrets');
    return (text) => {
      const whole = redact(text, ruleset);
      const flowing = createRedactor(ruleset);
      const pieces = cut(text).map((piece) => flowing.push(piece));
      invariant(pieces.join('') + flowing.flush() === whole.text, 'otherwise in pieces than in the whole');
      for (const { start, end } of whole.matches) {
        invariant(0 <= start && start < end && end <= text.length, `a find from ${start} to ${end}`);
      }
      return whole.text;
    };
  },
};

const address: Target = {
  name: 'address',
  invariant: 'what passes goes to a host on the list, as the engine reads the address',
  words:
    'http https ftp file data javascript : // / \\\\ @ # ? % . 。 example.com 127.0.0.1 0x7f.1 2130706433 017700000001 [::1] [::ffff:127.0.0.1] 169.254.169.254 localhost \t \n xn-- %00 %2f :80 :443 :99999 user:pass@ \u3002'.split(
      ' ',
    ),
  seeds: (await exampleActions('fetch')).flatMap((action) => (action.kind === 'fetch' ? [action.url] : [])),
  cost: 100,
  open: () => {
    const decider = deciderOf(['fetch'], { agent: { egress_allowlist: ['example.com', '*.example.org'] } });
    return async (url) => {
      const { verdict } = await decider.decide({ kind: 'fetch', url, method: 'GET' }, context);
      if (verdict.decision === 'pass') {
        const { protocol, hostname } = new URL(url);
        invariant(/^https?:$/.test(protocol), `it passes by ${protocol}`);
        invariant(/^(?:example\.com|.+\.example\.org)\.?$/.test(hostname), `it passes to ${hostname}`);
      }
      return verdictText(verdict);
    };
  },
};

const ignore: Target = {
  name: 'ignore',
  invariant: 'a list of patterns names some files and not others, in a time that grows with its length',
  words: '* ** ? [a-z] [!a] / ! # \\ \\# \n foo bar.log **/ /** node_modules [[:alpha:]] ]'.split(' '),
  seeds: [
    'node_modules\n*.log\n!keep.log\n',
    '/dist\n**/tmp/**\n# a comment\n\\#file\n',
    '[a-c]*.ts\nfoo/**/bar\n',
  ],
  cost: 70,
  bytes: true,
  open: () => (text) => {
    const paths = ['node_modules', 'src/a.log', 'keep.log', 'a/tmp/b', 'foo/x/y/bar', 'a'.repeat(200)];
    return parseIgnore(text)
      .map((pattern) => paths.map((path) => pattern.matches(path, path.split('/').at(-1) ?? '')).join(' '))
      .join('\n');
  },
};

export const textTargets: readonly Target[] = [patch, diff, calls, redactor, address, ignore];
