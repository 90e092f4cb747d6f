import { canonicalJson, type JsonObject, type JsonValue, NO_USAGE, type Usage } from '../../base/index.ts';
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
import { callsSize, type PartialCall, withUniqueIds } from '../tool-call-ids.ts';
import {
  TRUNCATED_RESPONSE,
  type Decoder,
  type DecoderState,
  finishAnswer,
  type Finished,
  withheldResponse,
} from '../wire-format.ts';

/** The state of the decoder. Items have priority over deltas because they are complete. */
export type ResponsesState = DecoderState & {
  answerText: AnswerText;
  items: readonly OutputItem[];
  /** How the response ended: completed, or why it is incomplete. */
  end: string | undefined;
  usage: Usage;
};

type Step = [ResponsesState, ModelStreamEvent[]];

export const responsesDecoder: Decoder<ResponsesState> = {
  start: { answerText: NO_ANSWER_TEXT, items: [], end: undefined, usage: NO_USAGE, terminal: false },
  step,
  finish,
  isComplete: (state) => state.end !== undefined,
  contentSize: ({ answerText, items }) => answerTextSize(answerText) + callsSize(items),
  eventsOfBody: eventsOfWholeResponse,
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
      // Each summary is a paragraph, and nothing else in the stream separates them.
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

/** A call is announced as soon as its name is known, because its arguments may take a while. */
function addItem(state: ResponsesState, event: JsonObject): Step {
  const item = asObject(event.item);
  const next = { ...state, items: putItem(state.items, event) };
  if (item?.type !== 'function_call') return [next, []];
  return [next, [{ type: 'tool-call-start', name: asText(item.name) ?? '' }]];
}

/** Handles the events that end a response; unknown events are ignored. */
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

/** The `type` of this event is just "error"; the code is a separate field. */
function factsOfError({ type: _, ...event }: JsonObject) {
  return factsOfStreamError(event);
}

/** The final event has the usage and, with some servers, everything that was not streamed. */
function complete(state: ResponsesState, response: JsonObject, end: string): Step {
  const usage = asObject(response.usage);
  // Some servers repeat the whole output in the final event, others omit it, so items received earlier have priority.
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

/** A refusal is not a failure here: the API sends it as text of the model. */
function finish(state: ResponsesState): Finished {
  if (state.end === undefined) return { failure: TRUNCATED_RESPONSE };
  if (state.end === 'content_filter') return { failure: withheldResponse(state.answerText.text, 'content_filter') };
  const toolCalls = withUniqueIds(callsOf(state.items));
  const regular = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return finishAnswer(state.answerText, toolCalls, {
    finishReason: state.end === 'completed' ? regular : 'length',
    usage: state.usage,
    codexReasoningItems: reasoningItemsOf(state.items),
    reasoningDetails: layoutOf(state, toolCalls.length),
  });
}

/** Where the reasoning items belong, if they are not all at the start. */
function layoutOf({ items, answerText }: ResponsesState, calls: number): JsonValue[] {
  const [{ text }] = finishText(answerText);
  const counts = { reasoning: reasoningItemsOf(items).length, calls, characters: text.length };
  const layout = layoutEntry(items.flatMap(layoutPart), counts);
  return layout === undefined ? [] : [layout];
}

function layoutPart(entry: OutputItem): LayoutPart[] {
  if (entry.item.type === 'function_call') return ['call'];
  if (reasoningItemsOf([entry]).length > 0) return ['reasoning'];
  return [textOf([entry]).length];
}

/** A response that is not streamed is the one in the final event of a stream. */
function eventsOfWholeResponse(body: JsonObject): JsonObject[] {
  if (body.status === 'failed') return [{ type: 'response.failed', response: body }];
  if (body.status === 'incomplete') return [{ type: 'response.incomplete', response: body }];
  if (Array.isArray(body.output)) return [{ type: 'response.completed', response: body }];
  return hasError(body) ? [{ ...body, type: 'error' }] : [];
}

/** Converts the usage; the API reports no cache writes. */
function readUsage(usage: JsonObject): Usage {
  const cacheRead = asCount(asObject(usage.input_tokens_details)?.cached_tokens);
  return {
    // The API's value includes cached tokens.
    input: Math.max(0, asCount(usage.input_tokens) - cacheRead),
    output: asCount(usage.output_tokens),
    cacheRead,
    cacheWrite: 0,
    reasoning: asCount(asObject(usage.output_tokens_details)?.reasoning_tokens),
  };
}

/** An output item so far; `arguments` grows until the complete item replaces it. */
type OutputItem = { index: number | undefined; item: JsonObject; arguments: string };

/** Adds an item, or replaces an incomplete one with its complete form. */
function putItem(items: readonly OutputItem[], event: JsonObject): OutputItem[] {
  const item = asObject(event.item);
  if (item === undefined) return [...items];
  const position = itemPosition(items, event, item);
  const known = items[position];
  const entry = { index: known?.index ?? asNumber(event.output_index), item, arguments: known?.arguments ?? '' };
  return known === undefined ? [...items, entry] : items.with(position, entry);
}

/** Appends arguments to their call. */
function addArguments(items: readonly OutputItem[], event: JsonObject): OutputItem[] {
  const position = itemPosition(items, event, undefined);
  const known = items[position];
  if (known === undefined) return [...items];
  // The event that ends the arguments repeats them completely.
  const args = asString(event.arguments) ?? known.arguments + (asString(event.delta) ?? '');
  return items.with(position, { ...known, arguments: args });
}

/**
 * The position of the item that an event belongs to: by index, else by id, else the newest call. Servers may omit the
 * index or the id.
 */
function itemPosition(items: readonly OutputItem[], event: JsonObject, item: JsonObject | undefined): number {
  const index = asNumber(event.output_index);
  if (index !== undefined) return items.findLastIndex((each) => each.index === index);
  const id = asText(event.item_id) ?? asText(item?.id);
  if (id !== undefined) return items.findLastIndex((each) => each.item.id === id);
  return item === undefined ? items.findLastIndex((each) => each.item.type === 'function_call') : -1;
}

function callsOf(items: readonly OutputItem[]): PartialCall[] {
  return items
    .filter(({ item }) => item.type === 'function_call')
    .map((entry) => {
      const { item } = entry;
      const call: PartialCall = {
        id: asText(item.call_id),
        name: asString(item.name) ?? '',
        arguments: argumentsOf(entry),
      };
      const itemId = asText(item.id);
      if (itemId !== undefined) call.itemId = itemId;
      return call;
    });
}

/** The complete item is preferred if it has arguments; otherwise the streamed ones are used. */
function argumentsOf({ item, arguments: streamed }: OutputItem): string {
  const object = asObject(item.arguments);
  return asText(item.arguments) ?? (object === undefined ? streamed : canonicalJson(object));
}

/** Reasoning that can be sent back: without encrypted content, the provider could not identify it. */
function reasoningItemsOf(items: readonly OutputItem[]): JsonValue[] {
  return items
    .filter(({ item }) => item.type === 'reasoning' && asText(item.encrypted_content) !== undefined)
    .map(({ item }) => item);
}

/** The text of complete message items, including refusals. */
function textOf(items: readonly OutputItem[]): string {
  return items
    .filter(({ item }) => item.type === 'message')
    .flatMap(({ item }) => asObjects(item.content))
    .map((part) => asText(part.text) ?? asText(part.refusal) ?? '')
    .join('');
}

/** The readable part of complete reasoning items. */
function reasoningTextOf(items: readonly OutputItem[]): string {
  return items
    .filter(({ item }) => item.type === 'reasoning')
    .flatMap(({ item }) => {
      const summary = asObjects(item.summary);
      return summary.length > 0 ? summary : asObjects(item.content);
    })
    .map((part) => asText(part.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
