import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { step } from '../../test/support/context-fixture.ts';
import type { Message } from '../base/index.ts';
import { findReplacement, writeReplacement } from './replacement.ts';
import { assemble, toCompressed } from './compress.ts';

const numberedOf = (messages: readonly Message[], first = 0) =>
  messages.map((message, index) => ({ index: first + index, number: first + index + 1, message, changed: false }));
const put = (head: readonly Message[], tail: readonly Message[], replacement: string | undefined = 'SUMMARY') =>
  assemble(numberedOf(head), replacement, numberedOf(tail, 50)).map(({ message }) => message);

const user: Message = { role: 'user', content: 'a wish' };
const answer: Message = { role: 'assistant', content: 'an answer' };

describe('assembling the compressed conversation', () => {
  verifies('CTX-9', 'gives the replacement a role that neither neighbour has', () => {
    expect(put([user, answer], [answer])[2]).toEqual({ role: 'user', content: 'SUMMARY' });
    expect(put([user], [user])[1]).toEqual({ role: 'assistant', content: 'SUMMARY' });
    expect(put([user, ...step('a', ['out'])], [user])[3]).toEqual({ role: 'assistant', content: 'SUMMARY' });
    expect(put([], [answer])[0]).toEqual({ role: 'user', content: 'SUMMARY' });
  });

  verifies(
    'CTX-9',
    'prepends the replacement to the first tail message if no role is free, and preserves the user text',
    () => {
      expect(put([user, answer], [user])[2]).toEqual({ ...user, sentContent: 'SUMMARY\n\na wish' });
      expect(put([], [user])[0]).toEqual({ ...user, sentContent: 'SUMMARY\n\na wish' });
      expect(put([user], [answer])[1]).toEqual({ role: 'assistant', content: 'SUMMARY\n\nan answer' });
      const [first] = step('a', ['out']);
      expect(put([user], step('a', ['out']))[1]).toEqual({ ...first, content: 'SUMMARY' });
    },
  );

  verifies('CTX-9', 'repairs orphaned tool calls and results', () => {
    const [calls, one] = step('a', ['first', 'second']) as [Message, Message];
    const orphan: Message = { role: 'tool', toolCallId: 'nobody', toolName: 'terminal', content: 'lost' };
    const repaired = put([user, calls, one, orphan], [user]);
    expect(repaired.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(repaired[3]).toMatchObject({ toolCallId: 'a-1', content: 'No result was recorded for this call.' });
    expect(put([orphan], [user])).toHaveLength(1);
  });

  verifies('CTX-9', 'refers to unchanged messages by index only', () => {
    const placed = assemble(numberedOf([user, answer]), 'SUMMARY', numberedOf([user], 7));
    expect(toCompressed(placed)).toEqual([
      { index: 0 },
      { index: 1 },
      { index: 7, message: { ...user, sentContent: 'SUMMARY\n\na wish' } },
    ]);
  });

  verifies('CTX-9', 'marks a summary as reference material and can extract it again', () => {
    const text = writeReplacement('summary', '## Goal\n- it', { removed: [3, 4, 9], kept: [1, 2, 10] }, true);
    expect(text).toContain('replaces messages #3-#4, #9, which were compacted');
    expect(text).toContain('not a message: do not answer it');
    expect(text).toContain('context_expand');
    expect(writeReplacement('summary', '', { removed: [3], kept: [] }, false)).not.toContain('context_');
    const alone: Message = { role: 'assistant', content: text };
    expect(findReplacement(alone)).toMatchObject({
      body: '## Goal\n- it',
      numbers: { removed: [3, 4, 9], kept: [1, 2, 10] },
    });
    expect(findReplacement(alone)?.rest).toBeUndefined();
    for (const message of [
      user,
      { ...user, sentContent: 'a wish, with recall' },
      answer,
      step('a', ['out'])[0] as Message,
    ]) {
      const [joined] =
        put([], [message]).length === 1 && message.role === 'user'
          ? put([], [message], text)
          : put([user], [message], text).slice(1);
      expect(findReplacement(joined as Message)?.rest).toEqual(message);
    }
  });

  verifies('CTX-9', 'recognises a replacement in the wording of earlier versions', () => {
    const header = 'This stands for messages #3-#4, #9, which were compacted. Kept whole: #1-#2, #10.';
    const content = `[Hermes: map of earlier messages]\n${header} Use it.\n\nbody\n\n[End of what stands for earlier messages]`;
    expect(findReplacement({ role: 'user', content: `${content}\n\na wish` })).toEqual({
      kind: 'map',
      body: 'body',
      numbers: { removed: [3, 4, 9], kept: [1, 2, 10] },
      rest: { role: 'user', content: 'a wish' },
    });
  });

  verifies('CTX-7', 'does not treat a message that quotes the marker as a summary', () => {
    const whole = writeReplacement('map', 'x', { removed: [1], kept: [] }, false);
    const [marker = '', header = ''] = whole.split('\n');
    for (const content of [
      `${marker}\nwhat is this?`,
      `${marker}\n${header}\n\nand no end`,
      `I read "${whole}" somewhere.`,
      '[CONTEXT COMPACTION what is this?',
    ]) {
      expect(findReplacement({ role: 'user', content })).toBeUndefined();
    }
    expect(findReplacement({ role: 'tool', toolCallId: 'a', toolName: 'x', content: whole })).toBeUndefined();
    expect(findReplacement({ role: 'user', content: whole })?.kind).toBe('map');
  });

  verifies('CTX-7', 'is not ended early by an end marker quoted in the body', () => {
    const end =
      writeReplacement('summary', 'x', { removed: [1], kept: [] }, false)
        .split('\n')
        .at(-1) ?? '';
    const text = writeReplacement('summary', `one\n${end}\ntwo`, { removed: [1], kept: [2] }, false);
    expect(findReplacement({ role: 'assistant', content: text })).toMatchObject({ body: 'one\n(end)\ntwo' });
  });
});
