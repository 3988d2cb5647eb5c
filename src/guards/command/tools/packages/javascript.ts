import type { Tools } from '../tool.ts';
import { packages } from './effects.ts';
import { project } from './projects.ts';

/** What publishes packages, and what installs versions of Node. */
export const javascriptTools: Tools = {
  corepack: (call) => packages(call, 'install', call.args.slice(1), { reversible: true }),
  n: (call) => packages(call, 'install', call.args, { reversible: true }),
  jsr: project({ deploy: /^publish$/, install: /^(?:add|i|install)/ }),
};
