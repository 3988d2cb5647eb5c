// Looks after the few files that can unhook a host: those that hold our hooks, those with switches that end hooks, and
// the clients. A file that was changed so that it unhooks a host is put right for the host's next run, and an alarm is
// raised. What else stands in it stays.

import { existsSync, type FSWatcher, readFileSync, realpathSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientProgramMode } from '../../config/index.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  SallyportError,
} from '../../core/index.ts';
import { type Alarm, type Integrity, textContent } from '../../run/integrity/index.ts';
import {
  entriesIn,
  isBlank,
  jsonTable,
  type SwitchFile,
  switchesIn,
  switchFiles,
  withoutSwitches,
} from '../../run/integrity/unhook.ts';
import { type HostName, hostNames } from './host.ts';
import { hosts } from './hosts.ts';
import type { SystemFile } from './managed.ts';
import { type WiredHost, wiredHosts } from './wired.ts';
import { wirings } from './wiring.ts';

export interface HookFilesOptions {
  readonly paths: { readonly hosts: string; readonly bin: string };
  /** The user's home folder, where hosts that settings of the machine hook keep their own. */
  readonly userHome: string;
  /** What puts files back and raises alarms. */
  readonly integrity: Pick<Integrity, 'putBack' | 'know'>;
  /** In whose name an alarm is written down that no call caused. */
  readonly owner: { readonly user: string; readonly tenant: string };
  /**
   * The texts that the client of a host may have, `text` among them if `init` wrote it; none where that is not known.
   */
  readonly clients: (host: HostName, text: string | null) => Promise<readonly string[]>;
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
  #wired: readonly WiredHost[] = [];
  #registry = '';
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = true;

  constructor(options: HookFilesOptions) {
    this.#options = options;
    options.integrity.know((host, text) => this.#withoutOurs(host, text));
  }

  /** Begins to watch, and looks once: somebody may have changed a file while the daemon was away. */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#round;
  }

  /** The newest alarm of a host that its user was not told of yet, once. */
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
   * Why a change of a host's settings may not count, or null. A text that cannot be read is refused: whoever reads it
   * may find in it what we do not.
   */
  async refusal(host: HostName, file: string | undefined): Promise<string | null> {
    this.#readRegistry();
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

  /** The same, with the alarms that it raised. `isLimited`: a change of a file made us look, and no call. */
  #looked(isLimited = false): Promise<readonly Alarm[]> {
    const raised: Alarm[] = [];
    const round = this.#round.then(async () => {
      try {
        this.#readRegistry();
        for (const one of this.#watched()) raised.push(...(await this.#examine(one, isLimited)));
        if (!this.#isStopped) this.#watch();
      } catch (error) {
        this.#options.report('hook_files_failed', error);
      }
    });
    this.#round = round;
    return round.then(() => raised);
  }

  /** INVARIANT: a file that was just registered is not missed before it was seen to hold our hooks. */
  #readRegistry(): void {
    const { hosts: file } = this.#options.paths;
    const stamp = stampOf(file);
    if (stamp === this.#registry) return;
    const isFirst = this.#registry === '';
    this.#wired = wiredHosts({ hosts: file });
    this.#registry = stamp;
    for (const { file: wired, host } of this.#wired) {
      const text = textOf(wired);
      const isHooked = text !== null && holdsOurs(host, text, this.#script(host));
      // Whoever wrote the registry anew wrote hooks anew; at the start there is nothing to compare them with.
      if (isHooked) this.#good.set(wired, text);
      else if (isFirst) this.#good.set(wired, '');
      else this.#good.delete(wired);
      this.#stamps.delete(wired);
    }
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

  async #examine(one: Watched, isLimited: boolean): Promise<readonly Alarm[]> {
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
      isLimited,
    );
    this.#stamps.set(key, stampOf(file));
    this.#unreported.set(host, alarm);
    return [alarm];
  }

  /** The text of a host's settings without what is ours in it. */
  #withoutOurs(host: HostName, text: string): string {
    try {
      return wirings[host].remove(text, this.#script(host)) ?? '';
    } catch (error) {
      // What cannot be read as settings has nothing of ours.
      if (error instanceof SallyportError) return text;
      throw error;
    }
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
    const found = form === undefined || text === null ? [] : switchesIn(host, form, text);
    const cleared =
      form === undefined || text === null || found.length === 0 ? text : withoutSwitches(host, form, text);
    const good = holds === 'hooks' ? this.#good.get(file) : undefined;
    const script = this.#script(host);
    if (good === undefined || keepsOurs(host, text, good, script)) {
      const [first] = found;
      return first === undefined ? null : { why: first.why, right: cleared };
    }
    const why = text === null ? 'the file with the hooks is gone' : 'the hooks were taken out or changed';
    return { why, right: rehooked(host, cleared, good, script) };
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
    const files = [this.#options.paths.hosts, ...this.#watched().map(({ file }) => file)];
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
export function alarmText(host: HostName, { file, why, restored, kept }: Alarm): string {
  const copy = kept === null ? '' : ` The version that it replaced is ${kept}.`;
  const what = restored
    ? `The file was restored.${copy}`
    : 'It could not be restored: run sallyport doctor, then sallyport init.';
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

/** Whether the hooks that ask before a tool stand in a text. */
function holdsOurs(host: HostName, text: string, script: string): boolean {
  try {
    const { events } = hosts[host];
    return Object.keys(wirings[host].commands(text, script)).some((name) => events[name] === 'tool_call_pre');
  } catch {
    return false;
  }
}

/** Whether every entry of ours in the good text stands in the other as it was. */
function keepsOurs(host: HostName, text: string | null, good: string, script: string): boolean {
  if (text === null || !holdsOurs(host, text, script)) return false;
  if (jsonTable(good) === null) return good === '' || good === text;
  const now = new Set(hooksIn(text));
  try {
    const others = new Set(hooksIn(wirings[host].remove(good, script) ?? '{}'));
    return hooksIn(good).every((entry) => others.has(entry) || now.has(entry));
  } catch (error) {
    if (error instanceof SallyportError) return false;
    throw error;
  }
}

/** Every entry of hooks in a settings file, with the moment that it is for. */
function hooksIn(text: string): readonly string[] {
  return entriesIn(jsonTable(text), 'hooks');
}

/** The text with the entries of the good one put back; the good text itself where the other cannot be read. */
function rehooked(host: HostName, text: string | null, good: string, script: string): string | null {
  const { add } = wirings[host];
  const known = good === '' ? null : good;
  const settings = text === null ? null : jsonTable(text);
  try {
    if (known === null) return add(settings === null ? null : text, script);
    if (settings === null || jsonTable(known) === null) return known;
    const others = jsonTable(wirings[host].remove(JSON.stringify(settings), script) ?? '{}') ?? {};
    return withEntries(others, oursIn(host, known, script), known);
  } catch (error) {
    throw new SallyportError(`the hooks cannot be put back: ${messageOf(error)}`, { cause: error });
  }
}

/** Our entries in a settings file, by moment. */
function oursIn(host: HostName, text: string, script: string): JsonObject {
  const tables = (of: string) => jsonTable(of)?.['hooks'] ?? {};
  const all = tables(text);
  const others = tables(wirings[host].remove(text, script) ?? '{}');
  const listOf = (table: JsonValue, event: string): readonly JsonValue[] => {
    const list = isJsonObject(table) ? table[event] : undefined;
    return Array.isArray(list) ? list : [];
  };
  return Object.fromEntries(
    Object.keys(isJsonObject(all) ? all : {}).map((event) => {
      const foreign = new Set(listOf(others, event).map(canonicalJson));
      return [event, listOf(all, event).filter((entry) => !foreign.has(canonicalJson(entry)))];
    }),
  );
}

function withEntries(settings: JsonObject, ours: JsonObject, like: string): string {
  const found = isJsonObject(settings['hooks']) ? settings['hooks'] : {};
  const hooks = Object.fromEntries(
    [...new Set([...Object.keys(found), ...Object.keys(ours)])].map((event): [string, JsonValue] => {
      const list = Array.isArray(found[event]) ? found[event] : [];
      const own = Array.isArray(ours[event]) ? ours[event] : [];
      const there = new Set(list.map(canonicalJson));
      return [event, [...list, ...own.filter((entry) => !there.has(canonicalJson(entry)))]];
    }),
  );
  const indent = /^[ \t]+(?=")/m.exec(like)?.[0] ?? '  ';
  return `${JSON.stringify({ ...settings, hooks }, null, indent)}\n`;
}
