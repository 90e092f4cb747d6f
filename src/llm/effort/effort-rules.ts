import { REASONING_EFFORTS, type ReasoningEffort } from '../../contracts/index.ts';

/**
 * The parameter style for effort. The default is `openai`; the Anthropic and Ollama styles belong to their API modes.
 */
export type EffortStyle =
  | 'openai'
  | 'router'
  | 'gemini'
  | 'deepseek'
  | 'thinking_switch'
  | 'enable_thinking'
  | 'xai'
  | 'anthropic'
  | 'ollama'
  | 'unknown';

/** How an effort is written in a request; the encoders implement each form. */
type EffortForm =
  | 'effort'
  | 'reasoning_object'
  | 'thinking_type'
  | 'thinking_type_and_effort'
  | 'enable_thinking'
  | 'adaptive'
  | 'adaptive_shown'
  | 'budget'
  | 'think_switch'
  | 'think_level';

/** The levels of one model family. Other levels are mapped to the nearest; without levels nothing is sent. */
export type EffortRule = { models?: RegExp; form: EffortForm; levels: readonly ReasoningEffort[] };

const LOW_TO_HIGH = ['low', 'medium', 'high'] as const;
const SWITCH = ['none', 'medium'] as const;
const SILENT: EffortRule = { form: 'effort', levels: [] };

/**
 * The first rule whose pattern matches the model name applies. The rules come from the public documentation of the
 * providers; for other models nothing is sent.
 */
export const EFFORT_RULES: Readonly<Record<EffortStyle, readonly EffortRule[]>> = {
  openai: [
    // The chat variants of a family do not reason.
    { ...SILENT, models: /gpt-5[\w.]*-chat/ },
    { models: /gpt-5\.1-codex-max/, form: 'effort', levels: [...LOW_TO_HIGH, 'xhigh'] },
    { models: /gpt-5\.1/, form: 'effort', levels: ['none', ...LOW_TO_HIGH] },
    { models: /gpt-5\.\d|gpt-[6-9]/, form: 'effort', levels: ['none', ...LOW_TO_HIGH, 'xhigh'] },
    { models: /gpt-5-(?:codex|pro)/, form: 'effort', levels: LOW_TO_HIGH },
    { models: /gpt-5/, form: 'effort', levels: ['minimal', ...LOW_TO_HIGH] },
    { models: /(?:^|\/)o[1-9]|gpt-oss|codex/, form: 'effort', levels: LOW_TO_HIGH },
  ],
  // Routers translate the value for the upstream provider and ignore what a model does not support.
  router: [{ form: 'reasoning_object', levels: ['none', 'minimal', ...LOW_TO_HIGH, 'xhigh'] }],
  gemini: [
    { models: /gemini-(?:2\.5|[3-9])[\w.-]*pro/, form: 'effort', levels: LOW_TO_HIGH },
    { models: /gemini-(?:2\.5|[3-9])/, form: 'effort', levels: ['none', ...LOW_TO_HIGH] },
  ],
  deepseek: [{ form: 'thinking_type_and_effort', levels: ['none', 'low', 'high', 'max'] }],
  thinking_switch: [
    { models: /glm-(?:4\.[5-9]|[5-9])|kimi-k(?:2\.[5-9]|[3-9])/, form: 'thinking_type', levels: SWITCH },
  ],
  enable_thinking: [
    { ...SILENT, models: /coder|instruct/ },
    { models: /qwen-?(?:[3-9]|plus|flash|turbo)/, form: 'enable_thinking', levels: SWITCH },
  ],
  xai: [
    { models: /grok-3-mini/, form: 'effort', levels: ['low', 'high'] },
    { models: /grok-4\.3/, form: 'effort', levels: ['none', ...LOW_TO_HIGH] },
    { models: /grok-4\.[56](?!\d)/, form: 'effort', levels: LOW_TO_HIGH },
    { models: /grok-4\.[7-9](?!\d)|grok-[5-9]/, form: 'effort', levels: [...LOW_TO_HIGH, 'xhigh'] },
  ],
  anthropic: [
    { models: /claude-sonnet-4[-.]6/, form: 'adaptive', levels: ['none', ...LOW_TO_HIGH] },
    { models: /claude-opus-4[-.]6/, form: 'adaptive', levels: ['none', ...LOW_TO_HIGH, 'max'] },
    // Families before 4.6 use a token budget.
    {
      models: /claude-(?:3[-.]7|(?:opus|sonnet|haiku)-4(?![-.][6-9](?!\d)))/,
      form: 'budget',
      levels: ['none', 'minimal', ...LOW_TO_HIGH, 'xhigh'],
    },
    { ...SILENT, models: /claude-(?:3|2|instant)/ },
    // Later families return no reasoning unless a summary is requested.
    { models: /claude/, form: 'adaptive_shown', levels: ['none', ...LOW_TO_HIGH, 'xhigh', 'max'] },
  ],
  ollama: [
    // This family has levels and cannot turn reasoning off; all others can only turn it on or off.
    { models: /gpt-oss/, form: 'think_level', levels: LOW_TO_HIGH },
    { form: 'think_switch', levels: SWITCH },
  ],
  unknown: [],
};

/** The effort of a request: a level that the model supports, and its form. */
type FoundEffort = { form: EffortForm; level: ReasoningEffort };

/** The effort for this model; undefined if none was requested or the model has no setting. */
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
 * The nearest level, the higher of two equally near ones. A request for reasoning never becomes `none`; `none`
 * becomes the lowest level if reasoning cannot be turned off.
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
