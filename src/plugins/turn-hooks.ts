import type { Hooks, SessionHookInfo, TurnHooks } from '../contracts/index.ts';
import { truncateMiddle } from '../util/index.ts';

/** The hooks for all sessions of the process. */
export interface ProcessHooks extends TurnHooks {
  sessionEnded(session: SessionHookInfo & { reason: string }): void;
  /** Waits up to `waitMs` for hooks that are still running. */
  settled(waitMs: number): Promise<void>;
}

/** The maximum number of characters that all hooks together may add to a message. */
const MAX_CONTEXT = 10_000;

/**
 * `current` must return hooks that have a time limit and never throw. It is called at each event, because plugins may
 * load late.
 */
export function createTurnHooks(current: () => readonly Hooks[]): ProcessHooks {
  const underWay = new Set<Promise<void>>();

  /** Runs hooks in the background; only `settled` waits for them. */
  function runConcurrently(work: (hook: Hooks) => Promise<void> | undefined): void {
    const all = Promise.all(current().map(async (hook) => work(hook))).then(() => undefined);
    underWay.add(all);
    void all.finally(() => underWay.delete(all));
  }

  return {
    sessionStarted: (session) => runConcurrently((hook) => hook.sessionStart?.(session)),
    async beforeTurn(turn) {
      // In parallel, so that the turn waits only for the slowest hook.
      const answers = await Promise.all(current().map(async (hook) => hook.preModelTurn?.(turn)));
      const texts = answers.flatMap((answer) => (answer?.context.trim() ? [answer.context.trim()] : []));
      return texts.length === 0 ? undefined : truncateMiddle(texts.join('\n\n'), MAX_CONTEXT);
    },
    afterTurn: (result) => runConcurrently((hook) => hook.postModelTurn?.(result)),
    async beforeRequest(request) {
      await Promise.all(current().map(async (hook) => hook.preRequest?.(request)));
    },
    afterRequest: (request, result) => runConcurrently((hook) => hook.postRequest?.(request, result)),
    sessionEnded: (session) => runConcurrently((hook) => hook.sessionEnd?.(session)),
    async settled(waitMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([Promise.all(underWay), late]).finally(() => clearTimeout(timer));
    },
  };
}
