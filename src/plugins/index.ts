export { findAllPlugins, type FoundPlugin, isTrusted } from './find-plugins.ts';
export { installPlugin, type PluginCandidate, preparePlugin, removePlugin } from './install-plugin.ts';
export type { LoadedPlugin } from './load-plugin.ts';
export type { PluginManifest } from './manifest.ts';
export { describeFault } from './plugin-fault.ts';
export { openPluginSet, type PluginSet } from './plugin-set.ts';
export { runHook } from './shell-hooks/run-hook.ts';
export { allowHooks, hookState, revokeHooks } from './shell-hooks/hook-consent.ts';
export { createTurnHooks, type ProcessHooks } from './turn-hooks.ts';
