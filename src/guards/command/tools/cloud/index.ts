// Clouds, infrastructure as code, hosting and the command lines of services.

import type { Tools } from '../tool.ts';
import { forgeTools } from './forges.ts';
import { hostingTools } from './hosting.ts';
import { infrastructureTools } from './infrastructure.ts';

/** Clouds, infrastructure as code, hosting and the command lines of services. */
export const cloudTools: Tools = {
  ...infrastructureTools,
  ...forgeTools,
  ...hostingTools,
};
