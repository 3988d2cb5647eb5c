// Hosting: what goes out to users, and what is taken away from them.

import { beginningOf, effect, inert, literal, type Tools, textOf, unknownValue } from '../tool.ts';
import { service } from './deeds.ts';

/** Hosting and publishing. */
export const hostingTools: Tools = {
  supabase: service({
    depth: 3,
    exceptions: [
      [
        /^(?:db reset|projects delete|branches delete|functions delete|secrets unset|stop .*--no-backup|db push .*--include-all)/,
        'delete',
      ],
      [
        /^(?:start|stop|status|login|init|link|gen|db (?:diff|lint|dump|pull)|migration (?:new|list)|test|functions (?:serve|new|list)|services)/,
        'read',
      ],
      [/^(?:db push|functions deploy|migration up|config push)/, 'deploy'],
    ],
  }),
  surge: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'teardown'
      ? [effect(call, 'cloud', { detail: 'delete' })]
      : /^(?:list|whoami|login|--version)$/.test(beginningOf(call.args[0] ?? literal('')))
        ? inert(call)
        : [effect(call, 'deploy', { detail: 'publish' })],
  'gh-pages': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  cap: service({ depth: 2, exceptions: [[/deploy/, 'deploy']], otherwise: 'read' }),
  kamal: service({
    depth: 2,
    exceptions: [
      [/^(?:remove|app remove|accessory remove|rollback)/, 'delete'],
      [/^(?:deploy|redeploy|setup|app boot)/, 'deploy'],
      [/^(?:details|audit|config|version|app (?:logs|details|version))/, 'read'],
    ],
  }),
  fastly: service({
    depth: 4,
    exceptions: [
      [/activate|purge/, 'delete'],
      [/^compute (?:build|serve|init|validate)/, 'read'],
      [/^compute (?:deploy|publish)/, 'deploy'],
    ],
  }),
  cf: service({
    depth: 1,
    exceptions: [
      [/^(?:delete|d|purge|unbind|unmap|unset|disable|remove)/, 'delete'],
      [/^(?:push|p|restage|start|restart)/, 'deploy'],
      [/^(?:apps|a|app|logs|services|s|target|t|orgs|spaces|routes|events|marketplace|m)(?= |$)/, 'read'],
      [/^(?:env|e)(?= |$)/, 'secret'],
    ],
  }),
  shopify: service({
    depth: 2,
    exceptions: [
      [/^(?:app|theme) (?:dev|build|check|info|list|generate|init|pull|package)/, 'read'],
      [/^(?:app|theme) (?:deploy|push|publish|release)/, 'deploy'],
    ],
  }),
  eas: service({
    depth: 2,
    exceptions: [
      [/^(?:submit|update|deploy)/, 'deploy'],
      [/^(?:build|login|whoami|init|config|diagnostics)/, 'read'],
    ],
  }),
  expo: service({
    depth: 1,
    exceptions: [
      [/^(?:publish|upload|export:deploy)/, 'deploy'],
      [/./, 'read'],
    ],
  }),
};
