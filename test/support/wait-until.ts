import { vi } from 'vitest';

/** How long a busy machine may take for anything that a test waits for. */
const TIMEOUT_MS = 45_000;

/** Repeats a check until it passes. */
export function waitUntil<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: TIMEOUT_MS });
}
