import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { step } from '../../test/support/context-fixture.ts';
import type { Message } from '../base/index.ts';
import { findReplacement, writeReplacement } from './replacement.ts';
import { assemble, toCompressed } from './compress.ts';

const numberedOf = (messages: readonly Message[], first = 0) =>
  messages.map((message, place) => ({ index: first + place, number: first + place + 1, message, changed: false }));
const put = (head: readonly Message[], tail: readonly Message[], replacement: string | undefined = 'SUMMARY') =>
  assemble(numberedOf(head), replacement, numberedOf(tail, 50)).map(({ message }) => message);

const user: Message = { role: 'user', content: 'a wish' };
const answer: Message = { role: 'assistant', content: 'an answer' };

describe('putting a conversation together', () => {
  verifies('CTX-9', 'the summary has a role that neither neighbour has', () => {
    expect(put([user, answer], [answer])[2]).toEqual({ role: 'user', content: 'SUMMARY' });
    expect(put([user], [user])[1]).toEqual({ role: 'assistant', content: 'SUMMARY' });
    expect(put([user, ...step('a', ['out'])], [user])[3]).toEqual({ role: 'assistant', content: 'SUMMARY' });
    expect(put([], [answer])[0]).toEqual({ role: 'user', content: 'SUMMARY' });
  });

  verifies('CTX-9', 'where neither fits it goes before the first tail message, and the words of the user stay', () => {
    expect(put([user, answer], [user])[2]).toEqual({ ...user, sentContent: 'SUMMARY\n\na wish' });
    expect(put([], [user])[0]).toEqual({ ...user, sentContent: 'SUMMARY\n\na wish' });
    expect(put([user], [answer])[1]).toEqual({ role: 'assistant', content: 'SUMMARY\n\nan answer' });
    const [first] = step('a', ['out']);
    expect(put([user], step('a', ['out']))[1]).toEqual({ ...first, content: 'SUMMARY' });
  });

  verifies('CTX-9', 'pairs that were broken before are mended', () => {
    const [calls, one] = step('a', ['first', 'second']) as [Message, Message];
    const orphan: Message = { role: 'tool', toolCallId: 'nobody', toolName: 'terminal', content: 'lost' };
    const mended = put([user, calls, one, orphan], [user]);
    expect(mended.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(mended[3]).toMatchObject({ toolCallId: 'a-1', content: 'No result was recorded for this call.' });
    expect(put([orphan], [user])).toHaveLength(1);
  });

  verifies('CTX-9', 'what is as it was given is named by its place alone', () => {
    const placed = assemble(numberedOf([user, answer]), 'SUMMARY', numberedOf([user], 7));
    expect(toCompressed(placed)).toEqual([
      { index: 0 },
      { index: 1 },
      { index: 7, message: { ...user, sentContent: 'SUMMARY\n\na wish' } },
    ]);
  });

  verifies('CTX-9', 'a summary says that it is reference material, and can be taken out again', () => {
    const text = writeReplacement('summary', '## Goal\n- it', { removed: [3, 4, 9], kept: [1, 2, 10] }, true);
    expect(text).toContain('stands for messages #3-#4, #9, which were compacted');
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

  verifies('CTX-7', 'who only quotes the mark of a summary has not written one', () => {
    const whole = writeReplacement('map', 'x', { removed: [1], kept: [] }, false);
    const [mark = '', header = ''] = whole.split('\n');
    for (const content of [
      `${mark}\nwhat is this?`,
      `${mark}\n${header}\n\nand no end`,
      `I read "${whole}" somewhere.`,
      '[CONTEXT COMPACTION what is this?',
    ]) {
      expect(findReplacement({ role: 'user', content })).toBeUndefined();
    }
    expect(findReplacement({ role: 'tool', toolCallId: 'a', toolName: 'x', content: whole })).toBeUndefined();
    expect(findReplacement({ role: 'user', content: whole })?.kind).toBe('map');
  });

  verifies('CTX-7', 'what is said about the end of a summary does not end it', () => {
    const end =
      writeReplacement('summary', 'x', { removed: [1], kept: [] }, false)
        .split('\n')
        .at(-1) ?? '';
    const text = writeReplacement('summary', `one\n${end}\ntwo`, { removed: [1], kept: [2] }, false);
    expect(findReplacement({ role: 'assistant', content: text })).toMatchObject({ body: 'one\n(end)\ntwo' });
  });
});
