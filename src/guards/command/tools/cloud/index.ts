// Clouds, infrastructure as code, hosting and the command lines of services.

import type { Tools } from '../tool.ts';
import { backupTools } from './backups.ts';
import { forgeTools } from './forges.ts';
import { hostingTools } from './hosting.ts';
import { infrastructureTools } from './infrastructure.ts';
import { providerTools } from './providers.ts';
import { secretTools } from './secrets.ts';
import { serviceTools } from './services.ts';

/** Clouds, infrastructure as code, hosting and the command lines of services. */
export const cloudTools: Tools = {
  ...providerTools,
  ...infrastructureTools,
  ...secretTools,
  ...forgeTools,
  ...hostingTools,
  ...backupTools,
  ...serviceTools,
};
