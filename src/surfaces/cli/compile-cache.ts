import type { AgentEvent } from '../../base/index.ts';

declare const HERMES_KEEP_CODE: (() => void) | undefined;

/**
 * Saves the compile cache. After a turn everything that a chat needs is compiled, so the next start need not compile
 * it. Defined only in the built program.
 */
export function saveCompileCache(): void {
  if (typeof HERMES_KEEP_CODE === 'function') HERMES_KEEP_CODE();
}

/** Until then the engine has discarded hardly any code. */
const LONG_TURN_SECONDS = 20;

/**
 * V8 discards compiled code that has not run for a while, startup code first, so a long turn saves the cache before
 * it ends.
 */
export function saveCompileCacheInLongTurn(event: AgentEvent): void {
  const isStep = event.type === 'step-finished' && event.toolCalls > 0;
  if (isStep && process.uptime() > LONG_TURN_SECONDS) saveCompileCache();
}
