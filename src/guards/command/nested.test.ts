// Commands inside of vi and its kin, and other agents that are set to work.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/load.ts';
import { Budget } from '../../core/index.ts';
import { createAnalyses, judgeCommand } from './index.ts';
import { loadParts } from './need.ts';
import { agentNames } from './programs/cards/agents.ts';

await loadParts();

const analyses = createAnalyses({ python: null, javascript: null });

function rulesOf(command: string): readonly string[] {
  const judgement = judgeCommand(
    analyses,
    { kind: 'shell', command },
    {
      context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/home/u/w', mode: 'auto' },
      settings: { ...settingsFrom({}), profile: 'developer' },
      world: {
        now: () => 0,
        resolve: async () => [],
        realPath: (path) => path,
        readText: () => null,
        look: () => null,
        home: '/home/u',
      },
      budget: new Budget(2_000_000),
      granted: () => false,
    },
  );
  return judgement.findings.map(({ rule }) => rule);
}

const viNames =
  'vi vim nvim ex nex view rview rvim gvim evim vimx vimdiff nvi vile elvis vim.tiny vim.basic vim.nox vim.gtk3 vim.athena';

describe('a command inside of vi and its kin', () => {
  it.each(viNames.split(' '))('%s', (name) => {
    expect(rulesOf(`${name} -c '!rm -rf ~' a`)).toContain('home_deletion');
    expect(rulesOf(`${name} -c'!rm -rf ~' a`)).toContain('home_deletion');
    expect(rulesOf(`${name} +'!rm -rf ~' a`)).toContain('home_deletion');
  });
  it.each([
    "ex -sc '!rm -rf ~' -cq a",
    "vim -esc '!rm -rf ~' a",
    "vim -c 'echo 1 | !rm -rf ~' a",
    "vim -c 'sil! !rm -rf ~' a",
    `vim -c 'exe "!rm -rf ~"' a`,
    "vim -c 'bufdo !rm -rf ~' a b",
    "vim -c 'g/x/ !rm -rf ~' a",
    "vim -c 'au VimEnter * !rm -rf ~' a",
    "vim -c 'vert term rm -rf ~' a",
  ])('%s', (command) => expect(rulesOf(command)).toContain('home_deletion'));
  it.each([
    "vim -es a -c '%s/a/b/g' -c wq",
    "ex -sc '%s/a|b/c/g|x' a",
    "nvim --headless -c 'echo 1 | q' a",
    "vim -Nu NONE -c 'normal! ggdd' -c wq a",
    'vim -R a',
    "vim -c 'set nomodeline | e b | q' a",
  ])('says nothing to %s', (command) => expect(rulesOf(command)).toEqual([]));
});

describe('another agent that is set to work', () => {
  it.each(agentNames.split(' '))('%s', (name) => {
    expect(rulesOf(`${name} -p 'do it'`)).toEqual(['unknown_code']);
    expect(rulesOf(`${name} --version`)).toEqual([]);
  });
  it.each([
    'copilot -p x --allow-all-tools',
    'copilot',
    'npx @github/copilot -p x',
    'npx -y @anthropic-ai/claude-code -p x',
    'goose run -t x',
    'q chat x',
  ])('%s', (command) => expect(rulesOf(command)).toContain('unknown_code'));
  it('says nothing to other programs of the same names', () => {
    expect(rulesOf('copilot app ls')).toEqual([]);
    expect(rulesOf('goose status')).toEqual([]);
    expect(rulesOf('q "select 1"')).toEqual([]);
  });
});
