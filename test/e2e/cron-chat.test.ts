import { expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { waitUntil } from '../support/wait-until.ts';

verifies(
  ['SURF-6', 'CRON-5'],
  'people schedule jobs in a chat, by command and by asking, and get the answers there',
  async () => {
    await using telegram = await createTelegramServer();
    await using provider = await createProviderServer({
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return { text: 'I will remind you.' };
        if (last?.text.includes('scheduled job')) return { text: `Answer to: ${last.text.split('\n').at(-1)}` };
        const arguments_ = { action: 'create', schedule: '30m', prompt: 'Stand up', name: 'Pause' };
        return { toolCalls: [{ name: 'cronjob', arguments: arguments_ }] };
      },
    });
    const [ada, bob] = ['Ada', 'Bob'].map((firstName) => telegram.addUser({ firstName }));
    if (ada === undefined || bob === undefined) throw new Error('no users');
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url}, allow_admin_from: [${ada.id}] } } }
terminal: { backend: local }
approvals: { mode: off }
auxiliary: { title_generation: { enabled: false } }
`,
    });
    const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOWED_USERS: `${ada.id},${bob.id}` };
    const gateway = startHermes(['gateway', 'run'], { home, env });
    const texts = (user: { id: number }) => telegram.messages(user.id).map(({ text }) => text ?? '');
    const see = (user: { id: number }, pattern: RegExp) =>
      waitUntil(() =>
        expect(
          texts(user).some((text) => pattern.test(text)),
          texts(user).join('\n'),
        ).toBe(true),
      );

    telegram.send({ from: ada, text: '/cron' });
    await see(ada, /There are no jobs/);
    telegram.send({ from: ada, text: '/cron add weekdays 8:30 Look at the weather' });
    await see(ada, /Created:[^]*weekdays 8:30; next run/);
    telegram.send({ from: ada, text: '/cron run look at the weather' });
    await see(ada, /^Look at the weather\s+Answer to: Look at the weather$/);
    telegram.send({ from: ada, text: '/cron runs' });
    await see(ada, /done, \d+ s[^]*delivery: (?:delivered|waiting)/);
    telegram.send({ from: bob, text: '/cron' });
    await see(bob, /Only an admin may use \/cron here/);

    telegram.send({ from: bob, text: 'Remind me to stand up in half an hour' });
    await see(bob, /I will remind you/);
    telegram.send({ from: ada, text: '/cron run Pause' });
    // The answer goes to the chat in which the job was created.
    await see(bob, /^Pause\s+Answer to: Stand up$/);
    expect(texts(ada).join('\n')).not.toContain('Stand up');
    const requests = provider.requests.filter(({ toolNames }) => toolNames.includes('cronjob'));
    expect(requests.length).toBeGreaterThan(0);
    gateway.kill('SIGTERM');
    expect((await gateway.exited).exitCode).toBe(0);
  },
  60_000,
);
