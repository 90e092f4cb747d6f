import {
  type Cost,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  NO_USAGE,
  parseJson,
  type Usage,
} from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { type AnswerText, addReasoning, addText, NO_ANSWER_TEXT } from '../answer-text.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asObject, asObjects, asText, hasError } from '../json-access.ts';
import { CUT_OFF, type Decoder, type DecoderState, type Finished, finishAnswer, withheld } from '../wire-format.ts';
import { withUniqueIds } from '../tool-call-ids.ts';
import { addCallDelta, type ChatCall } from './call-deltas.ts';
import { contentOf, reasoningOfContent } from './content.ts';
import { eventsOfWholeChat } from './decode-whole.ts';
import { addReasoningDetails, textOfDetails } from './reasoning-details.ts';
import { readCost, readUsage, usageObject } from './usage.ts';

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
