import { expect } from 'vitest';
import { applyCompression, inputOf, longConversation, step } from './context-fixture.ts';
import type { Message } from '../../src/base/index.ts';
import { type AuxiliaryModels, silentLogger } from '../../src/contracts/index.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { DEFAULT_COMPRESSION } from '../../src/config/index.ts';
import { createContextEngine } from '../../src/context/index.ts';
import { findReplacement } from '../../src/context/replacement.ts';

/**
 * A compressor with these models, and a function that returns the compressed conversation with the text of the
 * summary.
 */
export function openEngine(auxiliary: AuxiliaryModels | undefined) {
  const clock = createFakeClock();
  const settings = { compression: { ...DEFAULT_COMPRESSION, threshold: 0.5 } };
  const engine = createContextEngine(settings, { auxiliary, logger: silentLogger, clock });
  const compress = async (messages: readonly Message[], changes = {}) => {
    const compression = await engine.compress(
      inputOf(messages, { contextLength: 30_000, reason: 'command', ...changes }),
    );
    if (compression === undefined) return expect.unreachable('nothing was saved');
    const body = applyCompression(messages, compression.messages).map(findReplacement).find(Boolean)?.body ?? '';
    return { ...compression, body };
  };
  return { clock, engine, compress };
}

/** A conversation that is long enough to be compressed, with an error, files and an answer in the middle. */
export const LONG_WORK: Message[] = [
  ...longConversation(6),
  ...step('x', ['Error: cannot find module zod\n at line 4']),
  ...step('y', ['fine', 'text of a file']),
  { role: 'assistant', content: 'The module is there now.' },
  ...longConversation(6).slice(1),
];
