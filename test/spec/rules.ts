import { CONTEXT_RULES } from './rules/context-rules.ts';
import { LOOP_RULES } from './rules/loop-rules.ts';
import { MODEL_RULES } from './rules/model-rules.ts';
import type { Rule } from './rules/rule.ts';
import { STORE_RULES } from './rules/store-rules.ts';
import { SURFACE_RULES } from './rules/surface-rules.ts';
import { TOOL_RULES } from './rules/tool-rules.ts';

export type { Rule } from './rules/rule.ts';

/** All rules of the specification by id. Tests of a `done` rule refer to it with `verifies(…)`. */
export const RULES = {
  ...LOOP_RULES,
  ...MODEL_RULES,
  ...TOOL_RULES,
  ...CONTEXT_RULES,
  ...STORE_RULES,
  ...SURFACE_RULES,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;
