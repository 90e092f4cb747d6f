import {
  type AssistantMessage,
  derivedCallId,
  isJsonObject,
  type JsonValue,
  type Message,
  type ToolCall,
  type ToolMessage,
} from '../../base/index.ts';
import {
  DEFAULT_OUTPUT_LIMIT,
  type ModelRequest,
  type ReasoningEffort,
  type ToolDefinition,
} from '../../contracts/index.ts';
import { arrangeBlocks } from '../answer-layout.ts';
import { type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { hasUnusedMarker, findMarkerIndexes, insertMarker, withMarkerOnLast } from '../cache-markers.ts';
import { findEffort } from '../effort/effort-rules.ts';
import { asText } from '../json-access.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import { speedFields } from '../speed.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** The output limit that replaces a rejected one; every current model accepts it. */
const SAFE_OUTPUT_LIMIT = 8_192;

/** Content is always a list of blocks, so that a cache marker never changes the bytes around it. */
export function encodeAnthropic(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const hasTools = request.tools.length > 0;
  const { groups, known } = groupMessages(request, settings);
  const marker = settings.cacheMarker;
  const marks = marker === undefined ? NO_MARKS : placeMarks(request, groups.length, known);
  const limit = outputLimit(request);
  return {
    // Services that have the model in the path expect the version in the body.
    model: settings.quirks.anthropicVersion === undefined ? settings.model : undefined,
    anthropic_version: settings.quirks.anthropicVersion,
    max_tokens: limit,
    stream: request.stream ? true : undefined,
    ...effortFields(request, settings, limit),
    ...speedFields(request, settings.model, settings.quirks.speed ?? 'anthropic'),
    tools: hasTools ? rawArray(encodeTools(request, settings, marks.tools ? marker : undefined)) : undefined,
    tool_choice: hasTools && request.toolChoice === 'none' ? { type: 'none' } : undefined,
    system: request.system === '' ? undefined : rawArray([systemBlock(request.system, marker)]),
    messages: rawArray(writeGroups(groups, marks.groups, marker)),
  };
}

type Group = { role: string; blocks: string[] };
/**
 * Where the cache markers are: the indexes of the messages, and whether the last tool has one. The system prompt
 * always has one.
 */
type Marks = { groups: readonly number[]; tools: boolean };

const NO_MARKS: Marks = { groups: [], tools: false };

/**
 * Chooses where the cache markers go. A group is one message on the wire with all tool results of a step, so one of
 * the last three groups ends where the previous request ended. Its cache entry is then found even if many blocks were
 * added, although a provider looks back only 20 blocks.
 */
function placeMarks(request: ModelRequest, groups: number, known: number): Marks {
  // A request that forbids tools gets no message markers: its cache prefix differs, so the next request could not use
  // the entries.
  const marked = request.toolChoice === 'none' ? [] : findMarkerIndexes(groups, () => true, known);
  const used = marked.length + (request.system === '' ? 0 : 1);
  return { groups: marked, tools: hasUnusedMarker(used) };
}

function systemBlock(text: string, marker: string | undefined): string {
  const block = writeJson(textBlock(text));
  return marker === undefined ? block : insertMarker(block, marker);
}

function encodeTools({ tools }: ModelRequest, { remember }: EncodeSettings, marker: string | undefined): string[] {
  const texts = tools.map((tool) => remember(tool, encodeTool));
  return marker === undefined ? texts : withMarkerOnLast(texts, marker);
}

/** The last block is text, a call, a result or a file. All of them can have a marker, unlike reasoning. */
function writeGroups(groups: readonly Group[], marked: readonly number[], marker: string | undefined): string[] {
  const texts = groups.map(writeGroup);
  if (marker === undefined) return texts;
  for (const index of marked) {
    const { role, blocks } = groups[index] as Group;
    texts[index] = writeGroup({ role, blocks: withMarkerOnLast(blocks, marker) });
  }
  return texts;
}

function writeGroup({ role, blocks }: Group): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

/** The limit is mandatory, so a rejected one is lowered instead of dropped. */
function outputLimit({ maxOutputTokens = DEFAULT_OUTPUT_LIMIT, parameterChanges = [] }: ModelRequest): number {
  const refused = parameterChanges.some((change) => change.name === 'max_tokens');
  return refused ? Math.min(maxOutputTokens, SAFE_OUTPUT_LIMIT) : maxOutputTokens;
}

/**
 * Tool results must follow the reasoning that led to their calls. If there was none, reasoning must stay off for this
 * request: models with a budget do not allow a change between calls and results.
 */
function isThinkingAllowed(messages: readonly Message[], { producer }: EncodeSettings): boolean {
  if (messages.at(-1)?.role !== 'tool') return true;
  const asked = messages.findLast((message) => message.role === 'assistant');
  return asked === undefined || thinkingOf(asked, producer).length > 0;
}

/**
 * Roles must alternate, and all results of a step must be in one message, so neighbours with the same role are
 * merged. Only the last message of a request can grow this way, until the model responds.
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

/** `known` is the index of the last message that the model has already read; -1 if there is none. */
type Grouped = { groups: Group[]; known: number };

/** The blocks of one message as JSON text, without the enclosing brackets. */
function encodeBlocks(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): string {
  return blocksOf(message, settings, blobs).map(writeJson).join(',');
}

function blocksOf(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson[] {
  if (message.role === 'user') {
    const files = sendableAttachments(message, blobs).map(attachmentBlock);
    return [...files, ...textBlocks(message.sentContent ?? message.content)];
  }
  if (message.role === 'tool') return [resultBlock(message, blobs)];
  return assistantBlocks(message, settings.producer, WRITERS);
}

/** How the parts of an answer are written. Reasoning that cannot be sent back is undefined. */
export type BlockWriters = {
  call(call: ToolCall): WritableJson;
  reasoning(detail: JsonValue): WritableJson | undefined;
  text(text: string): WritableJson[];
};

const WRITERS: BlockWriters = { call: callBlock, reasoning: reasoningBlock, text: textBlocks };

/** The blocks of an answer in their original order, or with the reasoning first. */
export function assistantBlocks(message: AssistantMessage, producer: string, writers: BlockWriters): WritableJson[] {
  const calls = (message.toolCalls ?? []).map(writers.call);
  const own = isOwn(message, producer) ? message.reasoningDetails : undefined;
  const reasoning = (own ?? []).filter(isReasoning).map(writers.reasoning);
  const arranged = arrangeBlocks(own, { reasoning, calls, text: message.content }, writers.text);
  if (arranged !== undefined) return arranged;
  const blocks = [...writers.text(message.content), ...calls];
  // The API rejects reasoning without a following block.
  return blocks.length === 0 ? [] : [...reasoning.filter((block) => block !== undefined), ...blocks];
}

/** Undefined for reasoning that cannot be sent back. */
function reasoningBlock(detail: JsonValue): WritableJson | undefined {
  return isThinking(detail) ? rawJson(JSON.stringify(detail)) : undefined;
}

function isReasoning(detail: JsonValue): boolean {
  return isJsonObject(detail) && (detail.type === 'thinking' || detail.type === 'redacted_thinking');
}

function isOwn(message: AssistantMessage, producer: string): boolean {
  return message.producer === undefined || message.producer === producer;
}

function thinkingOf(message: AssistantMessage, producer: string): JsonValue[] {
  return isOwn(message, producer) ? (message.reasoningDetails ?? []).filter(isThinking) : [];
}

/** Reasoning that can be sent back. The API rejects a request with an unsigned reasoning block. */
export function isThinking(detail: JsonValue): boolean {
  if (!isJsonObject(detail)) return false;
  if (detail.type === 'redacted_thinking') return true;
  return detail.type === 'thinking' && asText(detail.signature) !== undefined;
}

function attachmentBlock({ kind, mediaType, name, base64 }: SendableAttachment): WritableJson {
  const source = { type: 'base64', media_type: mediaType, data: base64 };
  return kind === 'image' ? { type: 'image', source } : { type: 'document', source, title: name };
}

/** The API rejects empty text blocks, so whitespace gives no block. */
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

function resultBlock(message: ToolMessage, blobs: ModelRequest['blobs']): WritableJson {
  const files = sendableAttachments(message, blobs).map(attachmentBlock);
  const content = [...files, ...textBlocks(message.content)];
  return { type: 'tool_result', tool_use_id: sendableId(message.toolCallId), content };
}

/** Ids of other providers may contain characters that this API rejects. An id always gets the same replacement. */
export function sendableId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : derivedCallId({ name: '', arguments: id, position: 0 });
}

function encodeTool(tool: ToolDefinition): string {
  return JSON.stringify({ name: tool.name, description: tool.description, input_schema: tool.parameters });
}

/** Reasoning budgets in tokens. */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 23_000,
  max: 23_000,
};

/** The smallest budget that the API accepts. */
const MIN_BUDGET = 1_024;
/** Tokens of the output limit that reasoning leaves to the answer. */
const ANSWER_TOKENS = 8_192;

/** The reasoning parameters. */
export function effortFields(request: ModelRequest, settings: EncodeSettings, limit: number): BodyFields {
  const { model, quirks } = settings;
  const found = findEffort(request.effort, model, quirks.effort ?? 'anthropic');
  if (found === undefined) return {};
  const { form, level } = found;
  if (level === 'none') return { thinking: { type: 'disabled' } };
  if (form === 'budget') {
    const budget = isThinkingAllowed(request.messages, settings) ? reasoningBudget(level, limit) : 0;
    return budget === 0 ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
  }
  if (form !== 'adaptive' && form !== 'adaptive_shown') return {};
  const display = form === 'adaptive_shown' ? 'summarized' : undefined;
  return { thinking: { type: 'adaptive', display }, output_config: { effort: level } };
}

/** The budget counts towards the output limit. A low limit is shared equally by reasoning and answer. */
function reasoningBudget(level: ReasoningEffort, limit: number): number {
  const budget = Math.min(BUDGETS[level], Math.max(limit - ANSWER_TOKENS, Math.floor(limit / 2)));
  return budget < MIN_BUDGET ? 0 : budget;
}
