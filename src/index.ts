/** What other programs can build on. */
export * from './agent/index.ts';
export * from './base/index.ts';
export type * from './contracts/index.ts';
export { loadSettings, resolveHome, type Settings } from './config/index.ts';
export { createRuntime, loadModels, type Runtime, type RuntimeOptions } from './runtime/index.ts';
export type * from './surfaces/slash/index.ts';
