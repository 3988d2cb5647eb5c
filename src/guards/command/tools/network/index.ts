// Requests, transfers, listeners, routes and firewalls.

import type { Tools } from '../tool.ts';
import { probeTools } from './probes.ts';
import { requestTools } from './requests.ts';
import { sessionTools } from './sessions.ts';
import { settingTools } from './settings.ts';

/** All of them. */
export const networkTools: Tools = { ...requestTools, ...sessionTools, ...probeTools, ...settingTools };
