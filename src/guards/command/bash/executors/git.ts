// What git starts: helpers that its settings name, and aliases.

import { quoteWords, splitQuoted } from '../quoted.ts';
import { concat, concatAll, emptyText, knownText, singleText, type Text } from '../values.ts';
import { type Call, type Inner, shellCode } from './inner.ts';
import { optionTexts, readLeading } from './shapes.ts';

const gitCommandKeys =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:textconv|command)|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|(?:diff|merge)tool\..*\.cmd|credential(?:\..*)?\.helper|gpg(?:\..*)?\.program|browser\..*\.cmd|interactive\.difffilter|uploadpack\.packobjectshook|trailer\..*\.(?:command|cmd)|man\..*\.cmd|sendemail\.(?:sendmailcmd|tocmd|cccmd)|remote\..*\.(?:uploadpack|receivepack))$/i;

/** Commands of git itself, for which it looks at no alias. */
const ownOfGit =
  /^(?:add|am|apply|archive|bisect|blame|branch|checkout|cherry-pick|clean|clone|commit|config|describe|diff|fetch|format-patch|gc|grep|init|log|ls-files|ls-tree|merge|mv|pull|push|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|show|stash|status|submodule|switch|tag|worktree)$/;

function gitSetting(key: string, value: string): readonly Inner[] {
  if (!gitCommandKeys.test(key)) return [];
  if (/^core\.fsmonitor$/i.test(key) && /^(?:true|false|)$/.test(value)) return [];
  if (/helper$/i.test(key))
    return value.startsWith('!')
      ? [shellCode(knownText(value.slice(1)))]
      : value.includes('/')
        ? [shellCode(knownText(value))]
        : [];
  return value === '' ? [] : [shellCode(knownText(value.replace(/^!/, '')))];
}

function gitCall(args: readonly Text[]): Call {
  return { program: 'git', args, stdin: emptyText, fed: false };
}

export function git({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  const { values, rest } = readLeading(args, 'cC', [
    'git-dir',
    'work-tree',
    'namespace',
    'exec-path',
    'super-prefix',
    'config-env',
  ]);
  const [subcommand, ...words] = rest;
  const name = singleText(subcommand);
  if (name === 'git') {
    const first = words.findIndex((word) => singleText(word) !== 'git');
    return first === -1 ? [] : git(gitCall(words.slice(first)));
  }
  for (const [option, value] of values) {
    if (option !== '-c') continue;
    for (const text of value.alternatives) {
      const equals = text.indexOf('=');
      const key = equals === -1 ? text : text.slice(0, equals);
      const setting = equals === -1 ? '' : text.slice(equals + 1);
      inner.push(...gitSetting(key, setting));
      if (key.toLowerCase() === `alias.${name}`.toLowerCase() && !ownOfGit.test(name))
        inner.push(...gitAlias(setting, words));
      if (/^core\.hookspath$/i.test(key)) inner.push({ kind: 'unknown' });
    }
  }
  const texts = words.map(singleText);
  const operands = texts.filter((text) => !text.startsWith('-'));
  if (name === 'config') {
    const at = texts.findIndex((text) => /^[\w-]+\..+/.test(text) && !text.startsWith('-'));
    const [key, setting] = [texts[at] ?? '', texts[at + 1] ?? ''];
    if (at !== -1 && !texts.some((text) => /^--(?:get|unset)|^get$/.test(text))) {
      inner.push(...gitSetting(key, setting));
      if (/^alias\./i.test(key) && setting.startsWith('!'))
        inner.push(shellCode(knownText(setting.slice(1))));
    }
  }
  if (name === 'bisect' && operands[0] === 'run')
    inner.push({ kind: 'argv', argv: words.slice(texts.indexOf('run') + 1) });
  if (name === 'submodule' && operands[0] === 'foreach') {
    const after = words
      .slice(texts.indexOf('foreach') + 1)
      .filter((word) => !singleText(word).startsWith('--'));
    inner.push(shellCode(concatAll(after, ' ')));
  }
  const call = gitCall(words);
  if (name === 'rebase') inner.push(...optionTexts('-x', '--exec', '--exec=')(call));
  if (name === 'difftool') inner.push(...optionTexts('-x', '--extcmd', '--extcmd=')(call));
  if (name === 'filter-branch') {
    const filters = ['env', 'tree', 'index', 'parent', 'msg', 'commit', 'tag-name'].map(
      (filter) => `--${filter}-filter`,
    );
    inner.push(...optionTexts(...filters, ...filters.map((filter) => `${filter}=`))(call));
  }
  if (/^(?:clone|fetch|pull|push|ls-remote|fetch-pack|send-pack|archive)$/.test(name)) {
    inner.push(
      ...optionTexts(
        '--upload-pack',
        '--upload-pack=',
        '--receive-pack',
        '--receive-pack=',
        '--exec=',
        ...(name === 'clone' || name === 'ls-remote' ? ['-u'] : []),
      )(call),
    );
    for (const text of texts) if (/^ext::/.test(text)) inner.push(shellCode(knownText(text.slice(5))));
    for (const [index, text] of texts.entries()) {
      const setting = text === '-c' || text === '--config' ? texts[index + 1] : undefined;
      const equals = setting?.indexOf('=') ?? -1;
      if (setting !== undefined && equals > 0)
        inner.push(...gitSetting(setting.slice(0, equals), setting.slice(equals + 1)));
    }
  }
  if (name === 'grep') {
    for (const text of texts) {
      const pager = /^(?:-O|--open-files-in-pager=)(.+)$/.exec(text);
      if (pager !== null) inner.push(shellCode(knownText(pager[1] ?? '')));
    }
  }
  return inner;
}

function gitAlias(setting: string, words: readonly Text[]): readonly Inner[] {
  if (setting.startsWith('!')) {
    return [
      shellCode(
        words.length === 0
          ? knownText(setting.slice(1))
          : concat(knownText(`${setting.slice(1)} `), quoteWords(words)),
      ),
    ];
  }
  return [
    { kind: 'argv', argv: ['git', ...splitQuoted(setting)].map((word) => knownText(word)).concat(words) },
  ];
}
