import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'tests/support/bundle.ts',
    // Many tests wait for processes of their own, so more of them fit than there are cores.
    maxWorkers: 5,
    // A machine that does other things as well must not fail a test that starts many processes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Processes that tests start from source take a quarter of the time where the types were taken out of it before.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    projects: [
      // What stands beside the code shares a process with its neighbours; starting one for each takes longer than most of them.
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'whole', include: ['tests/**/*.test.ts'] } },
    ],
  },
});
