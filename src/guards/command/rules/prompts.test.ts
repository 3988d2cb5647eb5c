// Programs that wait for input, on a host whose later input reaches no hook.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../config/load.ts';
import { Budget } from '../../../core/index.ts';
import { createAnalyses, judgeCommand } from '../index.ts';
import { loadParts } from '../need.ts';

await loadParts();

const analyses = createAnalyses({ python: null, javascript: null });

function asks(command: string, host?: string): boolean {
  const context = {
    user: 'u',
    tenant: 't',
    agent: 'a',
    session: 's',
    workspace: '/workspace',
    mode: 'auto',
  } as const;
  const judgement = judgeCommand(
    analyses,
    { kind: 'shell', command },
    {
      context: { ...context, ...(host === undefined ? {} : { host }) },
      settings: { ...settingsFrom({}), profile: 'developer' },
      world: {
        now: () => 0,
        resolve: async () => [],
        realPath: (path) => path,
        readText: () => null,
        look: () => null,
      },
      budget: new Budget(2_000_000),
      granted: () => false,
    },
  );
  return judgement.findings.some(({ rule }) => rule === 'interactive_prompt');
}

const waiting = [
  ...['ed a.js', 'ed', 'vi a', 'vim a', 'nvim a', 'ex a', 'view a', 'vimdiff a b', 'nano a', 'emacs -nw a'],
  ...[
    'less a',
    'more a',
    'man ls',
    'cat a | less',
    'git log -p | less -R',
    'vim - < a',
    'env TERM=xterm less a',
  ],
  ...['psql', 'psql -h db -U me shop', 'mysql -u root shop', 'sqlite3 a.db', 'sqlite3', 'duckdb a.db'],
  ...['redis-cli', 'redis-cli -h cache -p 6379', 'mongosh mongodb://db/shop', 'psql < /dev/tty'],
  ...[
    'ssh web-1',
    'ssh -p 2222 -i key me@web-1',
    'ssh -t web-1',
    'telnet mail 25',
    'ftp files',
    'sftp files',
  ],
  ...['nc web-1 80', 'openssl s_client -connect web:443', 'socat - TCP:web:80'],
  ...['docker run -it alpine', 'docker run --rm -ti -v "$PWD:/w" alpine sh', 'docker exec -it web bash -l'],
  ...[
    'docker exec -i db psql -U me',
    'docker compose exec web sh',
    'podman run -it fedora',
    'docker attach web',
  ],
  ...[
    'docker exec -it web python3',
    'kubectl exec -it web-0 -- bash',
    'kubectl exec -ti web-0 -c app -- /bin/sh',
  ],
  ...['kubectl edit deploy web', 'kubectl run -it --rm t --image=alpine', 'gdb ./a.out', 'lldb ./a.out'],
  ...[
    'tmux new -s a',
    'tmux attach',
    'screen -S a',
    'screen -r a',
    'crontab -e',
    'git commit',
    'git commit -a',
  ],
  ...[
    'git rebase -i HEAD~2',
    'git add -p',
    'git -C sub commit',
    'sudo less /var/log/syslog',
    'tig',
    'lynx a.html',
  ],
  ...['true && vim a', 'sh -c "vim a"', 'timeout 5 psql shop'],
];

const working = [
  ...[
    "vim -es a -c '%s/a/b/g' -c 'wq'",
    "vim -c '%s/a/b/ | wq' a",
    'vim +wq a',
    "ex -sc '%s/a/b/|x' a",
    'vim --version',
  ],
  ...["ed -s a <<'E'\n1d\nw\nq\nE", "printf 'q\\n' | ed a", 'ed -s a < script.ed', 'emacs --batch -l a.el'],
  ...['less a | head', 'man ls | cat', 'man -k copy', 'man -w ls', 'git log | cat', 'git --no-pager log'],
  ...[
    "psql -c 'select 1'",
    'psql -f a.sql',
    'psql shop < a.sql',
    "echo 'select 1' | psql",
    'psql -l',
    'psql -tAc "select 1"',
  ],
  ...['mysql shop < a.sql', "mysql -e 'select 1' shop", "sqlite3 a.db 'select 1'", 'sqlite3 a.db < a.sql'],
  ...['sqlite3 a.db .tables', 'redis-cli ping', 'redis-cli -h cache get a', "mongosh --eval 'db.stats()'"],
  ...[
    'ssh web-1 uptime',
    'ssh -p 22 me@web-1 "ls -la"',
    'ssh -T git@github.com',
    'ssh -N -L 1:db:2 web',
    'ssh -V',
  ],
  ...[
    'ssh web-1 < setup.sh',
    'sftp -b batch files',
    'sftp files:a.txt',
    'nc -z web 80',
    'echo x | nc web 80',
  ],
  ...['echo | openssl s_client -connect web:443', 'openssl x509 -in a.pem', 'docker run --rm alpine ls'],
  ...[
    'docker run -it --rm node:24 npm test',
    'docker exec -it db psql -U me -c "select 1"',
    'docker run -d -it alpine',
  ],
  ...[
    'docker exec web sh -c ls',
    'docker exec -it web sh -c ls',
    'docker compose exec -T db psql < a.sql',
    'docker compose run web ls',
  ],
  ...[
    'docker compose up -d',
    'docker ps',
    'kubectl exec web-0 -- ls',
    'kubectl exec -it web-0 -- ls',
    'kubectl get pods',
  ],
  ...[
    'gdb -batch -ex bt ./a.out',
    'tmux ls',
    'tmux new -d -s a',
    'screen -ls',
    'screen -dmS a sleep 1',
    'crontab -l',
  ],
  ...[
    "git commit -m 'x'",
    "git commit -am 'x'",
    'git commit --amend --no-edit',
    'git rebase main',
    'git add -A',
    'git tag v1',
  ],
  ...[
    'GIT_SEQUENCE_EDITOR=true git rebase -i HEAD~2',
    'GIT_EDITOR=true git commit',
    'git status',
    'git config user.name',
  ],
  ...['rsync -avz -e ssh src host:dest', 'script -q log npm test'],
  ...['npm start', 'make run', 'npm test', 'ls', 'node a.js', 'python3 a.py', 'echo vim', 'which less'],
];

describe('in Codex', () => {
  it.each(waiting)('asks before %s', (command) => expect(asks(command, 'codex')).toBe(true));
  it.each(working)('says nothing to %s', (command) => expect(asks(command, 'codex')).toBe(false));
});

it.each([undefined, 'claude', 'gemini', 'copilot', 'opencode'])('says nothing on %s', (host) => {
  expect(waiting.filter((command) => asks(command, host))).toEqual([]);
});
