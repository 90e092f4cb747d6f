import type { AssistantMessage, Message, ToolCall } from '../../base/index.ts';
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import { sendableAttachments } from '../attachments.ts';
import { findEffort } from '../effort/effort-rules.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** Without `num_ctx` the server silently truncates every history to a few thousand tokens. */
export function encodeOllama(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const { remember } = settings;
  // The API has no way to forbid tool calls, so the tools are omitted instead.
  const hasTools = request.tools.length > 0 && request.toolChoice !== 'none';
  const system = request.system === '' ? [] : [writeJson({ role: 'system', content: request.system })];
  return {
    model: settings.model,
    // The server streams if this is missing.
    stream: request.stream,
    think: thinkOf(request, settings),
    options: optionsOf(request, settings),
    // With tools, the schema would keep the model from calling any of them.
    format: hasTools ? undefined : request.outputSchema,
    tools: hasTools ? rawArray(request.tools.map((tool) => remember(tool, encodeTool))) : undefined,
    messages: rawArray([
      ...system,
      ...request.messages.map((message) =>
        remember(message, (source) => writeJson(encodeMessage(source, settings, request.blobs))),
      ),
    ]),
  };
}

function thinkOf(request: ModelRequest, { model, quirks }: EncodeSettings): boolean | string | undefined {
  const found = findEffort(request.effort, model, quirks.effort ?? 'ollama');
  if (found === undefined) return undefined;
  return found.form === 'think_level' ? found.level : found.level !== 'none';
}

function optionsOf(request: ModelRequest, { contextLength }: EncodeSettings): BodyFields | undefined {
  if (contextLength === undefined && request.maxOutputTokens === undefined) return undefined;
  return { num_ctx: contextLength, num_predict: request.maxOutputTokens };
}

function encodeTool(tool: ToolDefinition): string {
  const { name, description, parameters } = tool;
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

function encodeMessage(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson {
  if (message.role === 'user') {
    const files = sendableAttachments(message, blobs).filter(({ kind }) => kind === 'image');
    const images = files.length === 0 ? undefined : files.map(({ base64 }) => base64);
    return { role: 'user', content: message.sentContent ?? message.content, images };
  }
  if (message.role === 'tool') {
    const { toolName, toolCallId, content } = message;
    // Chat templates use the name; the id distinguishes several calls of the same tool.
    return { role: 'tool', tool_name: toolName, tool_call_id: toolCallId, content };
  }
  return encodeAssistant(message, settings);
}

function encodeAssistant(message: AssistantMessage, { producer }: EncodeSettings): WritableJson {
  // The model would take the reasoning of another model for its own.
  const own = message.producer === undefined || message.producer === producer;
  const calls = message.toolCalls?.length ? message.toolCalls.map(encodeCall) : undefined;
  const thinking = own && calls !== undefined ? message.reasoning : undefined;
  return { role: 'assistant', content: message.content, thinking, tool_calls: calls };
}

function encodeCall(call: ToolCall): WritableJson {
  const args = rawJson(sendableArguments(call.arguments));
  return { id: call.id, function: { name: call.name, arguments: args } };
}
