import type { Mask } from '../screenshots/masks.ts';

/** What no two runs have in common: folders, ports, ids, and how long things took. */
export const MASKS: readonly Mask[] = [
  { pattern: /\/\S*\/hermes-test-\w+\/workspace/g, shown: '~/workspace' },
  { pattern: /\/\S*\/hermes-test-\w+/g, shown: '~' },
  { pattern: /127\.0\.0\.1:\d+/g, shown: '127.0.0.1:8000' },
  { pattern: /\d{8}_\d{6}_[0-9a-f]+/g, shown: '20260302_090000_7f3a2c' },
  // A frame of the spinner, and what stands beside it.
  { pattern: /^[⠀-⣿]/gu, shown: '⠹' },
  // Only a call that has run for a second says so.
  { pattern: /(?<=^○ .*)\s+\d+s$/g, shown: '' },
  { pattern: /(?<=denied automatically in )\d+ s/g, shown: '300 seconds' },
  { pattern: /\d+(?:\.\d+)? ?(?:ms|s)\b/g, shown: '0.4s' },
];

/** Of the demo, which counts the letters of a prompt that grows with the program. */
export const DEMO_MASKS: readonly Mask[] = [
  ...MASKS,
  { pattern: /(?<![\d,])[\d.]+k? tokens(?! of)/g, shown: '5.8k tokens' },
];
