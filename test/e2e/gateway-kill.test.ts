import { expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { dose } from '../support/dose.ts';
import { withRandom } from '../support/seeded-random.ts';

const MARK = '(This message may have arrived already.)';
const PARKED = 'interrupted twice';
const CHATS = dose(4, 20);
const MESSAGES = dose(3, 10);
const KILLS = dose(3, 30);

verifies(
  ['GW-1', 'GW-2', 'GW-7', 'GW-18'],
  'answers every message once, although it is killed repeatedly',
  { timeout: dose(120_000, 600_000) },
  () => withRandom(answerAll),
);

async function answerAll(random: () => number): Promise<void> {
  await using telegram = await createTelegramServer();
  // Echoes every message of the user that has no answer yet.
  await using provider = await createProviderServer({
    script: ({ messages }) => {
      const last = messages.findLastIndex(({ role }) => role === 'assistant');
      return {
        text: messages
          .slice(last + 1)
          .map(({ text }) => text)
          .join(' | '),
      };
    },
  });
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
display: { busy_input_mode: queue }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
  });
  const users = Array.from({ length: CHATS }, (_, index) => telegram.addUser({ firstName: `User ${index}` }));
  const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOW_ALL_USERS: 'true' };
  const start = () => startHermes(['gateway', 'run'], { home, env });
  const textsOf = (user: { id: number }) => telegram.messages(user.id).map(({ text }) => text ?? '');
  const roundsIn = (text: string) => [...text.matchAll(/m(\d+)-\d+-end/g)].map(([, round]) => Number(round));
  // A message is answered, or the chat hears that its turn was interrupted twice.
  const isSettled = (user: { id: number }) => {
    const answered = new Set(roundsIn(textsOf(user).join(' '))).size;
    return answered + textsOf(user).filter((text) => text.includes(PARKED)).length >= MESSAGES;
  };
  const send = (round: number) => {
    for (const user of users) telegram.send({ from: user, text: `m${round}-${user.id}-end` });
  };

  let gateway = start();
  for (let round = 0; round < Math.max(MESSAGES, KILLS); round++) {
    if (round < MESSAGES) send(round);
    await new Promise((resolve) => setTimeout(resolve, random() * 1500));
    if (round >= KILLS) continue;
    gateway.kill('SIGKILL');
    await gateway.exited;
    gateway = start();
  }
  await expect
    .poll(() => users.filter((user) => !isSettled(user)), { timeout: dose(60_000, 300_000), interval: 200 })
    .toEqual([]);
  gateway.kill('SIGTERM');
  await gateway.exited;

  for (const user of users) {
    const unmarked = textsOf(user).filter((text) => !text.startsWith(MARK));
    const seen = roundsIn(unmarked.join(' '));
    // Nothing is answered twice, unless the second answer says so, and the order is that of the messages.
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
  }
}
