import type { AgentEvent } from '../../base/index.ts';

declare const HERMES_KEEP_CODE: (() => void) | undefined;

/**
 * After a turn all that a chat needs is compiled, and the next start need not do it again. The build brings the way to
 * keep it; the sources on their own have none.
 */
export function keepCompiledCode(): void {
  if (typeof HERMES_KEEP_CODE === 'function') HERMES_KEEP_CODE();
}

/** Before that, hardly anything was forgotten. */
const LONG_SECONDS = 20;

/** The engine forgets code that has not run for a while, that of the start first: a long turn does not wait for its end. */
export function keepCodeOfLongTurn(event: AgentEvent): void {
  const isStep = event.type === 'step-finished' && event.toolCalls > 0;
  if (isStep && process.uptime() > LONG_SECONDS) keepCompiledCode();
}
