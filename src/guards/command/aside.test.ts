// Which commands cannot run aside from the machine, and which questions wait until a command did.

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../core/index.ts';
import { canWait, notAside } from './aside.ts';
import type { Facts } from './effects.ts';
import { shellAlone } from './index.ts';
import { loadParts } from './need.ts';
import type { RuleInput } from './rules/rule.ts';

await loadParts();
const read = (command: string): Facts =>
  shellAlone.shell(command, { cwd: '/work/app', home: '/home/ann', spend: () => undefined });

const input = (command: string): RuleInput => {
  const pathScope: RuleInput['pathScope'] = {
    ...{ cwd: '/work/app', workspace: '/work/app', home: '/home/ann', allowed: [], own: [] },
    realPath: (path) => path,
    globbing: { dots: false, anyCase: false },
    spend: () => undefined,
  };
  const rest: Partial<RuleInput> = { facts: read(command), pathScope, places: new Map() };
  return rest as RuleInput;
};

describe('what cannot run aside', () => {
  test.each<[string, ReturnType<typeof notAside>]>([
    ['npm test', null],
    ['make release && echo done', null],
    ['rm -r src', null],
    ['echo x > notes.txt', null],
    ['echo "a & b" > notes.txt', null],
    ['sleep 10 & echo started', 'lives on'],
    ['bash -c "node server.js &"', 'lives on'],
    ['npm run dev', 'lives on'],
    ['pnpm start', 'lives on'],
    ['npm run build', null],
    ['npx vite --port 3000', 'lives on'],
    ['python3 -m http.server 8000', 'lives on'],
    ['tail -f log.txt', 'lives on'],
    ['tsc --watch', 'lives on'],
    ['kill 4711', 'machine'],
    ["ps aux | grep node | awk '{print $2}'", 'machine'],
    ['docker compose up -d', 'machine'],
    ['kill 4711; ./run.sh', null],
    ['docker ps; make', null],
    ['echo x > ~/notes.txt', 'elsewhere'],
    ['cp a.txt /srv/data/a.txt', 'elsewhere'],
    ['echo x > /tmp/x', null],
  ])('%s', (command, why) => {
    expect(notAside(input(command))).toBe(why);
  });
});

describe('questions that wait', () => {
  const asks = (rule: string, decision: Finding['decision'] = 'approve'): Finding => ({
    ...{ rule, decision, guard: 'command', message: '' },
  });
  const deletion = [asks('workspace_deletion')];

  test.each<[string, readonly Finding[], boolean]>([
    ['rm -r src', deletion, true],
    ['cd src && rm -r old && ls', deletion, true],
    ['git restore a.ts', [asks('git_file_discard')], true],
    ['rm -r src', [asks('workspace_deletion', 'block')], false],
    ['rm -r src', [...deletion, asks('network_change')], false],
    ['rm -r src; ssh host.example uptime', deletion, false],
    ['rm -r src; ./run.sh', deletion, false],
    ['find src -exec ./run.sh {} +', deletion, false],
    ['ls', [], false],
  ])('%s', (command, findings, waits) => {
    expect(canWait(findings, read(command))).toBe(waits);
  });
});
