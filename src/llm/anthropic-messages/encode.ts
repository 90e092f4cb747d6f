import {
  type AssistantMessage,
  derivedCallId,
  isJsonObject,
  type JsonValue,
  type Message,
  type ToolCall,
  type ToolMessage,
} from '../../base/index.ts';
import type { ModelRequest, ReasoningEffort, ToolDefinition } from '../../contracts/index.ts';
import { type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { hasSpareMark, markedIndexes, markFor, spliceMark, withLastMarked } from '../cache-marks.ts';
import { findEffort } from '../effort/effort-rules.ts';
import { asText } from '../json-access.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import { speedFields } from '../speed.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** The API demands an output limit; this one is allowed by every model that still runs. */
const DEFAULT_OUTPUT_LIMIT = 8192;

/** Content is always encoded as blocks, so that a cache mark never changes the form of what stands around it. */
export function encodeAnthropic(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const hasTools = request.tools.length > 0;
  const { groups, known } = groupMessages(request, settings);
  const mark = markFor(request, settings.cacheMark);
  const marks = mark === undefined ? NO_MARKS : placeMarks(request, groups.length, known);
  const { fields, budget } = anthropicEffort(request, settings, () => isThinkingAllowed(request.messages, settings));
  return {
    model: settings.model,
    // What is thought counts towards the limit, which must leave room for the answer.
    max_tokens: outputLimit(request, settings) + budget,
    stream: request.stream ? true : undefined,
    ...fields,
    ...speedFields(request, settings.model, settings.quirks.speed ?? 'anthropic'),
    tools: hasTools ? rawArray(encodeTools(request, settings, marks.tools ? mark : undefined)) : undefined,
    tool_choice: hasTools && request.toolChoice === 'none' ? { type: 'none' } : undefined,
    system: request.system === '' ? undefined : rawArray([systemBlock(request.system, mark)]),
    messages: rawArray(writeGroups(groups, marks.groups, mark)),
  };
}

type Group = { role: string; blocks: string[] };
/** Which messages carry a mark, by their place in the request, and whether the last tool does; the system prompt always. */
type Marks = { groups: readonly number[]; tools: boolean };

const NO_MARKS: Marks = { groups: [], tools: false };

/**
 * Here a message is what it is on the wire, with all results of a batch in it. So one of the three marks stands where the
 * request before ended, and what it left in the cache is found however many blocks have come since: a provider looks
 * back over twenty only.
 */
function placeMarks(request: ModelRequest, groups: number, known: number): Marks {
  // Whoever forbids tools reads all messages anew, and the next request, which does not, would find nothing of that.
  const marked = request.toolChoice === 'none' ? [] : markedIndexes(groups, () => true, known);
  const used = marked.length + (request.system === '' ? 0 : 1);
  return { groups: marked, tools: hasSpareMark(used) };
}

function systemBlock(text: string, mark: string | undefined): string {
  const block = writeJson(textBlock(text));
  return mark === undefined ? block : spliceMark(block, mark);
}

function encodeTools({ tools }: ModelRequest, { remember }: EncodeSettings, mark: string | undefined): string[] {
  const texts = tools.map((tool) => remember(tool, encodeTool));
  return mark === undefined ? texts : withLastMarked(texts, mark);
}

/** The last block is text, a call, a result or a file: all of them can carry a mark, unlike thinking. */
function writeGroups(groups: readonly Group[], marked: readonly number[], mark: string | undefined): string[] {
  const texts = groups.map(writeGroup);
  if (mark === undefined) return texts;
  for (const index of marked) {
    const { role, blocks } = groups[index] as Group;
    texts[index] = writeGroup({ role, blocks: withLastMarked(blocks, mark) });
  }
  return texts;
}

function writeGroup({ role, blocks }: Group): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

/** The limit cannot be left out: where the provider refused a figure, the usual one takes its place. */
function outputLimit(request: ModelRequest, { quirks }: EncodeSettings): number {
  const usual = quirks.maxOutputTokens ?? DEFAULT_OUTPUT_LIMIT;
  const refused = request.parameterChanges?.some((change) => change.name === 'max_tokens') ?? false;
  return refused ? usual : (request.maxOutputTokens ?? usual);
}

/** Results go back to the thinking that asked for them: without it, thinking cannot begin before the next answer. */
function isThinkingAllowed(messages: readonly Message[], { producer }: EncodeSettings): boolean {
  if (messages.at(-1)?.role !== 'tool') return true;
  const asked = messages.findLast((message) => message.role === 'assistant');
  return asked === undefined || thinkingOf(asked, producer).length > 0;
}

/**
 * Roles must take turns, and all results of a batch must stand in one message: neighbours of one role become one
 * message. Only the last message of a request can grow that way, and a model's answer closes it.
 */
function groupMessages({ messages, blobs, readUpTo }: ModelRequest, settings: EncodeSettings): Grouped {
  const groups: Group[] = [];
  let last: Group | undefined;
  let known = -1;
  for (const message of messages) {
    const blocks = settings.remember(message, (source) => encodeBlocks(source, settings, blobs));
    if (blocks === '') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    if (last?.role === role) last.blocks.push(blocks);
    else groups.push((last = { role, blocks: [blocks] }));
    if (message === readUpTo) known = groups.length - 1;
  }
  return { groups, known };
}

/** `known` is the message in which what the model was sent before ends; below 0 where that is nothing. */
type Grouped = { groups: Group[]; known: number };

/** The blocks of one message, as text, without the brackets around them. */
function encodeBlocks(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): string {
  return blocksOf(message, settings, blobs).map(writeJson).join(',');
}

function blocksOf(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson[] {
  if (message.role === 'user') {
    const files = sendableAttachments(message, blobs).map(attachmentBlock);
    return [...files, ...textBlocks(message.sentContent ?? message.content)];
  }
  if (message.role === 'tool') return [resultBlock(message)];
  return assistantBlocks(message, settings.producer);
}

function assistantBlocks(message: AssistantMessage, producer: string): WritableJson[] {
  const thinking = thinkingOf(message, producer);
  const blocks = [...textBlocks(message.content), ...(message.toolCalls ?? []).map(callBlock)];
  // Thinking without anything after it is refused.
  return blocks.length === 0 ? [] : [...thinking.map((block) => rawJson(JSON.stringify(block))), ...blocks];
}

function thinkingOf(message: AssistantMessage, producer: string): JsonValue[] {
  const own = message.producer === undefined || message.producer === producer;
  return own ? (message.reasoningDetails ?? []).filter(isThinking) : [];
}

/** Thinking that can go back. Without its signature a block is refused, and with it the whole request. */
function isThinking(detail: JsonValue): boolean {
  if (!isJsonObject(detail)) return false;
  if (detail.type === 'redacted_thinking') return true;
  return detail.type === 'thinking' && asText(detail.signature) !== undefined;
}

function attachmentBlock({ kind, mediaType, name, base64 }: SendableAttachment): WritableJson {
  const source = { type: 'base64', media_type: mediaType, data: base64 };
  return kind === 'image' ? { type: 'image', source } : { type: 'document', source, title: name };
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

/** Tokens to think with. Together with the usual output limit even the largest stays below what these models can write. */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 23_000,
  max: 23_000,
};

/** What a request says about thinking, and the tokens that have to be added to the output limit for it. */
type AnthropicEffort = { fields: BodyFields; budget: number };

/**
 * `canThink` is false where the calls that are being answered were made without thinking, which models with a budget do
 * not allow to be changed in between.
 */
function anthropicEffort(
  request: ModelRequest,
  { model, quirks }: EncodeSettings,
  canThink: () => boolean,
): AnthropicEffort {
  const found = findEffort(request.effort, model, quirks.effort ?? 'anthropic');
  if (found === undefined) return { fields: {}, budget: 0 };
  const { form, level } = found;
  if (level === 'none') return { fields: { thinking: { type: 'disabled' } }, budget: 0 };
  if (form === 'budget') {
    const budget = canThink() ? BUDGETS[level] : 0;
    return { fields: budget === 0 ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }, budget };
  }
  if (form !== 'adaptive' && form !== 'adaptive_shown') return { fields: {}, budget: 0 };
  const display = form === 'adaptive_shown' ? 'summarized' : undefined;
  return { fields: { thinking: { type: 'adaptive', display }, output_config: { effort: level } }, budget: 0 };
}
