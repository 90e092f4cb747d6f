import type { Hooks, SessionHookInfo, TurnHooks } from '../contracts/index.ts';
import { cutMiddle } from '../util/index.ts';

/** The hooks around the turns of all sessions of a program. */
export interface ProgramHooks extends TurnHooks {
  sessionEnded(session: SessionHookInfo & { reason: string }): void;
  /** Waits so long for what is still under way, then lets it be. */
  settled(waitMs: number): Promise<void>;
}

/** The most characters that all hooks together may add to a message. */
const MAX_CONTEXT = 10_000;

/** Over hooks that have a time limit of their own and never fail; asked for at each step, because some come late. */
export function createTurnHooks(current: () => readonly Hooks[]): ProgramHooks {
  const underWay = new Set<Promise<void>>();

  /** Nobody waits for it, until the program ends. */
  function beside(work: (hook: Hooks) => Promise<void> | undefined): void {
    const all = Promise.all(current().map(async (hook) => work(hook))).then(() => undefined);
    underWay.add(all);
    void all.finally(() => underWay.delete(all));
  }

  return {
    sessionStarted: (session) => beside((hook) => hook.sessionStart?.(session)),
    async beforeTurn(turn) {
      // Beside each other, so that the turn waits for the slowest and not for all.
      const answers = await Promise.all(current().map(async (hook) => hook.preModelTurn?.(turn)));
      const texts = answers.flatMap((answer) => (answer?.context.trim() ? [answer.context.trim()] : []));
      return texts.length === 0 ? undefined : cutMiddle(texts.join('\n\n'), MAX_CONTEXT);
    },
    afterTurn: (result) => beside((hook) => hook.postModelTurn?.(result)),
    async beforeRequest(request) {
      await Promise.all(current().map(async (hook) => hook.preRequest?.(request)));
    },
    afterRequest: (request, result) => beside((hook) => hook.postRequest?.(request, result)),
    sessionEnded: (session) => beside((hook) => hook.sessionEnd?.(session)),
    async settled(waitMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([Promise.all(underWay), late]).finally(() => clearTimeout(timer));
    },
  };
}
