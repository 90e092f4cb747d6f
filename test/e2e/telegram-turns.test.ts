import { describe, expect, onTestFinished, vi } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  type ProviderScript,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';

/** The gateway as a process, with a fake Telegram and a scripted model. */
async function open(script: ProviderScript, config = '') {
  const telegram = await createTelegramServer();
  const provider = await createProviderServer({ script });
  const home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
${config}
`,
  });
  onTestFinished(async () => {
    await home.remove();
    await provider.close();
    await telegram.close();
  });
  const [ada, ben] = [telegram.addUser({ firstName: 'Ada' }), telegram.addUser({ firstName: 'Ben' })];
  const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOWED_USERS: `${ada.id},${ben.id}` };
  const start = () => startHermes(['gateway', 'run'], { home, env });
  const textsIn = (chatId: number) => telegram.messages(chatId).map(({ text }) => text);
  return { telegram, provider, home, ada, ben, start, textsIn };
}

const eventually = (check: () => void, timeout = 15_000) => vi.waitFor(check, { timeout, interval: 20 });
const paragraph = (count: number) => Array.from({ length: count }, (_, index) => `**word${index}**`).join(' ');

// In the sandbox, the command would not need approval.
const ASKING = 'display: { tool_progress: off }\nterminal: { backend: local }';

const CLEAN_UP: ProviderScript = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: `Result: ${last.text}` };
  return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] };
};

describe('a turn on Telegram', () => {
  verifies('GW-3', 'that hangs does not delay /status, /stop and the next message', async () => {
    const { telegram, provider, ada, start, textsIn } = await open(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      return text.includes('hang') ? new Promise(() => undefined) : { text: `You said ${text}.` };
    });
    start();
    telegram.send({ from: ada, text: 'hang' });
    await provider.nextRequest();
    for (const [line, answer] of [
      ['/status', /test-model/],
      ['/stop', /./],
    ] as const) {
      const before = textsIn(ada.id).length;
      telegram.send({ from: ada, text: line });
      await eventually(() => expect(textsIn(ada.id)[before]).toMatch(answer), 2000);
    }
    telegram.send({ from: ada, text: 'hello' });
    await eventually(() => expect(textsIn(ada.id)).toContain('You said hello.'));
  });

  verifies(['GW-23', 'APPR-3'], 'asks in a group, where only an admin may press Approve', async () => {
    const { telegram, home, ada, ben, start, textsIn } = await open(CLEAN_UP, ASKING);
    await home.write('workspace/build/old.o', 'x');
    const group = telegram.addGroup();
    start();
    const name = `@${telegram.bot.username}`;
    telegram.send({ from: ben, chatId: group.id, text: `${name} clean up` });
    const [question] = await telegram.waitForMessages(1);
    if (question === undefined) throw new Error('no question');
    expect(question.text).toContain('Allow this?');
    const data = String(question.buttons.flat().find(({ text }) => text === 'Allow once')?.['callback_data']);
    const press = (from: typeof ada) => telegram.press({ from, chatId: group.id, messageId: question.id, data });
    press(ben);
    await eventually(() => expect(telegram.answers.at(-1)?.text).toBe('Only an admin may answer this.'));
    expect(question.buttons.flat()).toHaveLength(4);
    press(ada);
    await eventually(() => expect(textsIn(group.id).at(-1)).toMatch(/^Result: (?!.*Not allowed)/));
    expect(telegram.answers.at(-1)?.text).toBe('Thank you.');
    await eventually(() => expect(question.text).toMatch(/✅ Allowed once by Ada$/));
    expect(question.buttons).toEqual([]);
  });

  verifies(
    'GW-29',
    'leaves a chat alone after 429, does not slow others, and arrives whole',
    fullDoseOnly,
    async () => {
      const answer = paragraph(250);
      const { telegram, ada, ben, start, textsIn } = await open(
        ({ messages }) => ({
          text: messages.at(-1)?.text === 'long' ? answer : 'Short.',
          chunkSize: 1500,
          delayMs: 100,
        }),
        'streaming: { enabled: true, edit_interval: 0.1 }',
      );
      const calls: { method: string; chatId: unknown; at: number }[] = [];
      let limitedAt: number | undefined;
      telegram.setFaults(({ method, parameters }) => {
        calls.push({ method, chatId: parameters['chat_id'], at: performance.now() });
        if (method !== 'sendMessage' || parameters['chat_id'] !== ada.id || limitedAt !== undefined) return undefined;
        limitedAt = performance.now();
        telegram.send({ from: ben, text: 'hello' });
        return { type: 'rate_limit', retryAfter: 3 };
      });
      start();
      telegram.send({ from: ada, text: 'long' });
      const shown = answer.replaceAll('*', '');
      await eventually(() => expect(textsIn(ada.id).join(' ')).toBe(shown), 20_000);
      const begun = limitedAt ?? 0;
      const later = calls.filter(({ chatId, at }) => chatId === ada.id && at > begun);
      expect(later[0]?.at).toBeGreaterThanOrEqual(begun + 3000);
      const other = calls.find(({ method, chatId, at }) => method === 'sendMessage' && chatId === ben.id && at > begun);
      expect(textsIn(ben.id)).toEqual(['Short.']);
      expect(other?.at).toBeLessThan(begun + 2500);
      expect(telegram.messages(ada.id).flatMap(({ entities }) => entities)).toHaveLength(250);
      expect(telegram.drafts.some(({ chatId }) => chatId === ada.id)).toBe(true);
    },
  );

  verifies(
    ['GW-6', 'GW-31'],
    'that is killed while it writes leaves a notice instead of the partial text, and the answer',
    fullDoseOnly,
    async () => {
      const answer = paragraph(30);
      let isSlow = true;
      const { telegram, ada, start, textsIn } = await open(
        () =>
          isSlow
            ? { text: answer, chunkSize: 20, delayMs: 60, fault: { type: 'stall', afterEvents: 12 } }
            : { text: answer },
        'streaming: { enabled: true, edit_interval: 0.1, transport: edit }\nterminal: { backend: local }',
      );
      const group = telegram.addGroup();
      const first = start();
      telegram.send({ from: ada, chatId: group.id, text: `@${telegram.bot.username} write` });
      await eventually(() => expect(textsIn(group.id)[0]).toMatch(/^word0 .*▉$/));
      // The id of the message is stored before it is edited.
      await eventually(() => expect(telegram.calls.map(({ method }) => method)).toContain('editMessageText'));
      first.kill('SIGKILL');
      await first.exited;
      isSlow = false;
      start();
      const shown = answer.replaceAll('*', '');
      await eventually(() => expect(textsIn(group.id).at(-1)).toBe(shown));
      expect(textsIn(group.id)).toEqual([
        'Hermes was interrupted while it worked on your message, and starts again.',
        shown,
      ]);
      telegram.send({ from: ada, chatId: group.id, text: `@${telegram.bot.username} again` });
      await eventually(() => expect(textsIn(group.id).filter((text) => text === shown)).toHaveLength(2));
    },
  );

  verifies('APPR-3', 'that is killed while it asks closes its question and asks again', fullDoseOnly, async () => {
    const { telegram, home, ada, start, textsIn } = await open(CLEAN_UP, ASKING);
    await home.write('workspace/build/old.o', 'x');
    const first = start();
    telegram.send({ from: ada, text: 'clean up' });
    await telegram.waitForMessages(1);
    // The answer is sent after it was stored that the question was sent.
    telegram.send({ from: ada, text: '/status' });
    await telegram.waitForMessages(2);
    first.kill('SIGKILL');
    await first.exited;
    start();
    const [old] = await telegram.waitForMessages(1);
    await eventually(() => expect(telegram.messages(ada.id).at(-1)?.buttons).toHaveLength(2));
    const question = telegram.messages(ada.id).at(-1);
    expect(question?.id).not.toBe(old?.id);
    await eventually(() => expect(old?.buttons).toEqual([]));
    expect(old?.text).toMatch(/Closed, because the turn was interrupted$/);
    const data = String(question?.buttons.flat()[0]?.['callback_data']);
    telegram.press({ from: ada, messageId: question?.id ?? 0, data });
    await eventually(() => expect(textsIn(ada.id).at(-1)).toMatch(/^Result: (?!.*Not allowed)/));
  });

  verifies('GW-2', 'that ends after Ctrl-C is answered before the process exits', async () => {
    const gate = Promise.withResolvers<void>();
    const { telegram, provider, ada, start, textsIn } = await open(async () => {
      await gate.promise;
      return { text: 'Here it is.' };
    });
    const gateway = start();
    telegram.send({ from: ada, text: 'work' });
    await provider.nextRequest();
    gateway.kill('SIGINT');
    await gateway.waitForOutput('Waiting for running turns');
    gate.resolve();
    const { exitCode } = await gateway.exited;
    expect(textsIn(ada.id)).toEqual(['Here it is.']);
    expect(exitCode).toBe(0);
  });
});
