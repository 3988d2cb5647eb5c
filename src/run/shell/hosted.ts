// Commands that an agent host starts by itself, each on an overlay: the host's shell runs the command line that it gets
// here, and reports its end; the command's changes are then judged, and applied or discarded.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../config/index.ts';
import { type Context, SallyportError, visible } from '../../core/index.ts';
import { isAlive, processOf } from '../../ledger/snapshots/index.ts';
import type { Captures } from '../captures.ts';
import { lookAt } from '../look.ts';
import type { ReceiptOptions } from '../receipt.ts';
import { allDataFolders } from '../repositories.ts';
import { findSandbox, isCache, personalHomes, prepareHosted } from '../sandbox.ts';
import type { Difference } from './difference.ts';
import type { Overlay } from './overlay.ts';
import {
  type JudgedCommand,
  makeOverlay,
  type Settled,
  settle,
  type TransactionOptions,
} from './transaction.ts';

export interface HostedOptions {
  /** Sallyport's own folder. */
  readonly home: string;
  readonly captures: Pick<Captures, 'receiptsOf'>;
}

/** Why commands of a host in a folder cannot run on an overlay; null if they can. */
export async function overlayProblem(home: string, workspace: string): Promise<string | null> {
  const sandbox = await findSandbox();
  if (!('program' in sandbox)) return `${sandbox.problem} (${sandbox.hint})`;
  if (repositoryElsewhere(workspace)) return elsewhere;
  try {
    const overlay = makeOverlay(home, [...homesToShow(workspace), workspace]);
    try {
      prepareHosted({ workspace, cwd: workspace, home, overlay });
      return await mountProblem(overlay);
    } finally {
      overlay.remove();
    }
  } catch (error) {
    if (error instanceof SallyportError) return visible(error.message, 300);
    throw error;
  }
}

const elsewhere = 'the git repository of this folder lies outside of it';

async function mountProblem(overlay: Overlay): Promise<string | null> {
  const found = await overlay.problem();
  return found === null ? null : `${found.problem} (${found.hint})`;
}

/** A command of a host that was judged, and where its shell is. */
export interface HostedCommand extends JudgedCommand {
  /** The folder in which the shell is. */
  readonly cwd: string;
  /** The process that will run the words, and whose end discards what it did not report. */
  readonly pid: number;
}

/** The words that the host's shell puts before its own, or why the command runs as without a transaction. */
export type Begun =
  | { readonly id: string; readonly status: string; readonly words: readonly string[] }
  | { readonly why: string };

interface Running {
  readonly command: HostedCommand;
  readonly overlay: Overlay;
  readonly timer: NodeJS.Timeout;
}

/** How often a shell that does not report is looked for, in milliseconds. */
const watchMs = 1000;

export class HostedCommands {
  readonly #options: HostedOptions;
  readonly #running = new Map<string, Running>();
  /** Support for overlays of folders: null if they can be mounted, otherwise the reason. */
  readonly #known = new Map<string, string | null>();

  constructor(options: HostedOptions) {
    this.#options = options;
  }

  /**
   * Creates the overlay of a command. INVARIANT: a command that cannot be a transaction gets the reason, and nothing is
   * left behind.
   */
  async begin(command: HostedCommand): Promise<Begun> {
    const { workspace } = command.context;
    const sandbox = await findSandbox();
    if (!('program' in sandbox)) return { why: `${sandbox.problem} (${sandbox.hint})` };
    const owner = processOf(command.pid);
    if (owner === null) return { why: 'the shell of the host cannot be seen from here' };
    if (repositoryElsewhere(workspace)) return { why: elsewhere };
    const lowers = [...homesToShow(workspace), workspace];
    let overlay: Overlay | null = null;
    try {
      overlay = makeOverlay(this.#options.home, lowers, owner);
      const problem = await this.#problemOf(lowers, overlay);
      if (problem !== null) {
        overlay.remove();
        return { why: problem };
      }
      const { home } = this.#options;
      const arguments_ = prepareHosted({ workspace, cwd: command.cwd, home, overlay });
      const words = [...overlay.wordsForHost, sandbox.program, ...arguments_];
      if (words.some((word) => /[\n\0]/.test(word)))
        throw new SallyportError('a path has a line break in it');
      const id = randomUUID();
      this.#running.set(id, { command, overlay, timer: this.#watch(id, owner) });
      return { id, status: overlay.statusFile, words };
    } catch (error) {
      overlay?.remove();
      if (error instanceof SallyportError) return { why: visible(error.message, 300) };
      throw error;
    }
  }

  async #problemOf(lowers: readonly string[], overlay: Overlay): Promise<string | null> {
    const key = lowers.join('\n');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const problem = await mountProblem(overlay);
    this.#known.set(key, problem);
    return problem;
  }

  /** Discards what a shell did that ended without a word. */
  #watch(id: string, owner: NonNullable<ReturnType<typeof processOf>>): NodeJS.Timeout {
    return setInterval(() => {
      if (!isAlive(owner)) this.#take(id)?.overlay.remove();
    }, watchMs).unref();
  }

  #take(id: string): Running | undefined {
    const running = this.#running.get(id);
    clearInterval(running?.timer);
    this.#running.delete(id);
    return running;
  }

  /**
   * Settles a command whose shell reported its end; null if it is unknown, or it did not start: then none of its
   * changes apply.
   */
  async end(
    id: string,
    decide: TransactionOptions['decide'],
  ): Promise<{ readonly command: HostedCommand; readonly settled: Settled | null } | null> {
    const running = this.#take(id);
    if (running === undefined) return null;
    const { command, overlay } = running;
    try {
      if (!hasStarted(overlay.statusFile)) {
        this.#known.clear();
        return { command, settled: null };
      }
      const receipts = (context: Context): Promise<ReceiptOptions> =>
        this.#options.captures.receiptsOf(context);
      const settled = await settle(overlay, command, { decide, receipts });
      return { command, settled: { ...settled, elsewhere: settled.elsewhere.map(withoutCaches) } };
    } finally {
      overlay.remove();
    }
  }
}

/** The changes of a command in a home, without the caches of tools. */
function withoutCaches(difference: Difference): Difference {
  return { ...difference, changes: difference.changes.filter(({ path }) => !isCache(path)) };
}

/** Whether bubblewrap reported that it started the command. */
function hasStarted(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('"child-pid"');
  } catch {
    return false;
  }
}

/** Homes whose changes are caught. One with mounts in it cannot have an overlay: there nothing can be written. */
function homesToShow(workspace: string): readonly string[] {
  const mounts = mountPoints();
  return personalHomes().filter(
    (home) =>
      lookAt(home)?.isDirectory() === true &&
      !isInside(workspace, home) &&
      !mounts.some((point) => point !== home && isInside(home, point)),
  );
}

function mountPoints(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[4] ?? [])
      .map((path) =>
        path.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
      );
  } catch {
    return [];
  }
}

/** Whether git would write outside of the workspace: in a folder above, or where a work tree has its data. */
function repositoryElsewhere(workspace: string): boolean {
  const own = `${workspace}/.git`;
  if (lookAt(own) !== null) return allDataFolders(own).some((folder) => !isInside(workspace, folder));
  for (let folder = dirname(workspace); folder !== dirname(folder); folder = dirname(folder)) {
    if (lookAt(`${folder}/.git`) !== null) return true;
  }
  return false;
}
