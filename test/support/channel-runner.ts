import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import type { TestRunner } from '../../src/testing/index.ts';
import { dose } from './dose.ts';

/** Runs the tests of channels with vitest, and in the dose that was chosen. */
export const channelRunner: TestRunner = { describe, it, expect, fc, verifies, isThorough: dose(false, true) };
