import { REASONING_EFFORTS, type ReasoningEffort } from '../../contracts/index.ts';
import { EFFORT_RULES, type EffortStyle, type EffortForm } from './effort-rules.ts';

/** What a request says about effort: a level that the model knows, and how it is written. */
export type FoundEffort = { form: EffortForm; level: ReasoningEffort };

/** The effort as this model takes it; undefined where nothing was asked for or nothing can be said. */
export function findEffort(
  wanted: ReasoningEffort | undefined,
  model: string,
  style: EffortStyle,
): FoundEffort | undefined {
  if (wanted === undefined) return undefined;
  const name = model.toLowerCase();
  const rule = EFFORT_RULES[style].find(({ models }) => models?.test(name) ?? true);
  const level = rule && nearestLevel(wanted, rule.levels);
  return rule && level && { form: rule.form, level };
}

/**
 * The nearest level, the higher one of two. Whoever wants thinking is never given none; whoever wants none gets the
 * least there is.
 */
function nearestLevel(wanted: ReasoningEffort, levels: readonly ReasoningEffort[]): ReasoningEffort | undefined {
  if (levels.includes(wanted)) return wanted;
  const rank = (level: ReasoningEffort) => REASONING_EFFORTS.indexOf(level);
  const distance = (level: ReasoningEffort) => Math.abs(rank(level) - rank(wanted));
  const [nearest] = levels
    .filter((level) => level !== 'none')
    .toSorted((one, other) => distance(one) - distance(other) || rank(other) - rank(one));
  return nearest;
}
