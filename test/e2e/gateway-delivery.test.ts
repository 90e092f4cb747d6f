import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
  type TelegramMessage,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { withRandom } from '../support/seeded-random.ts';
import { waitUntil } from '../support/wait-until.ts';

const MARK = '(This message may have arrived already.)';

describe('a platform that repeats, shuffles and loses', () => {
  verifies(
    ['GW-1', 'GW-2', 'GW-7'],
    'works on every message once, and marks answers that may have arrived already',
    () =>
      withRandom(async (random) => {
        await using telegram = await createTelegramServer();
        await using provider = await createProviderServer({
          script: ({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}.` }),
        });
        const users = Array.from({ length: 8 }, (_, index) => telegram.addUser({ firstName: `User ${index}` }));
        await using home = await createTemporaryHome({
          'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
display: { busy_input_mode: queue }
`,
        });
        telegram.setDelivery({ copies: 3, order: 'shuffled', random, lostAcknowledgements: 4 });
        let sends = 0;
        telegram.setFaults(({ method }) => {
          if (method !== 'sendMessage') return undefined;
          sends += 1;
          return sends % 10 === 0 ? { type: 'lost' } : undefined;
        });
        const words = users.flatMap((_, user) => Array.from({ length: 4 }, (__, index) => `word-${user}-${index}-`));
        const sendAll = (from: number, to: number) => {
          for (let index = from; index < to; index += 1)
            for (const [user, person] of users.entries())
              telegram.send({ from: person, text: `word-${user}-${index}-` });
        };
        sendAll(0, 2);
        const gateway = startHermes(['gateway', 'run'], {
          home,
          env: {
            TELEGRAM_BOT_TOKEN: telegram.token,
            TELEGRAM_ALLOWED_USERS: users.map(({ id }) => id).join(','),
          },
        });
        const sent = () => users.flatMap(({ id }) => telegram.messages(id));
        const unanswered = (asked: readonly string[]) =>
          asked.filter((word) => !sent().some(({ text }) => text.includes(word)));
        await waitUntil(() => expect(unanswered(words.filter((word) => /-[01]-$/.test(word)))).toEqual([]));
        sendAll(2, 4);
        await waitUntil(() => expect(unanswered(words)).toEqual([]));
        // A message whose answer was lost is sent again after a second.
        await waitUntil(() => expect(sent().filter(isMarked).length).toBe(Math.floor(sends / 10)));
        gateway.kill('SIGTERM');
        expect((await gateway.exited).exitCode).toBe(0);
        expect(sends).toBeGreaterThan(10);
        for (const word of words) {
          // Requests for titles have no tools, and those for memory one.
          const turns = provider.requests.filter(
            ({ messages, toolNames }) => toolNames.length > 1 && messages.at(-1)?.text.includes(word),
          );
          expect(turns, word).toHaveLength(1);
          const answers = sent().filter((message) => message.text.includes(word) && !isMarked(message));
          expect(answers, word).toHaveLength(1);
        }
      }),
    60_000,
  );
});

function isMarked({ text }: TelegramMessage): boolean {
  return text.startsWith(MARK);
}
