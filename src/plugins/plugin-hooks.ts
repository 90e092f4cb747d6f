import { HOOK_EVENTS, type Hooks } from '../contracts/index.ts';
import type { RegisteredHook } from './create-host.ts';

/** What one handler of a plugin does, as hooks of one step. What it answers is not relied on. */
export function toHooks(plugin: string, { event, handler }: RegisteredHook): Hooks {
  const call = handler as (...args: readonly unknown[]) => unknown;
  const ask = async (...args: readonly unknown[]) => readAnswer(event, await call(...args));
  return { name: plugin, [HOOK_EVENTS[event]]: ask };
}

/** Only what has the right form counts: a hook is plain code of others. */
function readAnswer(event: RegisteredHook['event'], answer: unknown): unknown {
  const record = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  switch (event) {
    case 'pre_tool_call':
      return typeof record['block'] === 'string' ? { block: record['block'] } : undefined;
    case 'transform_tool_result':
      return typeof answer === 'string' ? answer : undefined;
    case 'pre_llm_call':
      return typeof record['context'] === 'string' ? { context: record['context'] } : undefined;
    default:
      return undefined;
  }
}
