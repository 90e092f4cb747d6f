import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { useServer } from '../support/postgres/store-fixture.ts';
import { withRandom } from '../support/seeded-random.ts';

const MARK = '(This message may have arrived already.)';
const PARKED = 'interrupted twice';
const CHATS = dose(3, 20);
const MESSAGES = dose(3, 10);
const KILLS = dose(2, 30);

type Run = { random: () => number; env: Record<string, string> };

/** The messages of the users in a text, such as `m3-1001-end`: the fourth one of user 1001. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/m\d+-\d+-end/g)].map(([word]) => word);
}

function roundsIn(text: string): number[] {
  return wordsIn(text).map((word) => Number.parseInt(word.slice(1), 10));
}

async function answerAll({ random, env }: Run): Promise<void> {
  await using telegram = await createTelegramServer();
  // Echoes every message of the user that has no answer yet, also one whose turn was cut off.
  await using provider = await createProviderServer({
    script: ({ messages }) => {
      const textOf = (role: string) => messages.flatMap((one) => (one.role === role ? [one.text] : [])).join(' ');
      const answered = textOf('assistant');
      const open = wordsIn(textOf('user')).filter((word) => !answered.includes(word));
      return { text: open.join(' ') };
    },
  });
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
display: { busy_input_mode: queue }
terminal: { backend: local }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
  });
  const users = Array.from({ length: CHATS }, (_, index) => telegram.addUser({ firstName: `User ${index}` }));
  const access = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOW_ALL_USERS: 'true' };
  const start = () => startHermes(['gateway', 'run'], { home, env: { ...env, ...access } });
  const textsOf = (user: { id: number }) => telegram.messages(user.id).map(({ text }) => text ?? '');
  // A message is answered, or the chat hears that its turn was interrupted twice.
  const isSettled = (user: { id: number }) => {
    const answered = new Set(roundsIn(textsOf(user).join(' '))).size;
    return answered + textsOf(user).filter((text) => text.includes(PARKED)).length >= MESSAGES;
  };

  let gateway = start();
  for (let round = 0; round < Math.max(MESSAGES, KILLS); round++) {
    if (round < MESSAGES) for (const user of users) telegram.send({ from: user, text: `m${round}-${user.id}-end` });
    // The moment of the kill is part of what is tested.
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
    const [marked, unmarked] = [true, false].map((isMarked) =>
      textsOf(user).filter((text) => text.startsWith(MARK) === isMarked),
    ) as [string[], string[]];
    const seen = roundsIn(unmarked.join(' '));
    // Nothing is answered twice, unless the second answer says so, and the order is that of the messages.
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    expect(marked.length).toBeLessThanOrEqual(KILLS);
  }
}

const timeout = dose(120_000, 600_000);

verifies(
  ['GW-1', 'GW-2', 'GW-7', 'GW-18'],
  'answers every message once, although it is killed repeatedly',
  { timeout },
  () => withRandom((random) => answerAll({ random, env: {} })),
);

describe('with PostgreSQL', fullDoseOnly, () => {
  const { emptyDatabase } = useServer();

  verifies(['GW-1', 'GW-2', 'GW-7'], 'answers every message once, although it is killed repeatedly', { timeout }, () =>
    withRandom(async (random) => answerAll({ random, env: { HERMES_DATABASE_URL: await emptyDatabase() } })),
  );
});
