import type { Logger } from '../contracts/index.ts';
import { scanText } from '../scanning/index.ts';
import { redactForModel, takeStart } from '../util/index.ts';

const RECALLED_CHARACTERS = 4_000;

/** What others wrote once, fit to be put before a model again: bounded, without secrets, and without what looks like an attack. */
export async function fitRecalled(items: readonly string[], logger: Logger): Promise<string | undefined> {
  const fitting: string[] = [];
  let room = RECALLED_CHARACTERS;
  for (const item of items) {
    const whole = redactForModel(item.toWellFormed().trim());
    // The best one is worth a part of it; of the others only what fits.
    const text = fitting.length === 0 ? takeStart(whole, room) : whole;
    if (text === '' || text.length > room) continue;
    const findings = await scanText(text, 'context');
    if (findings.length > 0) {
      logger.warn('recalled text was left out', { rules: findings.map(({ rule }) => rule).join(', ') });
      continue;
    }
    fitting.push(text);
    room -= text.length;
  }
  return fitting.length === 0 ? undefined : fitting.join('\n\n');
}
