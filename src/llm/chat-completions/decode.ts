import {
  type Cost,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NO_USAGE,
  parseJson,
  type Usage,
} from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { addReasoning, addText, type AnswerText, answerTextSize, NO_ANSWER_TEXT } from '../split-reasoning.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asCount, asNumber, asObject, asObjects, asString, asText, hasError } from '../json-access.ts';
import { callsSize, withUniqueIds } from '../tool-call-ids.ts';
import {
  TRUNCATED_RESPONSE,
  type Decoder,
  type DecoderState,
  DONE_EVENT,
  finishAnswer,
  type Finished,
  withheldResponse,
} from '../wire-format.ts';
import { addCallDelta, type ChatCall } from './call-deltas.ts';

/**
 * The state of the decoder. Every step creates a new state, so that a recorded stream can be replayed from any point.
 */
export type ChatState = DecoderState & {
  answerText: AnswerText;
  calls: readonly ChatCall[];
  details: JsonValue[];
  finish: string | undefined;
  /** Whether `[DONE]` was received. */
  marked: boolean;
  usage: Usage;
  cost: Cost | undefined;
};

type Step = [ChatState, ModelStreamEvent[]];

const START: ChatState = {
  answerText: NO_ANSWER_TEXT,
  calls: [],
  details: [],
  finish: undefined,
  marked: false,
  usage: NO_USAGE,
  cost: undefined,
  terminal: false,
};

export const chatDecoder: Decoder<ChatState> = {
  start: START,
  step,
  finish,
  isComplete: (state) => state.finish !== undefined,
  contentSize: ({ answerText, calls, details }) => answerTextSize(answerText) + callsSize(calls) + details.length,
  eventsOfBody: eventsOfWholeChat,
};

function step(state: ChatState, chunk: JsonObject): Step {
  if (chunk.type === '[DONE]') return [{ ...state, marked: true, terminal: true }, []];
  const choice = asObjects(chunk.choices).find((each) => !each.index);
  const error = errorOf(chunk, choice);
  if (error !== undefined) return [{ ...state, failure: factsOfStreamError(error) }, []];
  const counted = addUsage(state, chunk);
  if (choice === undefined) return [counted, []];
  const finished = { ...counted, finish: asText(choice.finish_reason) ?? counted.finish };
  return addDelta(finished, asObject(choice.delta) ?? asObject(choice.message) ?? {});
}

/** An error may be in the chunk or in its choice; in both cases the response is unusable. */
function errorOf(chunk: JsonObject, choice: JsonObject | undefined): JsonObject | undefined {
  if (hasError(chunk) || chunk.object === 'error') return chunk;
  if (asObject(choice?.error) !== undefined) return choice;
  // With this finish reason, a router reports that the upstream provider failed.
  if (choice?.finish_reason !== 'error') return undefined;
  return {
    error: { message: 'The provider ended the response with an error without a message.', code: 'server_error' },
  };
}

/** Usage values are totals, so the last chunk that has them wins. */
function addUsage(state: ChatState, chunk: JsonObject): ChatState {
  const usage = usageObject(chunk);
  if (usage === undefined) return state;
  return { ...state, usage: readUsage(usage), cost: readCost(usage) ?? state.cost };
}

/** Adds a delta. If it contains several kinds of content, the order is reasoning, text, calls. */
function addDelta(state: ChatState, delta: JsonObject): Step {
  const events: ModelStreamEvent[] = [];
  const details = asObjects(delta.reasoning_details);
  // A delta often has the same reasoning in two fields; the first one is used.
  const reasoning =
    asText(delta.reasoning_content) ??
    asText(delta.reasoning) ??
    (textOfDetails(details) || reasoningOfContent(delta.content));
  let [answerText, added] = addReasoning(state.answerText, reasoning);
  events.push(...added);
  // A refusal is text of the model.
  [answerText, added] = addText(answerText, contentOf(delta.content) + (asText(delta.refusal) ?? ''));
  events.push(...added);
  let calls = state.calls;
  for (const source of asObjects(delta.tool_calls)) {
    const [next, name] = addCallDelta(calls, source);
    calls = next;
    if (name !== undefined) events.push({ type: 'tool-call-start', name });
  }
  return [{ ...state, answerText, calls, details: addReasoningDetails(state.details, details) }, events];
}

/** Everything else ("stop", "eos", "end_turn", …) is a regular end. */
const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

function finish(state: ChatState): Finished {
  const toolCalls = withUniqueIds(state.calls.map(({ index: _, ...call }) => call));
  if (state.finish === undefined && !isEnded(state)) return { failure: TRUNCATED_RESPONSE };
  const said = FINISH_REASONS[state.finish ?? ''] ?? 'stop';
  if (said === 'content_filter') return { failure: withheldResponse(state.answerText.text, 'content_filter') };
  // Some providers report "stop" in spite of tool calls.
  const finishReason = said === 'stop' && toolCalls.length > 0 ? 'tool_calls' : said;
  return finishAnswer(state.answerText, toolCalls, {
    finishReason,
    usage: state.usage,
    cost: state.cost,
    reasoningDetails: state.details,
  });
}

/** Some servers never send a finish reason. `[DONE]` is then enough if there is content and no call is incomplete. */
function isEnded({ marked, answerText, calls }: ChatState): boolean {
  const came = answerText.text !== '' || answerText.structured !== '' || answerText.tagged !== '' || calls.length > 0;
  return (
    marked && came && calls.every((call) => call.arguments === '' || asObject(parseJson(call.arguments)) !== undefined)
  );
}

/** The text of a content field: a string or a list of parts. */
function contentOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .filter((part) => part.type !== 'thinking')
    .map((part) => asText(part.text) ?? asText(part.refusal) ?? '')
    .join('');
}

/** Reasoning in parts of the content (Mistral). */
function reasoningOfContent(content: JsonValue | undefined): string {
  return asObjects(content)
    .filter((part) => part.type === 'thinking')
    .map((part) => asString(part.thinking) ?? contentOf(part.thinking))
    .join('');
}

/** A completion that is not streamed is one large chunk: its message has the fields of a delta. */
function eventsOfWholeChat(body: JsonObject): JsonObject[] {
  if (hasError(body) || body.object === 'error') return [body];
  const choice = asObjects(body.choices)[0];
  const message = asObject(choice?.message);
  // An unrelated body must not look like an empty response.
  if (message === undefined) return [];
  // In a complete message every entry is a separate call; the decoder tells them apart by index.
  const calls = asObjects(message.tool_calls).map((call, index) => ({ ...call, index }));
  const chunk = { ...body, choices: [{ ...choice, index: 0, delta: { ...message, tool_calls: calls } }] };
  return [chunk, DONE_EVENT];
}

/** Usage may be at the top level, inside the choice, or in a provider-specific field. */
function usageObject(chunk: JsonObject): JsonObject | undefined {
  return (
    asObject(chunk.usage) ?? asObject(asObjects(chunk.choices)[0]?.usage) ?? asObject(asObject(chunk.x_groq)?.usage)
  );
}

/** Nearly every provider has a different name for cached tokens. They are subtracted from the input tokens. */
function readUsage(usage: JsonObject): Usage {
  const prompt = asObject(usage.prompt_tokens_details) ?? {};
  const completion = asObject(usage.completion_tokens_details) ?? {};
  const cacheRead =
    asCount(prompt.cached_tokens) ||
    asCount(usage.prompt_cache_hit_tokens) ||
    asCount(usage.cached_tokens) ||
    asCount(usage.cache_read_input_tokens);
  const cacheWrite = asCount(prompt.cache_write_tokens) || asCount(usage.cache_creation_input_tokens);
  return {
    input: Math.max(0, asCount(usage.prompt_tokens) - cacheRead - cacheWrite),
    output: asCount(usage.completion_tokens),
    cacheRead,
    cacheWrite,
    reasoning: asCount(completion.reasoning_tokens),
  };
}

/** The largest plausible cost of a call; a larger value is an error that would corrupt every sum. */
const MAX_COST_USD = 1e6;

/** The cost reported by a router. An impossible value is ignored, because it would defeat the spending limits. */
function readCost(usage: JsonObject): Cost | undefined {
  const usd = asNumber(usage.cost);
  if (usd === undefined || usd < 0 || usd > MAX_COST_USD) return undefined;
  return { usd, status: 'actual', source: 'provider' };
}

/**
 * Merges streamed reasoning details: chunks of one text or summary become one entry, all others are kept as they are.
 */
function addReasoningDetails(details: readonly JsonValue[], added: readonly JsonObject[]): JsonValue[] {
  const result = [...details];
  for (const piece of added) {
    const last = result.at(-1);
    if (isJsonObject(last) && continues(last, piece)) result[result.length - 1] = joined(last, piece);
    else result.push(piece);
  }
  return result;
}

/** The plain text of the details, for providers that send it nowhere else. */
function textOfDetails(details: JsonValue | undefined): string {
  return asObjects(details)
    .map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '')
    .join('');
}

const TEXT_FIELDS = ['text', 'summary'] as const;

function continues(last: JsonObject, piece: JsonObject): boolean {
  // Encrypted details are complete items: joining two would make both unreadable.
  if (piece.type !== 'reasoning.text' && piece.type !== 'reasoning.summary') return false;
  if (last.type !== piece.type || last.index !== piece.index) return false;
  // A signature ends its text.
  return !asText(last.signature) && (!asText(last.id) || !asText(piece.id) || last.id === piece.id);
}

function joined(last: JsonObject, piece: JsonObject): JsonObject {
  const result: JsonObject = { ...last };
  for (const [key, value] of Object.entries(piece)) {
    if (value !== null) result[key] = value;
  }
  for (const field of TEXT_FIELDS) {
    const text = (asText(last[field]) ?? '') + (asText(piece[field]) ?? '');
    if (text !== '') result[field] = text;
  }
  return result;
}
