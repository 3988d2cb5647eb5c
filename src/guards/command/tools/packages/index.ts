// Package managers: `package` for the system or the machine, with the scope in `reversible` where it is the project's own.

import type { Tools } from '../tool.ts';
import { javascriptTools } from './javascript.ts';
import { projectTools } from './projects.ts';
import { pythonTools } from './python.ts';

/** All of them. */
export const packageTools: Tools = { ...javascriptTools, ...pythonTools, ...projectTools };
