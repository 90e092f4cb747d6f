import { expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import { anthropicDecoder } from './decode.ts';

function sizeAfter(events: readonly JsonObject[]): number {
  const state = events.reduce((before, event) => anthropicDecoder.step(before, event)[0], anthropicDecoder.start);
  return anthropicDecoder.contentSize(state);
}

const start = (block: JsonObject): JsonObject => ({ type: 'content_block_start', index: 0, content_block: block });

verifies('CALL-2', 'blocks that start without text are no content, so that a stream of them is a stall', () => {
  const empty = [start({ type: 'text', text: '' }), start({ type: 'thinking', thinking: '' })];
  expect(sizeAfter([...empty, ...empty, ...empty])).toBe(sizeAfter([]));
  expect(sizeAfter([start({ type: 'text', text: 'a' })])).toBeGreaterThan(0);
  expect(sizeAfter([start({ type: 'tool_use', id: 'a', name: 'terminal', input: {} })])).toBeGreaterThan(0);
});
