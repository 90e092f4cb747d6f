import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ClaimedChat } from '../../../contracts/index.ts';
import { createTelegramChannel } from '../../../platforms/telegram/telegram-channel.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { OutgoingBody } from '../accounts/outbox-sender.ts';
import { toOutgoing } from './outgoing-text.ts';

const CHAT: ClaimedChat = {
  key: 'k',
  token: 't',
  conversation: {
    key: 'k',
    account: 'test:1',
    source: { chatType: 'dm', chatId: '7' },
    sessionId: undefined,
    settings: {},
    updatedAt: 0,
  },
};

describe('the messages of an answer', () => {
  verifies('GW-6', 'have the whole text, and replace or remove every message that showed it', () => {
    const channel = createTelegramChannel({ token: '1:x', variables: {} });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 9000 }), fc.nat(4), (text, shown) => {
        const replaces = Array.from({ length: shown }, (_, index) => `m${index}`);
        const outgoing = toOutgoing(channel, CHAT, {
          id: 'turn',
          kind: 'final',
          text,
          target: { chatId: '7' },
          replaces,
          now: 1,
        });
        const bodies = outgoing.map(({ body }) => body as unknown as OutgoingBody);
        expect(bodies.flatMap(({ content }) => content ?? [])).toEqual(channel.render(redactSecrets(text)));
        expect(bodies.flatMap((body) => body.replaces ?? [])).toEqual(replaces.map((platformId) => ({ platformId })));
        expect(new Set(outgoing.map(({ id }) => id)).size).toBe(outgoing.length);
      }),
    );
  });
});
