import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from '../../base/index.ts';
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import { arrangeBlocks } from '../answer-layout.ts';
import { dataUrl, type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { findEffort } from '../effort/effort-rules.ts';
import { outputFormat } from '../output-schema.ts';
import { speedFields } from '../speed.ts';
import type { EncodeSettings } from '../wire-format.ts';

/**
 * Nothing is stored at the provider (`store: false`): we keep the history, and reasoning is sent encrypted inside it.
 * The input comes last, so that a longer history changes nothing before its end.
 */
export function encodeResponses(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const { quirks, remember } = settings;
  const hasTools = request.tools.length > 0;
  return {
    model: settings.model,
    [quirks.outputLimitParameter ?? 'max_output_tokens']: quirks.noOutputLimit ? undefined : request.maxOutputTokens,
    stream: request.stream || quirks.streamOnly ? true : undefined,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: request.cacheKey,
    ...effortFields(request, settings),
    ...speedFields(request, settings.model, quirks.speed ?? 'openai'),
    ...answerFormat(request),
    instructions: request.system || quirks.defaultInstructions,
    tools: hasTools ? rawArray(request.tools.map((tool) => remember(tool, encodeTool))) : undefined,
    tool_choice: hasTools && request.toolChoice === 'none' ? 'none' : undefined,
    input: rawArray(
      request.messages.map((message) =>
        remember(message, (source) => itemsOf(source, settings.producer, request.blobs).map(writeJson).join(',')),
      ),
    ),
  };
}

/**
 * The reasoning parameters. If this API mode cannot express the effort, the effort is omitted and the provider
 * decides.
 */
function effortFields(request: ModelRequest, { model, quirks }: EncodeSettings): BodyFields {
  const found = findEffort(request.effort, model, quirks.effort ?? 'openai');
  const summary = quirks.reasoningSummary && found?.level !== 'none' ? 'auto' : undefined;
  const effort = found?.form === 'effort' || found?.form === 'reasoning_object' ? found.level : undefined;
  return effort === undefined && summary === undefined ? {} : { reasoning: { effort, summary } };
}

function answerFormat(request: ModelRequest): BodyFields {
  const format = outputFormat(request);
  return format === undefined ? {} : { text: { format: { type: 'json_schema', ...format } } };
}

function encodeTool(tool: ToolDefinition): string {
  const { name, description, parameters } = tool;
  // Strict schemas do not allow optional parameters, which our tools have.
  return JSON.stringify({ type: 'function', name, description, parameters, strict: false });
}

function itemsOf(message: Message, producer: string, blobs: ModelRequest['blobs']): WritableJson[] {
  if (message.role === 'user') {
    return [{ type: 'message', role: 'user', content: userParts(message, blobs) }];
  }
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.toolCallId, output: resultOutput(message, blobs) }];
  }
  return assistantItems(message, producer);
}

/** A plain string if there are no files: not all endpoints accept a list. */
function resultOutput(message: ToolMessage, blobs: ModelRequest['blobs']): WritableJson {
  const files = sendableAttachments(message, blobs).map(attachmentPart);
  return files.length === 0 ? message.content : [...files, { type: 'input_text', text: message.content }];
}

function userParts(message: UserMessage, blobs: ModelRequest['blobs']): WritableJson[] {
  const text = message.sentContent ?? message.content;
  const files = sendableAttachments(message, blobs).map(attachmentPart);
  return files.length > 0 && text.trim() === '' ? files : [...files, { type: 'input_text', text }];
}

function attachmentPart(file: SendableAttachment): WritableJson {
  if (file.kind === 'image') return { type: 'input_image', image_url: dataUrl(file) };
  return { type: 'input_file', filename: file.name, file_data: dataUrl(file) };
}

/** Reasoning comes first, or where it was, because the provider links it to the item that follows. */
function assistantItems(message: AssistantMessage, producer: string): WritableJson[] {
  const own = message.producer === undefined || message.producer === producer;
  const calls = (message.toolCalls ?? []).map((call) => callItem(call, own));
  const items = [...textItems(message.content), ...calls];
  // The API rejects reasoning without the item that it led to.
  if (items.length === 0 || !own) return items;
  const reasoning = (message.codexReasoningItems ?? []).map((item) => rawJson(JSON.stringify(item)));
  const parts = { reasoning, calls, text: message.content };
  return arrangeBlocks<WritableJson>(message.reasoningDetails, parts, textItems) ?? [...reasoning, ...items];
}

function textItems(text: string): WritableJson[] {
  return text === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
}

/** `call_id` links call and result; `id` is the provider's id of the item and is valid only there. */
function callItem(call: ToolCall, own: boolean): WritableJson {
  return {
    type: 'function_call',
    id: own ? call.itemId : undefined,
    call_id: call.id,
    name: call.name,
    arguments: sendableArguments(call.arguments),
  };
}
