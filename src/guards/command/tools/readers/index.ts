// Tools that read: files, folders and streams; a few can also write with an option.

import type { Tools } from '../tool.ts';
import { makerTools } from './makers.ts';
import { textTools } from './texts.ts';

/** All of them. */
export const readerTools: Tools = { ...textTools, ...makerTools };
