import { isJsonObject, type JsonValue, type Message, type ToolCall } from '../../base/index.ts';
import { DEFAULT_OUTPUT_LIMIT, type ModelRequest, type ToolDefinition } from '../../contracts/index.ts';
import {
  assistantBlocks,
  type BlockWriters,
  effortFields,
  isThinking,
  sendableId,
} from '../anthropic-messages/encode.ts';
import { type SendableAttachment, sendableAttachments } from '../attachments.ts';
import { findMarkerIndexes, hasUnusedMarker } from '../cache-markers.ts';
import { type BodyFields, rawArray, rawJson, sendableArguments, type WritableJson, writeJson } from '../json-text.ts';
import type { EncodeSettings } from '../wire-format.ts';

/** The body of a Converse request. The model and whether to stream are in the path. */
export function encodeConverse(request: ModelRequest, settings: EncodeSettings): BodyFields {
  const { groups, known } = groupMessages(request, settings);
  const point = cachePoint(settings.cacheMarker);
  const marked = point === undefined ? [] : findMarkerIndexes(groups.length, () => true, known);
  const isToolsMarked = point !== undefined && hasUnusedMarker(marked.length + (request.system === '' ? 0 : 1));
  const maxTokens = request.maxOutputTokens ?? DEFAULT_OUTPUT_LIMIT;
  const effort = effortFields(request, settings, maxTokens);
  return {
    inferenceConfig: { maxTokens },
    additionalModelRequestFields: Object.keys(effort).length === 0 ? undefined : effort,
    toolConfig:
      request.tools.length === 0 ? undefined : encodeTools(request, settings, isToolsMarked ? point : undefined),
    system: request.system === '' ? undefined : rawArray([writeJson({ text: request.system }), point ?? '']),
    messages: rawArray(
      groups.map(({ role, blocks }, index) => {
        const all = marked.includes(index) && point !== undefined ? [...blocks, point] : blocks;
        return `{"role":"${role}","content":[${all.join(',')}]}`;
      }),
    ),
  };
}

/** The block that asks the service to cache everything before it. */
function cachePoint(marker: string | undefined): string | undefined {
  if (marker === undefined) return undefined;
  return marker.includes('1h') ? '{"cachePoint":{"type":"default","ttl":"1h"}}' : '{"cachePoint":{"type":"default"}}';
}

/** This API cannot forbid tool calls, and requires the tools of all calls in the history. */
function encodeTools({ tools }: ModelRequest, { remember }: EncodeSettings, point: string | undefined): WritableJson {
  const texts = tools.map((tool) => remember(tool, encodeTool));
  return { tools: rawArray(point === undefined ? texts : [...texts, point]) };
}

function encodeTool({ name, description, parameters }: ToolDefinition): string {
  return JSON.stringify({ toolSpec: { name, description, inputSchema: { json: parameters } } });
}

type Group = { role: 'user' | 'assistant'; blocks: string[] };

/** Roles must alternate, so neighbours with the same role are merged. `known` is the last group the model has read. */
function groupMessages({ messages, blobs, readUpTo }: ModelRequest, settings: EncodeSettings) {
  const groups: Group[] = [];
  let known = -1;
  for (const message of messages) {
    const encode = (source: Message) => blocksOf(source, settings, blobs).map(writeJson).join(',');
    const blocks = settings.remember(message, encode);
    if (blocks === '') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = groups.at(-1);
    if (last?.role === role) last.blocks.push(blocks);
    else groups.push({ role, blocks: [blocks] });
    if (message === readUpTo) known = groups.length - 1;
  }
  return { groups, known };
}

function blocksOf(message: Message, settings: EncodeSettings, blobs: ModelRequest['blobs']): WritableJson[] {
  if (message.role === 'assistant') return assistantBlocks(message, settings.producer, WRITERS);
  const files = sendableAttachments(message, blobs).map(attachmentBlock);
  if (message.role === 'user') return [...files, ...textBlocks(message.sentContent ?? message.content)];
  const content = [...files, ...textBlocks(message.content)];
  return [{ toolResult: { toolUseId: sendableId(message.toolCallId), content } }];
}

const WRITERS: BlockWriters = { call: callBlock, reasoning: reasoningBlock, text: textBlocks };

/** Reasoning is stored in the form of Anthropic's API. */
function reasoningBlock(detail: JsonValue): WritableJson | undefined {
  if (!isThinking(detail) || !isJsonObject(detail)) return undefined;
  if (detail.type === 'redacted_thinking') return { reasoningContent: { redactedContent: detail.data } };
  return { reasoningContent: { reasoningText: { text: detail.thinking, signature: detail.signature } } };
}

/** The API rejects blank text. */
function textBlocks(text: string): WritableJson[] {
  return text.trim() === '' ? [] : [{ text }];
}

function callBlock(call: ToolCall): WritableJson {
  const input = rawJson(sendableArguments(call.arguments));
  return { toolUse: { toolUseId: sendableId(call.id), name: call.name, input } };
}

function attachmentBlock({ kind, mediaType, name, base64 }: SendableAttachment): WritableJson {
  const source = { bytes: base64 };
  if (kind === 'image') return { image: { format: mediaType.replace('image/', ''), source } };
  // Other characters are rejected.
  return {
    document: { format: 'pdf', name: name.replaceAll(/[^A-Za-z0-9 ()[\]-]+/g, ' ').trim() || 'document', source },
  };
}
