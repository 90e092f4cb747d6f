import { errorMessage } from '../base/index.ts';
import { HOOK_EVENTS, type Hooks, type Logger } from '../contracts/index.ts';
import { withTimeout } from '../util/index.ts';

export type HookLimits = { logger: Logger; limitMs: number };

type AnyHook = (...args: readonly unknown[]) => unknown;

/**
 * Adds a time limit to each hook. A hook that throws or times out counts as one without a result. Only its first
 * failure is logged as a warning, because a broken hook fails at every call.
 */
export function limitHooks(hooks: Hooks, { logger, limitMs }: HookLimits): Hooks {
  const said = new Set<string>();
  const limited: Record<string, unknown> = { name: hooks.name };
  for (const [event, method] of Object.entries(HOOK_EVENTS)) {
    const hook = hooks[method] as AnyHook | undefined;
    if (hook === undefined) continue;
    limited[method] = async (...args: readonly unknown[]) => {
      try {
        const work = (async () => hook(...args))();
        return await withTimeout(work, limitMs, () => new Error(`timed out after ${limitMs / 1000} s`));
      } catch (thrown) {
        const fields = { hook: hooks.name, step: event, reason: errorMessage(thrown) };
        if (said.has(event)) logger.debug('a hook failed again', fields);
        else logger.warn('a hook failed and was skipped', fields);
        said.add(event);
        return undefined;
      }
    };
  }
  return limited as Hooks;
}
