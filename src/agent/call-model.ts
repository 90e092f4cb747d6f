import {
  type CacheMiss,
  cacheHitRate,
  errorMessage,
  type ModelFailure,
  ModelError,
  NO_COST,
  startTimer,
  totalTokens,
} from '../base/index.ts';
import type {
  CallRecord,
  ModelAnswer,
  ModelRequest,
  ModelRoute,
  ModelStreamEvent,
  PrefixBreak,
  RequestHookResult,
} from '../contracts/index.ts';
import { createRecallScrubber, scrubRecall } from './recall-scrubber.ts';
import { calibrateFromCall } from './token-figure.ts';
import { countSpending } from './turn-state.ts';
import type { Turn } from './turn.ts';

export type CallResult =
  | { type: 'answer'; answer: ModelAnswer; record: CallRecord }
  | { type: 'failure'; failure: ModelFailure; hint: string | undefined };

/** Makes one model call, with the hooks before and after it. Throws when the turn is interrupted. */
export async function callModel(turn: Turn, request: ModelRequest): Promise<CallResult> {
  const { hooks } = turn.options;
  if (hooks === undefined) return sendRequest(turn, request);
  const { provider, model } = turn.routes.current();
  const messages = request.messages.length;
  const info = { sessionId: turn.session.id, taskId: turn.taskId, provider, model, messages };
  await hooks.beforeRequest(info);
  turn.signal.throwIfAborted();
  const elapsed = startTimer(turn.clock);
  const result = await sendRequest(turn, request);
  hooks.afterRequest(info, describeCall(result, elapsed()));
  return result;
}

function describeCall(result: CallResult, durationMs: number): RequestHookResult {
  if (result.type === 'failure') {
    const { kind, message } = result.failure;
    return { status: 'error', durationMs, kind, message };
  }
  const { usage, cost = NO_COST, finishReason, toolCalls } = result.answer;
  return { status: 'ok', durationMs, usage, cost, finishReason, toolCalls: toolCalls.length };
}

/** Sends the request, forwards the stream as events, and records usage and cost. */
async function sendRequest(turn: Turn, request: ModelRequest): Promise<CallResult> {
  const route = turn.routes.current();
  const timing = { startedAt: turn.clock.now(), elapsed: startTimer(turn.clock) };
  const relay = createStreamForwarder(turn);
  const onPrefixBreak = (found: PrefixBreak) =>
    turn.logger.warn('prefix break', { sessionId: turn.session.id, model: route.model, ...found });
  try {
    const received = await route.client.stream(request, { signal: turn.signal, onEvent: relay.onEvent, onPrefixBreak });
    turn.signal.throwIfAborted();
    turn.session.sent.record(route, request);
    if (request.cacheMarkers !== undefined) {
      // Loaded on demand, because only some models need markers.
      const { learnFromUsage } = await import('./caching/learn-from-usage.ts');
      learnFromUsage(turn, { route, request, usage: received.usage, startedAt: timing.startedAt });
    }
    relay.finish();
    const answer = { ...received, text: scrubRecall(received.text) };
    const { explainCacheMiss } = await import('./explain-cache-miss.ts');
    const cacheMiss = await explainCacheMiss(turn, { route, request, usage: answer.usage, at: timing.startedAt });
    return { type: 'answer', answer, record: recordUsage(turn, route, { answer, cacheMiss, timing }) };
  } catch (thrown) {
    if (relay.spoke()) turn.emit({ type: 'answer-discarded', reason: errorMessage(thrown) });
    turn.signal.throwIfAborted();
    if (!(thrown instanceof ModelError)) throw thrown;
    turn.logger.warn('model call failed', { kind: thrown.failure.kind, error: thrown.failure.message });
    return { type: 'failure', failure: thrown.failure, hint: thrown.hint };
  } finally {
    relay.close();
    for (const message of (await route.credentials?.warnings?.()) ?? []) turn.emit({ type: 'warning', message });
  }
}

/**
 * Converts the stream of a model client into turn events, and guarantees that `thinking-finished` follows
 * `thinking-started`.
 */
function createStreamForwarder(turn: Turn) {
  let thinking = true;
  let spoke = false;
  const scrubber = createRecallScrubber();
  turn.emit({ type: 'thinking-started' });
  const stopThinking = () => {
    if (thinking) turn.emit({ type: 'thinking-finished' });
    thinking = false;
  };
  const say = (text: string) => {
    if (text !== '') turn.emit({ type: 'text-delta', text });
  };
  return {
    spoke: () => spoke,
    close: stopThinking,
    finish: () => say(scrubber.end()),
    onEvent(event: ModelStreamEvent) {
      spoke = true;
      if (event.type !== 'reasoning-delta') stopThinking();
      if (event.type === 'tool-call-start') {
        say(scrubber.end());
        turn.emit({ type: 'tool-call-seen', name: event.name });
      } else if (event.type === 'text-delta') say(scrubber.push(event.text));
      else turn.emit(event);
    },
  };
}

type CallTiming = { startedAt: number; elapsed(): number };

type AnsweredRequest = { answer: ModelAnswer; cacheMiss: CacheMiss | undefined; timing: CallTiming };

function recordUsage(turn: Turn, route: ModelRoute, { answer, cacheMiss, timing }: AnsweredRequest): CallRecord {
  const { state } = turn;
  const miss = cacheMiss && { cacheMiss };
  if (cacheMiss !== undefined) state.cacheMisses.push(cacheMiss);
  const cost = answer.cost ?? NO_COST;
  state.apiCalls += 1;
  state.contextTokens = totalTokens(answer.usage);
  state.overflows = 0;
  calibrateFromCall(turn, answer.usage, state.step.requestTail);
  countSpending(state, answer.usage, cost);
  const { contextTokens } = state;
  const hitRate = cacheHitRate(answer.usage);
  turn.emit({ type: 'usage', usage: answer.usage, cost, contextTokens, cacheHitRate: hitRate, ...miss });
  return {
    taskId: turn.taskId,
    provider: route.provider,
    model: route.model,
    baseUrl: route.baseUrl,
    startedAt: timing.startedAt,
    durationMs: timing.elapsed(),
    usage: answer.usage,
    cost,
    ...miss,
    outcome: 'ok',
  };
}
