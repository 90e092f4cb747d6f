import * as z from 'zod/mini';

const WANTED = 'a whole number from 1000 to 1000000';

/** `context_file_max_chars`: how much of a project's file goes into the prompt. */
export function contextFileLimit() {
  return z.int(WANTED).check(z.minimum(1000, WANTED), z.maximum(1_000_000, WANTED));
}
