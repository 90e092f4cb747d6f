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
import { addReasoning, addText, type AnswerText, NO_ANSWER_TEXT } from '../answer-text.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asCount, asNumber, asObject, asObjects, asString, asText, hasError } from '../json-access.ts';
import { withUniqueIds } from '../tool-call-ids.ts';
import {
  CUT_OFF,
  type Decoder,
  type DecoderState,
  END_MARK,
  finishAnswer,
  type Finished,
  withheld,
} from '../wire-format.ts';
import { addCallDelta, type ChatCall } from './call-deltas.ts';

/** What has come so far. Every step makes a new one, so that a recorded stream can be replayed from any point. */
export type ChatState = DecoderState & {
  answerText: AnswerText;
  calls: readonly ChatCall[];
  details: JsonValue[];
  finish: string | undefined;
  /** The end mark came. */
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
  isWhole: (state) => state.finish !== undefined,
  eventsOfWhole: eventsOfWholeChat,
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

/** An error may stand for the whole chunk or inside the choice; either way the answer is worth nothing. */
function errorOf(chunk: JsonObject, choice: JsonObject | undefined): JsonObject | undefined {
  if (hasError(chunk) || chunk.object === 'error') return chunk;
  if (asObject(choice?.error) !== undefined) return choice;
  // A router's way to say that the provider behind it broke off.
  if (choice?.finish_reason !== 'error') return undefined;
  return {
    error: { message: 'The provider ended the answer with an error and gave no reason.', code: 'server_error' },
  };
}

/** Figures are totals: where several chunks carry them, the last one is right. */
function addUsage(state: ChatState, chunk: JsonObject): ChatState {
  const usage = usageObject(chunk);
  if (usage === undefined) return state;
  return { ...state, usage: readUsage(usage), cost: readCost(usage) ?? state.cost };
}

/** Thinking first, then text, then calls: the order in which a chunk that has several of them means them. */
function addDelta(state: ChatState, delta: JsonObject): Step {
  const events: ModelStreamEvent[] = [];
  const details = asObjects(delta.reasoning_details);
  // The same thoughts often stand in two fields of one delta; the first that has them counts.
  const reasoning =
    asText(delta.reasoning_content) ??
    asText(delta.reasoning) ??
    (textOfDetails(details) || reasoningOfContent(delta.content));
  let [answerText, added] = addReasoning(state.answerText, reasoning);
  events.push(...added);
  // A refusal is what the model says, so it is the text.
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

/** Everything else ("stop", "eos", "end_turn" …) is a regular end. */
const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

function finish(state: ChatState): Finished {
  const toolCalls = withUniqueIds(state.calls.map(({ index: _, ...call }) => call));
  if (state.finish === undefined && !isEnded(state)) return { failure: CUT_OFF };
  const said = FINISH_REASONS[state.finish ?? ''] ?? 'stop';
  if (said === 'content_filter') return { failure: withheld(state.answerText.text, 'content_filter') };
  // Providers that say "stop" next to tool calls mean the calls.
  const finishReason = said === 'stop' && toolCalls.length > 0 ? 'tool_calls' : said;
  return finishAnswer(state.answerText, toolCalls, {
    finishReason,
    usage: state.usage,
    cost: state.cost,
    reasoningDetails: state.details,
  });
}

/** Some servers never give a finish reason: their end mark counts, if something came and no call is half there. */
function isEnded({ marked, answerText, calls }: ChatState): boolean {
  const came = answerText.text !== '' || answerText.structured !== '' || answerText.tagged !== '' || calls.length > 0;
  return (
    marked && came && calls.every((call) => call.arguments === '' || asObject(parseJson(call.arguments)) !== undefined)
  );
}

/** The text of a content field: a string, or a list of parts. */
function contentOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .filter((part) => part.type !== 'thinking')
    .map((part) => asText(part.text) ?? asText(part.refusal) ?? '')
    .join('');
}

/** Thinking that comes as parts of the content (Mistral's form). */
function reasoningOfContent(content: JsonValue | undefined): string {
  return asObjects(content)
    .filter((part) => part.type === 'thinking')
    .map((part) => asString(part.thinking) ?? contentOf(part.thinking))
    .join('');
}

/** A whole completion is one large chunk: its message has the fields of a delta. */
function eventsOfWholeChat(body: JsonObject): JsonObject[] {
  if (hasError(body) || body.object === 'error') return [body];
  const choice = asObjects(body.choices)[0];
  const message = asObject(choice?.message);
  // Something else altogether must not look like an empty answer.
  if (message === undefined) return [];
  // In one piece every entry is a call of its own, which only an index says.
  const calls = asObjects(message.tool_calls).map((call, index) => ({ ...call, index }));
  const chunk = { ...body, choices: [{ ...choice, index: 0, delta: { ...message, tool_calls: calls } }] };
  return [chunk, END_MARK];
}

/** Wherever a chunk carries its usage: at the top, inside the choice, or under a provider's own name. */
function usageObject(chunk: JsonObject): JsonObject | undefined {
  return (
    asObject(chunk.usage) ?? asObject(asObjects(chunk.choices)[0]?.usage) ?? asObject(asObject(chunk.x_groq)?.usage)
  );
}

/** Cached tokens have a different name with nearly every provider; the plain input is what is left after them. */
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

/** No call costs as much; a figure above it is a fault that would poison every sum. */
const MAX_COST_USD = 1e6;

/** What a router says the call cost; a figure that cannot be a price is none, or it would defeat the limits. */
function readCost(usage: JsonObject): Cost | undefined {
  const usd = asNumber(usage.cost);
  if (usd === undefined || usd < 0 || usd > MAX_COST_USD) return undefined;
  return { usd, status: 'actual', source: 'provider' };
}

/** Adds streamed reasoning details: pieces of one text or summary become one entry again, everything else is kept as is. */
function addReasoningDetails(details: readonly JsonValue[], added: readonly JsonObject[]): JsonValue[] {
  const result = [...details];
  for (const piece of added) {
    const last = result.at(-1);
    if (isJsonObject(last) && continues(last, piece)) result[result.length - 1] = joined(last, piece);
    else result.push(piece);
  }
  return result;
}

/** The plain text of details, for providers that send it nowhere else. */
function textOfDetails(details: JsonValue | undefined): string {
  return asObjects(details)
    .map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '')
    .join('');
}

const TEXT_FIELDS = ['text', 'summary'] as const;

function continues(last: JsonObject, piece: JsonObject): boolean {
  // Encrypted details are whole items: joining two would make both unreadable.
  if (piece.type !== 'reasoning.text' && piece.type !== 'reasoning.summary') return false;
  if (last.type !== piece.type || last.index !== piece.index) return false;
  // A signature closes its text.
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
