import { CONTEXT_RULES } from './context-rules.ts';
import { LOOP_RULES } from './loop-rules.ts';
import { MODEL_RULES } from './model-rules.ts';
import type { Rule } from './rule.ts';
import { STORE_RULES } from './store-rules.ts';
import { SURFACE_RULES } from './surface-rules.ts';
import { TOOL_RULES } from './tool-rules.ts';

export type { Rule } from './rule.ts';

/** All rules of the specification by id. The tests of a `done` rule name it with `verifies(…)`. */
export const RULES = {
  ...LOOP_RULES,
  ...MODEL_RULES,
  ...TOOL_RULES,
  ...CONTEXT_RULES,
  ...STORE_RULES,
  ...SURFACE_RULES,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;
