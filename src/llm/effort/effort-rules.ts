import { REASONING_EFFORTS, type ReasoningEffort } from '../../contracts/index.ts';

/**
 * Which words an endpoint has for effort. `openai` where nothing else is said; Anthropic's own and Ollama's belong to
 * their API modes.
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

/** How an effort is written into a request; the encoders know what each of these looks like. */
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

/** One family of models: the levels it knows. Whoever wants another gets the nearest; without levels nothing is sent. */
export type EffortRule = { models?: RegExp; form: EffortForm; levels: readonly ReasoningEffort[] };

const LOW_TO_HIGH = ['low', 'medium', 'high'] as const;
const SWITCH = ['none', 'medium'] as const;
const SILENT: EffortRule = { form: 'effort', levels: [] };

/**
 * Read from the top; the first rule whose pattern fits the model's name decides. Facts from the public documentation
 * of the providers; a model that is not matched is left to its provider.
 */
export const EFFORT_RULES: Readonly<Record<EffortStyle, readonly EffortRule[]>> = {
  openai: [
    // The chat variants of a family do not think.
    { ...SILENT, models: /gpt-5[\w.]*-chat/ },
    { models: /gpt-5\.1-codex-max/, form: 'effort', levels: [...LOW_TO_HIGH, 'xhigh'] },
    { models: /gpt-5\.1/, form: 'effort', levels: ['none', ...LOW_TO_HIGH] },
    { models: /gpt-5\.\d|gpt-[6-9]/, form: 'effort', levels: ['none', ...LOW_TO_HIGH, 'xhigh'] },
    { models: /gpt-5-(?:codex|pro)/, form: 'effort', levels: LOW_TO_HIGH },
    { models: /gpt-5/, form: 'effort', levels: ['minimal', ...LOW_TO_HIGH] },
    { models: /(?:^|\/)o[1-9]|gpt-oss|codex/, form: 'effort', levels: LOW_TO_HIGH },
  ],
  // A router translates for the provider behind it, and passes over what a model does not know.
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
    // Families before 4.6 are given a number of tokens to think with.
    {
      models: /claude-(?:3[-.]7|(?:opus|sonnet|haiku)-4(?![-.][6-9](?!\d)))/,
      form: 'budget',
      levels: ['none', 'minimal', ...LOW_TO_HIGH, 'xhigh'],
    },
    { ...SILENT, models: /claude-(?:3|2|instant)/ },
    // Later ones think in silence unless they are asked to show a summary.
    { models: /claude/, form: 'adaptive_shown', levels: ['none', ...LOW_TO_HIGH, 'xhigh', 'max'] },
  ],
  ollama: [
    // This family cannot stop thinking, and knows degrees of it; all others can only be switched.
    { models: /gpt-oss/, form: 'think_level', levels: LOW_TO_HIGH },
    { form: 'think_switch', levels: SWITCH },
  ],
  unknown: [],
};

/** What a request says about effort: a level that the model knows, and how it is written. */
type FoundEffort = { form: EffortForm; level: ReasoningEffort };

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
