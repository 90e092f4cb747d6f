import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

const IS_NODE_22 = Number.parseInt(process.versions.node, 10) < 24;

/**
 * Options for workers that run many different tests for a short time each, on few cores: one thread for garbage
 * collection, larger young generations, and no slow compiler for code that rarely runs long enough. They save about a
 * fifth of the CPU time. Node 22 has only the slow compiler.
 */
const QUICK_WORKERS = ['--single-threaded-gc', '--max-semi-space-size=32', ...(IS_NODE_22 ? [] : ['--max-opt=2'])];

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['scripts/tool-manifest.mjs', 'test/support/leftovers/run-folder.ts'],
    // Each test file gets a separate temporary folder, and fails if it leaves files in it.
    setupFiles: [
      'test/support/leftovers/file-folder.ts',
      'test/support/patient-waits.ts',
      'test/support/module-hooks.ts',
    ],
    // Node loads the modules and strips their types itself, which takes a fifth less CPU time than transforming them.
    // Node 22 cannot, because it does not know `await using`. `vi.mock` must not be used.
    experimental: { viteModuleRunner: IS_NODE_22, nodeLoader: false },
    // On Node 22, instead of the hook above.
    alias: [{ find: /^fast-check$/, replacement: join(import.meta.dirname, 'test/support/fast-check.ts') }],
    isolate: false,
    execArgv: QUICK_WORKERS,
    // Many tests spend half of their time waiting for processes, browsers and timeouts. On Node 22 each worker evaluates
    // its modules more slowly, so more of them gain nothing.
    maxWorkers: availableParallelism() + (IS_NODE_22 ? 2 : 4),
    sequence: { sequencer: LongFirst },
    // How long `expect.poll` waits depends on how busy the machine is.
    expect: { poll: { timeout: 45_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
