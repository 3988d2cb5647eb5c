// What a page does about agent hosts, in the hands of the command line.

import { choice, type Infer, reply, words } from '../../core/shape.ts';

/** One thing that was looked at in this installation. */
export const check = reply({ name: words, state: choice(['ok', 'note', 'fail']), says: words });
export type Check = Infer<typeof check>;

/** What a person can do about agent hosts from a page; the command line does it. */
export interface HostControl {
  /** The files of hosts that name our client. */
  wired(): readonly { readonly host: string; readonly file: string }[];
  /** Provokes a block through every part of the installation. */
  examine(): Promise<readonly Check[]>;
  /** Wires a host in for the user. */
  wire(host: string): Promise<void>;
}
