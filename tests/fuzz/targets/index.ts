// Every target.

import type { Target } from '../target.ts';
import { auditorTargets } from './auditor.ts';
import { commandTargets } from './commands.ts';
import { dataTargets } from './data.ts';
import { modelTargets } from './models.ts';
import { queryTargets } from './queries.ts';
import { textTargets } from './texts.ts';
import { uploadTargets } from './uploads.ts';

export const targets: readonly Target[] = [
  ...dataTargets,
  ...commandTargets,
  ...queryTargets,
  ...textTargets,
  ...modelTargets,
  ...uploadTargets,
  ...auditorTargets,
];
