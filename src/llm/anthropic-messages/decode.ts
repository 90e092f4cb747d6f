import { type FinishReason, type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { type AnswerText, addReasoning, addText, NO_ANSWER_TEXT } from '../answer-text.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asObject, asText, hasError } from '../json-access.ts';
import { CUT_OFF, type Decoder, type DecoderState, type Finished, finishAnswer, withheld } from '../wire-format.ts';
import { withUniqueIds } from '../tool-call-ids.ts';
import { addBlock, type Block, blockPosition, callsOf, growBlock, thinkingOf } from './blocks.ts';
import { eventsOfWholeMessage } from './decode-whole.ts';
import { mergeUsage } from './usage.ts';

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
