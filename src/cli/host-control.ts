// What the console does about hosts, by the commands that a person would type.

import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../config/index.ts';
import { choice, flag, list, number, object, readShape, text } from '../core/shape.ts';
import type { HostControl } from '../surfaces/http/index.ts';
import { recordedHosts } from './hosts.ts';
import { ownCommand } from './own.ts';

const doctorShape = object({
  healthy: flag(),
  checks: list(object({ name: text(), state: choice(['ok', 'note', 'fail']), says: text() }), { max: 1000 }),
  processorSeconds: object({ own: number(0, 1e9), others: number(0, 1e9) }),
});

/** What a person can do about the hosts of a home. */
export function hostControl(paths: HomePaths): HostControl {
  return {
    wired: () => recordedHosts(paths).map(({ host, file }) => ({ host, file })),
    examine: async () =>
      readShape(doctorShape, JSON.parse(await ownCommand(['doctor', '--json'], { good: [0, 1] }))).checks,
    wire: async (host) => {
      await ownCommand(['init', host, '--yes', '--json']);
    },
  };
}

/** The folder that holds this program. */
function programFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}

/** Where the page of the console is, once it is built. */
export function consoleFolder(): string {
  return join(programFolder(), 'dist', 'console');
}
