import { vi } from 'vitest';

// Runs before each test file. A wait for something that happens ends when it happens, so its timeout matters only if
// it never does; short ones fail on a busy machine. The default of `vi.waitFor` is one second.
const MIN_MS = 45_000;

type Options = number | { timeout?: number; interval?: number } | undefined;

const waits = vi as typeof vi & { isPatient?: true };

function patient(options: Options): { timeout: number; interval?: number } {
  const given = typeof options === 'number' ? { timeout: options } : (options ?? {});
  return { ...given, timeout: Math.max(given.timeout ?? 0, MIN_MS) };
}

// Test files of one worker share `vi`.
if (waits.isPatient !== true) {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (check, options) => waitFor(check, patient(options));
  vi.waitUntil = (check, options) => waitUntil(check, patient(options));
  waits.isPatient = true;
}
