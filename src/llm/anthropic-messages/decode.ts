import {
  canonicalJson,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  NO_USAGE,
  type Usage,
} from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { addReasoning, addText, type AnswerText, NO_ANSWER_TEXT } from '../answer-text.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asCount, asNumber, asObject, asObjects, asString, asText, hasError } from '../json-access.ts';
import { type PartialCall, withUniqueIds } from '../tool-call-ids.ts';
import { CUT_OFF, type Decoder, type DecoderState, finishAnswer, type Finished, withheld } from '../wire-format.ts';

export type AnthropicState = DecoderState & {
  answerText: AnswerText;
  blocks: readonly Block[];
  stop: string | undefined;
  /** What the provider says about a refusal. */
  explanation: string | undefined;
  usage: Usage;
};

type Step = [AnthropicState, ModelStreamEvent[]];

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
  isWhole: (state) => state.stop !== undefined,
  eventsOfWhole: eventsOfWholeMessage,
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
      // Pings, block ends, and whatever the API learns to send one day. An error may come without its type.
      return hasError(event) ? [{ ...state, failure: factsOfStreamError(event) }, []] : [state, []];
  }
}

/** Servers that do not really stream put a whole block into its start, so its text counts as well. */
function startBlock(state: AnthropicState, event: JsonObject): Step {
  const next = { ...state, blocks: addBlock(state.blocks, event) };
  const block = asObject(event.content_block) ?? {};
  if (block.type === 'tool_use') return [next, [{ type: 'tool-call-start', name: asText(block.name) ?? '' }]];
  return speak(next, block);
}

/** Text of a block that was never opened still counts as said. */
function addDelta(state: AnthropicState, event: JsonObject, delta: JsonObject): Step {
  const position = blockPosition(state.blocks, event);
  const block = state.blocks[position];
  const blocks = block === undefined ? state.blocks : state.blocks.with(position, growBlock(block, delta));
  return speak({ ...state, blocks }, delta);
}

/** Text and thinking, whether they come with the start of a block or in its deltas. */
function speak(state: AnthropicState, source: JsonObject): Step {
  const thinking = addReasoning(state.answerText, asText(source.thinking) ?? '');
  const [answerText, events] = addText(thinking[0], asText(source.text) ?? '');
  return [{ ...state, answerText }, [...thinking[1], ...events]];
}

/** The reason and the last figures come together, before the event that closes the message. */
function addEnd(state: AnthropicState, event: JsonObject): AnthropicState {
  const delta = asObject(event.delta) ?? {};
  return {
    ...state,
    stop: asText(delta.stop_reason) ?? state.stop,
    explanation: asText(asObject(delta.stop_details)?.explanation) ?? state.explanation,
    usage: mergeUsage(state.usage, event.usage),
  };
}

/** Every other reason means that the model had said what it wanted to say. */
const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  // The provider made a break in the middle of a long answer; the model goes on when it is asked to.
  pause_turn: 'length',
};

function finish(state: AnthropicState): Finished {
  // Blocks may all be closed and the answer still not be over: only the stop reason says so.
  if (state.stop === undefined) return { failure: CUT_OFF };
  if (state.stop === 'refusal') return { failure: withheld(state.explanation ?? state.answerText.text, 'refusal') };
  const toolCalls = withUniqueIds(callsOf(state.blocks));
  const said = FINISH_REASONS[state.stop] ?? 'stop';
  // Calls before a break are whole, unlike those before a limit.
  const isWhole = said === 'stop' || state.stop === 'pause_turn';
  return finishAnswer(state.answerText, toolCalls, {
    finishReason: isWhole && toolCalls.length > 0 ? 'tool_calls' : said,
    usage: state.usage,
    reasoningDetails: thinkingOf(state.blocks),
  });
}

/** A content block as far as it has come: what its start said, with the deltas added. */
type Block = { index: number | undefined; start: JsonObject; input: string };

/** Opens a block. */
function addBlock(blocks: readonly Block[], event: JsonObject): Block[] {
  return [...blocks, { index: asNumber(event.index), start: asObject(event.content_block) ?? {}, input: '' }];
}

/** Which block a delta belongs to; without an index it is the newest. */
function blockPosition(blocks: readonly Block[], event: JsonObject): number {
  const index = asNumber(event.index);
  return index === undefined ? blocks.length - 1 : blocks.findLastIndex((block) => block.index === index);
}

/** Adds what has to be kept of a delta; text is kept elsewhere. */
function growBlock(block: Block, delta: JsonObject): Block {
  if (delta.type === 'input_json_delta') return { ...block, input: block.input + (asString(delta.partial_json) ?? '') };
  if (delta.type === 'thinking_delta') return withField(block, 'thinking', delta.thinking);
  if (delta.type === 'signature_delta') return withField(block, 'signature', delta.signature);
  return block;
}

function withField(block: Block, field: string, added: JsonValue | undefined): Block {
  const text = (asString(block.start[field]) ?? '') + (asString(added) ?? '');
  return { ...block, start: { ...block.start, [field]: text } };
}

/** The tool calls among the blocks; tools that the provider runs itself are none of ours. */
function callsOf(blocks: readonly Block[]): PartialCall[] {
  return blocks
    .filter((block) => block.start.type === 'tool_use')
    .map(({ start, input }) => ({
      id: asText(start.id),
      name: asString(start.name) ?? '',
      // Streamed input is kept byte for byte; an object that came whole gets the form that is always the same.
      arguments: input || canonicalJson(asObject(start.input) ?? {}),
    }));
}

/** Thinking blocks, exactly as they must be sent back. */
function thinkingOf(blocks: readonly Block[]): JsonValue[] {
  return blocks
    .filter(({ start }) => start.type === 'thinking' || start.type === 'redacted_thinking')
    .map(({ start }) => start);
}

/** The events a stream of this message would have had: each block comes whole with its start. */
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
    // A whole message is whole even where a server leaves out why it ended.
    delta: { stop_reason: body.stop_reason ?? 'end_turn', stop_details: body.stop_details ?? null },
    usage: body.usage ?? null,
  };
  return [...blocks, end, { type: 'message_stop' }];
}

/**
 * Usage comes in several events and only ever grows, and servers that imitate this API put zeros where they know
 * nothing: the largest figure is the right one. The API's own input figure leaves out what came from the cache.
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
