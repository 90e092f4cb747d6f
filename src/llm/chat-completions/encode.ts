import {
  type AssistantMessage,
  isJsonObject,
  type JsonValue,
  type Message,
  type ToolCall,
  type UserMessage,
} from '../../base/index.ts';
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import { isLayout } from '../answer-layout.ts';
import { dataUrl, type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { findMarkerIndexes, markerFor, insertMarker } from '../cache-markers.ts';
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
  const marker = markerFor(request, settings.cacheMarker);
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
    messages: rawArray([...systemMessages(request, settings, marker), ...writeMessages(request, settings, marker)]),
  };
}

/** The model name with its publisher, if the endpoint requires one. */
function publishedName(model: string, { publisher }: ModelQuirks): string {
  return publisher === undefined || model.includes('/') ? model : `${publisher}/${model}`;
}

function writeMessages(request: ModelRequest, settings: EncodeSettings, marker: string | undefined): string[] {
  const texts = request.messages.map((message) =>
    settings.remember(message, (source) => writeJson(encodeMessage(source, settings, request.blobs))),
  );
  if (marker === undefined) return texts;
  const canCarry = (index: number) => request.messages[index]?.role !== 'tool' && endsInText(texts[index]);
  const known = request.readUpTo === undefined ? -1 : request.messages.lastIndexOf(request.readUpTo);
  for (const index of findMarkerIndexes(texts.length, canCarry, known)) {
    texts[index] = insertMarker(texts[index] as string, marker, CONTENT_END);
  }
  return texts;
}

/**
 * How an encoded message ends if its last part is text, which can have a marker. With markers, content is always the
 * last field.
 */
const CONTENT_END = '}]}';

function endsInText(text: string | undefined): boolean {
  return text?.endsWith(`"${CONTENT_END}`) ?? false;
}

/**
 * With cache markers, content is always a list of parts, so that a marker does not change its form. Empty text has no
 * part.
 */
function textContent(text: string, { cacheMarker }: EncodeSettings): WritableJson {
  return cacheMarker === undefined || text.trim() === '' ? text : [{ type: 'text', text }];
}

function cacheKeyField({ cacheKey }: ModelRequest, { cacheKeyParameter }: ModelQuirks): BodyFields {
  return cacheKeyParameter === undefined || cacheKey === undefined ? {} : { [cacheKeyParameter]: cacheKey };
}

function answerFormat(request: ModelRequest): BodyFields {
  const format = outputFormat(request);
  return format === undefined ? {} : { response_format: { type: 'json_schema', json_schema: format } };
}

function systemMessages({ system }: ModelRequest, settings: EncodeSettings, marker: string | undefined): string[] {
  if (system === '') return [];
  const role = settings.quirks.systemRole ?? 'system';
  const text = writeJson({ role, content: textContent(system, settings) });
  return [marker !== undefined && endsInText(text) ? insertMarker(text, marker, CONTENT_END) : text];
}

function encodeTool(tool: ToolDefinition): string {
  const { name, description, parameters } = tool;
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/** Encodes one message. The name of a tool is omitted: the id is enough, and some providers reject the field. */
function encodeMessage(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson {
  if (message.role === 'user') return { role: 'user', content: userContent(message, settings, blobs) };
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: textContent(message.content, settings) };
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
  if (settings.cacheMarker === undefined) fields.content = content;
  if (quirks.reasoningField !== undefined)
    fields[quirks.reasoningField] = message.reasoning ?? missingReasoning(message, quirks);
  if (details.length > 0) fields.reasoning_details = rawJson(JSON.stringify(details));
  if (message.toolCalls?.length) fields.tool_calls = message.toolCalls.map((call) => encodeCall(call, own));
  // The last field, so that a marker can be inserted without encoding the message again.
  if (settings.cacheMarker !== undefined) fields.content = content;
  return fields;
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
