// How the console is built: into dist/console, with names that change with their content and nothing inline.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// As it is served, whoever builds it.
process.env['NODE_ENV'] = 'production';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  logLevel: 'warn',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The page's policy lets no inline content in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    // A build on a busy machine is slow, which is no fault of the build.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
