import { canonicalJson, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { anthropicDecoder, type AnthropicState } from '../anthropic-messages/decode.ts';
import { asNumber, asObject, asObjects, asText } from '../json-access.ts';
import type { Decoder } from '../wire-format.ts';

/** The state of the decoder for Anthropic's events, into which those of this API are translated. */
type ConverseState = AnthropicState & {
  /** The blocks that have started. Only tool calls have a start event. */
  started: readonly number[];
};

export const converseDecoder: Decoder<ConverseState> = {
  start: { ...anthropicDecoder.start, started: [] },
  step,
  finish: (state) => anthropicDecoder.finish(state),
  isComplete: (state) => anthropicDecoder.isComplete(state),
  contentSize: (state) => anthropicDecoder.contentSize(state),
  eventsOfBody: eventsOfResponse,
};

function step(state: ConverseState, event: JsonObject): [ConverseState, ModelStreamEvent[]] {
  const index = asNumber(event.contentBlockIndex);
  const isNew = index !== undefined && !state.started.includes(index);
  let next: ConverseState = isNew ? { ...state, started: [...state.started, index] } : state;
  const said: ModelStreamEvent[] = [];
  for (const translated of translate(event, isNew)) {
    const [changed, events] = anthropicDecoder.step(next, translated);
    next = { ...changed, started: next.started };
    said.push(...events);
  }
  return [next, said];
}

/** The events of Anthropic's API with the same meaning. */
function translate(event: JsonObject, isNew: boolean): JsonObject[] {
  const index = event.contentBlockIndex ?? null;
  switch (event.type) {
    case 'contentBlockStart':
      return [{ type: 'content_block_start', index, content_block: startOf(asObject(event.start) ?? {}) }];
    case 'contentBlockDelta':
      return translateDelta(asObject(event.delta) ?? {}, index, isNew);
    case 'messageStop':
      return [{ type: 'message_delta', delta: { stop_reason: stopReason(asText(event.stopReason)) } }];
    case 'metadata':
      // The last event: nothing follows the usage.
      return [{ type: 'message_delta', usage: usageOf(asObject(event.usage) ?? {}) }, { type: 'message_stop' }];
    case 'error':
      return [{ type: 'error', error: withStatus(asObject(event.error) ?? {}) }];
    default:
      return [];
  }
}

function startOf(start: JsonObject): JsonObject {
  const call = asObject(start.toolUse);
  return call === undefined
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: call.toolUseId ?? null, name: call.name ?? null, input: {} };
}

function translateDelta(delta: JsonObject, index: JsonValue, isNew: boolean): JsonObject[] {
  const start = (block: JsonObject) => (isNew ? [{ type: 'content_block_start', index, content_block: block }] : []);
  const add = (part: JsonObject) => ({ type: 'content_block_delta', index, delta: part });
  const reasoning = asObject(delta.reasoningContent);
  if (reasoning?.redactedContent !== undefined) {
    return start({ type: 'redacted_thinking', data: reasoning.redactedContent });
  }
  if (reasoning !== undefined) {
    const begun = start({ type: 'thinking', thinking: '', signature: '' });
    const { text, signature } = reasoning;
    const parts = text === undefined ? [] : [add({ type: 'thinking_delta', thinking: text })];
    return [...begun, ...parts, ...(signature === undefined ? [] : [add({ type: 'signature_delta', signature })])];
  }
  const input = asObject(delta.toolUse)?.input;
  if (input !== undefined) return [add({ type: 'input_json_delta', partial_json: input })];
  const { text } = delta;
  return text === undefined ? [] : [...start({ type: 'text', text: '' }), add({ type: 'text_delta', text })];
}

function stopReason(reason: string | undefined): string {
  return reason === 'guardrail_intervened' || reason === 'content_filtered' ? 'refusal' : (reason ?? 'end_turn');
}

function usageOf(usage: JsonObject): JsonObject {
  return {
    input_tokens: usage.inputTokens ?? null,
    output_tokens: usage.outputTokens ?? null,
    cache_read_input_tokens: usage.cacheReadInputTokens ?? null,
    cache_creation_input_tokens: usage.cacheWriteInputTokens ?? null,
  };
}

/** The HTTP status that each exception would have outside a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  throttlingException: 429,
  serviceUnavailableException: 503,
  internalServerException: 500,
  modelStreamErrorException: 500,
  modelTimeoutException: 504,
  validationException: 400,
};

function withStatus(error: JsonObject): JsonObject {
  const status = STATUSES[asText(error.type) ?? ''];
  const message = error.message ?? error.Message ?? error.originalMessage ?? '';
  return status === undefined ? { ...error, message } : { ...error, message, code: status };
}

/** The events of a stream with the same content as a response that was not streamed. */
function eventsOfResponse(body: JsonObject): JsonObject[] {
  const content = asObject(asObject(body.output)?.message)?.content;
  if (!Array.isArray(content)) return [];
  const blocks = asObjects(content).flatMap(eventsOfBlock);
  const end = { type: 'messageStop', stopReason: body.stopReason ?? 'end_turn' };
  return [...blocks, end, { type: 'metadata', usage: body.usage ?? null }];
}

function eventsOfBlock(block: JsonObject, contentBlockIndex: number): JsonObject[] {
  const delta = (part: JsonObject) => ({ type: 'contentBlockDelta', contentBlockIndex, delta: part });
  const call = asObject(block.toolUse);
  if (call !== undefined) {
    const input = canonicalJson(asObject(call.input) ?? {});
    return [{ type: 'contentBlockStart', contentBlockIndex, start: { toolUse: call } }, delta({ toolUse: { input } })];
  }
  const reasoning = asObject(block.reasoningContent);
  if (reasoning !== undefined) return [delta({ reasoningContent: asObject(reasoning.reasoningText) ?? reasoning })];
  return typeof block.text === 'string' ? [delta({ text: block.text })] : [];
}
