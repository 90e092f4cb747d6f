/** What a refusal in plan mode is called. */
export const PLAN_RULE = 'plan mode';
/** What the model reads; it has to go on without the change, not around the refusal. */
export const PLAN_MESSAGE =
  'Plan mode is on: only what reads may run, and this could change something. Nothing was done. Read what you need, then describe the change instead of making it.';
