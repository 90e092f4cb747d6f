import { type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { type AnswerText, addReasoning, addText, NO_ANSWER_TEXT } from '../answer-text.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asObject, asObjects, asText, hasError } from '../json-access.ts';
import { CUT_OFF, type Decoder, type DecoderState, type Finished, finishAnswer, withheld } from '../wire-format.ts';
import { withUniqueIds } from '../tool-call-ids.ts';
import { eventsOfWholeResponse } from './decode-whole.ts';
import { addArguments, callsOf, type OutputItem, putItem, reasoningItemsOf, reasoningTextOf, textOf } from './items.ts';
import { readUsage } from './usage.ts';

/** What has come so far; the items count more than the deltas, because they come whole. */
export type ResponsesState = DecoderState & {
  answerText: AnswerText;
  items: readonly OutputItem[];
  /** How the response ended: completed, or why it is not complete. */
  end: string | undefined;
  usage: Usage;
};

type Step = [ResponsesState, ModelStreamEvent[]];

export const responsesDecoder: Decoder<ResponsesState> = {
  start: { answerText: NO_ANSWER_TEXT, items: [], end: undefined, usage: NO_USAGE, terminal: false },
  step,
  finish,
  isWhole: (state) => state.end !== undefined,
  eventsOfWhole: eventsOfWholeResponse,
};

function step(state: ResponsesState, event: JsonObject): Step {
  const delta = asText(event.delta) ?? '';
  switch (event.type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return say(state, addText(state.answerText, delta));
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return say(state, addReasoning(state.answerText, delta));
    case 'response.reasoning_summary_part.added':
      // Summaries are paragraphs; nothing else in the stream separates them.
      return say(state, addReasoning(state.answerText, state.answerText.structured === '' ? '' : '\n\n'));
    case 'response.output_item.added':
      return addItem(state, event);
    case 'response.output_item.done':
      return [{ ...state, items: putItem(state.items, event) }, []];
    case 'response.function_call_arguments.delta':
    case 'response.function_call_arguments.done':
      return [{ ...state, items: addArguments(state.items, event) }, []];
    default:
      return stepEnd(state, event);
  }
}

function say(state: ResponsesState, [answerText, events]: [AnswerText, ModelStreamEvent[]]): Step {
  return [{ ...state, answerText }, events];
}

/** A call is worth telling as soon as its name is there: its arguments may take a while. */
function addItem(state: ResponsesState, event: JsonObject): Step {
  const item = asObject(event.item);
  const next = { ...state, items: putItem(state.items, event) };
  if (item?.type !== 'function_call') return [next, []];
  return [next, [{ type: 'tool-call-start', name: asText(item.name) ?? '' }]];
}

/** The events that end a response, one way or the other; whatever is unknown is passed over. */
function stepEnd(state: ResponsesState, event: JsonObject): Step {
  const response = asObject(event.response) ?? {};
  if (event.type === 'response.failed') return [{ ...state, failure: factsOfStreamError(response) }, []];
  if (event.type === 'error') return [{ ...state, failure: factsOfError(event) }, []];
  if (event.type === 'response.completed' || event.type === 'response.done')
    return complete(state, response, 'completed');
  if (event.type === 'response.incomplete') {
    return complete(state, response, asText(asObject(response.incomplete_details)?.reason) ?? 'max_output_tokens');
  }
  return hasError(event) ? [{ ...state, failure: factsOfError(event) }, []] : [state, []];
}

/** The `type` of this event is "error" and says nothing; the code stands beside it. */
function factsOfError({ type: _, ...event }: JsonObject) {
  return factsOfStreamError(event);
}

/** The closing event carries the usage, and with some servers everything that was not streamed. */
function complete(state: ResponsesState, response: JsonObject, end: string): Step {
  const usage = asObject(response.usage);
  // Some servers repeat the whole output at the end, some leave it out: what came as items before counts first.
  const output = asObjects(response.output).map((item) => ({ index: undefined, item, arguments: '' }));
  const fromEnd = state.items.length === 0;
  const items = fromEnd ? output : state.items;
  const started = fromEnd ? callsOf(items).map(({ name }) => ({ type: 'tool-call-start', name }) as const) : [];
  const { structured, text, tagged, filter } = state.answerText;
  const thinking = addReasoning(state.answerText, structured === '' ? reasoningTextOf(items) : '');
  const saidNothing = text === '' && tagged === '' && filter.held === '';
  const [answerText, events] = addText(thinking[0], saidNothing ? textOf(items) || textOf(output) : '');
  const next = {
    ...state,
    items,
    answerText,
    end,
    usage: usage === undefined ? state.usage : readUsage(usage),
    terminal: true,
  };
  return [next, [...thinking[1], ...events, ...started]];
}

/** A refusal is no failure here: the API sends it as the model's own words. */
function finish(state: ResponsesState): Finished {
  if (state.end === undefined) return { failure: CUT_OFF };
  if (state.end === 'content_filter') return { failure: withheld(state.answerText.text, 'content_filter') };
  const toolCalls = withUniqueIds(callsOf(state.items));
  const regular = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return finishAnswer(state.answerText, toolCalls, {
    finishReason: state.end === 'completed' ? regular : 'length',
    usage: state.usage,
    codexReasoningItems: reasoningItemsOf(state.items),
  });
}
