import { errorMessage } from '../base/index.ts';
import { HOOK_EVENTS, type Hooks, type Logger } from '../contracts/index.ts';

export type HookLimits = { logger: Logger; limitMs: number };

type AnyHook = (...args: readonly unknown[]) => unknown;

/**
 * The same hooks, each with its time. One that throws, or is not done by then, counts as one that said nothing; the log
 * has it once, because a broken hook is broken at every call.
 */
export function limitHooks(hooks: Hooks, { logger, limitMs }: HookLimits): Hooks {
  const said = new Set<string>();
  const limited: Record<string, unknown> = { name: hooks.name };
  for (const [event, method] of Object.entries(HOOK_EVENTS)) {
    const hook = hooks[method] as AnyHook | undefined;
    if (hook === undefined) continue;
    limited[method] = async (...args: readonly unknown[]) => {
      try {
        return await withinTime(async () => hook(...args), limitMs);
      } catch (thrown) {
        const fields = { hook: hooks.name, step: event, reason: errorMessage(thrown) };
        if (said.has(event)) logger.debug('a hook failed again', fields);
        else logger.warn('a hook failed; what it was called for goes on without it', fields);
        said.add(event);
        return undefined;
      }
    };
  }
  return limited as Hooks;
}

async function withinTime(work: () => Promise<unknown>, milliseconds: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${milliseconds / 1000} s`)), milliseconds);
  });
  const working = work();
  working.catch(() => undefined);
  return Promise.race([working, late]).finally(() => clearTimeout(timer));
}
