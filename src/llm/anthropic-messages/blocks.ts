import { canonicalJson, type JsonObject, type JsonValue } from '../../base/index.ts';
import { asNumber, asObject, asString, asText } from '../json-access.ts';
import type { PartialCall } from '../tool-call-ids.ts';

/** A content block as far as it has come: what its start said, with the deltas added. */
export type Block = { index: number | undefined; start: JsonObject; input: string };

/** Opens a block. */
export function addBlock(blocks: readonly Block[], event: JsonObject): Block[] {
  return [...blocks, { index: asNumber(event.index), start: asObject(event.content_block) ?? {}, input: '' }];
}

/** Which block a delta belongs to; without an index it is the newest. */
export function blockPosition(blocks: readonly Block[], event: JsonObject): number {
  const index = asNumber(event.index);
  return index === undefined ? blocks.length - 1 : blocks.findLastIndex((block) => block.index === index);
}

/** Adds what has to be kept of a delta; text is kept elsewhere. */
export function growBlock(block: Block, delta: JsonObject): Block {
  if (delta.type === 'input_json_delta') return { ...block, input: block.input + (asString(delta.partial_json) ?? '') };
  if (delta.type === 'thinking_delta') return withField(block, 'thinking', delta.thinking);
  if (delta.type === 'signature_delta') return withField(block, 'signature', delta.signature);
  return block;
}

function withField(block: Block, field: string, added: JsonValue | undefined): Block {
  const text = (asString(block.start[field]) ?? '') + (asString(added) ?? '');
  return { ...block, start: { ...block.start, [field]: text } };
}

/** The tool calls among the blocks; tools that the provider runs itself are none of ours. */
export function callsOf(blocks: readonly Block[]): PartialCall[] {
  return blocks
    .filter((block) => block.start.type === 'tool_use')
    .map(({ start, input }) => ({
      id: asText(start.id),
      name: asString(start.name) ?? '',
      // Streamed input is kept byte for byte; an object that came whole gets the form that is always the same.
      arguments: input || canonicalJson(asObject(start.input) ?? {}),
    }));
}

/** Thinking blocks, exactly as they must be sent back. */
export function thinkingOf(blocks: readonly Block[]): JsonValue[] {
  return blocks
    .filter(({ start }) => start.type === 'thinking' || start.type === 'redacted_thinking')
    .map(({ start }) => start);
}
