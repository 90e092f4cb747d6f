import {
  type AgentEvent,
  DEFAULT_ANSWER_SECONDS,
  type ExitReason,
  errorMessage,
  exitFacts,
  HermesError,
  type InteractionAnswer,
  NO_COST,
  newId,
  type RunResult,
  startTimer,
  StoreReplaced,
} from '../base/index.ts';
import { createEventChannel, type EventReader, joinSignals, type ReaderOptions } from '../util/index.ts';
import type { RunInput } from './agent-options.ts';
import { closingDetails, closingResults } from './history.ts';
import { type AgentParts, beginTurn } from './begin-turn.ts';
import { createQuestions, type Questions } from './interaction.ts';
import { watchTurnTime } from './limits.ts';
import { runLoop } from './loop.ts';
import { cleanInput } from './recall-scrubber.ts';
import { createRepetitionGuard } from './repetition-guard.ts';
import { createSteering } from './steering.ts';
import { stopReason, type Turn, TurnStopped } from './turn.ts';
import { countAuxiliary, newTurnState } from './turn-state.ts';

/** A running turn. Any number of readers may iterate over its events; `result` settles whether or not anyone reads. */
export interface Run extends AsyncIterable<AgentEvent> {
  /** Never rejects: errors are part of the result. */
  readonly result: Promise<RunResult>;
  /**
   * Passes a message to the model with the next request, without interrupting anything. Returns false if the turn has
   * ended.
   */
  steer(text: string): boolean;
  interrupt(reason?: string): void;
  /** Answers a `request` event. Returns false if that question is no longer open. */
  respond(requestId: string, answer: InteractionAnswer): boolean;
  /** Creates a reader with its own queue, which receives events from now on. */
  read(options?: ReaderOptions): EventReader<AgentEvent>;
}

/**
 * Starts a turn. `onEnded` is called before the `finished` event, so that a reader of that event can start the next
 * turn.
 */
export function startRun(parts: AgentParts, input: RunInput, onEnded: () => void): Run {
  const channel = createEventChannel<AgentEvent>({
    merge: mergeDeltas,
    isLast: (event) => event.type === 'finished',
    isDroppable: isDelta,
  });
  const controller = new AbortController();
  // A signal of `AbortSignal.any` looks up its sources whenever it is read, which happens many times per step.
  const { signal, release } = joinSignals([controller.signal, input.signal]);
  const questions = createQuestions({
    attended: parts.options.attended,
    timeoutMs: parts.options.interactionTimeoutMs ?? DEFAULT_ANSWER_SECONDS * 1000,
    clock: parts.clock,
    signal,
    from: () => ({ sessionId: turn.session.id, turnId: turn.taskId }),
    log: parts.options.questionLog,
    logger: parts.logger,
    emit: channel.push,
  });
  const turn: Turn = createTurn(parts, input, { signal, questions, emit: channel.push });
  return {
    result: execute(turn, input, controller, onEnded).finally(release),
    steer: (text) => turn.steering.add(text),
    interrupt: (reason = 'interrupted by the user') => controller.abort(new TurnStopped('interrupted', reason)),
    respond: questions.respond,
    read: channel.read,
    [Symbol.asyncIterator]: () => channel.read(),
  };
}

function createTurn(
  parts: AgentParts,
  input: RunInput,
  run: { signal: AbortSignal; questions: Questions; emit: (event: AgentEvent) => void },
): Turn {
  const { maxIterations, iterationBudget, maxIdenticalCalls } = parts.options;
  return {
    ...parts,
    state: newTurnState(iterationBudget ?? maxIterations),
    repetition: createRepetitionGuard(maxIdenticalCalls),
    steering: createSteering(run.signal),
    interaction: run.questions.interaction,
    taskId: input.taskId ?? newId('task'),
    outputSchema: input.outputSchema,
    startedAt: parts.clock.now(),
    elapsed: startTimer(parts.clock),
    signal: run.signal,
    emit: run.emit,
  };
}

/** Runs the turn and always returns exactly one result. */
async function execute(
  turn: Turn,
  input: RunInput,
  controller: AbortController,
  onEnded: () => void,
): Promise<RunResult> {
  const done = new AbortController();
  const { auxiliarySpending } = turn.options;
  const unfollow = auxiliarySpending?.follow(turn.taskId, (spent) => countAuxiliary(turn.state, spent));
  let reason: ExitReason = 'failed';
  try {
    // Lets the caller attach a reader before the first event.
    await Promise.resolve();
    watchTurnTime(turn, controller, done.signal);
    await beginTurn(turn, input);
    reason = await runLoop(turn);
  } catch (thrown) {
    reason = handleTurnError(turn, thrown);
  } finally {
    done.abort();
    unfollow?.();
  }
  reason = await settle(turn, reason);
  const result = createResult(turn, reason);
  const userMessage = cleanInput(input.userMessage);
  const { sessionId, taskId, finalResponse: answer } = result;
  turn.options.hooks?.afterTurn({ sessionId, taskId, userMessage, answer, exitReason: reason });
  turn.options.afterTurn?.({ result, userMessage });
  onEnded();
  turn.emit({ type: 'finished', result });
  return result;
}

function handleTurnError(turn: Turn, thrown: unknown): ExitReason {
  const cause: unknown = turn.signal.aborted ? turn.signal.reason : thrown;
  const isInternalError = !(cause instanceof HermesError) && !turn.signal.aborted;
  const hint = cause instanceof HermesError ? cause.hint : undefined;
  turn.state.error = {
    message: errorMessage(cause),
    hint: isInternalError ? 'This is a bug in Hermes. The log has the details; please report it.' : hint,
  };
  if (turn.signal.aborted) return stopReason(turn.signal);
  turn.logger.error('turn failed', { sessionId: turn.session.id }, thrown);
  return 'failed';
}

/**
 * Stores what completes the turn: closing results for calls without one, and the turn record. Returns the exit
 * reason, which is `failed` if the store was replaced: then the answer is not where the next turn looks for it.
 */
async function settle(turn: Turn, reason: ExitReason): Promise<ExitReason> {
  const { session, state, routes, options } = turn;
  const { provider, model } = routes.describe();
  const record = {
    sessionId: session.id,
    taskId: turn.taskId,
    startedAt: turn.startedAt,
    endedAt: turn.clock.now(),
    exitReason: reason,
    apiCalls: state.apiCalls,
    toolCalls: state.toolCalls,
    model,
    provider,
    error: state.error?.message,
  };
  try {
    turn.logger.info('turn finished', record);
    const closing = closingResults(session.history, `This call was interrupted: the turn ended (${reason}).`);
    if (closing.length > 0) await session.append(closing, undefined, closingDetails(closing));
    await options.store.recordTurn(record);
  } catch (thrown) {
    turn.logger.error('could not store the end of a turn', { sessionId: session.id }, thrown);
    if (thrown instanceof StoreReplaced && exitFacts(reason).flag === 'completed') {
      state.error = { message: thrown.message, hint: thrown.hint };
      return 'failed';
    }
    state.error ??= { message: `The end of the turn could not be stored: ${errorMessage(thrown)}` };
  }
  return reason;
}

function createResult(turn: Turn, exitReason: ExitReason): RunResult {
  const { state, session, routes } = turn;
  const { flag } = exitFacts(exitReason);
  return {
    finalResponse: state.finalText,
    lastReasoning: state.lastReasoning,
    messages: [...session.history],
    usage: state.usage,
    cost: state.cost ?? NO_COST,
    auxiliary: state.auxiliary,
    cacheMisses: state.cacheMisses,
    apiCalls: state.apiCalls,
    toolCalls: state.toolCalls,
    sessionId: session.id,
    taskId: turn.taskId,
    ...routes.describe(),
    exitReason,
    completed: flag === 'completed',
    partial: flag === 'partial',
    interrupted: flag === 'interrupted',
    failed: flag === 'failed',
    error: exitReason === 'completed' ? undefined : state.error,
    undelivered: turn.steering.close(),
    durationMs: turn.elapsed(),
  };
}

/** A slow reader may lose deltas, because their text is also in the stored messages. */
function isDelta({ type }: AgentEvent): boolean {
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-progress';
}

/** Merges consecutive deltas that wait for a slow reader; all other events stay separate. */
function mergeDeltas(waiting: AgentEvent, next: AgentEvent): AgentEvent | undefined {
  if (next.type === 'text-delta' && waiting.type === 'text-delta') return { ...next, text: waiting.text + next.text };
  if (next.type === 'reasoning-delta' && waiting.type === 'reasoning-delta') {
    return { ...next, text: waiting.text + next.text };
  }
  if (next.type === 'tool-progress' && waiting.type === 'tool-progress' && waiting.callId === next.callId) {
    return { ...next, text: waiting.text + next.text };
  }
  return undefined;
}
