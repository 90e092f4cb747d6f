import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openGateway, RULES } from '../../../test/support/gateway-fixture.ts';
import type { InteractionRequest } from '../../base/index.ts';
import type { ChatDisplay } from '../../config/gateway/index.ts';
import { type Channel, ChannelError } from '../../contracts/index.ts';
import { openSqliteStore } from '../../store/sqlite/index.ts';
import { limitInactivity } from './chats/presenter.ts';
import { createTestChannel } from './test-channel.test-helper.ts';

const withDisplay = (display: Partial<ChatDisplay>) => ({
  displayOf: () => ({ ...RULES.displayOf('test'), ...display }),
});

/** A clock that moves only when the test says so. */
function manualClock() {
  let now = 0;
  const sleeping: { until: number; wake(): void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => void sleeping.push({ until: now + milliseconds, wake })),
    advance(milliseconds: number): void {
      now += milliseconds;
      for (const sleep of sleeping.splice(0)) {
        if (sleep.until <= now) sleep.wake();
        else sleeping.push(sleep);
      }
    },
  };
}

describe('a turn in which nothing happens', () => {
  verifies('GW-17', 'is stopped, and the chat hears why and can continue', async () => {
    const { server, start } = await openGateway(withDisplay({ inactivitySeconds: 3 }));
    const gate = Promise.withResolvers<void>();
    server.setScript(async () => {
      if (server.requests.length === 1) await gate.promise;
      return { text: 'Here I am.' };
    });
    const chat = await start();
    await chat.say('work');
    await chat.see(/Nothing happened for .*so Hermes stopped working on your message/);
    await chat.say('and now?');
    await chat.see('Here I am.');
    gate.resolve();
    expect(chat.sent).toHaveLength(2);
  });

  verifies('GW-17', 'is not stopped while it waits for an answer of the user', async () => {
    const clock = manualClock();
    const interrupted: string[] = [];
    const turn = { interrupt: (reason = '') => void interrupted.push(reason) };
    const { signal } = new AbortController();
    const activity = limitInactivity(turn, { inactivitySeconds: 60, clock, signal });
    const pass = async (seconds: number) => {
      clock.advance(seconds * 1000);
      await new Promise(setImmediate);
    };
    activity.read({ type: 'thinking-started' });
    await pass(59);
    activity.read({ type: 'text-delta', text: 'a' });
    await pass(59);
    const request = { kind: 'clarify', question: 'Which?', choices: [] } as unknown as InteractionRequest;
    activity.read({ type: 'request', requestId: 'r1', request });
    await pass(600);
    activity.read({ type: 'request-closed', requestId: 'r1' });
    await pass(59);
    expect(interrupted).toEqual([]);
    await pass(2);
    expect(interrupted).toEqual(['nothing happened for too long']);
  });
});

/** A message whose turn was started so often, each time by a process that died. */
async function seedCutOff(file: string, attempts: number): Promise<void> {
  const sessions = await openSqliteStore({ file });
  const store = await sessions.openGatewayStore();
  const source = { platform: 'test', chatType: 'dm', chatId: '7', userId: '7' };
  await store.receive([
    {
      chat: { key: 'agent:main:test:dm:7', account: 'test:1', source },
      externalId: 'm1',
      kind: 'message',
      author: '7',
      body: {
        source,
        content: { messageId: 'm1', text: 'work', files: [], isAddressed: true },
        target: { chatId: '7' },
      },
      sentAt: Date.now(),
      receivedAt: Date.now(),
    },
  ]);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const [chat] = await store.claimChats({ owner: 'dead', limit: 1, ttlMs: 60_000 });
    if (chat === undefined) throw new Error('the chat is held');
    const unfinished = await store.listUnfinished(chat);
    const ids = unfinished === 'lost' ? [] : unfinished.map(({ id }) => id);
    await store.assignMessages(chat, { turnId: `turn-${attempt}`, sessionId: 's1' }, ids);
    await store.releaseOwner('dead');
  }
  await sessions.close();
}

describe('a turn whose process died', () => {
  verifies('GW-18', 'is started again, and the chat gets one line about it', async () => {
    const { home, server, start } = await openGateway();
    server.setScript(() => ({ text: 'Done.' }));
    await seedCutOff(`${home.path}/state.db`, 1);
    const chat = await start();
    await chat.see('Done.');
    expect(chat.texts()).toEqual([
      'Hermes was interrupted while it worked on your message, and starts again.',
      'Done.',
    ]);
  });

  verifies('GW-18', 'is parked with a notice after the second time', async () => {
    const { home, server, start } = await openGateway();
    server.setScript(() => ({ text: 'Done.' }));
    await seedCutOff(`${home.path}/state.db`, 2);
    const chat = await start();
    await chat.see('Hermes was interrupted twice');
    expect(server.requests).toHaveLength(0);
    await chat.say('go on');
    await chat.see('Done.');
    expect(chat.sent).toHaveLength(2);
  });
});

/** A platform whose token is wrong. */
function brokenChannel(): Channel {
  const { channel } = createTestChannel('other:1', { platform: 'other' });
  const fail = () => Promise.reject(new ChannelError('fatal', 'The token was revoked.', { hint: 'Get another one.' }));
  return { ...channel, identify: fail };
}

verifies('GW-16', 'a platform that cannot work is reported once to the owner, and the others continue', async () => {
  const { server, start } = await openGateway();
  server.setScript(() => ({ text: 'Hello.' }));
  const first = await start();
  await first.say('hi', { chatId: '8', userId: '8' });
  await first.say('hi', { chatId: '7', userId: '7' });
  await vi.waitFor(() => expect(first.texts()).toEqual(['Hello.', 'Hello.']), 8000);
  await first.close();
  const second = await start([brokenChannel()]);
  await second.see('Hermes cannot use other: The token was revoked. Get another one.');
  expect(second.sent.map(({ target }) => target.chatId)).toEqual(['7']);
  await second.say('are you there?');
  await second.see('Hello.');
  expect(second.gateway.status()).toMatchObject([{ state: 'connected' }, { platform: 'other', state: 'fatal' }]);
  await second.close();
  const third = await start([brokenChannel()]);
  await vi.waitFor(() => expect(third.gateway.status()[1]).toMatchObject({ state: 'fatal' }), 5000);
  await third.say('and now?');
  await third.see('Hello.');
  expect(third.texts()).toEqual(['Hello.']);
});

describe('the limits of the gateway', () => {
  verifies('GW-20', 'are listed with how full they are', async () => {
    const { server, start } = await openGateway();
    const gate = Promise.withResolvers<void>();
    server.setScript(async () => {
      await gate.promise;
      return { text: 'Done.' };
    });
    const chat = await start();
    await chat.say('work');
    await server.nextRequest();
    const fills = chat.gateway.listFills();
    expect(fills).toContainEqual({ name: 'chats that are being worked on', used: 1, limit: 4 });
    expect(fills).toContainEqual({ name: 'open sessions', used: 1, limit: 300 });
    expect(fills.map(({ name }) => name)).toContain('test:1: calls that wait for rate limits');
    expect(fills.filter(({ used, limit }) => !(used >= 0 && used <= limit && limit > 0))).toEqual([]);
    gate.resolve();
    await chat.see('Done.');
    await chat.rest();
    expect(chat.gateway.listFills()[0]).toMatchObject({ used: 0 });
  });

  verifies('GW-5', 'count what is refused without a reply', async () => {
    const { start } = await openGateway();
    const chat = await start();
    await chat.say('hi', { chatType: 'group', chatId: '-1', userId: '99' });
    await vi.waitFor(() => expect(chat.gateway.refused).toMatchObject({ strangers: 1 }), 5000);
    expect(chat.sent).toEqual([]);
  });

  it('include the number of background turns', async () => {
    const { server, start } = await openGateway();
    const gate = Promise.withResolvers<void>();
    server.setScript(async () => {
      await gate.promise;
      return { text: 'Done.' };
    });
    const chat = await start();
    for (let number = 0; number < 21; number += 1) await chat.say(`/background task ${number}`);
    await chat.see('20 background turns are running already.');
    gate.resolve();
    await vi.waitFor(
      () => expect(chat.gateway.listFills()).toContainEqual({ name: 'running background turns', used: 0, limit: 20 }),
      20_000,
    );
  });
});
