import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['scripts/tool-manifest.mjs'],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
