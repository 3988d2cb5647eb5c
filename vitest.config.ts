import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: 'tests/support/bundle.ts',
    // Many tests wait for processes of their own, so more of them fit than there are cores.
    maxWorkers: 5,
    // A machine that does other things as well must not fail a test that starts many processes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
