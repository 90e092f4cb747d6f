import {
  type AssistantMessage,
  isJsonObject,
  type JsonValue,
  type Message,
  type ToolCall,
  type UserMessage,
} from '../../base/index.ts';
import { canCarryMarker, type ModelRequest, type ToolDefinition } from '../../contracts/index.ts';
import { isLayout } from '../answer-layout.ts';
import { dataUrl, type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { findMarkerIndexes, findTrialIndexes, insertMarker } from '../cache-markers.ts';
import { findEffort } from '../effort/effort-rules.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import type { ModelQuirks } from '../model-quirks.ts';
import { outputFormat } from '../output-schema.ts';
import { speedFields } from '../speed.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** The messages come last, so that a longer history changes nothing before the end of the body. */
export function encodeChat(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const { quirks, remember } = settings;
  const hasTools = request.tools.length > 0;
  const usage = request.stream && quirks.streamUsage !== false;
  return {
    model: publishedName(settings.model, quirks),
    [quirks.outputLimitParameter ?? 'max_tokens']: request.maxOutputTokens,
    stream: request.stream ? true : undefined,
    stream_options: usage ? { include_usage: true } : undefined,
    ...chatEffort(request, settings),
    ...speedFields(request, settings.model, quirks.speed ?? 'unknown'),
    ...cacheKeyField(request, quirks),
    ...answerFormat(request),
    tools: hasTools ? rawArray(request.tools.map((tool) => remember(tool, encodeTool))) : undefined,
    tool_choice: hasTools && request.toolChoice === 'none' ? 'none' : undefined,
    messages: rawArray([...systemMessages(request, settings), ...writeMessages(request, settings)]),
  };
}

/** The model name with its publisher, if the endpoint requires one. */
function publishedName(model: string, { publisher }: ModelQuirks): string {
  return publisher === undefined || model.includes('/') ? model : `${publisher}/${model}`;
}

function writeMessages(request: ModelRequest, settings: EncodeSettings): string[] {
  const { cacheMarker: marker } = settings;
  const texts = request.messages.map((message) =>
    settings.remember(message, (source) => writeJson(encodeMessage(source, settings, request.blobs))),
  );
  if (marker === undefined) return texts;
  for (const index of markedMessages(request, settings, texts)) {
    texts[index] = insertMarker(texts[index] as string, marker, PART_END);
  }
  return texts;
}

function markedMessages(
  { messages, readUpTo, toolChoice, tools }: ModelRequest,
  { markers }: EncodeSettings,
  texts: readonly string[],
): number[] {
  // Behind a gateway, a request that forbids tools has another prefix, so the next request could not use its entries.
  if (toolChoice === 'none' && tools.length > 0) return [];
  const { level = 'none', isTrial = false } = markers ?? {};
  const carries = (wanted: typeof level) => (index: number) =>
    canCarryMarker(messages, index, wanted) && endsInPart(texts[index]);
  if (isTrial) return findTrialIndexes(texts.length, carries(level), carries('text'));
  const known = readUpTo === undefined ? -1 : messages.lastIndexOf(readUpTo);
  return findMarkerIndexes(texts.length, carries(level), known);
}

/**
 * How an encoded message ends if it can have a marker: with a list, of which the last element gets it. With markers,
 * what can carry one is always the last field.
 */
const PART_END = '}]}';

function endsInPart(text: string | undefined): boolean {
  return text?.endsWith(PART_END) ?? false;
}

/**
 * With cache markers, content is always a list of parts, so that a marker does not change its form. Empty text has no
 * part.
 */
function textContent(text: string, { markers }: EncodeSettings): WritableJson {
  return markers === undefined || text.trim() === '' ? text : [{ type: 'text', text }];
}

/** A plain string if tool results carry no markers: some gateways accept nothing else there. */
function resultContent(text: string, settings: EncodeSettings): WritableJson {
  return settings.markers?.level === 'results' ? textContent(text, settings) : text;
}

function cacheKeyField({ cacheKey }: ModelRequest, { cacheKeyParameter }: ModelQuirks): BodyFields {
  return cacheKeyParameter === undefined || cacheKey === undefined ? {} : { [cacheKeyParameter]: cacheKey };
}

function answerFormat(request: ModelRequest): BodyFields {
  const format = outputFormat(request);
  return format === undefined ? {} : { response_format: { type: 'json_schema', json_schema: format } };
}

function systemMessages({ system }: ModelRequest, settings: EncodeSettings): string[] {
  if (system === '') return [];
  const { cacheMarker: marker } = settings;
  const role = settings.quirks.systemRole ?? 'system';
  const text = writeJson({ role, content: textContent(system, settings) });
  return [marker !== undefined && endsInPart(text) ? insertMarker(text, marker, PART_END) : text];
}

function encodeTool(tool: ToolDefinition): string {
  const { name, description, parameters } = tool;
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/** Encodes one message. The name of a tool is omitted: the id is enough, and some providers reject the field. */
function encodeMessage(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson {
  if (message.role === 'user') return { role: 'user', content: userContent(message, settings, blobs) };
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: resultContent(message.content, settings) };
  }
  return encodeAssistant(message, settings);
}

/** A plain string if there are no files and no markers: some servers accept nothing else. */
function userContent(message: UserMessage, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson {
  const text = message.sentContent ?? message.content;
  const files = sendableAttachments(message, blobs);
  if (files.length === 0) return textContent(text, settings);
  const parts = files.map((file) => attachmentPart(file, settings.quirks.documentPart));
  return [...parts, ...(text.trim() === '' ? [] : [{ type: 'text', text }])];
}

function attachmentPart(file: SendableAttachment, documentPart: ModelQuirks['documentPart']): WritableJson {
  if (file.kind === 'image' || documentPart === 'image_url')
    return { type: 'image_url', image_url: { url: dataUrl(file) } };
  return { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } };
}

function encodeAssistant(message: AssistantMessage, settings: EncodeSettings): WritableJson {
  const { producer, quirks } = settings;
  // Provider-native fields are valid only at the endpoint that produced them.
  const own = message.producer === undefined || message.producer === producer;
  const details = own ? (message.reasoningDetails ?? []).filter(isReasoningDetail) : [];
  // Empty text stays an empty string: chat templates of local models fail on null.
  const content = textContent(message.content, settings);
  const fields: BodyFields = { role: 'assistant' };
  // What can carry a marker is the last field, so that one can be inserted without encoding the message again.
  const carriesContent = settings.markers !== undefined && !carriesCalls(message, settings);
  if (!carriesContent) fields.content = content;
  if (quirks.reasoningField !== undefined)
    fields[quirks.reasoningField] = message.reasoning ?? missingReasoning(message, quirks);
  if (details.length > 0) fields.reasoning_details = rawJson(JSON.stringify(details));
  if (message.toolCalls?.length) fields.tool_calls = message.toolCalls.map((call) => encodeCall(call, own));
  if (carriesContent) fields.content = content;
  return fields;
}

/** Whether its last call gets the marker: text gets it instead, because every gateway accepts markers there. */
function carriesCalls({ content, toolCalls }: AssistantMessage, { markers }: EncodeSettings): boolean {
  return markers?.level === 'calls' && content.trim() === '' && (toolCalls?.length ?? 0) > 0;
}

/**
 * An empty reasoning field for calls of another model, which have no reasoning of this one: the endpoint accepts an
 * empty field but rejects a missing one.
 */
function missingReasoning(message: AssistantMessage, { reasoningRequired }: ModelQuirks): string | undefined {
  return reasoningRequired && message.toolCalls?.length ? '' : undefined;
}

/**
 * A call as the provider wrote it. Arguments that are not a JSON object would make the provider reject the whole
 * history.
 */
function encodeCall(call: ToolCall, own: boolean): WritableJson {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: sendableArguments(call.arguments) },
    extra_content: own ? call.extraContent : undefined,
  };
}

/** Anthropic's reasoning blocks are stored in the same field, but no chat endpoint accepts them. */
function isReasoningDetail(detail: JsonValue): boolean {
  if (!isJsonObject(detail) || isLayout(detail)) return false;
  return detail.type !== 'thinking' && detail.type !== 'redacted_thinking';
}

/** The effort parameters of a chat completion. */
function chatEffort(request: ModelRequest, { model, quirks }: EncodeSettings): BodyFields {
  const found = findEffort(request.effort, model, quirks.effort ?? 'openai');
  if (found === undefined) return {};
  const { form, level } = found;
  const type = level === 'none' ? 'disabled' : 'enabled';
  if (form === 'reasoning_object') return { reasoning: { effort: level } };
  if (form === 'thinking_type') return { thinking: { type } };
  if (form === 'thinking_type_and_effort') {
    return { thinking: { type }, reasoning_effort: level === 'none' ? undefined : level };
  }
  // Some of these models reason only while streaming, and otherwise reject the parameter.
  if (form === 'enable_thinking') return { enable_thinking: level === 'none' ? false : request.stream || undefined };
  return { reasoning_effort: level };
}
