// Secrets of the environment, and programs that print what they keep: the first stop, the others pass.

import { expect, it } from 'vitest';
import { commandJudge, shellAction } from '../../../tests/support/command-judge.ts';

const judge = commandJudge();

const classes: readonly (readonly [what: string, stopped: readonly string[], passed: readonly string[]])[] = [
  [
    'languages that reach the environment by names of their own',
    [
      `awk 'BEGIN{for(k in ENVIRON)print k,ENVIRON[k]}'`,
      `awk 'BEGIN{print ENVIRON["API_KEY"]}'`,
      `jq -n env`,
      `jq -n '$ENV.API_KEY'`,
      `jq -n '$ENV["API_KEY"]'`,
      `perl -e 'print %ENV'`,
      `lua -e 'print(os.getenv("API_KEY"))'`,
      `Rscript -e 'Sys.getenv()'`,
      `julia -e 'println(ENV["API_KEY"])'`,
      `php -r 'phpinfo();'`,
      `deno eval 'console.log(Deno.env.toObject())'`,
      `deno eval 'console.log(Deno.env.get("API_KEY"))'`,
      `bun -e 'console.log(Bun.env)'`,
    ],
    [
      `awk 'BEGIN{print ENVIRON["HOME"]}'`,
      `jq -n env.HOME`,
      `jq '.services[].env' docker.json`,
      `lua -e 'print(os.getenv("HOME"))'`,
      `Rscript -e 'Sys.getenv("R_HOME")'`,
      `julia -e 'println(ENV["PATH"])'`,
      `deno eval 'console.log(Deno.env.get("PORT"))'`,
    ],
  ],
  [
    'a file of variables that was read into the shell',
    [
      'set -a; . ./.env; set +a; env | grep STRIPE',
      'source .env && env | grep -i shop',
      `cat $(find . -name '.env*')`,
    ],
    ['env | grep -i shop', 'source .env && npm start', `cat $(find . -name 'README*')`],
  ],
  [
    'programs that print what they keep',
    [
      'systemctl --user show-environment',
      'launchctl getenv API_KEY',
      'tmux show-environment -g',
      'gpg -d secrets.gpg',
      'glab auth status -t',
      'netlify env:list',
      'dotnet user-secrets list',
      'bin/rails credentials:show',
      'terraform show -json',
      'pulumi config get dbPassword',
      'git archive HEAD .env | tar -xO',
      `perl -ne print .env`,
      `ruby -pe '$_.upcase!' .env`,
    ],
    [
      'systemctl --user status',
      'launchctl getenv PATH',
      'gpg --verify a.sig',
      'glab auth status',
      'dotnet user-secrets set Name value',
      'terraform show -json tf.plan',
      'pulumi config get aws:region',
      'git archive HEAD src | tar -x -C out',
      `perl -ne 'print if /a/' README.md`,
    ],
  ],
];

it.each(classes)('%s', async (_, stopped, passed) => {
  const passing: string[] = [];
  for (const command of [...stopped, ...passed])
    if ((await judge(shellAction(command))).stop === 'pass') passing.push(command);
  expect(passing).toEqual(passed);
});
