import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['scripts/tool-manifest.mjs', 'test/support/leftovers/run-folder.ts'],
    // Each test file has a temporary folder of its own, and fails where it leaves something in it.
    setupFiles: ['test/support/leftovers/file-folder.ts'],
    isolate: false,
    // One core fewer than there are is the usual number, which on two cores is one; but tests of the command wait most of
    // the time for the processes they start.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // What is awaited comes; how soon depends on how busy the machine is.
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
