declare const HERMES_KEEP_CODE: (() => void) | undefined;

/**
 * After a turn all that a chat needs is compiled, and the next start need not do it again. The build brings the way to
 * keep it; the sources on their own have none.
 */
export function keepCompiledCode(): void {
  if (typeof HERMES_KEEP_CODE === 'function') HERMES_KEEP_CODE();
}
