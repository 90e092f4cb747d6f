import type { Environment, Judgement } from '../contracts/index.ts';
import { ALLOW } from './guard.ts';

/**
 * What is asked about for the sake of the person's machine need not be asked where nothing of it can be reached. What
 * is never allowed, by our own rules, by the person's or by plan mode, stays so.
 */
export function unlessIsolated(judgement: Judgement, { isolated }: Pick<Environment, 'isolated'>): Judgement {
  return isolated && judgement.verdict === 'ask' ? ALLOW : judgement;
}
