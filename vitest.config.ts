import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['scripts/tool-manifest.mjs', 'test/support/leftovers/run-folder.ts'],
    // Each test file has a temporary folder of its own, and fails where it leaves something in it.
    setupFiles: ['test/support/leftovers/file-folder.ts'],
    // Property tests run as often as HERMES_TEST_DOSE says.
    alias: [{ find: /^fast-check$/, replacement: join(import.meta.dirname, 'test/support/fast-check.ts') }],
    isolate: false,
    // Many tests wait for half of their time: for processes, browsers and limits.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongFirst },
    // What is awaited comes; how soon depends on how busy the machine is.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
