import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { attachmentOf, imageFile } from '../../../test/support/sample-files.ts';
import { ATTACHMENT_LIMITS, type Message } from '../../base/index.ts';
import { assertAttachable, recentAttachments } from './attachment-limits.ts';

const { bytes: MAX_BYTES, count: MOST } = ATTACHMENT_LIMITS;

/** Messages with attachments of every size that a single message may have. */
const history = fc.array(fc.array(fc.nat({ max: MAX_BYTES / 4 }), { maxLength: 4 }), { maxLength: 40 }).map((sizes) =>
  sizes.map(
    (group): Message => ({
      role: 'user',
      content: 'x',
      attachments: group.map((size) => attachmentOf(imageFile(), { size })),
    }),
  ),
);

describe('attachments per request', () => {
  verifies(['CALL-12', 'REQ-6'], 'are limited, and a dropped attachment is never sent again', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const gone = new Set<unknown>();
        for (let length = 1; length <= messages.length; length += 1) {
          const seen = messages.slice(0, length);
          const all = seen.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
          const recent = recentAttachments(seen);
          const sum = [...recent].reduce((bytes, { size }) => bytes + size, 0);
          expect(sum).toBeLessThanOrEqual(MAX_BYTES);
          expect(recent.size).toBeLessThanOrEqual(MOST);
          const newest = messages[length - 1];
          for (const each of newest?.role === 'user' ? (newest.attachments ?? []) : []) {
            expect(recent.has(each)).toBe(true);
          }
          for (const each of all) if (!recent.has(each)) gone.add(each);
          for (const each of gone) expect(recent.has(each as never)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  verifies('REQ-6', 'change rarely: half of the limit is freed each time', () => {
    const messages = Array.from({ length: 100 }, (_, index): Message => {
      const attachments = [attachmentOf(imageFile(`${index}`))];
      return { role: 'user', content: 'x', attachments };
    });
    const sizes = messages.map((_, index) => recentAttachments(messages.slice(0, index + 1)).size);
    const cuts = sizes.flatMap((size, index) => (size < (sizes[index - 1] ?? 0) ? [index] : []));
    expect(cuts).toEqual([20, 31, 42, 53, 64, 75, 86, 97]);
    expect(Math.max(...sizes)).toBe(MOST);
  });

  verifies('CALL-12', 'are checked before a message is accepted, with an error that states the numbers', () => {
    const file = imageFile('a', new Uint8Array(MAX_BYTES / 2));
    expect(() => assertAttachable([file, file])).not.toThrow();
    expect(() => assertAttachable([file, file, file])).toThrow('30 MB in total; one message can have at most 20 MB');
    expect(() => assertAttachable(Array.from({ length: MOST + 1 }, () => imageFile()))).toThrow(
      'one message can have at most 20.',
    );
  });
});
