import type { ModelRequest, ReasoningEffort } from '../../contracts/index.ts';
import type { BodyFields } from '../json-text.ts';
import type { EncodeSettings } from '../wire-format.ts';
import { findEffort } from './find-effort.ts';

/** Tokens to think with. Together with the usual output limit even the largest stays below what these models can write. */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 23_000,
  max: 23_000,
};

/** What a request says about thinking, and the tokens that have to be added to the output limit for it. */
export type AnthropicEffort = { fields: BodyFields; budget: number };

/**
 * `canThink` is false where the calls that are being answered were made without thinking, which models with a budget do
 * not allow to be changed in between.
 */
export function anthropicEffort(
  request: ModelRequest,
  { model, quirks }: EncodeSettings,
  canThink: () => boolean,
): AnthropicEffort {
  const found = findEffort(request.effort, model, quirks.effort ?? 'anthropic');
  if (found === undefined) return { fields: {}, budget: 0 };
  const { form, level } = found;
  if (level === 'none') return { fields: { thinking: { type: 'disabled' } }, budget: 0 };
  if (form === 'budget') {
    const budget = canThink() ? BUDGETS[level] : 0;
    return { fields: budget === 0 ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }, budget };
  }
  if (form !== 'adaptive' && form !== 'adaptive_shown') return { fields: {}, budget: 0 };
  const display = form === 'adaptive_shown' ? 'summarized' : undefined;
  return { fields: { thinking: { type: 'adaptive', display }, output_config: { effort: level } }, budget: 0 };
}
