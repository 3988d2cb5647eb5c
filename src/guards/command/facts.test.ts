// Facts about programs: which options take a value, which words are run, which verbs reach others.

import { describe, expect, it } from 'vitest';
import { commandJudge, shellAction } from '../../../tests/support/command-judge.ts';
import { shellAlone } from './index.ts';
import { loadParts } from './need.ts';

await loadParts();
const judge = commandJudge();

/** The effects of a command, without their places in it. */
function effectsOf(command: string): unknown {
  const around = { cwd: '/workspace/project', home: '/home/someone', spend: () => {} };
  return shellAlone.shell(command, around).effects.map((effect) => ({ ...effect, span: null, force: null }));
}

/** Two spellings that do the same: the words that only the first has are an option, or an option and its value. */
const same: readonly (readonly [withOption: string, without: string])[] = [
  ['docker buildx --builder b rm x', 'docker buildx rm x'],
  ['docker commit -m text web image', 'docker commit web image'],
  ['docker network create -d bridge net', 'docker network create net'],
  ['docker kill -s TERM web', 'docker kill web'],
  ['helm --kube-token t uninstall web', 'helm uninstall web'],
  ['helm --kube-token=t uninstall web', 'helm uninstall web'],
  ['kubectl create namespace -o yaml n', 'kubectl create namespace n'],
  ['dbt --log-format json run', 'dbt run'],
  ['dbt --log-format=json run', 'dbt run'],
  ['django-admin --settings app.settings flush', 'django-admin --settings=app.settings flush'],
  ['pulumi --tracing file:x destroy', 'pulumi destroy'],
  ['fastly service --service-id s delete', 'fastly service delete'],
  ['aws s3 cp --storage-class GLACIER a.txt s3://b/a', 'aws s3 cp a.txt s3://b/a'],
  ['aws ec2 terminate-instances --instance-ids i-1', 'aws ec2 terminate-instances --instance-ids i-2'],
  ['gcloud compute instances delete --zone z web', 'gcloud compute instances delete web'],
  ['gcloud compute instances delete --async web', 'gcloud compute instances delete web'],
  ['gcloud compute instances delete --no-user-output-enabled web', 'gcloud compute instances delete web'],
  ['yt-dlp -x https://example.com/v', 'yt-dlp https://example.com/v'],
  ['youtube-dl --playlist-items 1 https://example.com/v', 'youtube-dl https://example.com/v'],
  ['sftp -r u@example.com:d', 'sftp u@example.com:d'],
  ['whois -b example.com', 'whois example.com'],
  ['nmap -A example.com', 'nmap example.com'],
  ['traceroute -I example.com', 'traceroute example.com'],
  ['curl --crlf https://example.com/', 'curl https://example.com/'],
  ['curl --proxy-header X:y https://example.com/', 'curl https://example.com/'],
  ['ag -f px src', 'ag px src'],
  ['jq --slurp . a.json', 'jq . a.json'],
  ['diff --horizon-lines 3 a b', 'diff a b'],
  ['pandoc --toc-depth 2 a.md', 'pandoc a.md'],
  ['pipx install -f ruff', 'pipx install ruff'],
  ['uv pip install -n ruff', 'uv pip install ruff'],
  ['gcc -idirafter include a.c', 'gcc a.c'],
  ['killall -q node', 'killall node'],
  ['pnpm -w add left-pad', 'pnpm add left-pad'],
  ['curl --ftp-ssl-ccc https://example.com/', 'curl https://example.com/'],
  ['tar -cf a.tar --sparse a.txt', 'tar -cf a.tar a.txt'],
];

/** Commands of which the second word or a later one is an operand, although others read it as a value. */
const operands: readonly (readonly [command: string, effect: string])[] = [
  ['diff -u a.txt b.txt', 'a.txt'],
  ['sed -i s/a/b/ a.txt', 'a.txt'],
  ['stat -f a.txt', 'a.txt'],
  ['readlink -f a.txt', 'a.txt'],
  ['rsync -d a/ b/', 'a/'],
  ['git branch -D topic', 'topic'],
  ['mysql -p shop -e "DROP TABLE a"', 'drop'],
  ['less -S a.txt', 'a.txt'],
];

type Class = readonly [what: string, dangerous: readonly string[], harmless: readonly string[]];

const classes: readonly Class[] = [
  [
    'a command of a service that starts another program here',
    [
      "doppler run --command 'rm -rf /'",
      "doppler run -p shop --command 'rm -rf /'",
      "infisical run --command 'rm -rf /'",
      'infisical run -- rm -rf /',
      "netlify dev --command 'rm -rf /'",
      "netlify dev --command='rm -rf /'",
      "ntl dev -c 'rm -rf /'",
      'netlify dev:exec rm -rf /',
      'railway run rm -rf /',
      'heroku local:run rm -rf /',
      "firebase emulators:exec --only firestore 'rm -rf /'",
      'sst shell rm -rf /',
      'pulumi env run e -- rm -rf /',
      "sops exec-env a.env 'rm -rf /'",
      'chamber exec shop -- rm -rf /',
      'saml2aws exec -- rm -rf /',
      'chezmoi git bisect run rm -rf /',
      'pass git bisect run rm -rf /',
      "dvc run -n train 'rm -rf /'",
      "tsup --onSuccess 'rm -rf /'",
      "air --build.cmd 'rm -rf /'",
      "mise x -c 'rm -rf /'",
      "mise exec --command 'rm -rf /'",
      "flock --command 'rm -rf /' lock",
      'limactl shell vm rm -rf /',
      'colima ssh -- rm -rf /',
      "minikube ssh 'rm -rf /'",
      'uv run --extra dev rm -rf /',
      'pry --exec \'system("rm -rf /")\'',
      'elixir --eval \'System.cmd("rm", ["-rf", "/"])\'',
    ],
    [
      "doppler run --command 'npm run build && npm start'",
      'netlify dev -p 3000',
      'railway run npm start',
      "firebase emulators:exec 'npm test'",
      'sst shell vitest',
      'chezmoi git status',
      "tsup src/index.ts --onSuccess 'node dist/index.js'",
      'minikube ssh',
      'dvc run -n train python3 train.py',
      'uv run --extra dev pytest',
    ],
  ],
  [
    'a program that is not known, before a command',
    ['remotion lambda sites rm -f', 'npx remotion lambda sites rm -f site', 'frobnicate rm -f a.txt'],
    ['frobnicate --version', 'nice npm test'],
  ],
  [
    'a verb of a tool of projects that publishes',
    [
      'mkdocs gh-deploy --force',
      'mkdocs -f docs.yml gh-deploy',
      'hugo deploy',
      'hexo d',
      'ng deploy',
      'nx release',
      'buf push',
      'wasm-pack publish',
      'pio pkg publish',
      'hf upload owner/model .',
      'dvc push',
      'prefect deploy',
      'cast send 0x1 "transfer()"',
      'hardhat run scripts/deploy.js --network mainnet',
      'truffle migrate --network=mainnet',
      'pulumi policy publish org',
    ],
    [
      'mkdocs build',
      'hugo server',
      'hugo deploy --dryRun',
      'nx release --dry-run',
      'nx run shop:build',
      'buf lint',
      'hf download owner/model',
      'dvc pull',
      'cast call 0x1 "name()"',
      'hardhat test',
      'hardhat run scripts/deploy.js --network localhost',
      'truffle migrate',
    ],
  ],
  [
    'a verb that deletes elsewhere or for good',
    [
      'pulumi policy rm org/pack 1 -y',
      'pulumi policy disable org/pack',
      'dotnet nuget delete Shop 1.0.0',
      'dotnet ef database drop',
      'hf repo delete owner/model',
      'tkn pipeline delete build',
      'celery -A shop purge',
      'rq empty default',
      'mlflow experiments delete -x 1',
      'limactl stop --force vm',
      'kubectx -d prod',
      'trash -e',
      'docker buildx --builder b rm b',
    ],
    [
      'pulumi policy ls',
      'pulumi stack ls',
      'dotnet build',
      'tkn pipeline list',
      'celery -A shop worker',
      'limactl stop vm',
      'kubectx prod',
      'trash notes.txt',
    ],
  ],
  [
    'a change of a database behind options of the program',
    [
      'dbt --profiles-dir p run --target prod',
      'FLASK_ENV=production flask db upgrade',
      'django-admin --settings=app.settings flush',
    ],
    ['dbt compile', 'flask run', 'django-admin --settings=app.settings check'],
  ],
  [
    'a file of the project that shells run from then on',
    ['direnv allow', 'direnv allow .', 'mise trust'],
    ['direnv status', 'direnv reload', 'mise install'],
  ],
];

describe('an option and its value', () => {
  it.each(same)('%s does as %s', (withOption, without) => {
    expect(effectsOf(withOption)).toEqual(effectsOf(without));
  });

  it.each(operands)('%s is about %s', (command, named) => {
    expect(JSON.stringify(effectsOf(command))).toContain(named);
  });
});

describe.each(classes)('%s', (_, dangerous, harmless) => {
  it.each(dangerous)('stops %s', async (command) => {
    expect((await judge(shellAction(command))).stop).not.toBe('pass');
  });

  it.each(harmless)('lets pass %s', async (command) => {
    expect((await judge(shellAction(command))).findings).toEqual([]);
  });
});
