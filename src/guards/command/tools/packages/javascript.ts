import { beginningOf, effect, inert, literal, orInert, type Tools, textOf, unknownValue } from '../tool.ts';
import { packages, replacedGuard } from './effects.ts';
import { project } from './projects.ts';

/** What publishes packages, and what installs versions of Node. */
export const javascriptTools: Tools = {
  ncu: (call) => inert(call),
  'npm-check-updates': (call) => inert(call),
  lerna: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  changeset: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  'semantic-release': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  'release-it': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  vsce: (call) =>
    /^(?:publish|unpublish|delete-publisher)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? [effect(call, 'deploy', { detail: textOf(call.args[0]) === 'publish' ? 'publish' : 'unpublish' })]
      : inert(call, 'project'),
  ovsx: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call),
  corepack: (call) => packages(call, 'install', call.args.slice(1), { reversible: true }),
  nvm: (call) =>
    /^(?:install|uninstall|alias)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? packages(call, textOf(call.args[0]) === 'uninstall' ? 'remove' : 'install', call.args.slice(1), {
          reversible: true,
        })
      : inert(call),
  fnm: (call) => inert(call),
  n: (call) => packages(call, 'install', call.args, { reversible: true }),
  volta: (call) =>
    orInert(
      call,
      /^(?:install|uninstall|pin|fetch)$/.test(beginningOf(call.args[0] ?? literal('')))
        ? replacedGuard(call, call.args.slice(1))
        : [],
    ),
  jsr: project({ deploy: /^publish$/, install: /^(?:add|i|install)/ }),
};
