import type { PromptResponse, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import {
  type AgentEvent,
  errorMessage,
  type InteractionAnswer,
  newId,
  OWNER,
  type RunResult,
  totalTokens,
} from '../../base/index.ts';
import type { Logger, SessionStore } from '../../contracts/index.ts';
import {
  type Conversation,
  type ConversationMessage,
  type ConversationTurn,
  TurnNotStarted,
} from '../../conversations/index.ts';
import { AcpFailure } from './acp-failure.ts';
import type { AcpClient } from './acp-server-protocol.ts';
import { ASKED_IN_TEXT, askForm, askForPlan, askPermission, questionText } from './questions.ts';
import { chunk, createTurnUpdates, notice, type TurnUpdates, type UpdateContext } from './turn-updates.ts';

export type PromptRunnerOptions = {
  /** The id of the session in the protocol. */
  sessionId: string;
  conversation: Conversation;
  client: AcpClient;
  context: UpdateContext;
  /** Whether responses contain the usage, which is not part of the stable protocol. */
  reportsUsage: boolean;
  /** Whether the client shows forms. */
  hasForms: boolean;
  store: SessionStore;
  logger: Logger;
  send(...updates: SessionUpdate[]): Promise<void>;
  /** Called with each usage event. */
  onUsage(usage: UsageEvent): Promise<void>;
  /** Called with the cost of each call of a subagent. */
  onSubagentCost(cost: UsageEvent['cost']): void;
  /** Called when the user has decided about a plan. */
  onPlanDecided(): Promise<void>;
};

export type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;
type Request = Extract<AgentEvent, { type: 'request' }>;

/** Runs turns and shows them to the client. */
export interface PromptRunner {
  run(message: ConversationMessage): Promise<PromptResponse>;
}

/** The state of a turn while it runs. */
type TurnState = {
  turn: ConversationTurn;
  updates: TurnUpdates;
  /** The running calls, by id. */
  calls: Map<string, { name: string; arguments: string }>;
  /** Open questions; aborted when they are closed. */
  questions: Map<string, AbortController>;
  /** The running calls that ask about a plan. */
  plans: Set<string>;
  /** The question was asked in text, so the turn ends with its call. */
  endsWithCall: boolean;
};

export function createPromptRunner(options: PromptRunnerOptions): PromptRunner {
  async function runTurn(message: ConversationMessage): Promise<{ result: RunResult; state: TurnState }> {
    const turn = options.conversation.queue(message);
    const updates = createTurnUpdates(options.context);
    const state: TurnState = {
      turn,
      updates,
      calls: new Map(),
      questions: new Map(),
      plans: new Set(),
      endsWithCall: false,
    };
    try {
      for await (const event of turn) await show(options, state, event);
    } finally {
      for (const question of state.questions.values()) question.abort();
    }
    return { result: await turn.result, state };
  }

  return {
    async run(message) {
      try {
        let { result, state } = await runTurn(message);
        // Text that was steered too late for the last request is the next message of the same prompt.
        while (result.undelivered !== undefined && !result.interrupted)
          ({ result, state } = await runTurn({ text: result.undelivered }));
        const stopReason = stopReasonOf(result, state.endsWithCall);
        await explainEnd(options, result);
        return { stopReason, ...(options.reportsUsage && { usage: usageOf(result) }) };
      } catch (thrown) {
        if (thrown instanceof TurnNotStarted) return { stopReason: 'cancelled' };
        throw thrown;
      }
    },
  };
}

export function busy(): AcpFailure {
  return new AcpFailure('internal', 'A turn is running in this session.', {
    hint: 'Wait until it has ended, cancel it, or send the prompt with `_meta: { "steer": true }`.',
  });
}

async function show(options: PromptRunnerOptions, state: TurnState, event: AgentEvent): Promise<void> {
  if (event.type === 'tool-started') state.calls.set(event.callId, event);
  await options.send(...state.updates.convert(event));
  switch (event.type) {
    case 'tool-finished':
      state.calls.delete(event.callId);
      if (state.endsWithCall && event.name === 'clarify') state.turn.interrupt('a question to the user ended the turn');
      if (state.plans.delete(event.callId)) await options.onPlanDecided();
      return;
    case 'usage':
      return options.onUsage(event);
    case 'subagent':
      if (event.event.type === 'usage') options.onSubagentCost(event.event.cost);
      return;
    case 'compressed':
      return options.send(...state.updates.endCompression(await findSummary(options, event.sessionId)));
    case 'request':
      // The turn continues to emit events, and the client may cancel it, while the question is open.
      void ask(options, state, event);
      return;
    case 'request-closed':
      state.questions.get(event.requestId)?.abort();
      state.questions.delete(event.requestId);
      return;
    default:
  }
}

/** The text that replaced the compressed messages. */
export async function findSummary(
  { store }: Pick<PromptRunnerOptions, 'store'>,
  sessionId: string,
): Promise<string | undefined> {
  return (await store.getMessages(sessionId)).find(({ isReplacement }) => isReplacement)?.message.content;
}

/** Asks the client and passes its answer on. A client that fails to answer has denied. */
async function ask(options: PromptRunnerOptions, state: TurnState, event: Request): Promise<void> {
  const { conversation, logger } = options;
  const question = new AbortController();
  state.questions.set(event.requestId, question);
  try {
    const answer = await findAnswer(options, state, event, question.signal);
    if (!question.signal.aborted) await conversation.answer(event.requestId, answer, OWNER);
  } catch (thrown) {
    logger.warn('the client did not answer a question', { reason: errorMessage(thrown) });
    if (question.signal.aborted) return;
    const answer: InteractionAnswer =
      event.request.kind === 'approval' ? { kind: 'approval', answer: 'deny' } : { kind: 'clarify', text: '' };
    await conversation.answer(event.requestId, answer, OWNER).catch(() => undefined);
  }
}

async function findAnswer(
  options: PromptRunnerOptions,
  state: TurnState,
  { requestId, request }: Request,
  signal: AbortSignal,
): Promise<InteractionAnswer> {
  const { client, sessionId } = options;
  const [callId, call] = findCall(state, request) ?? [];
  const asked = { client, sessionId, toolCallId: callId ?? requestId, signal };
  if (request.kind === 'approval') {
    // The client has not seen a call that runs inside another one, such as those of a subagent.
    const unseen = call === undefined ? { title: request.toolName, kind: 'other' as const } : undefined;
    const answer = await askPermission(request, { ...asked, unseen });
    if (!signal.aborted) await options.send(decidedCall(asked.toolCallId, call !== undefined, answer));
    return answer;
  }
  if (request.plan !== undefined) state.plans.add(asked.toolCallId);
  if (request.plan !== undefined && !options.hasForms) return askForPlan({ ...request, plan: request.plan }, asked);
  if (options.hasForms) {
    const answer = await askForm(request, asked);
    return answer ?? { kind: 'clarify', text: call?.name === 'clarify' ? DECLINED : '' };
  }
  // An MCP server asks. Without a form, nobody can answer it.
  if (call?.name !== 'clarify') return { kind: 'clarify', text: '' };
  state.endsWithCall = true;
  await options.send(chunk('agent_message_chunk', questionText(request), `question-${requestId}`));
  return { kind: 'clarify', text: ASKED_IN_TEXT };
}

/** The state of a call that was decided about. The end of an unseen one is not reported, so this is its last update. */
function decidedCall(toolCallId: string, isSeen: boolean, answer: InteractionAnswer): SessionUpdate {
  const isDenied = answer.kind === 'approval' && answer.answer === 'deny';
  const status = isSeen ? 'in_progress' : isDenied ? 'failed' : 'completed';
  return { sessionUpdate: 'tool_call_update', toolCallId, status };
}

const DECLINED = 'The user declined to answer this question. Choose the most sensible option yourself.';

type RunningCall = [callId: string, call: { name: string; arguments: string }];

/** The running call that asks: one of the same tool, in doubt the one with the same subject. */
function findCall({ calls }: TurnState, request: Request['request']): RunningCall | undefined {
  const running = [...calls];
  if (request.kind === 'clarify') return running.find(([, { name }]) => name === 'clarify') ?? running.at(-1);
  const candidates = running.filter(([, { name }]) => name === request.toolName);
  const subject = JSON.stringify(request.subject).slice(1, -1);
  return candidates.find((call) => call[1].arguments.includes(subject)) ?? candidates[0];
}

/** Says why a turn ended early, which the stop reason alone does not. */
async function explainEnd({ context, send }: PromptRunnerOptions, { exitReason, error }: RunResult): Promise<void> {
  if (error === undefined || exitReason === 'interrupted' || exitReason === 'completed') return;
  const title = error.message;
  const hint = error.hint ?? '';
  if (context.views.notices) return send(notice('warning', title, hint));
  return send(chunk('agent_message_chunk', `\n\n*${`${title} ${hint}`.trim()}*`, newId('message')));
}

function usageOf({ usage }: RunResult) {
  return {
    totalTokens: totalTokens(usage),
    inputTokens: usage.input,
    outputTokens: usage.output,
    thoughtTokens: usage.reasoning,
    cachedReadTokens: usage.cacheRead,
    cachedWriteTokens: usage.cacheWrite,
  };
}

const STOP_REASONS: Readonly<Record<RunResult['exitReason'], StopReason | undefined>> = {
  completed: 'end_turn',
  empty: 'end_turn',
  interrupted: 'cancelled',
  max_iterations: 'max_turn_requests',
  budget_exhausted: 'max_turn_requests',
  limit_reached: 'max_turn_requests',
  repetition_stopped: 'max_turn_requests',
  truncated: 'max_tokens',
  failed: undefined,
};

function stopReasonOf(result: RunResult, endsWithCall: boolean): StopReason {
  const { exitReason, error } = result;
  if (endsWithCall && exitReason === 'interrupted') return 'end_turn';
  if (error?.kind === 'content_policy') return 'refusal';
  const reason = STOP_REASONS[exitReason];
  if (reason !== undefined) return reason;
  throw new AcpFailure('internal', error?.message ?? 'The turn failed.', {
    ...(error?.hint !== undefined && { hint: error.hint }),
    ...(error?.kind !== undefined && { kind: error.kind }),
  });
}
