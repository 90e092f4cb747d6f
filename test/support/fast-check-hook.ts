import { registerHooks } from 'node:module';

// Runs before each test file, which then imports `fast-check.ts` of this folder instead of the package. The `alias` in
// vitest.config.ts does the same where Node does not load the modules itself.
const REPLACEMENT = new URL('fast-check.ts', import.meta.url).href;

// Test files of one worker share the hooks.
const worker = globalThis as typeof globalThis & { hasFastCheckHook?: true };
if (worker.hasFastCheckHook !== true) {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'fast-check' && context.conditions.includes('import')
        ? { url: REPLACEMENT, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
  worker.hasFastCheckHook = true;
}
