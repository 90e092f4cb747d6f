import {
  type AssistantMessage,
  derivedCallId,
  isJsonObject,
  type JsonValue,
  type Message,
  type ToolCall,
  type ToolMessage,
} from '../../base/index.ts';
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import { asText } from '../json-access.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** The API demands an output limit; this one is allowed by every model that still runs. */
const DEFAULT_OUTPUT_LIMIT = 8192;

/** Content is always encoded as blocks, so that a cache mark never changes the form of what stands around it. */
export function encodeAnthropic(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const { remember } = settings;
  const hasTools = request.tools.length > 0;
  return {
    model: settings.model,
    max_tokens: outputLimit(request, settings),
    stream: request.stream ? true : undefined,
    tools: hasTools ? rawArray(request.tools.map((tool) => remember(tool, encodeTool))) : undefined,
    tool_choice: hasTools && request.toolChoice === 'none' ? { type: 'none' } : undefined,
    system: request.system === '' ? undefined : [textBlock(request.system)],
    messages: rawArray(groupMessages(request.messages, settings)),
  };
}

/** The limit cannot be left out: where the provider refused a figure, the usual one takes its place. */
function outputLimit(request: ModelRequest, { quirks }: EncodeSettings): number {
  const usual = quirks.maxOutputTokens ?? DEFAULT_OUTPUT_LIMIT;
  const refused = request.parameterChanges?.some((change) => change.name === 'max_tokens') ?? false;
  return refused ? usual : (request.maxOutputTokens ?? usual);
}

/**
 * Roles must take turns, and all results of a batch must stand in one message: neighbours of one role become one
 * message. Only the last message of a request can grow that way, and a model's answer closes it.
 */
function groupMessages(messages: readonly Message[], settings: EncodeSettings): string[] {
  const groups: { role: string; blocks: string[] }[] = [];
  for (const message of messages) {
    const blocks = settings.remember(message, (source) => encodeBlocks(source, settings));
    if (blocks === '') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = groups.at(-1);
    if (last?.role === role) last.blocks.push(blocks);
    else groups.push({ role, blocks: [blocks] });
  }
  return groups.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks.join(',')}]}`);
}

/** The blocks of one message, as text, without the brackets around them. */
function encodeBlocks(message: Message, settings: EncodeSettings): string {
  return blocksOf(message, settings).map(writeJson).join(',');
}

function blocksOf(message: Message, settings: EncodeSettings): WritableJson[] {
  if (message.role === 'user') return textBlocks(message.sentContent ?? message.content);
  if (message.role === 'tool') return [resultBlock(message)];
  return assistantBlocks(message, settings.producer);
}

function assistantBlocks(message: AssistantMessage, producer: string): WritableJson[] {
  const own = message.producer === undefined || message.producer === producer;
  const thinking = own ? (message.reasoningDetails ?? []).filter(isThinking) : [];
  const blocks = [...textBlocks(message.content), ...(message.toolCalls ?? []).map(callBlock)];
  // Thinking without anything after it is refused.
  return blocks.length === 0 ? [] : [...thinking.map((block) => rawJson(JSON.stringify(block))), ...blocks];
}

/** Thinking that can go back. Without its signature a block is refused, and with it the whole request. */
function isThinking(detail: JsonValue): boolean {
  if (!isJsonObject(detail)) return false;
  if (detail.type === 'redacted_thinking') return true;
  return detail.type === 'thinking' && asText(detail.signature) !== undefined;
}

/** Blocks without any text are refused, so there is none for blanks. */
function textBlocks(text: string): WritableJson[] {
  return text.trim() === '' ? [] : [textBlock(text)];
}

function textBlock(text: string): WritableJson {
  return { type: 'text', text };
}

function callBlock(call: ToolCall): WritableJson {
  return {
    type: 'tool_use',
    id: sendableId(call.id),
    name: call.name,
    input: rawJson(sendableArguments(call.arguments)),
  };
}

function resultBlock(message: ToolMessage): WritableJson {
  return { type: 'tool_result', tool_use_id: sendableId(message.toolCallId), content: textBlocks(message.content) };
}

/** Ids of other providers may have characters that this API refuses; the same id always gets the same replacement. */
function sendableId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : derivedCallId({ name: '', arguments: id, position: 0 });
}

function encodeTool(tool: ToolDefinition): string {
  return JSON.stringify({ name: tool.name, description: tool.description, input_schema: tool.parameters });
}
