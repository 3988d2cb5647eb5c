import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: 'tests/support/bundle.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
