// The routes of agent hosts, and of what would be decided: what a person does from a page about this installation.

import { actionSchema, type CommandView, InputError, toWire, verdictShape } from '../../core/index.ts';
import {
  anything,
  described,
  flag,
  listOf,
  moment,
  nullable,
  optional,
  reply,
  words,
} from '../../core/shape.ts';
import { readRequest } from '../../decide/index.ts';
import { hostNames, hosts } from '../hooks/index.ts';
import { people } from './callers.ts';
import { check } from './host-control.ts';
import { route } from './route.ts';
import { hostStep } from './service.ts';

/** What was read in a command, as far as a page shows it. */
const view = reply({
  parsed: listOf(reply({ program: nullable(words), arguments: listOf(words) })),
  effects: listOf(reply({ kind: words, target: nullable(words), zone: optional(words) })),
  flows: listOf(reply({ from: words, to: words, target: nullable(words) })),
});

export const hostRoutes = [
  route('POST /v1/try', {
    summary: 'What would be decided; nothing runs, nothing is recorded',
    // It looks at files of this machine, whosever they are.
    access: people('tries things out here', 'approver', 'whole'),
    body: described(() => actionSchema),
    answer: [
      'The verdict, the facts, and what was read in a command',
      reply({ verdict: verdictShape, facts: anything<object>(), view: nullable(view) }),
    ],
    handle: async ({ config, decider, world }, { caller: { principal }, body }) => {
      const request = await readRequest(body, { asker: principal, folder: null, config, world });
      let seen: CommandView | undefined;
      const observe = (one: CommandView) => {
        seen = one;
      };
      const dry = decider.under({ dry: true, observe });
      const { verdict: judged, facts } = await dry.decide(request.action, request.context);
      return { verdict: toWire(judged, request.id), facts, view: seen ?? null };
    },
  }),
  route('GET /v1/hosts', {
    summary: 'Which agent hosts are connected',
    access: people('sees the hosts', 'admin', 'whole'),
    answer: [
      'The hosts',
      reply({
        hosts: listOf(reply({ host: words, title: words, files: listOf(words), lastSeen: nullable(moment) })),
      }),
    ],
    handle: async ({ hostControl, ledger }, { caller }) => {
      const wired = hostControl?.wired() ?? [];
      const lastSeen = async (agent: string) => {
        const [last] = await ledger.audit.list({ ...caller.reader, agent, eventType: 'decision', limit: 1 });
        return last === undefined ? null : new Date(last.time).toISOString();
      };
      const known = hostNames.map(async (name) => ({
        host: name,
        title: hosts[name].title,
        files: wired.filter(({ host }) => host === name).map(({ file }) => file),
        lastSeen: await lastSeen(name),
      }));
      return { hosts: await Promise.all(known) };
    },
  }),
  route('POST /v1/hosts/check', {
    summary: 'Provoke a block through every part',
    access: people('checks the hosts', 'admin', 'whole'),
    answer: ['What was checked', reply({ checks: listOf(check) })],
    handle: async ({ hostControl }) => ({ checks: (await hostControl?.examine()) ?? [] }),
  }),
  route('POST /v1/hosts/:host/wire', {
    summary: 'Connect a host',
    access: people('wires hosts in', 'admin', 'whole'),
    parameters: { host: hostStep },
    answer: ['It is', reply({ wired: flag() })],
    handle: async ({ hostControl }, { given: { host } }) => {
      if (hostControl === undefined) throw new InputError('no such host');
      await hostControl.wire(host.name);
      return { wired: true };
    },
  }),
] as const;
