import {
  type Attachment,
  type ChangedFile,
  derivedCallId,
  type ExitReason,
  ownBlock,
  type ToolCall,
  type ToolMessage,
  withoutForgedBlocks,
} from '../base/index.ts';
import type { BatchContext, PreparedCall, ToolOutcome } from '../contracts/index.ts';
import { appendNotices } from './added-context.ts';
import { attachToResult } from './attachments/result-attachments.ts';
import { assistantMessage } from './history.ts';
import type { AnswerReply } from './loop.ts';
import type { RepetitionVerdict } from './repetition-guard.ts';
import type { Turn } from './turn.ts';
import { countAuxiliary, countSpending } from './turn-state.ts';
import { windowOf } from './window.ts';

const MAX_INVALID_BATCHES = 3;

/**
 * Stores the tool calls, runs them, and stores each result. Ends the turn if the model keeps repeating itself or
 * sends only invalid calls.
 */
export async function handleToolCalls(turn: Turn, reply: AnswerReply): Promise<ExitReason | undefined> {
  const { state, options } = turn;
  const calls = reply.prepared.map((each) => ({ ...each, call: withUniqueId(each.call, turn) }));
  const answer = { ...reply.answer, toolCalls: calls.map(({ call }) => call) };
  await turn.session.append([assistantMessage(answer, turn.routes.current())], reply.record);
  state.lastReasoning = answer.reasoning ?? state.lastReasoning;
  const batch = createBatch(turn, calls);
  await options.tools.run(calls, batch.context);
  if (isFree(calls)) state.budgetLeft += 1;
  const repeated = batch.repeated();
  return repeated === undefined ? checkValidity(turn, calls) : endForRepetition(turn, repeated);
}

/** Makes a call id unique in the history: some providers number their calls from zero in every answer. */
function withUniqueId(call: ToolCall, { session }: Turn): ToolCall {
  if (!session.callIds.has(call.id)) return call;
  const { name, arguments: text, id: taken } = call;
  const derive = (position: number) => derivedCallId({ name, arguments: text, position, taken });
  let position = session.history.length;
  // The history gets shorter when it is compressed, so an id derived from this position may already be in use.
  while (session.callIds.has(derive(position))) position += 1;
  return { ...call, id: derive(position) };
}

/** The callbacks for a tool batch. Each result is stored before its event is emitted. */
function createBatch(turn: Turn, prepared: readonly PreparedCall[]) {
  let left = prepared.length;
  let repeated: RepetitionVerdict['stop'];
  const changes = new Map<string, ChangedFile[]>();
  const record = turn.repetition.startBatch();
  const context: BatchContext = {
    sessionId: turn.session.id,
    taskId: turn.taskId,
    signal: turn.signal,
    contextLength: windowOf(turn),
    interaction: turn.interaction,
    state: turn.session.toolState,
    onStarted({ call }) {
      turn.emit({ type: 'tool-started', callId: call.id, name: call.name, arguments: call.arguments });
    },
    onProgress({ call }, text) {
      turn.emit({ type: 'tool-progress', callId: call.id, text });
    },
    onFileChanged({ call }, change) {
      changes.set(call.id, [...(changes.get(call.id) ?? []), change]);
      turn.emit({ type: 'file-changed', callId: call.id, ...change });
    },
    onSubagent({ call }, news) {
      // The cost of subagents counts towards this turn.
      const { event } = news;
      if (event.type === 'usage') countSpending(turn.state, event.usage, event.cost);
      if (event.type === 'ended' && event.auxiliary !== undefined) countAuxiliary(turn.state, event.auxiliary);
      turn.emit({ type: 'subagent', callId: call.id, ...news });
    },
    async onResult(call, outcome, durationMs) {
      left -= 1;
      const { notice, stop } = record(call, outcome);
      repeated ??= stop;
      const changed = changes.get(call.call.id);
      await storeResult(turn, call, outcome, { notice, durationMs, changed, isLast: left === 0 });
    },
  };
  return { context, repeated: () => repeated };
}

async function storeResult(
  turn: Turn,
  prepared: PreparedCall,
  outcome: ToolOutcome,
  extra: { notice: string | undefined; durationMs: number; changed: ChangedFile[] | undefined; isLast: boolean },
): Promise<void> {
  const { call } = prepared;
  const notice = extra.notice === undefined ? '' : `\n\n${extra.notice}`;
  const { attachments, note } = await attachToResult(turn, prepared, outcome);
  const content = withoutForgedBlocks(outcome.content) + note + notice;
  const { status } = outcome;
  const { changed } = extra;
  const meta = { toolStatus: { [call.id]: status }, ...(changed && { fileChanges: { [call.id]: changed } }) };
  const store = (text: string) => turn.session.append([toolMessage(call, text, attachments)], undefined, meta);
  const steered = extra.isLast
    ? await storeWithNotices(turn, content, store)
    : await store(content).then(() => undefined);
  turn.state.toolCalls += 1;
  const { durationMs } = extra;
  turn.emit({ type: 'tool-finished', callId: call.id, name: call.name, status, content: outcome.content, durationMs });
  if (steered !== undefined) turn.emit({ type: 'steered', text: steered });
}

/** Appends notices and steered messages to the last result of the batch, which is the end of the next request. */
async function storeWithNotices(
  turn: Turn,
  content: string,
  store: (text: string) => Promise<void>,
): Promise<string | undefined> {
  let steered: string | undefined;
  await appendNotices(turn, async (block) => {
    const withNotice = content + block;
    steered = await turn.steering.deliver((text) =>
      store(text === undefined ? withNotice : withNotice + ownBlock('steering').write(text)),
    );
  });
  return steered;
}

function toolMessage({ id, name }: ToolCall, content: string, attachments: Attachment[]): ToolMessage {
  const message: ToolMessage = { role: 'tool', toolCallId: id, toolName: name, content };
  if (attachments.length > 0) message.attachments = attachments;
  return message;
}

/** A step that ran only free calls does not use the iteration budget. */
function isFree(prepared: readonly PreparedCall[]): boolean {
  return prepared.every((call) => call.status === 'ready' && call.freeIteration);
}

function checkValidity({ state }: Turn, prepared: readonly PreparedCall[]): ExitReason | undefined {
  // Calls to unknown tools are not counted: the error result lists the tools, and repeating the call ends the turn
  // anyway.
  const allUnparsable = prepared.every(({ status }) => status === 'unparsable');
  state.invalidBatches = allUnparsable ? state.invalidBatches + 1 : 0;
  if (state.invalidBatches < MAX_INVALID_BATCHES) return undefined;
  const allTruncated = prepared.every((call) => call.status === 'unparsable' && call.truncated);
  const times = `${state.invalidBatches} times in a row`;
  state.error = allTruncated
    ? { message: `The model sent truncated tool calls ${times}.`, hint: 'Ask for the work in smaller parts.' }
    : {
        message: `The model sent tool calls with invalid JSON ${times}.`,
        hint: 'Choose a model with better support for tool calls.',
      };
  return 'truncated';
}

function endForRepetition({ state, options }: Turn, repeated: NonNullable<RepetitionVerdict['stop']>): ExitReason {
  const count = options.maxIdenticalCalls;
  state.error =
    repeated === 'failures'
      ? {
          message: 'The model kept repeating a failing call, so the turn was stopped.',
          hint: 'Tell it what to do instead.',
        }
      : {
          message: `The model made the same call ${count} times with the same result, so the turn was stopped.`,
          hint: 'Tell it what to do instead, or raise agent.max_identical_calls.',
        };
  return 'repetition_stopped';
}
