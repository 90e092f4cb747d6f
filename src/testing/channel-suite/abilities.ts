import type { ChannelAction, ChannelError, IncomingFile } from '../../contracts/index.ts';
import {
  type ChannelBench,
  connect,
  failed,
  nextEvent,
  sendText,
  sendTo,
  soon,
  textsOf,
  until,
} from './channel-bench.ts';
import { needing, type Suite } from './suite.ts';

/** All byte values, so that no encoding leaves them as they are by chance. */
const BYTES = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7) % 256);
const FILE = { name: 'data.bin', mediaType: 'application/octet-stream', bytes: BYTES };

const sentFiles = (bench: ChannelBench) => bench.sentFiles;
const sayFile = (bench: ChannelBench) => bench.sayFile;

/** The abilities that not all platforms have. */
export function describeAbilities(suite: Suite): void {
  const { describe } = suite;
  describe('sent files', () => describeSentFiles(suite));
  describe('received files', () => describeReceivedFiles(suite));
  describe('buttons', () => describeButtons(suite));
  describe('reactions and typing', () => describeSigns(suite));
  describe('replies', () => describeReplies(suite));
  describe('text that grows', () => describeGrowing(suite));
  describe('commands', () => describeCommands(suite));
}

function describeSentFiles({ it, expect }: Suite): void {
  it(
    'arrive with the same name and bytes',
    needing(sentFiles, async (bench, files) => {
      await sendTo(bench.open(), { target: bench.target, file: FILE });
      expect(files().map(({ name, bytes }) => [name, [...bytes]])).toEqual([[FILE.name, [...BYTES]]]);
    }),
  );

  it(
    'can have a caption',
    needing(sentFiles, async (bench, files) => {
      await sendTo(bench.open(), { target: bench.target, file: { ...FILE, caption: 'Größe: 1 kB' } });
      expect(files().map(({ caption }) => caption)).toEqual(['Größe: 1 kB']);
    }),
  );

  it(
    'can have names of any script',
    needing(sentFiles, async (bench, files) => {
      const name = 'Übersicht 世界 (1).txt';
      await sendTo(bench.open(), { target: bench.target, file: { ...FILE, name } });
      expect(files().map((file) => file.name)).toEqual([name]);
    }),
  );

  it(
    'are rejected before they are sent if they are too large',
    needing(sentFiles, async (bench, files) => {
      const channel = bench.open();
      const bytes = new Uint8Array(channel.facts.maxUploadBytes + 1);
      const error = await failed(sendTo(channel, { target: bench.target, file: { ...FILE, bytes } }));
      expect(error).toMatchObject({ fault: 'too_long' });
      expect(files()).toEqual([]);
    }),
  );

  it(
    'are rejected where the platform has none',
    needing(
      (bench) => (bench.open().facts.maxUploadBytes === 0 ? true : undefined),
      async (bench) => {
        const error = await failed(sendTo(bench.open(), { target: bench.target, file: FILE }));
        expect(['rejected', 'too_long']).toContain((error as ChannelError).fault);
        expect(await bench.texts()).toEqual([]);
      },
    ),
  );
}

function describeReceivedFiles({ it, expect }: Suite): void {
  const receiveFile = async (bench: ChannelBench, say: NonNullable<ChannelBench['sayFile']>) => {
    const channel = bench.open();
    const receiving = await connect(bench, channel);
    const { content } = await nextEvent(receiving, () => say(FILE));
    await receiving.stop();
    return { channel, files: content.files, file: content.files[0] as IncomingFile };
  };

  it(
    'are described',
    needing(sayFile, async (bench, say) => {
      const { files, file } = await receiveFile(bench, say);
      expect(files).toHaveLength(1);
      expect(file.name).toBe(FILE.name);
      if (file.bytes !== undefined) expect(file.bytes).toBe(BYTES.length);
    }),
  );

  it(
    'are fetched with the same bytes, also twice',
    needing(sayFile, async (bench, say) => {
      const { channel, file } = await receiveFile(bench, say);
      for (let time = 0; time < 2; time += 1) {
        const bytes = await channel.fetchFile(file, { maxBytes: BYTES.length, signal: soon() });
        expect([...bytes]).toEqual([...BYTES]);
      }
    }),
  );

  it(
    'are not fetched if they are too large',
    needing(sayFile, async (bench, say) => {
      const { channel, file } = await receiveFile(bench, say);
      const options = () => ({ maxBytes: BYTES.length - 1, signal: soon() });
      expect(await failed(channel.fetchFile(file, options()))).toMatchObject({ fault: 'too_long' });
      // Platforms may not say how large a file is.
      const { bytes: _, ...unknown } = file;
      const error = await failed(channel.fetchFile(unknown, options()));
      expect(error instanceof Error).toBe(true);
    }),
  );

  it('are reported if they are unknown', async (bench) => {
    const file = { id: 'unknown', kind: 'document' as const };
    const error = await failed(bench.open().fetchFile(file, { maxBytes: 100, signal: soon() }));
    expect(['not_found', 'rejected', 'forbidden', 'bad_format']).toContain((error as ChannelError).fault);
  });
}

function describeButtons({ it, expect }: Suite): void {
  const buttons = [
    [{ label: 'Approve', data: 'q1:yes', style: 'primary' as const }],
    [{ label: 'Deny', data: 'q1:no' }],
  ];
  const ask = (bench: ChannelBench) => {
    const channel = bench.open();
    return { channel, sent: sendTo(channel, { target: bench.target, content: { text: 'Run it?' }, buttons }) };
  };
  const hasButtons = (bench: ChannelBench) => bench.buttons;

  it(
    'are shown',
    needing(hasButtons, async (bench, shown) => {
      const { sent } = ask(bench);
      expect(shown.labels((await sent).id)).toEqual(['Approve', 'Deny']);
    }),
  );

  it(
    'report a press once, with its data and its message',
    needing(hasButtons, async (bench, { press }) => {
      const { channel, sent } = ask(bench);
      const { id } = await sent;
      const receiving = await connect(bench, channel);
      const event = await nextEvent(receiving, () => press(id, 'q1:no'));
      expect(event).toMatchObject({ kind: 'action', content: { action: { data: 'q1:no', messageId: id } } });
      expect(event.source.chatId).toBe(bench.target.chatId);
      await receiving.waitForProof();
      expect(receiving.events).toHaveLength(1);
      await receiving.stop();
    }),
  );

  it(
    'have the user who pressed them',
    needing(hasButtons, async (bench, { press }) => {
      const { channel, sent } = ask(bench);
      const { id } = await sent;
      const receiving = await connect(bench, channel);
      const said = await nextEvent(receiving, () => bench.say('hello'));
      const pressed = await nextEvent(receiving, () => press(id, 'q1:yes'));
      expect(pressed.source.userId).toBe(said.source.userId);
      await receiving.stop();
    }),
  );

  it(
    'can be acknowledged, with a text for the user',
    needing(hasButtons, async (bench, { press, acknowledgements }) => {
      const { channel, sent } = ask(bench);
      const { id } = await sent;
      const receiving = await connect(bench, channel);
      const { content } = await nextEvent(receiving, () => press(id, 'q1:yes'));
      await channel.acknowledgeAction?.(content.action as ChannelAction, 'Thank you.', soon());
      await until(() => acknowledgements().includes('Thank you.'), 'the press is acknowledged');
      await receiving.stop();
      expect(acknowledgements()).toContain('Thank you.');
    }),
  );

  it(
    'disappear when the message is edited',
    needing(hasButtons, async (bench, { labels }) => {
      const { channel, sent } = ask(bench);
      const { id } = await sent;
      await channel.edit(bench.target, id, { text: 'Approved.' }, soon());
      expect(await bench.texts()).toEqual(['Approved.']);
      expect(labels(id)).toEqual([]);
    }),
  );
}

function describeSigns({ it, expect }: Suite): void {
  it(
    'show that the bot is typing',
    needing(
      ({ typing }) => typing,
      async (bench, typing) => {
        const channel = bench.open();
        await channel.showTyping?.(typing.target ?? bench.target, soon());
        expect(typing.count()).toBe(1);
        expect(await bench.texts()).toEqual([]);
      },
    ),
  );

  it(
    'set, replace and remove the reaction of the bot',
    needing(
      ({ reactions }) => reactions,
      async (bench, reactions) => {
        const channel = bench.open();
        const id = reactions.say('hello');
        const counts: number[] = [];
        for (const reaction of ['👀', '👀', '✅', undefined]) {
          await channel.react?.(bench.target, id, reaction, soon());
          counts.push(reactions.of(id).length);
        }
        expect(counts).toEqual([1, 1, 1, 0]);
      },
    ),
  );

  it(
    'remove a message, and accept that it is gone',
    needing(
      (bench) => bench.open().remove,
      async (bench) => {
        const channel = bench.open();
        const { id } = await sendText(channel, bench, 'one');
        await sendText(channel, bench, 'two');
        await channel.remove?.(bench.target, id, soon());
        await channel.remove?.(bench.target, id, soon());
        expect(await bench.texts()).toEqual(['two']);
      },
    ),
  );
}

function describeReplies({ it, expect }: Suite): void {
  const hasReplies = (bench: ChannelBench) => bench.replies;

  it(
    'name the message that they answer',
    needing(hasReplies, async (bench, { say, repliesTo }) => {
      const question = say('hello');
      const target = { ...bench.target, replyTo: question };
      const { id } = await sendTo(bench.open(), { target, content: { text: 'this' } });
      expect(repliesTo(id)).toBe(question);
    }),
  );

  it(
    'are sent also if the message was deleted',
    needing(hasReplies, async (bench) => {
      const target = { ...bench.target, replyTo: '1200000000' };
      await sendTo(bench.open(), { target, content: { text: 'this' } });
      expect(await bench.texts()).toEqual(['this']);
    }),
  );

  it(
    'to the bot are recognised',
    needing(hasReplies, async (bench, { say }) => {
      const channel = bench.open();
      const { id } = await sendText(channel, bench, 'a question');
      const receiving = await connect(bench, channel);
      const { content } = await nextEvent(receiving, () => say('an answer', id));
      expect(content).toMatchObject({
        text: 'an answer',
        replyTo: { messageId: id, text: 'a question', isOurs: true },
      });
      await receiving.stop();
    }),
  );
}

function describeGrowing({ it, expect }: Suite): void {
  it(
    'starts, grows and stops as one message',
    needing(
      ({ streams }) => streams,
      async (bench, { target, recipientId, isOpen, texts }) => {
        const { streams } = bench.open();
        const started = await streams?.start(target, { markdown: 'Hello', recipientId }, soon());
        const id = started?.id ?? '';
        await streams?.append(target, id, ', world', soon());
        expect(isOpen(id)).toBe(true);
        await streams?.stop(target, id, soon());
        expect(isOpen(id)).toBe(false);
        expect(texts()).toEqual(['Hello, world']);
      },
    ),
  );

  it(
    'is ended and replaced by an edit',
    needing(
      ({ streams }) => streams,
      async (bench, { target, recipientId, isOpen, texts }) => {
        const channel = bench.open();
        const started = await channel.streams?.start(target, { markdown: 'Hello', recipientId }, soon());
        const id = started?.id ?? '';
        await channel.edit(target, id, { text: 'Goodbye' }, soon());
        expect(isOpen(id)).toBe(false);
        expect(texts()).toEqual(['Goodbye']);
      },
    ),
  );

  it(
    'is shown as a draft, which is no message',
    needing(
      ({ drafts }) => drafts,
      async (bench, drafts) => {
        const channel = bench.open();
        for (const text of ['He', 'Hello']) {
          await channel.showDraft?.(bench.target, { id: 'd1', content: { text } }, soon());
        }
        expect(drafts()).toEqual(['He', 'Hello']);
        expect(await bench.texts()).toEqual([]);
      },
    ),
  );
}

function describeCommands({ it, expect }: Suite): void {
  it(
    'are offered to the user',
    needing(
      ({ commands }) => commands,
      async (bench, commands) => {
        const channel = bench.open();
        await channel.offerCommands?.([{ name: 'status', description: 'Show the status' }], soon());
        await channel.offerCommands?.([{ name: 'help', description: 'Show the commands' }], soon());
        expect(commands()).toEqual(['help']);
      },
    ),
  );

  it('are received as text', async (bench) => {
    const channel = bench.open();
    await channel.offerCommands?.([{ name: 'status', description: 'Show the status' }], soon());
    const receiving = await connect(bench, channel);
    await nextEvent(receiving, () => bench.say('/status all'));
    expect(textsOf(receiving.events)).toEqual(['/status all']);
    await receiving.stop();
  });
}
