// Looks after the few files that can unhook a host: those that hold our hooks, those with switches that end hooks, and
// the clients. A file that was changed so that it unhooks a host is put right for the host's next run, and an alarm is
// raised. What else stands in it stays.

import { existsSync, type FSWatcher, readFileSync, realpathSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientProgramMode } from '../../config/index.ts';
import type { HomeSettings } from '../../run/integrity/home.ts';
import { type Alarm, type Integrity, textContent } from '../../run/integrity/index.ts';
import {
  isBlank,
  jsonTable,
  type SwitchFile,
  switchesIn,
  switchFiles,
  withoutSwitches,
} from '../../run/integrity/unhook.ts';
import { type ConnectedHost, registryText } from './connected.ts';
import { type HostName, hostNames } from './host.ts';
import { hosts } from './hosts.ts';
import type { SystemFile } from './managed.ts';
import { holdsOurs, isAsWritten, keepsOurs, oursAsText, rehooked } from './own-hooks.ts';
import { type Connections, registered } from './registry.ts';
import { hasPrefix, wirings, withoutOurs } from './wiring.ts';

export interface HookFilesOptions {
  readonly paths: { readonly hosts: string; readonly bin: string };
  /** The user's home folder, where hosts that settings of the machine hook keep their own. */
  readonly userHome: string;
  /** What puts files back and raises alarms. */
  readonly integrity: Pick<Integrity, 'putBack' | 'know'>;
  /** What the log says of the hosts that are connected. */
  readonly connections: Connections;
  /** The settings of the home, which are looked at with the others. */
  readonly own?: Pick<HomeSettings, 'file' | 'look'>;
  /** In whose name an alarm is written down that no call caused. */
  readonly owner: { readonly user: string; readonly tenant: string };
  /**
   * The texts that the client of a host may have, `text` among them if `init` wrote it; none where that is not known.
   */
  readonly clients: (host: HostName, text: string | null) => Promise<readonly string[]>;
  /** Whether hosts start their commands through the client where they can. */
  readonly isShellWanted?: () => boolean;
  /** The files of the machine that hook a host, as they should be; none where they do not. */
  readonly machine?: (host: HostName) => readonly SystemFile[];
  /** Told of what failed behind the daemon's back. */
  readonly report: (event: string, error: unknown) => void;
}

/** One file, and what is asked of it. */
interface Watched {
  readonly host: HostName;
  readonly file: string;
  /** How to read switches in it; absent where it can have none. */
  readonly form?: SwitchFile['form'];
  /** `hooks`: ours must stand in it. `client`: it is our program. */
  readonly holds?: 'hooks' | 'client';
  /** Of a file of the machine: what it must hold. */
  readonly wanted?: string;
}

/** What is wrong with a file, and its text put right; null where nobody knows how. */
interface Wrong {
  readonly why: string;
  readonly right: string | null;
}

/** How long a file that could not be restored is left alone at first, and at most, in milliseconds. */
const retryMs = { first: 1000, most: 60_000 };
/** Several writes in a row are looked at once, so that a person's own command is seen when it is done. */
const settleMs = 250;
/** Of how many projects files are watched. */
const mostProjects = 50;

export class HookFiles {
  readonly #options: HookFilesOptions;
  readonly #projects = new Map<string, ReadonlySet<HostName>>();
  /** What each file was when it was last looked at. */
  readonly #stamps = new Map<string, string>();
  /** The last text of each file with which its host was hooked. */
  readonly #good = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #unreported = new Map<HostName, Alarm>();
  #wired: readonly ConnectedHost[] = [];
  #registry = '';
  /** What the settings of the home were when they were last found right. */
  #settings = '';
  #reading: Promise<readonly Alarm[]> = Promise.resolve([]);
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryIn = retryMs.first;
  #round: Promise<void> = Promise.resolve();
  #isStopped = true;

  constructor(options: HookFilesOptions) {
    this.#options = options;
    options.integrity.know((host, text) => withoutOurs(host, text, this.#script(host)));
  }

  /** Begins to watch, and looks once: somebody may have changed a file while the daemon was away. */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#round;
  }

  /** How many files of hosts are connected. */
  connected(): number {
    return this.#wired.length;
  }

  /** The newest alarm of a host that its user has not seen yet, once. */
  unreported(host: HostName): Alarm | null {
    const alarm = this.#unreported.get(host) ?? null;
    this.#unreported.delete(host);
    return alarm;
  }

  /** A session of a host works in a folder, whose files can unhook it. */
  async visit(host: HostName, project: string): Promise<void> {
    const known = this.#projects.get(project);
    this.#projects.delete(project);
    this.#projects.set(project, new Set([...(known ?? []), host]));
    for (const [oldest] of this.#projects) {
      if (this.#projects.size <= mostProjects) break;
      this.#projects.delete(oldest);
    }
    await this.look();
  }

  /**
   * Why a change of a host's settings may not count, or null. A text that cannot be read is refused: a host that reads it
   * may find in it what we do not.
   */
  async refusal(host: HostName, file: string | undefined): Promise<string | null> {
    await this.#readRegistry();
    if (file === undefined) {
      return (await this.#looked()).find((alarm) => alarm.of === host)?.why ?? null;
    }
    const real = realFile(file);
    const known = this.#watched().find((one) => one.host === host && one.file === real);
    const one: Watched = known ?? { host, file: real, form: 'json' };
    const wrong = await this.#wrong(one);
    if (wrong !== null) {
      if (known !== undefined) await this.look();
      return wrong.why;
    }
    const text = textOf(real);
    const isPlain = text === null || text.trim() === '' || jsonTable(text) !== null;
    return isPlain || one.form !== 'json' ? null : 'it cannot be read as JSON';
  }

  /** Looks at every file that changed since the last look, and puts right what unhooks a host. */
  async look(): Promise<void> {
    await this.#looked();
  }

  /** The same, with the alarms that it raised. `isUncalled`: a change of a file made us look, and no call. */
  #looked(isUncalled = false): Promise<readonly Alarm[]> {
    const raised: Alarm[] = [];
    const round = this.#round.then(async () => {
      try {
        const own = [...(await this.#readRegistry()), ...(await this.#readSettings())];
        // What belongs to no single host is shown to the users of all.
        for (const alarm of own) for (const { host } of this.#wired) this.#unreported.set(host, alarm);
        raised.push(...own);
        for (const one of this.#watched()) raised.push(...(await this.#examine(one, isUncalled)));
        this.#retryLater(raised.some(({ restored }) => !restored));
        if (!this.#isStopped) this.#watch();
      } catch (error) {
        this.#options.report('hook_files_failed', error);
      }
    });
    this.#round = round;
    return round.then(() => raised);
  }

  /** A file that could not be restored is tried again, ever more rarely; each call tries as well. */
  #retryLater(isNeeded: boolean): void {
    clearTimeout(this.#retry);
    if (!isNeeded || this.#isStopped) this.#retryIn = retryMs.first;
    else {
      this.#retry = setTimeout(() => void this.#looked(true), this.#retryIn).unref();
      this.#retryIn = Math.min(this.#retryIn * 2, retryMs.most);
    }
  }

  /**
   * Looks at the settings of the home where they changed. INVARIANT: only a state that was found right is not read again,
   * and its stamp is from before it was read: something may write meanwhile.
   */
  async #readSettings(): Promise<readonly Alarm[]> {
    const { own } = this.#options;
    const stamp = own === undefined ? '' : stampOf(own.file);
    if (own === undefined || stamp === this.#settings) return [];
    const alarms = await own.look();
    if (alarms.length === 0) this.#settings = stamp;
    return alarms;
  }

  /** Reads the registry where it changed, and restores what went from it; gives the alarm of that. */
  #readRegistry(): Promise<readonly Alarm[]> {
    const reading = this.#reading.then(() => this.#registered());
    this.#reading = reading.catch(() => []);
    return reading;
  }

  /** INVARIANT: a file that was just registered is not missed before it was seen to hold our hooks. */
  async #registered(): Promise<readonly Alarm[]> {
    const { paths, connections, integrity, owner } = this.#options;
    const stamp = stampOf(paths.hosts);
    if (stamp === this.#registry) return [];
    const isFirst = this.#registry === '';
    const { connected, missing } = await registered(paths.hosts, connections);
    const known = new Set(this.#wired.map(({ host, file }) => `${host} ${file}`));
    this.#wired = connected;
    this.#registry = stamp;
    for (const one of connected) {
      const key = `${one.host} ${one.file}`;
      this.#stamps.delete(key);
      // INVARIANT: writing the registry changes nothing for a host that was connected before.
      if (known.has(key)) continue;
      const good = this.#goodOf(one, isFirst || missing.includes(one));
      if (good === null) this.#good.delete(one.file);
      else this.#good.set(one.file, good);
    }
    if (missing.length === 0) return [];
    const names = missing.map(({ host, file }) => `${host} (${file})`).join(', ');
    const why = `it no longer named connected hosts, and no signature covers that: ${names}`;
    const right = textContent(paths.hosts, registryText(connected));
    const who = { ...owner, agent: '', run: '', decisionId: '' };
    const alarm = await integrity.putBack({ of: 'sallyport', file: paths.hosts, why, right }, who, true);
    // It is read again with the next look: something may have written meanwhile.
    this.#registry = 'restored';
    return [alarm];
  }

  /**
   * The text that a file of a new connection is compared with: empty where any hooks of ours will do, null where they are
   * still to be written. What the log says of the hooks is compared once, for what was changed while the daemon was away.
   */
  #goodOf({ host, file, hooks }: ConnectedHost, isMissed: boolean): string | null {
    const text = textOf(file);
    const script = this.#script(host);
    if (text === null || !holdsOurs(host, text, script)) return isMissed ? '' : null;
    const isKnown =
      hooks === undefined ||
      isAsWritten(host, text, script) ||
      this.#options.connections.seal(oursAsText(host, text, script)) === hooks;
    return isKnown ? text : wirings[host].add(text, script);
  }

  #script(host: HostName): string {
    return join(this.#options.paths.bin, host);
  }

  #watched(): readonly Watched[] {
    // A host that asks is hooked, be it by settings of the machine that the registry does not name.
    const registered = [...new Set(this.#wired.map(({ host }) => host))];
    const asking = [...this.#projects.values()].flatMap((names) => [...names]);
    const elsewhere = [...new Set(asking)].filter((host) => !registered.includes(host));
    const holding = this.#wired.map(({ host, file }): Watched => {
      const form = switchFiles[host].user.find(({ path }) => file.endsWith(`/${path}`))?.form;
      return { host, file, holds: 'hooks', ...(form === undefined ? {} : { form }) };
    });
    const folders = [
      ...this.#wired.flatMap(({ host, file }) => {
        const { file: own } = wirings[host].user;
        return file.endsWith(`/${own}`) ? [{ host, folder: file.slice(0, -own.length - 1) }] : [];
      }),
      ...elsewhere.map((host) => ({ host, folder: join(this.#options.userHome, wirings[host].user.folder) })),
    ];
    const ofUser = folders.flatMap(({ host, folder }) =>
      switchFiles[host].user.map(({ path, form }) => ({ host, file: join(folder, path), form })),
    );
    const ofProjects = [...this.#projects].flatMap(([project, names]) =>
      [...names].flatMap((host) =>
        switchFiles[host].project.map(({ path, form }) => ({ host, file: join(project, path), form })),
      ),
    );
    const clients = registered.map((host) => ({ host, file: this.#script(host), holds: 'client' as const }));
    const all: readonly Watched[] = [...holding, ...ofUser, ...ofProjects, ...clients, ...this.#ofMachine()];
    return [...new Map([...all].reverse().map((one) => [`${one.host} ${one.file}`, one])).values()].reverse();
  }

  #ofMachine(): readonly Watched[] {
    const { machine } = this.#options;
    if (machine === undefined) return [];
    return hostNames.flatMap((host) =>
      machine(host).flatMap(({ path, text }) => (text === null ? [] : [{ host, file: path, wanted: text }])),
    );
  }

  async #examine(one: Watched, isUncalled: boolean): Promise<readonly Alarm[]> {
    const { host, file, holds } = one;
    const key = `${host} ${file}`;
    const stamp = stampOf(file);
    const last = this.#stamps.get(key);
    if (last === stamp) return [];
    const wrong = await this.#wrong(one);
    if (wrong === null) {
      const text = textOf(file);
      if (holds !== undefined && text !== null) this.#good.set(file, text);
      this.#stamps.set(key, stamp);
      return [];
    }
    const { why, right } = wrong;
    // A file that was not there before, and that has nothing in it but what unhooks, goes as a whole.
    const isEmpty = holds === undefined && last === 'none' && right !== null && isBlank(right);
    const content =
      right === null
        ? undefined
        : isEmpty
          ? null
          : textContent(file, right, holds === 'client' ? clientProgramMode() : 0o600);
    const { user, tenant } = this.#options.owner;
    const who = { user, tenant, agent: host, run: '', decisionId: '' };
    const alarm = await this.#options.integrity.putBack(
      { of: host, file, why, right: content },
      who,
      isUncalled,
    );
    // INVARIANT: only a state that was read and found right is not read again: something may have written meanwhile.
    const now = stampOf(file);
    if ((await this.#wrong(one)) === null) this.#stamps.set(key, now);
    else this.#soon();
    this.#unreported.set(host, alarm);
    return [alarm];
  }

  /** What is wrong with a file; null where its host stays hooked. */
  async #wrong({ host, file, form, holds, wanted }: Watched): Promise<Wrong | null> {
    const text = textOf(file);
    if (wanted !== undefined) {
      return text === wanted
        ? null
        : { why: 'settings of the machine were taken out or changed', right: wanted };
    }
    if (holds === 'client') return await this.#wrongClient(host, text);
    const script = this.#script(host);
    const found =
      form === undefined || text === null ? [] : switchesIn(host, form, withoutOurs(host, text, script));
    const cleared =
      form === undefined || text === null || found.length === 0
        ? text
        : withoutSwitches(host, form, text, found);
    const good = holds === 'hooks' ? this.#good.get(file) : undefined;
    const isHooked =
      good === undefined ||
      keepsOurs(host, text, good, script) ||
      (text !== null && jsonTable(text) !== null && isAsWritten(host, text, script));
    if (isHooked) return this.#switchedOff(host, found[0]?.why, cleared, good);
    const why = text === null ? 'the file with the hooks is gone' : 'the hooks were taken out or changed';
    return { why, right: rehooked(host, cleared, good, script) };
  }

  /** What is wrong with a file whose hooks are whole; `why` is there where a setting switches them off. */
  #switchedOff(
    host: HostName,
    why: string | undefined,
    cleared: string | null,
    good: string | undefined,
  ): Wrong | null {
    const isLost = cleared !== null && good !== undefined && this.#lostShell(host, cleared, good);
    if (why === undefined && !isLost) return null;
    return {
      why: why ?? 'commands no longer start through the client',
      right: isLost ? wirings[host].add(cleared, this.#script(host), true) : cleared,
    };
  }

  /** Whether a host no longer starts its commands through the client, though it should and did. */
  #lostShell(host: HostName, text: string, good: string): boolean {
    const script = this.#script(host);
    if (this.#options.isShellWanted?.() !== true || jsonTable(good) === null) return false;
    return hasPrefix(good, script) && !hasPrefix(text, script);
  }

  async #wrongClient(host: HostName, text: string | null): Promise<Wrong | null> {
    const expected = await this.#options.clients(host, text);
    if (expected.length === 0 || (text !== null && expected.includes(text))) return null;
    const good = this.#good.get(this.#script(host));
    const isGood = good !== undefined && (await this.#options.clients(host, good)).includes(good);
    const right = isGood ? good : (expected[0] ?? null);
    return { why: text === null ? 'the client is gone' : 'the client was changed', right };
  }

  /** Watches the folders of all files; where one is not there yet, the nearest folder that is. */
  #watch(): void {
    const { paths, own } = this.#options;
    const ours = own === undefined ? [paths.hosts] : [paths.hosts, own.file];
    const files = [...ours, ...this.#watched().map(({ file }) => file)];
    const folders = new Set(files.map((file) => nearestFolder(dirname(file))));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#soon());
        // A folder that goes is seen by the next look; until then, every hook looks as well.
        watcher.on('error', () => {
          watcher.close();
          this.#watchers.delete(folder);
        });
        this.#watchers.set(folder, watcher);
      } catch (error) {
        this.#options.report('hook_files_failed', error);
      }
    }
  }

  #soon(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#looked(true);
    }, settleMs).unref();
  }
}

/** The sentence for the user of a host. */
export function alarmText(host: HostName, { of, file, why, restored, kept }: Alarm): string {
  const copy = kept === null ? '' : ` The version that it replaced is ${kept}.`;
  const what = restored
    ? `The file was restored.${copy}`
    : 'It could not be restored: run sallyport doctor, then sallyport init.';
  if (of === 'sallyport') return `something changed a file of Sallyport: ${file}: ${why}. ${what}`;
  return `something tried to unhook ${hosts[host].title}: ${file}: ${why}. ${what} To disconnect it yourself, run sallyport init ${host} --remove.`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** What tells one state of a file from another, without reading it. */
function stampOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs, mode } = statSync(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
  } catch {
    return 'none';
  }
}

function realFile(file: string): string {
  try {
    return existsSync(file)
      ? realpathSync(file)
      : join(realpathSync(dirname(file)), file.split('/').at(-1) ?? '');
  } catch {
    return file;
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(dirname(folder));
}
