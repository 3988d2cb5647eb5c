// Hosting: what goes out to users, and what is taken away from them.

import { beginningOf, effect, inert, literal, type Tools, textOf, unknownValue } from '../tool.ts';
import { service } from './deeds.ts';

const fly = service({
  depth: 3,
  exceptions: [
    [
      /^(?:status|logs|version|apps list|platform|ips list|doctor|info|history|checks|secrets list|machine status|scale show|regions list)/,
      'read',
    ],
    [/^(?:deploy|launch)/, 'deploy'],
    [/^(?:ssh|console|proxy)/, 'change'],
    [
      /^(?:machines?|m) (?:stop|kill|destroy|remove)|^(?:apps )?(?:suspend|destroy)(?: |$)|^scale count 0/,
      'delete',
    ],
    [/^auth token|^tokens create/, 'secret'],
  ],
});

const netlify = service({
  depth: 3,
  exceptions: [
    [
      /^(?:dev|build|status|sites:list|open|link|watch|functions:(?:list|serve|invoke|build|create)|login|init|env:(?:list|get)|logs|help|unlink|blobs:(?:get|list))/,
      'read',
    ],
    [/^(?:sites:delete|env:(?:unset|clone|import)|blobs:delete)/, 'delete'],
    [/^deploy/, 'deploy'],
    [/^env:set/, 'change'],
  ],
});

/** Hosting and publishing. */
export const hostingTools: Tools = {
  heroku: service({
    depth: 2,
    exceptions: [
      [
        /^(?:addons:detach|apps:leave|repo:reset|ps:(?:restart|stop|kill|scale)|access:update|clients:update|clients:rotate|access:remove|members:remove|container:rm|pg:(?:reset|killall|kill|credentials:rotate|promote)|maintenance:on|domains:clear|keys:clear|releases:rollback|rollback|features:disable|git:remote)/,
        'delete',
      ],
      [/^(?:config(?::get)?|pg:credentials(?::url)?|auth:token)(?= |$)/, 'secret'],
      [
        /^(?:logs|apps(?::info)?|ps|releases(?::info)?|addons(?::info)?|domains|status|pg(?::info)?|info|local|help|version|plugins|stack|access|members)(?= |$)/,
        'read',
      ],
      [/^(?:run|run:detached|ps:exec|pg:psql)/, 'change'],
    ],
  }),
  fly,
  flyctl: fly,
  vercel: service({
    depth: 3,
    exceptions: [
      [/^(?:env pull)/, 'secret'],
      [
        /^(?:dev|build|link|ls|list|logs|inspect|whoami|login|logout|pull|help|env ls|domains ls|teams ls|git|project ls|switch|init|bisect|telemetry)/,
        'read',
      ],
      [/^(?:rm|remove)(?: |$)|(?: rm| remove)(?: |$)/, 'delete'],
      [/^(?:env add|alias|domains|dns|certs|secrets|project|teams)/, 'change'],
      [/^(?:deploy|promote|rollback|redeploy)?(?: |$)|^--prod/, 'deploy'],
    ],
    otherwise: 'deploy',
  }),
  now: service({ depth: 2, otherwise: 'deploy' }),
  netlify,
  ntl: netlify,
  wrangler: service({
    depth: 4,
    exceptions: [
      [
        /^(?:dev|tail|whoami|init|types|docs|login|logout|d1 info|pages dev|check|deployments (?:list|status|view)|versions (?:list|view))/,
        'read',
      ],
      [/^(?:deployments rollback|rollback|delete)/, 'delete'],
      [/^(?:deploy|publish|pages deploy|pages publish|versions (?:upload|deploy)|triggers deploy)/, 'deploy'],
      [/^d1 (?:execute|migrations apply)/, 'change'],
      [/^secret (?:put|bulk)/, 'change'],
    ],
  }),
  railway: service({
    depth: 2,
    exceptions: [
      [/^(?:up|deploy|redeploy)/, 'deploy'],
      [/^(?:down|delete|volume delete|environment delete)/, 'delete'],
      [/^variables/, 'secret'],
      [/^(?:status|logs|list|whoami|run|shell|link|open|docs|login|init)/, 'read'],
    ],
  }),
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
  firebase: service({
    depth: 2,
    exceptions: [
      [
        /^(?:firestore:delete|database:(?:remove|set|update)|functions:delete|hosting:(?:disable|channel:delete|sites:delete)|projects:delete|apps:delete|auth:import|remoteconfig:rollback)/,
        'delete',
      ],
      [
        /^(?:emulators:|serve|projects:list|login|use|init|apps:list|functions:(?:log|list|shell)|target|database:get|help|experiments)/,
        'read',
      ],
      [/^(?:deploy|hosting:(?:clone|channel:deploy))/, 'deploy'],
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
