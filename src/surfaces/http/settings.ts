// The routes of what the configuration says, as far as a page shows it: MCP servers, and where a person is notified.

import { choice, describe, flag, integer, listOf, nullable, reply, words } from '../../core/shape.ts';
import { people } from './callers.ts';
import { type Parts, route } from './route.ts';

type Server = Parts['config']['servers'][number];

export const settingRoutes = [
  route('GET /v1/servers', {
    summary: 'The MCP servers of the configuration',
    access: people('sees the MCP servers', 'admin', 'whole'),
    answer: [
      'The servers, without what opens them',
      reply({
        servers: listOf(
          reply({
            name: words,
            kind: choice(['http', 'stdio']),
            place: describe('The address without its query, or the command, without secrets', words),
            tools: describe('The tools that are offered; null: all', nullable(listOf(words))),
            agents: describe('The agents that may use it; null: all', nullable(listOf(words))),
          }),
        ),
      }),
    ],
    handle: ({ config, screen }) => ({
      servers: config.servers.map((server) => ({
        name: server.name,
        kind: server.place.kind,
        place: screen.text(placeOf(server)),
        tools: server.tools,
        agents: server.agents,
      })),
    }),
  }),
  route('GET /v1/notifications', {
    summary: 'Where you are notified that a question waits',
    access: people('sees where notifications go', 'admin', 'whole'),
    answer: [
      'Whether each place is set; the addresses are secrets and are not shown',
      reply({
        ...{ webhook: flag(), slack: flag(), ntfy: flag(), desktop: flag() },
        after_seconds: integer(0, Number.MAX_SAFE_INTEGER),
      }),
    ],
    handle: ({ config: { notify } }) => ({
      webhook: notify.webhook !== '',
      slack: notify.slack !== '',
      ntfy: notify.ntfy !== '',
      desktop: notify.desktop,
      after_seconds: notify.afterSeconds,
    }),
  }),
] as const;

function placeOf({ place }: Server): string {
  if (place.kind === 'stdio') return [place.command, ...place.args].join(' ');
  const { origin, pathname } = new URL(place.url);
  return `${origin}${pathname}`;
}
