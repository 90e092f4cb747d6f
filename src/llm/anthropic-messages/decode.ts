import {
  canonicalJson,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  NO_USAGE,
  type Usage,
} from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { type LayoutPart, layoutEntry } from '../answer-layout.ts';
import {
  addReasoning,
  addText,
  type AnswerText,
  answerTextSize,
  finishText,
  NO_ANSWER_TEXT,
} from '../split-reasoning.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asCount, asNumber, asObject, asObjects, asString, asText, hasError } from '../json-access.ts';
import { type PartialCall, withUniqueIds } from '../tool-call-ids.ts';
import {
  TRUNCATED_RESPONSE,
  type Decoder,
  type DecoderState,
  finishAnswer,
  type Finished,
  withheldResponse,
} from '../wire-format.ts';

export type AnthropicState = DecoderState & {
  answerText: AnswerText;
  blocks: readonly Block[];
  stop: string | undefined;
  /** The provider's explanation of a refusal. */
  explanation: string | undefined;
  usage: Usage;
};

type Step = [AnthropicState, ModelStreamEvent[]];

/** Blocks whose start contains nothing: their text counts. */
const SPOKEN: ReadonlySet<unknown> = new Set(['text', 'thinking']);

export const anthropicDecoder: Decoder<AnthropicState> = {
  start: {
    answerText: NO_ANSWER_TEXT,
    blocks: [],
    stop: undefined,
    explanation: undefined,
    usage: NO_USAGE,
    terminal: false,
  },
  step,
  finish,
  isComplete: (state) => state.stop !== undefined,
  contentSize: ({ answerText, blocks }) =>
    blocks.reduce(
      (sum, { start, input }) => sum + (SPOKEN.has(start.type) ? 0 : 1) + input.length,
      answerTextSize(answerText),
    ),
  eventsOfBody: eventsOfWholeMessage,
};

function step(state: AnthropicState, event: JsonObject): Step {
  switch (event.type) {
    case 'message_start':
      return [{ ...state, usage: mergeUsage(state.usage, asObject(event.message)?.usage) }, []];
    case 'content_block_start':
      return startBlock(state, event);
    case 'content_block_delta':
      return addDelta(state, event, asObject(event.delta) ?? {});
    case 'message_delta':
      return [addEnd(state, event), []];
    case 'message_stop':
      return [{ ...state, terminal: true }, []];
    case 'error':
      return [{ ...state, failure: factsOfStreamError(event) }, []];
    default:
      // Pings, block ends and unknown events are ignored. An error may lack its type.
      return hasError(event) ? [{ ...state, failure: factsOfStreamError(event) }, []] : [state, []];
  }
}

/** Starts a block and adds its text, because servers that do not really stream put the whole block into this event. */
function startBlock(state: AnthropicState, event: JsonObject): Step {
  const next = { ...state, blocks: addBlock(state.blocks, event) };
  const block = asObject(event.content_block) ?? {};
  if (block.type === 'tool_use') return [next, [{ type: 'tool-call-start', name: asText(block.name) ?? '' }]];
  return speak(next, block);
}

/** Text of a block without a start event still counts. */
function addDelta(state: AnthropicState, event: JsonObject, delta: JsonObject): Step {
  const position = blockPosition(state.blocks, event);
  const block = state.blocks[position];
  const blocks = block === undefined ? state.blocks : state.blocks.with(position, growBlock(block, delta));
  return speak({ ...state, blocks }, delta);
}

/** Adds text and reasoning, from the start of a block or from its deltas. */
function speak(state: AnthropicState, source: JsonObject): Step {
  const thinking = addReasoning(state.answerText, asText(source.thinking) ?? '');
  const [answerText, events] = addText(thinking[0], asText(source.text) ?? '');
  return [{ ...state, answerText }, [...thinking[1], ...events]];
}

/** This event has the stop reason and the final usage; it precedes the event that closes the message. */
function addEnd(state: AnthropicState, event: JsonObject): AnthropicState {
  const delta = asObject(event.delta) ?? {};
  return {
    ...state,
    stop: asText(delta.stop_reason) ?? state.stop,
    explanation: asText(asObject(delta.stop_details)?.explanation) ?? state.explanation,
    usage: mergeUsage(state.usage, event.usage),
  };
}

/** Every other reason is a regular end. */
const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  // The provider paused a long response. As with a length limit, the model continues when asked to.
  pause_turn: 'length',
};

function finish(state: AnthropicState): Finished {
  // Even if all blocks are closed, the response is complete only with a stop reason.
  if (state.stop === undefined) return { failure: TRUNCATED_RESPONSE };
  if (state.stop === 'refusal')
    return { failure: withheldResponse(state.explanation ?? state.answerText.text, 'refusal') };
  const toolCalls = withUniqueIds(callsOf(state.blocks));
  const said = FINISH_REASONS[state.stop] ?? 'stop';
  // Calls before a pause are complete, unlike those before a limit.
  const isWhole = said === 'stop' || state.stop === 'pause_turn';
  return finishAnswer(state.answerText, toolCalls, {
    finishReason: isWhole && toolCalls.length > 0 ? 'tool_calls' : said,
    usage: state.usage,
    reasoningDetails: detailsOf(state, toolCalls.length),
  });
}

/** The reasoning blocks, and where they belong if they are not all at the start. */
function detailsOf({ blocks, answerText }: AnthropicState, calls: number): JsonValue[] {
  const thinking = thinkingOf(blocks);
  const [{ text }] = finishText(answerText);
  const counts = { reasoning: thinking.length, calls, characters: text.length };
  const layout = layoutEntry(blocks.flatMap(layoutPart), counts);
  return layout === undefined ? thinking : [...thinking, layout];
}

function layoutPart({ start, characters }: Block): LayoutPart[] {
  if (start.type === 'tool_use') return ['call'];
  if (start.type === 'thinking' || start.type === 'redacted_thinking') return ['reasoning'];
  return start.type === 'text' ? [characters] : [];
}

/** A content block so far: its start event with all deltas added. */
type Block = {
  index: number | undefined;
  start: JsonObject;
  input: string;
  /** The length of its text. */
  characters: number;
};

function addBlock(blocks: readonly Block[], event: JsonObject): Block[] {
  const start = asObject(event.content_block) ?? {};
  return [...blocks, { index: asNumber(event.index), start, input: '', characters: asText(start.text)?.length ?? 0 }];
}

/** The block that a delta belongs to; without an index, the newest. */
function blockPosition(blocks: readonly Block[], event: JsonObject): number {
  const index = asNumber(event.index);
  return index === undefined ? blocks.length - 1 : blocks.findLastIndex((block) => block.index === index);
}

/** Adds a delta to its block, except for text, which is collected elsewhere. */
function growBlock(block: Block, delta: JsonObject): Block {
  if (delta.type === 'input_json_delta') return { ...block, input: block.input + (asString(delta.partial_json) ?? '') };
  if (delta.type === 'text_delta')
    return { ...block, characters: block.characters + (asText(delta.text)?.length ?? 0) };
  if (delta.type === 'thinking_delta') return withField(block, 'thinking', delta.thinking);
  if (delta.type === 'signature_delta') return withField(block, 'signature', delta.signature);
  return block;
}

function withField(block: Block, field: string, added: JsonValue | undefined): Block {
  const text = (asString(block.start[field]) ?? '') + (asString(added) ?? '');
  return { ...block, start: { ...block.start, [field]: text } };
}

/** The tool calls among the blocks, without tools that the provider runs itself. */
function callsOf(blocks: readonly Block[]): PartialCall[] {
  return blocks
    .filter((block) => block.start.type === 'tool_use')
    .map(({ start, input }) => ({
      id: asText(start.id),
      name: asString(start.name) ?? '',
      // Streamed input is kept byte for byte; a complete object is serialised canonically.
      arguments: input || canonicalJson(asObject(start.input) ?? {}),
    }));
}

/** Reasoning blocks, exactly as they must be sent back. */
function thinkingOf(blocks: readonly Block[]): JsonValue[] {
  return blocks
    .filter(({ start }) => start.type === 'thinking' || start.type === 'redacted_thinking')
    .map(({ start }) => start);
}

/** The events that a stream of this message would have: each block is complete in its start event. */
function eventsOfWholeMessage(body: JsonObject): JsonObject[] {
  if (body.type === 'error' || hasError(body)) return [{ ...body, type: 'error' }];
  if (!Array.isArray(body.content)) return [];
  const blocks = asObjects(body.content).map((block, index) => ({
    type: 'content_block_start',
    index,
    content_block: block,
  }));
  const end: JsonObject = {
    type: 'message_delta',
    // A message that is not streamed is complete even without a stop reason.
    delta: { stop_reason: body.stop_reason ?? 'end_turn', stop_details: body.stop_details ?? null },
    usage: body.usage ?? null,
  };
  return [...blocks, end, { type: 'message_stop' }];
}

/**
 * Several events have usage, which only grows, and compatible servers send zeros for unknown values, so the maximum
 * is used. `input_tokens` does not include cached tokens.
 */
function mergeUsage(known: Usage, value: unknown): Usage {
  const usage: JsonObject = asObject(value) ?? {};
  const output = asObject(usage.output_tokens_details) ?? {};
  return {
    input: Math.max(known.input, asCount(usage.input_tokens)),
    output: Math.max(known.output, asCount(usage.output_tokens)),
    cacheRead: Math.max(known.cacheRead, asCount(usage.cache_read_input_tokens)),
    cacheWrite: Math.max(known.cacheWrite, asCount(usage.cache_creation_input_tokens)),
    reasoning: Math.max(known.reasoning, asCount(output.thinking_tokens), asCount(output.reasoning_tokens)),
  };
}
