import { type Channel, ChannelError, type ChannelFault } from '../../contracts/index.ts';
import type { PlatformFault } from '../platform-faults.ts';
import { type ChannelBench, failed, needsTimeout, sendText, sendTo, soon, until } from './channel-bench.ts';
import { requireNoSecret } from './no-secret.ts';
import { needing, type Suite } from './suite.ts';

/** Each fault, what the adapter makes of it, and whether the message is in the chat. */
const SENDING_FAULTS: readonly [PlatformFault, ChannelFault, boolean][] = [
  [{ type: 'reset' }, 'uncertain', false],
  [{ type: 'lost' }, 'uncertain', true],
  [{ type: 'cut' }, 'uncertain', true],
  [{ type: 'malformed' }, 'uncertain', true],
  [{ type: 'silence', accepted: true }, 'uncertain', true],
  [{ type: 'silence' }, 'uncertain', false],
  [{ type: 'drip', everyMs: 300 }, 'uncertain', true],
  [{ type: 'accepted', status: 504 }, 'uncertain', true],
  [{ type: 'status', status: 500 }, 'transient', false],
  [{ type: 'status', status: 503 }, 'transient', false],
  [{ type: 'status', status: 403 }, 'forbidden', false],
  [{ type: 'rate_limit', retryAfter: 3 }, 'rate_limited', false],
];

const failSending = (bench: ChannelBench) => bench.failSending;
/** A platform that can show growing text can replace the text of a message. */
const canEdit = (bench: ChannelBench) => (bench.open().facts.streaming === 'none' ? undefined : true);

/** Repeats a call of a hasty channel until it does not time out. */
async function untilDone(call: () => Promise<unknown>): Promise<void> {
  while ((await failed(call())) !== undefined);
}

export function describeSending(suite: Suite): void {
  const { describe } = suite;
  describe('sending', () => {
    describeFaults(suite);
    describeRepeats(suite);
    describeRefusals(suite);
    describeConcurrency(suite);
  });
  describe('aborting', () => describeAborting(suite));
  describe('editing', () => describeEditing(suite));
}

function describeFaults({ it, expect }: Suite): void {
  for (const [fault, expected, arrives] of SENDING_FAULTS) {
    it(
      `maps ${JSON.stringify(fault)} to ${expected}`,
      needing(failSending, async (bench, fail) => {
        const channel = bench.open(needsTimeout(fault) ? 'hasty' : 'patient');
        // The message is then sent on a connection that exists, so that a timeout cannot end the attempt to connect.
        await untilDone(() => channel.identify(soon()));
        fail(fault);
        const error = await failed(sendText(channel, bench, 'hello'));
        expect([error instanceof ChannelError, error]).toMatchObject([true, { fault: expected }]);
        requireNoSecret(bench, error);
        const shown = arrives ? ['hello'] : [];
        await until(async () => (await bench.texts()).length === shown.length, 'the message is in the chat');
        expect(await bench.texts()).toEqual(shown);
        // The channel still works.
        await untilDone(() => sendText(channel, bench, 'again'));
        expect((await bench.texts()).at(-1)).toBe('again');
        await channel.close();
      }),
    );
  }

  it(
    'reports how long a rate limit lasts',
    needing(failSending, async (bench, fail) => {
      fail({ type: 'rate_limit', retryAfter: 3 });
      expect(await failed(sendText(bench.open(), bench, 'hello'))).toMatchObject({ retryAfterMs: 3000 });
    }),
  );
}

function describeRepeats({ it, verifies, expect }: Suite): void {
  verifies(
    'GW-2',
    'sends a message once, even if it is repeated, where the platform can tell',
    needing(failSending, async (bench, fail) => {
      const channel = bench.open();
      const message = { target: bench.target, content: { text: 'hello' } };
      fail({ type: 'lost' });
      const first = channel.send(message, { key: 'one', mayHaveArrived: false, signal: soon() });
      expect(await failed(first)).toBeDefined();
      await channel.send(message, { key: 'one', mayHaveArrived: true, signal: soon() });
      const isRecognised = channel.facts.repeats !== 'none';
      expect(await bench.texts()).toEqual(isRecognised ? ['hello'] : ['hello', 'hello']);
      await channel.send(message, { key: 'two', mayHaveArrived: false, signal: soon() });
      expect(await bench.texts()).toHaveLength(isRecognised ? 2 : 3);
    }),
  );

  it('sends equal texts with different keys twice', async (bench) => {
    const channel = bench.open();
    const [one, two] = [await sendText(channel, bench, 'hello'), await sendText(channel, bench, 'hello')];
    expect(await bench.texts()).toEqual(['hello', 'hello']);
    expect(one.id).not.toBe(two.id);
  });

  it('does not need the connection of receiving', async (bench) => {
    const channel = bench.open();
    const { id } = await sendText(channel, bench, 'hello');
    expect(id).not.toBe('');
    expect(await bench.texts()).toEqual(['hello']);
  });
}

function describeRefusals({ it, expect }: Suite): void {
  it('rejects a text that is too long without sending a part of it', async (bench) => {
    const channel = bench.open();
    const error = await failed(sendText(channel, bench, 'x'.repeat(channel.facts.maxText + 1)));
    expect(error).toMatchObject({ fault: 'too_long' });
    expect(await bench.texts()).toEqual([]);
  });

  it('rejects a message without a text and a file', async (bench) => {
    const error = await failed(sendTo(bench.open(), { target: bench.target }));
    expect(error instanceof ChannelError).toBe(true);
    expect(await bench.texts()).toEqual([]);
  });

  it('reports an unknown chat', async (bench) => {
    const error = await failed(sendTo(bench.open(), { target: { chatId: '77' }, content: { text: 'hello' } }));
    expect(['not_found', 'forbidden']).toContain((error as ChannelError).fault);
    requireNoSecret(bench, error);
  });

  it(
    'never shows the token in the error of a refused call',
    needing(
      ({ revoke }) => revoke,
      async (bench, revoke) => {
        const channel = bench.open();
        revoke();
        const file = { id: '1', kind: 'document' as const };
        const calls = [
          () => sendText(channel, bench, 'hello'),
          () => channel.edit(bench.target, '1', { text: 'hello' }, soon()),
          () => channel.remove?.(bench.target, '1', soon()),
          () => channel.showTyping?.(bench.target, soon()),
          () => channel.react?.(bench.target, '1', '👀', soon()),
          () => channel.offerCommands?.([{ name: 'help', description: 'Help' }], soon()),
          () => channel.fetchFile(file, { maxBytes: 100, signal: soon() }),
        ];
        for (const call of calls) requireNoSecret(bench, await failed(Promise.resolve(call())));
        expect(await bench.texts()).toEqual([]);
      },
    ),
  );
}

function describeConcurrency({ it, expect }: Suite): void {
  const texts = Array.from({ length: 20 }, (_, number) => `message ${number}`);

  it('sends one message after another in this order', async (bench) => {
    const channel = bench.open();
    for (const text of texts) await sendText(channel, bench, text);
    expect(await bench.texts()).toEqual(texts);
  });

  it('sends 20 messages concurrently, each of them once and whole', async (bench) => {
    const channel = bench.open();
    const sent = await Promise.all(texts.map((text) => sendText(channel, bench, text)));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(texts.length);
    const byNumber = (a: string, b: string) => texts.indexOf(a) - texts.indexOf(b);
    expect(bench.keepsOrder ? await bench.texts() : (await bench.texts()).toSorted(byNumber)).toEqual(texts);
  });

  it(
    'sends to two chats concurrently without mixing them',
    needing(
      ({ group }) => group,
      async (bench, group) => {
        const channel = bench.open();
        await Promise.all(
          texts.map((text, index) =>
            sendTo(channel, { target: index % 2 === 0 ? bench.target : group.target, content: { text } }),
          ),
        );
        const sorted = (list: string[]) => list.toSorted();
        expect(sorted(await bench.texts())).toEqual(sorted(texts.filter((_, index) => index % 2 === 0)));
        expect(sorted(await group.texts())).toEqual(sorted(texts.filter((_, index) => index % 2 === 1)));
      },
    ),
  );
}

function describeAborting({ it, expect }: Suite): void {
  it(
    'is uncertain about a message whose sending was aborted',
    needing(failSending, async (bench, fail) => {
      fail({ type: 'silence', accepted: true });
      const stopping = new AbortController();
      const outcome = failed(sendText(bench.open(), bench, 'hello', stopping.signal));
      await until(async () => (await bench.texts()).length > 0, 'the message is in the chat');
      stopping.abort();
      expect(await outcome).toMatchObject({ fault: 'uncertain' });
    }),
  );

  const calls: Record<string, (channel: Channel, bench: ChannelBench, signal: AbortSignal) => Promise<unknown>> = {
    identify: (channel, _, signal) => channel.identify(signal),
    send: (channel, bench, signal) => sendText(channel, bench, 'hello', signal),
    edit: (channel, { target }, signal) => channel.edit(target, '1', { text: 'hello' }, signal),
    fetchFile: (channel, _, signal) => channel.fetchFile({ id: '1', kind: 'document' }, { maxBytes: 100, signal }),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`fails and does nothing if ${name} is called with an aborted signal`, async (bench) => {
      const error = await failed(call(bench.open(), bench, AbortSignal.abort()));
      expect(error instanceof Error).toBe(true);
      requireNoSecret(bench, error);
      expect(await bench.texts()).toEqual([]);
    });
  }

  const optional: Record<string, (channel: Channel, bench: ChannelBench, signal: AbortSignal) => unknown> = {
    remove: (channel, { target }, signal) => channel.remove?.(target, '1', signal),
    showTyping: (channel, { target }, signal) => channel.showTyping?.(target, signal),
    react: (channel, { target }, signal) => channel.react?.(target, '1', '👀', signal),
  };
  for (const [name, call] of Object.entries(optional)) {
    it(
      `settles if ${name} is called with an aborted signal`,
      needing(
        (bench) => (bench.open()[name as keyof Channel] === undefined ? undefined : true),
        async (bench) => {
          requireNoSecret(bench, await failed(Promise.resolve(call(bench.open(), bench, AbortSignal.abort()))));
          expect(await bench.texts()).toEqual([]);
        },
      ),
    );
  }
}

function describeEditing({ it, verifies, expect }: Suite): void {
  verifies(
    'GW-6',
    'replaces the text, and accepts the same text again',
    needing(canEdit, async (bench) => {
      const channel = bench.open();
      const { id } = await sendText(channel, bench, 'one');
      await channel.edit(bench.target, id, { text: 'two' }, soon());
      await channel.edit(bench.target, id, { text: 'two' }, soon());
      expect(await bench.texts()).toEqual(['two']);
    }),
  );

  it(
    'replaces the text of one message only',
    needing(canEdit, async (bench) => {
      const channel = bench.open();
      await sendText(channel, bench, 'one');
      const { id } = await sendText(channel, bench, 'two');
      await sendText(channel, bench, 'three');
      await channel.edit(bench.target, id, { text: '2' }, soon());
      expect(await bench.texts()).toEqual(['one', '2', 'three']);
    }),
  );

  it(
    'replaces a text by one of the maximum length, and by none that is longer',
    needing(canEdit, async (bench) => {
      const channel = bench.open();
      const longest = 'x'.repeat(channel.facts.maxText);
      const { id } = await sendText(channel, bench, 'one');
      await channel.edit(bench.target, id, { text: longest }, soon());
      const error = await failed(channel.edit(bench.target, id, { text: `${longest}x` }, soon()));
      expect(error).toMatchObject({ fault: 'too_long' });
      expect(await bench.texts()).toEqual([longest]);
    }),
  );

  it(
    'reports a message that does not exist any more',
    needing(
      (bench) => canEdit(bench) && bench.open().remove,
      async (bench) => {
        const channel = bench.open();
        const { id } = await sendText(channel, bench, 'one');
        await channel.remove?.(bench.target, id, soon());
        expect(await bench.texts()).toEqual([]);
        const error = await failed(channel.edit(bench.target, id, { text: 'two' }, soon()));
        expect(error).toMatchObject({ fault: 'not_found' });
        // Deleting is done when the message is gone.
        await channel.remove?.(bench.target, id, soon());
      },
    ),
  );

  it(
    'is rejected where messages cannot be edited',
    needing(
      (bench) => (canEdit(bench) ? undefined : true),
      async (bench) => {
        const channel = bench.open();
        const { id } = await sendText(channel, bench, 'one');
        const error = await failed(channel.edit(bench.target, id, { text: 'two' }, soon()));
        expect(error).toMatchObject({ fault: 'rejected' });
        expect(await bench.texts()).toEqual(['one']);
      },
    ),
  );
}
