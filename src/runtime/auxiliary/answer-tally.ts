import { addCost, addUsage, type Cost, NO_COST, NO_USAGE, newId } from '../../base/index.ts';
import type { AuxiliaryAnswer, AuxiliaryRequest, AuxiliaryTask, SessionStore } from '../../contracts/index.ts';
import type { RouteAnswer } from './auxiliary-route.ts';
import type { SpendingWatch } from './spending-watch.ts';

/** The answers to one question, used or not. */
export interface Tally {
  /** Stores what an answer cost, adds it up for whoever asked, and says whether it can be used. */
  take(given: RouteAnswer): Promise<AuxiliaryAnswer | { reason: string; fault: string }>;
  answers(): number;
}

export function createTally(
  { store, spending }: { store: Pick<SessionStore, 'recordCall'>; spending?: Pick<SpendingWatch, 'tell'> },
  task: AuxiliaryTask,
  request: AuxiliaryRequest,
): Tally {
  const taskId = request.taskId ?? newId('task');
  let [answers, usage, cost] = [0, NO_USAGE, undefined as Cost | undefined];
  return {
    answers: () => answers,
    async take({ answer, route, startedAt, durationMs }) {
      const { provider, model, baseUrl } = route;
      const own = { usage: answer.usage, cost: answer.cost ?? NO_COST };
      answers += 1;
      usage = addUsage(usage, own.usage);
      cost = addCost(cost, own.cost);
      const judged = readAnswer(answer, request);
      const fault = faultOf(judged, request);
      const outcome = fault === undefined ? 'ok' : 'discarded';
      const what = { taskId, purpose: task, provider, model, baseUrl, startedAt, durationMs, ...own, outcome } as const;
      await store.recordCall(request.sessionId ?? '', what);
      spending?.tell(taskId, own);
      if (fault !== undefined) return { reason: `its answer could not be used: ${fault}`, fault };
      return { ...judged, usage, cost, provider, model };
    },
  };
}

/** Some models call tools that nobody offered; that is no answer. */
function readAnswer({ text, toolCalls, finishReason }: RouteAnswer['answer'], { tools = [] }: AuxiliaryRequest) {
  const calls = tools.length > 0 && toolCalls.length > 0;
  return { text: text.trim(), ...(calls && { toolCalls }), finishReason };
}

function faultOf(judged: ReturnType<typeof readAnswer>, request: AuxiliaryRequest): string | undefined {
  if (judged.text === '' && judged.toolCalls === undefined) return 'it was empty';
  return request.findFault?.(judged);
}
