import type { AgentEvent } from '../../base/index.ts';

declare const HERMES_SAVE_COMPILE_CACHE: (() => void) | undefined;

/**
 * Saves the compile cache. After a turn, all code that a chat needs is compiled, so the next invocation can load it
 * from the cache. Defined only in the built program.
 */
export function saveCompileCache(): void {
  if (typeof HERMES_SAVE_COMPILE_CACHE === 'function') HERMES_SAVE_COMPILE_CACHE();
}

/** After this time, the compile cache is saved during a turn. Before it, V8 has discarded hardly any code. */
const LONG_TURN_SECONDS = 20;

/**
 * Saves the compile cache before a long turn ends, because V8 discards compiled code that has not run for a while,
 * startup code first.
 */
export function saveCompileCacheInLongTurn(event: AgentEvent): void {
  const isStep = event.type === 'step-finished' && event.toolCalls > 0;
  if (isStep && process.uptime() > LONG_TURN_SECONDS) saveCompileCache();
}
