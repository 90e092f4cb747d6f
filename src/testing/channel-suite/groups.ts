import { type ChannelBench, connect, nextEvent, sendTo, textsOf, until } from './channel-bench.ts';
import { needing, type Suite } from './suite.ts';

const inGroup = (bench: ChannelBench) => bench.group;
const inThread = (bench: ChannelBench) => bench.thread;

/** Chats other than the direct one. */
export function describeGroups(suite: Suite): void {
  suite.describe('groups', () => describeMembers(suite));
  suite.describe('threads', () => describeThreads(suite));
}

function describeMembers({ it, verifies, expect }: Suite): void {
  it(
    'have messages that are meant for the bot if they mention it',
    needing(inGroup, async (bench, { target, mention, say }) => {
      const receiving = await connect(bench);
      const { source, content } = await nextEvent(receiving, () => say(`${mention} hello`));
      expect(source.chatId).toBe(target.chatId);
      expect(['group', 'channel', 'thread']).toContain(source.chatType);
      expect(content.isAddressed).toBe(true);
      expect(content.text).toContain('hello');
      await receiving.stop();
    }),
  );

  it(
    'have messages that are not meant for the bot',
    needing(inGroup, async (bench, { mention, say }) => {
      const receiving = await connect(bench);
      // An adapter may also leave out what is not meant for the bot.
      await say('hello all');
      await say(`${mention} goodbye`);
      await until(() => textsOf(receiving.events).some((text) => text.includes('goodbye')), 'the mention is received');
      const addressed = receiving.events.filter(({ content }) => content.isAddressed);
      expect(addressed.map(({ content }) => content.text.includes('hello all'))).toEqual([false]);
      await receiving.stop();
    }),
  );

  verifies(
    'GW-22',
    'identify members by a stable id, whatever their display name is',
    needing(inGroup, async (bench, { mention, say }) => {
      const receiving = await connect(bench);
      const direct = await nextEvent(receiving, () => bench.say('hello'));
      const member = await nextEvent(receiving, () => say(`${mention} one`));
      const namesake = await nextEvent(receiving, () => say(`${mention} two`, 'namesake'));
      expect(member.source.userId).toBe(direct.source.userId);
      expect(namesake.source.userId).not.toBe(member.source.userId);
      await receiving.stop();
    }),
  );

  it(
    'get what is sent to them',
    needing(inGroup, async (bench, { target, texts }) => {
      await sendTo(bench.open(), { target, content: { text: 'hello all' } });
      expect(await texts()).toEqual(['hello all']);
      expect(await bench.texts()).toEqual([]);
    }),
  );

  it(
    'do not return the messages of the bot',
    needing(inGroup, async (bench, { target, mention, say }) => {
      const channel = bench.open();
      const receiving = await connect(bench, channel);
      await sendTo(channel, { target, content: { text: 'from the bot' } });
      await nextEvent(receiving, () => say(`${mention} from a member`));
      await receiving.waitForProof();
      expect(textsOf(receiving.events).filter((text) => text.includes('from the bot'))).toEqual([]);
      await receiving.stop();
    }),
  );
}

function describeThreads({ it, expect }: Suite): void {
  it(
    'get the answers to their messages',
    needing(inThread, async (bench, { target, texts }) => {
      await sendTo(bench.open(), { target, content: { text: 'in the thread' } });
      expect(texts()).toEqual(['in the thread']);
      expect(await bench.texts()).toEqual([]);
    }),
  );

  it(
    'are named by the messages in them',
    needing(inThread, async (bench, { target, say }) => {
      const receiving = await connect(bench);
      const { source } = await nextEvent(receiving, () => say('hello'));
      expect({ chatId: source.chatId, threadId: source.threadId }).toEqual({
        chatId: target.chatId,
        threadId: target.threadId,
      });
      await receiving.stop();
    }),
  );
}
