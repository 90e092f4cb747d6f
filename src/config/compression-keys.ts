import * as z from 'zod/mini';

const THRESHOLD = 'a number above 0 and at most 1, a share of the window';
const TARGET_RATIO = 'a number from 0.1 to 0.8, a share of the threshold';
const MESSAGES = 'a whole number of messages, 1 or more';

/** The keys of `compression`. Apart from what reads them, because a home without a config file loads no schema. */
export function compressionKeys() {
  const messages = z.optional(z.int(MESSAGES).check(z.gte(1, MESSAGES)));
  return {
    enabled: z.optional(z.boolean('true or false')),
    threshold: z.optional(z.number(THRESHOLD).check(z.gt(0, THRESHOLD), z.lte(1, THRESHOLD))),
    target_ratio: z.optional(z.number(TARGET_RATIO).check(z.gte(0.1, TARGET_RATIO), z.lte(0.8, TARGET_RATIO))),
    protect_last_n: messages,
    protect_first_n: messages,
  };
}
