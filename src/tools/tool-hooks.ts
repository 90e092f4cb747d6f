import { errorMessage } from '../base/index.ts';
import type { Hooks, Logger, ToolHookCall, ToolOutcome } from '../contracts/index.ts';

/** The hooks around a tool call. One that throws is logged and otherwise ignored. */
export interface ToolHooks {
  /** The reason a hook gave to stop the call. */
  blockedBy(call: ToolHookCall): Promise<string | undefined>;
  afterCall(call: ToolHookCall, outcome: ToolOutcome): Promise<ToolOutcome>;
}

/** The hooks are gone through anew for each call: those of plugins may come late. */
export function createToolHooks(hooks: Iterable<Hooks>, logger: Logger): ToolHooks {
  // Code of others runs here: whatever it does, the call goes on.
  async function guarded<Result>(hook: Hooks, step: string, work: () => Promise<Result> | undefined) {
    try {
      return await work();
    } catch (thrown) {
      logger.warn('a hook failed', { hook: hook.name, step, error: errorMessage(thrown) });
      return undefined;
    }
  }

  return {
    async blockedBy(call) {
      for (const hook of hooks) {
        const answer = await guarded(hook, 'preToolCall', () => hook.preToolCall?.(call));
        if (answer !== undefined) return answer.block;
      }
      return undefined;
    },
    async afterCall(call, outcome) {
      for (const hook of hooks) await guarded(hook, 'postToolCall', () => hook.postToolCall?.(call, outcome));
      // Each sees what the one before made of it.
      let { content } = outcome;
      for (const hook of hooks) {
        const before = content;
        content =
          (await guarded(hook, 'transformToolResult', () => hook.transformToolResult?.(call, before))) ?? content;
      }
      return { ...outcome, content };
    },
  };
}
