import { errorMessage } from '../base/index.ts';
import type { Hooks, Logger, ToolHookCall, ToolOutcome } from '../contracts/index.ts';

/** The hooks around a tool call. A hook that throws is logged and ignored. */
export interface ToolHooks {
  /** The reason of the first hook that blocks the call. */
  blockedBy(call: ToolHookCall): Promise<string | undefined>;
  afterCall(call: ToolHookCall, outcome: ToolOutcome): Promise<ToolOutcome>;
}

/** The hooks are iterated for each call, because plugins may add hooks later. */
export function createToolHooks(hooks: Iterable<Hooks>, logger: Logger): ToolHooks {
  // Third-party code: a failure must not affect the call.
  async function guarded<Result>(hook: Hooks, step: string, work: () => Promise<Result> | undefined) {
    try {
      return await work();
    } catch (thrown) {
      logger.warn('hook failed', { hook: hook.name, step, error: errorMessage(thrown) });
      return undefined;
    }
  }

  return {
    async blockedBy(call) {
      for (const hook of hooks) {
        if (hook.preToolCall === undefined) continue;
        const answer = await guarded(hook, 'preToolCall', () => hook.preToolCall?.(call));
        if (answer !== undefined) return answer.block;
      }
      return undefined;
    },
    async afterCall(call, outcome) {
      for (const hook of hooks) {
        if (hook.postToolCall === undefined) continue;
        await guarded(hook, 'postToolCall', () => hook.postToolCall?.(call, outcome));
      }
      // Each hook gets the result of the previous one.
      let { content } = outcome;
      for (const hook of hooks) {
        if (hook.transformToolResult === undefined) continue;
        const before = content;
        content =
          (await guarded(hook, 'transformToolResult', () => hook.transformToolResult?.(call, before))) ?? content;
      }
      return { ...outcome, content };
    },
  };
}
