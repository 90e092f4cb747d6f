import type { Mask } from '../screenshots/masks.ts';

/** Text that differs between runs: folders, ports, ids and durations. */
export const MASKS: readonly Mask[] = [
  { pattern: /\/\S*\/hermes-test-\w+\/workspace/g, shown: '~/workspace' },
  { pattern: /\/\S*\/hermes-test-\w+/g, shown: '~' },
  { pattern: /127\.0\.0\.1:\d+/g, shown: '127.0.0.1:8000' },
  { pattern: /\d{8}_\d{6}_[0-9a-f]+/g, shown: '20260302_090000_7f3a2c' },
  { pattern: /proc_[0-9a-f]+/g, shown: 'proc_7f3a2c91b0d4' },
  { pattern: /(?<=pid )\d+/g, shown: '4711' },
  // A frame of the spinner.
  { pattern: /^[⠀-⣿]/gu, shown: '⠹' },
  // Only a call that has run for a second shows its duration.
  { pattern: /(?<=^○ .*)\s+\d+s$/g, shown: '' },
  { pattern: /(?<=denied automatically in )\d+ s/g, shown: '300 seconds' },
  { pattern: /\d+(?:\.\d+)? ?(?:ms|s)\b/g, shown: '0.4s' },
];

/**
 * Additional masks for the demo model: it counts the characters of the prompt, which changes with the version of the
 * program.
 */
export const DEMO_MASKS: readonly Mask[] = [
  ...MASKS,
  { pattern: /(?<![\d,])[\d.]+k? tokens(?! of)/g, shown: '5.8k tokens' },
];
