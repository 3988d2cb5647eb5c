// The functions that the machine follows a program with.

import { construct } from '../calls/own.ts';
import { evaluated } from './expressions.ts';
import { enter } from './handed.ts';
import type { Walker } from './machine.ts';
import { perform } from './statements.ts';

export const walker: Walker = { construct, enter, evaluated, perform };
