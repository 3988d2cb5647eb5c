// What a file says about MCP servers: one place each, names that are read in one way only, and never a workspace's.

import { describe, expect, it } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { loadConfig } from './load.ts';
