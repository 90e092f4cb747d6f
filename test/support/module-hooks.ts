import { isBuiltin, registerHooks } from 'node:module';

// Runs before each test file. Where Node loads the modules itself (see vitest.config.ts), this hook resolves most imports
// without the test runner and the file system: the hook of the runner reports each import to the main process, and Node
// looks up the real path of each file. A test file and its modules have thousands of imports, so this saves more than
// half of the time to load them.
const FAST_CHECK = new URL('fast-check.ts', import.meta.url).href;

function resolveQuickly(specifier: string, parent: string | undefined, isImport: boolean) {
  if (isBuiltin(specifier)) return { url: toBuiltin(specifier), format: 'builtin' };
  // Tests import `fast-check.ts` of this folder instead of the package. The `alias` in vitest.config.ts does the same
  // where Node does not load the modules itself.
  if (specifier === 'fast-check' && isImport) return { url: FAST_CHECK, format: 'module-typescript' };
  const isOwnFile = /^\.\.?\/.*\.ts$/.test(specifier) && parent !== undefined && !parent.includes('/node_modules/');
  return isOwnFile ? { url: new URL(specifier, parent).href, format: 'module-typescript' } : undefined;
}

const toBuiltin = (specifier: string) => (specifier.startsWith('node:') ? specifier : `node:${specifier}`);

// Test files of one worker share the hooks.
const worker = globalThis as typeof globalThis & { hasModuleHooks?: true };
if (worker.hasModuleHooks !== true) {
  registerHooks({
    resolve(specifier, context, next) {
      const found = resolveQuickly(specifier, context.parentURL, context.conditions.includes('import'));
      return found === undefined ? next(specifier, context) : { ...found, shortCircuit: true };
    },
  });
  worker.hasModuleHooks = true;
}
