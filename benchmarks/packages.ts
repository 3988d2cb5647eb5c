// npm run eval:packages -- FOLDER: fetches versions of real packages, whose sources the evaluation of the guard on references
// replays (npm run eval changes -- --corpus FOLDER). By name, through npm and apt; nothing of them becomes part of the
// repository. APT_CONFIG may name further releases of Debian, so that a package comes in more than one version.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** npm packages that ship their sources, in two versions each. */
const npm: Readonly<Record<string, readonly [string, string]>> = {
  rxjs: ['7.5.0', '7.8.2'],
  zod: ['3.25.76', '4.1.0'],
  viem: ['2.21.0', '2.38.0'],
  '@reduxjs/toolkit': ['2.2.0', '2.9.0'],
  immer: ['10.0.0', '10.1.0'],
  mobx: ['6.10.0', '6.13.0'],
  '@trpc/server': ['11.0.0', '11.6.0'],
  effect: ['3.10.0', '3.18.0'],
  preact: ['10.19.0', '10.27.0'],
  svelte: ['5.1.0', '5.39.0'],
};
const debian = [
  ...['aiohttp', 'attr', 'click', 'django', 'flask', 'httpx', 'jinja2', 'networkx', 'pydantic', 'pytest'].map(
    python,
  ),
  ...['requests', 'rich', 'sphinx', 'sqlalchemy', 'starlette', 'sympy', 'twisted', 'werkzeug'].map(python),
  ...['etcd-server', 'github-docker-docker', 'github-gin-gonic-gin', 'github-go-chi-chi'].map(go),
  ...['github-go-git-go-git', 'github-gorilla-mux', 'github-hashicorp-hcl-v2', 'github-jackc-pgx-v4'].map(go),
  ...['github-labstack-echo', 'github-prometheus-client-golang', 'github-sirupsen-logrus'].map(go),
  ...['github-spf13-cobra', 'github-spf13-pflag', 'github-spf13-viper', 'github-stretchr-testify'].map(go),
  ...['github-urfave-cli-v2', 'go.uber-zap', 'golang-x-crypto', 'golang-x-net', 'golang-x-tools'].map(go),
  ...['google-grpc', 'google-protobuf', 'gopkg-yaml.v3', 'k8s-apimachinery', 'k8s-client-go'].map(go),
  'golang-1.24-src',
];

function python(name: string): string {
  return `python3-${name}`;
}

function go(name: string): string {
  return `golang-${name}-dev`;
}

const [given] = process.argv.slice(2);
if (given === undefined) {
  process.stderr.write('Usage: npm run eval:packages -- FOLDER\n');
  process.exit(2);
}
const folder = resolve(given);
for (const [name, versions] of Object.entries(npm))
  for (const version of versions) fetchNpm(`${name}@${version}`);
for (const name of debian) for (const version of versionsOf(name)) fetchDebian(name, version);

/** Unpacks what a command puts into an empty folder; says so where it puts nothing there. */
function unpack(
  target: string,
  fetch: (into: string) => void,
  open: (file: string) => readonly string[],
): void {
  if (existsSync(target)) return;
  const into = join(folder, 'fetched');
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  fetch(into);
  const [file] = readdirSync(into);
  if (file === undefined) return void process.stdout.write(`${target}: not offered\n`);
  mkdirSync(target, { recursive: true });
  const [program = '', ...rest] = open(join(into, file));
  spawnSync(program, rest, { cwd: target });
  rmSync(into, { recursive: true });
  process.stdout.write(`${target}\n`);
}

function fetchNpm(name: string): void {
  unpack(
    join(folder, 'npm', name.replace('/', '+')),
    (into) => spawnSync('npm', ['pack', '--silent', name], { cwd: into }),
    (file) => ['tar', '-xzf', file, '--strip-components=1'],
  );
}

function versionsOf(name: string): readonly string[] {
  const { stdout } = spawnSync('apt-cache', ['madison', name], { encoding: 'utf8' });
  return [...new Set(stdout.split('\n').flatMap((line) => line.split('|')[1]?.trim() ?? []))];
}

function fetchDebian(name: string, version: string): void {
  unpack(
    join(folder, 'debian', `${name}_${version}`),
    (into) => spawnSync('apt-get', ['download', `${name}=${version}`], { cwd: into }),
    (file) => ['dpkg', '-x', file, '.'],
  );
}
