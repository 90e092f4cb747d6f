import {
  canonicalJson,
  type Clock,
  type FinishReason,
  type JsonValue,
  ModelError,
  type ModelFailure,
  systemClock,
} from '../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRequest, ModelStreamEvent, StreamOptions } from '../contracts/index.ts';
import {
  chunkText,
  createScriptReader,
  type PlannedReply,
  planReply,
  type ReplyContent,
  type Script,
  type ScriptOptions,
} from './reply.ts';

/** A failure of a model call without a network: after this many events, by default immediately. */
export type ModelFault =
  | { type: 'failure'; failure: ModelFailure; afterEvents?: number }
  /** No events until the call is aborted. */
  | { type: 'stall'; afterEvents?: number };

export type ModelReply = ReplyContent & { fault?: ModelFault };
export type ModelScript = Script<ModelRequest, ModelReply>;

export type ScriptedModelOptions = ScriptOptions & { producer?: string; clock?: Clock };

export type ScriptedModel = ModelClient & {
  /** All requests so far, oldest first. */
  readonly requests: readonly ModelRequest[];
};

/** A model client that plays a script in this process, without a network. */
export function createScriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ScriptedModel {
  const nextReply = createScriptReader(script, options);
  const clock = options.clock ?? systemClock;
  const requests: ModelRequest[] = [];
  return {
    producer: options.producer ?? 'scripted',
    requests,
    prepare: prepareScripted,
    async stream(request, streamOptions) {
      streamOptions.signal.throwIfAborted();
      // A copy, because the loop may keep using the array that it sent.
      requests.push({ ...request, messages: [...request.messages] });
      const reply = await nextReply(request);
      const plan = planReply(reply, prepareScripted(request).body.length);
      await play(reply.fault, plan, request.stream, streamOptions, clock);
      return toAnswer(plan);
    },
  };
}

function prepareScripted(request: ModelRequest) {
  // A request contains only JSON values, which its type does not express.
  const body = canonicalJson(request as unknown as JsonValue);
  return { method: 'POST' as const, url: 'scripted://model', headers: { 'content-type': 'application/json' }, body };
}

async function play(
  fault: ModelFault | undefined,
  plan: PlannedReply,
  streaming: boolean,
  options: StreamOptions,
  clock: Clock,
): Promise<void> {
  const events = toEvents(plan, streaming ? plan.chunkSize : Number.POSITIVE_INFINITY);
  const spoken = fault === undefined ? events : events.slice(0, fault.afterEvents ?? 0);
  for (const event of spoken) {
    if (plan.delayMs > 0) await clock.sleep(plan.delayMs, options.signal);
    options.signal.throwIfAborted();
    options.onEvent(event);
    // Yields between two events, as a socket would.
    await Promise.resolve();
  }
  options.signal.throwIfAborted();
  if (fault?.type === 'failure') throw new ModelError(fault.failure);
  if (fault?.type === 'stall') await untilAborted(options.signal);
}

/** In the order of real models: reasoning, text, calls. */
function toEvents(plan: PlannedReply, chunkSize: number): ModelStreamEvent[] {
  return [
    ...chunkText(plan.reasoning, chunkSize).map((text) => ({ type: 'reasoning-delta' as const, text })),
    ...chunkText(plan.text, chunkSize).map((text) => ({ type: 'text-delta' as const, text })),
    ...plan.toolCalls.map((call) => ({ type: 'tool-call-start' as const, name: call.name })),
  ];
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function toAnswer(plan: PlannedReply): ModelAnswer {
  const answer: ModelAnswer = {
    text: plan.text,
    toolCalls: plan.toolCalls,
    finishReason: toFinishReason(plan.finishReason),
    usage: plan.usage,
  };
  if (plan.reasoning !== '') answer.reasoning = plan.reasoning;
  return answer;
}

/**
 * The loop has no finish reason for a refusal, so it becomes `content_filter`: both mean that the answer was
 * withheld.
 */
function toFinishReason(reason: PlannedReply['finishReason']): FinishReason {
  return reason === 'refusal' ? 'content_filter' : (reason ?? 'stop');
}
