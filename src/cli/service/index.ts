// The service of the user's account: whether there is a manager for it, and how it is installed, started and removed.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, resolve } from 'node:path';
import { account, type HomePaths, prepareHome } from '../../config/index.ts';
import { SallyportError, visible } from '../../core/index.ts';
import type { Call } from '../command.ts';
import { programOnPath } from '../hosts.ts';
import { openHome } from '../open.ts';
import { launchdService, type ServiceFile, type ServiceParts, systemdService } from './files.ts';

/** The manager refused a step. */
class ServiceFailed extends SallyportError {}

/** A service of this account that can be installed, with the program of its manager. */
export interface Service extends ServiceFile {
  readonly control: string;
}

/** How the service stands. */
export type ServiceState = 'none' | 'installed' | 'other';

/** How long a step of the manager may take, in milliseconds. */
const patienceMs = 30_000;

/** The service of this home; null where no manager of the user's account answers. */
export function serviceHere(call: Call, platform: string = process.platform): Service | null {
  const parts = partsHere(call);
  const darwin = platform === 'darwin';
  const control = programOnPath(call.io.environment, darwin ? 'launchctl' : 'systemctl');
  if (control === undefined) return null;
  const service = { ...(darwin ? launchdService(parts) : systemdService(parts)), control };
  if (darwin) return service;
  // Answers where the account has a manager: in a container, or under su, it has none.
  return run(call, service, ['--user', 'show-environment']).status === 0 ? service : null;
}

/** The file of the service by its place alone, whether or not its manager answers. */
export function serviceFile(call: Call, platform: string = process.platform): ServiceFile {
  const parts = partsHere(call);
  return platform === 'darwin' ? launchdService(parts) : systemdService(parts);
}

function partsHere(call: Call): ServiceParts {
  const { environment } = call.io;
  const { home } = openHome(call);
  const { XDG_CONFIG_HOME: configFolder = '', PATH = '', HOME = account().home } = environment;
  // npx puts the programs of one project first; the daemon serves every project.
  const path = PATH.split(delimiter).filter((one) => isAbsolute(one) && !one.endsWith('/node_modules/.bin'));
  const config = call.value('config');
  return {
    ...{ user: HOME, home, path: [...new Set(path)].join(delimiter) },
    node: realpathSync(process.execPath),
    program: realpathSync(process.argv[1] ?? ''),
    ...(config === undefined ? {} : { config: resolve(call.io.folder(), config) }),
    ...(isAbsolute(configFolder) ? { configFolder } : {}),
  };
}

/** Whether the file of the service is there, and is the one that this program would write. */
export function stateOf({ file, text }: ServiceFile): ServiceState {
  if (!existsSync(file)) return 'none';
  return readFileSync(file, 'utf8') === text ? 'installed' : 'other';
}

/** Writes the service and starts it now and at each sign-in. */
export function installService(call: Call, service: Service): void {
  prepareHome(openHome(call).home);
  mkdirSync(dirname(service.file), { recursive: true });
  writeFileSync(service.file, service.text, { mode: 0o644 });
  if (service.manager === 'systemd') {
    step(call, service, ['--user', 'daemon-reload']);
    step(call, service, ['--user', 'enable', '--quiet', service.name]);
  }
  startService(call, service);
}

/** Starts the service; a daemon that runs already goes on. */
function startService(call: Call, service: Service): void {
  const { paths: own } = openHome(call);
  wantRunning(own);
  if (service.manager === 'systemd') {
    step(call, service, ['--user', 'restart', service.name]);
    return;
  }
  // One that is loaded already is loaded again, so that a new text counts.
  run(call, service, ['bootout', target(service)]);
  step(call, service, ['bootstrap', domain(), service.file]);
}

/** A daemon that a person stopped is wanted again. */
function wantRunning({ stopped }: Pick<HomePaths, 'stopped'>): void {
  rmSync(stopped, { force: true });
}

/** Stops the service and takes its file away; whether there was one. */
export function removeService(call: Call): boolean {
  const { file } = serviceFile(call);
  if (!existsSync(file)) return false;
  const service = serviceHere(call);
  if (service?.manager === 'systemd')
    run(call, service, ['--user', 'disable', '--now', '--quiet', service.name]);
  if (service?.manager === 'launchd') run(call, service, ['bootout', target(service)]);
  rmSync(file, { force: true });
  if (service?.manager === 'systemd') run(call, service, ['--user', 'daemon-reload']);
  return true;
}

function domain(): string {
  return `gui/${account().uid}`;
}

function target({ name }: Service): string {
  return `${domain()}/${name}`;
}

function step(call: Call, service: Service, args: readonly string[]): void {
  const { status, stderr } = run(call, service, args);
  if (status === 0) return;
  const line = [service.control, ...args].join(' ');
  throw new ServiceFailed(`${line} failed: ${visible(stderr.trim(), 500) || `exit code ${status}`}`, {
    hint: 'set up without a service: --no-service; hosts then start the daemon with their first call',
  });
}

function run(call: Call, { control }: Pick<Service, 'control'>, args: readonly string[]) {
  const { status, stderr } = spawnSync(control, args, {
    encoding: 'utf8',
    env: { ...call.io.environment },
    timeout: patienceMs,
  });
  return { status, stderr: stderr ?? '' };
}
