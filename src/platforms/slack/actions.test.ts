import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type GivenSettings, settingsOf } from '../../../test/support/platform-settings.ts';
import type { Channel, ChannelMessage } from '../../contracts/index.ts';
import { createSlackServer, type SlackServer, type SlackUser } from '../../testing/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { openChannels } from '../index.ts';
import { renderSlack } from './render.ts';
import { toSlackOptions } from './settings.ts';
import { openSlack, soon } from './slack.test-helper.ts';

let server: SlackServer;
let channel: Channel;
let ada: SlackUser;
let chatId: string;

beforeEach(async () => {
  server = await createSlackServer();
  channel = openSlack(server)[0] as Channel;
  ada = server.addUser({ name: 'Ada' });
  chatId = server.directChat(ada).id;
});

afterEach(async () => {
  await channel.close();
  await server.close();
});

type Sent = Partial<ChannelMessage> & { key?: string; mayHaveArrived?: boolean };
const send = ({ key = 'a', mayHaveArrived = false, target = { chatId }, ...message }: Sent) =>
  channel.send({ target, ...message }, { key, mayHaveArrived, signal: soon() });
const methods = () => server.calls.map(({ method }) => method);

describe('sending', () => {
  it('sends to threads, without links between texts', async () => {
    const team = server.addChannel();
    const threadId = server.send({ from: ada, channel: team, text: 'hi' });
    await send({ target: { chatId: team.id, threadId, replyTo: threadId }, content: { text: 'hello' } });
    expect(server.messages(team.id)).toMatchObject([{ text: 'hello', threadTs: threadId }]);
    const sent = (target: ChannelMessage['target']) => send({ target, content: { text: 'hello' } });
    await expect(sent({ chatId: team.id, threadId: '1.1' })).rejects.toMatchObject({ fault: 'not_found' });
    const closed = server.addChannel({ isMember: false });
    await expect(sent({ chatId: closed.id })).rejects.toMatchObject({ fault: 'forbidden' });
  });

  verifies('GW-2', 'finds a message that had arrived instead of sending it again', async () => {
    const team = server.addChannel();
    const threadId = server.send({ from: ada, channel: team, text: 'hi' });
    for (const target of [{ chatId }, { chatId: team.id, threadId }]) {
      const content = { text: 'once' };
      server.failNext('chat.postMessage', { type: 'lost' });
      await expect(send({ target, content, key: 'k1' })).rejects.toMatchObject({ fault: 'uncertain' });
      const { id } = await send({ target, content, key: 'k1', mayHaveArrived: true });
      expect(server.messages(target.chatId)).toMatchObject([{ text: 'once', ts: id }]);
      // Another message with the same text is not the same message.
      await send({ target, content, key: 'k2', mayHaveArrived: true });
      expect(server.messages(target.chatId)).toHaveLength(2);
    }
  });

  verifies('GW-2', 'looks through several pages, and marks the message where it may not look', async () => {
    server.failNext('chat.postMessage', { type: 'accepted', status: 504 });
    await expect(send({ content: { text: 'first' }, key: 'k1' })).rejects.toMatchObject({ fault: 'uncertain' });
    for (let number = 0; number < 250; number += 1) server.send({ from: ada, text: `${number}` });
    await send({ content: { text: 'first' }, key: 'k1', mayHaveArrived: true });
    expect(server.messages(chatId)).toHaveLength(1);
    server.failNext('conversations.history', { type: 'status', status: 403 });
    await send({ content: { text: 'again' }, key: 'k1', mayHaveArrived: true });
    expect(server.messages(chatId)[1]?.text).toBe('(This message may have arrived already.)\nagain');
    server.failNext('conversations.history', { type: 'status', status: 500 });
    const unsure = send({ content: { text: 'again' }, key: 'k1', mayHaveArrived: true });
    await expect(unsure).rejects.toMatchObject({ fault: 'transient' });
  });

  it('sends files in three steps, of which only the last one can be uncertain', async () => {
    const file = { name: 'a"b.txt', mediaType: 'text/plain', bytes: Buffer.from('text'), caption: 'a <b> & c' };
    await send({ file });
    await send({ file: { ...file, caption: '' }, mayHaveArrived: true });
    expect(server.messages(chatId)).toMatchObject([
      { text: 'a <b> & c', file: { name: 'a"b.txt', bytes: Buffer.from('text') } },
      { text: '(This message may have arrived already.)' },
    ]);
    for (const step of ['files.getUploadURLExternal', 'upload'] as const) {
      server.failNext(step, { type: 'lost' });
      await expect(send({ file })).rejects.toMatchObject({ fault: 'transient' });
    }
    server.failNext('files.completeUploadExternal', { type: 'lost' });
    await expect(send({ file })).rejects.toMatchObject({ fault: 'uncertain' });
    const huge = { name: 'b.bin', mediaType: '', bytes: new Uint8Array(100 * 1024 * 1024 + 1) };
    await expect(send({ file: huge })).rejects.toMatchObject({ fault: 'too_long' });
    const { id } = await send({ file });
    await channel.remove?.({ chatId }, id, soon());
    await channel.remove?.({ chatId }, id, soon());
  });

  it('shows previews of links unless they are disabled', async () => {
    await send({ content: { text: 'a' } });
    const [quiet] = openSlack(server, { linkPreviews: false });
    const options = { key: 'a', mayHaveArrived: false, signal: soon() };
    await quiet?.send({ target: { chatId }, content: { text: 'b' } }, options);
    const sent = server.calls.filter(({ method }) => method === 'chat.postMessage');
    expect(sent.map(({ parameters }) => parameters['unfurl_links'])).toEqual(['true', 'false']);
    await quiet?.close();
  });
});

describe('rendering', () => {
  const elementsOf = (markdown: string) => renderSlack(markdown).map(({ format }) => format?.['elements']);

  it('writes formatting as rich text', () => {
    const markdown = '**bold _both_** `code` ~~no~~ [link](https://a.b)\n\n> quoted\n\n```js\na < b\n```\nend';
    expect(elementsOf(markdown)).toEqual([
      [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'bold ', style: { bold: true } },
            { type: 'text', text: 'both', style: { bold: true, italic: true } },
            { type: 'text', text: ' ' },
            { type: 'text', text: 'code', style: { code: true } },
            { type: 'text', text: ' ' },
            { type: 'text', text: 'no', style: { strike: true } },
            { type: 'text', text: ' ' },
            { type: 'link', url: 'https://a.b', text: 'link' },
          ],
        },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'quoted' }] },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a < b' }] },
        { type: 'rich_text_section', elements: [{ type: 'text', text: 'end' }] },
      ],
    ]);
  });

  it('gives code in a quote or in a list lines of its own', () => {
    expect(renderSlack('> a\n> ```\n> b\n> ```\n> c').map(({ text }) => text)).toEqual(['a\nb\nc']);
    expect(renderSlack('- ```\n  b\n  ```\n- c').map(({ text }) => text)).toEqual(['• \nb\n• c']);
  });

  it('writes out addresses that Slack would reject', () => {
    expect(renderSlack('[a](http://) [b](mailto:) [c](http://a.b/<c)')[0]?.text).toContain('a (http://)');
  });

  verifies('GW-30', 'cannot mention a user or a channel, and keeps literal markup', async () => {
    const hostile = 'Hi <!channel> <@U1> @here <https://a.b|x> \\*not bold\\* _x &lt;!here&gt; <!subteam^S1>';
    for (const content of [...renderSlack(hostile), { text: hostile }]) await send({ content });
    await send({ file: { name: 'a', mediaType: '', bytes: Buffer.from('a'), caption: hostile } });
    const [rendered, plain, file] = server.messages(chatId);
    expect(rendered?.text).toBe('Hi <!channel> <@U1> @here https://a.b|x *not bold* _x <!here> <!subteam^S1>');
    expect([plain?.text, file?.text]).toEqual([hostile, hostile]);
    expect(server.messages(chatId).flatMap(({ mentions }) => mentions)).toEqual([]);
  });
});

describe('actions', () => {
  it('sends buttons, receives who pressed one, and confirms it to this user', async () => {
    const team = server.addChannel();
    const threadId = server.send({ from: ada, channel: team, text: `${server.workspace.mention} go` });
    const target = { chatId: team.id, threadId };
    const buttons = [
      [{ label: 'Approve', data: 'q1:yes', style: 'primary' as const }],
      [{ label: 'x'.repeat(100), data: 'q1:no', style: 'danger' as const }],
    ];
    const { id } = await send({ target, content: { text: 'Run it?' }, buttons });
    expect(server.messages(team.id)[0]?.buttons).toMatchObject([
      [{ value: 'q1:yes', style: 'primary', text: { text: 'Approve' } }],
      [{ value: 'q1:no', text: { text: `${'x'.repeat(74)}…` } }],
    ]);
    server.press({ from: ada, channel: team, ts: id, value: 'q1:yes' });
    const receiving = startReceiving(channel);
    await receiving.waitFor(2);
    await receiving.stop();
    const event = receiving.events[1];
    expect(event).toMatchObject({
      kind: 'action',
      source: { chatId: team.id, threadId, userId: ada.id },
      content: { isAddressed: true, action: { data: 'q1:yes', messageId: id } },
    });
    const action = event?.content.action;
    if (action === undefined) throw new Error('no action');
    await channel.acknowledgeAction?.(action, 'Only <admins> & you', soon());
    expect(server.ephemeral).toEqual([
      { channel: team.id, user: ada.id, text: 'Only <admins> & you', threadTs: threadId },
    ]);
    await channel.edit(target, id, { text: 'Approved' }, soon());
    expect(server.messages(team.id)[0]).toMatchObject({ text: 'Approved', buttons: [] });
  });

  it.each(['', 'x'.repeat(2001)])('rejects button data with the wrong length before it is sent', async (data) => {
    const buttons = [[{ label: 'a', data }]];
    await expect(send({ content: { text: 'a' }, buttons })).rejects.toMatchObject({ fault: 'rejected' });
    expect(methods()).not.toContain('chat.postMessage');
  });

  it('has one reaction at a time', async () => {
    const ts = server.send({ from: ada, text: 'hi' });
    for (const [reaction, names] of [
      ['👀', ['eyes']],
      ['👀', ['eyes']],
      ['✅', ['white_check_mark']],
      [undefined, []],
    ] as const) {
      await channel.react?.({ chatId }, ts, reaction, soon());
      expect(server.reactions(chatId, ts)).toEqual(names);
    }
    await expect(channel.react?.({ chatId }, ts, '🦄', soon())).rejects.toMatchObject({ fault: 'rejected' });
    await expect(channel.react?.({ chatId }, '1.1', '👀', soon())).rejects.toMatchObject({ fault: 'not_found' });
  });

  it('shows a status in threads, not for every sign of life, and not where it is not possible', async () => {
    const threadId = server.send({ from: ada, text: 'hi' });
    for (let count = 0; count < 3; count += 1) await channel.showTyping?.({ chatId, threadId }, soon());
    await channel.showTyping?.({ chatId }, soon());
    expect(server.statuses).toEqual([{ channel: chatId, threadTs: threadId, status: 'is typing…' }]);
    const other = server.send({ from: ada, text: 'hi' });
    server.failNext('assistant.threads.setStatus', { type: 'status', status: 403 });
    await expect(channel.showTyping?.({ chatId, threadId: other }, soon())).rejects.toMatchObject({
      fault: 'forbidden',
    });
    const third = server.send({ from: ada, text: 'hi' });
    await channel.showTyping?.({ chatId, threadId: third }, soon());
    expect(server.statuses).toHaveLength(1);
  });
});

describe('streams', () => {
  function openThread(options: Parameters<SlackServer['addChannel']>[0] = {}) {
    const team = server.addChannel(options);
    const threadId = server.send({ from: ada, channel: team, text: `${server.workspace.mention} tell me` });
    return { chatId: team.id, threadId };
  }
  const start = async (target: ChannelMessage['target'], markdown = '**Hel') =>
    (await channel.streams?.start(target, { markdown, recipientId: ada.id }, soon()))?.id ?? '';
  const append = (target: ChannelMessage['target'], id: string, markdown: string) =>
    channel.streams?.append(target, id, markdown, soon());

  verifies('GW-31', 'grow in a thread, and the edit with the whole text ends them', async () => {
    for (const target of [openThread(), { chatId, threadId: server.send({ from: ada, text: 'hi' }) }]) {
      const id = await start(target);
      await append(target, id, 'lo** <!channel>');
      const [seen] = server.messages(target.chatId);
      expect(seen).toMatchObject({ isStreaming: true, threadTs: target.threadId, mentions: [] });
      expect(seen?.text.replaceAll('\u2060', '')).toBe('**Hello** <!channel>');
      const [whole] = channel.render('**Hello** you');
      await channel.edit(target, id, whole ?? { text: '' }, soon());
      const [done] = server.messages(target.chatId);
      expect(done).toMatchObject({ ts: id, text: 'Hello you', isStreaming: false });
    }
  });

  verifies('GW-31', 'of another process are ended by an edit, and by a removal', async () => {
    for (const change of ['edit', 'remove'] as const) {
      const target = openThread();
      const id = await start(target);
      const [other] = openSlack(server);
      if (change === 'edit') await other?.edit(target, id, { text: 'whole' }, soon());
      else await other?.remove?.(target, id, soon());
      await other?.close();
      const texts = server.messages(target.chatId).map(({ text, isStreaming }) => [text, isStreaming]);
      expect(texts).toEqual(change === 'edit' ? [['whole', false]] : []);
    }
  });

  it('that Slack or a user has ended can still be edited and stopped', async () => {
    for (const by of ['slack', 'user'] as const) {
      const target = openThread();
      const id = await start(target);
      server.endStream(target.chatId, id, by);
      await expect(append(target, id, 'lo')).rejects.toMatchObject({ fault: 'not_found' });
      await channel.streams?.stop(target, id, soon());
      await channel.edit(target, id, { text: 'whole' }, soon());
      expect(server.messages(target.chatId)).toMatchObject([{ text: 'whole' }]);
    }
  });

  it('are not tried again in a channel that has none, and not outside threads', async () => {
    const target = openThread({ hasStreams: false });
    await expect(start(target)).rejects.toMatchObject({ fault: 'forbidden' });
    await expect(start(target)).rejects.toMatchObject({ fault: 'rejected' });
    await expect(start({ chatId })).rejects.toMatchObject({ fault: 'rejected' });
    expect(methods().filter((method) => method === 'chat.startStream')).toHaveLength(1);
    server.failNext('chat.startStream', { type: 'rate_limit', retryAfter: 1 });
    const next = openThread();
    await expect(start(next)).rejects.toMatchObject({ fault: 'rate_limited', retryAfterMs: 1000 });
    expect(await start(next)).not.toBe('');
    server.failNext('chat.startStream', { type: 'lost' });
    await expect(start(next)).rejects.toMatchObject({ fault: 'uncertain' });
  });
});

describe('settings', () => {
  const read = async (given: GivenSettings) => {
    const settings = await settingsOf('slack', given);
    return settings && toSlackOptions(settings);
  };

  it('reads tokens of several workspaces, and rules', async () => {
    const saved = (...tokens: string[]) => ({
      'slack_tokens.json': JSON.stringify(Object.fromEntries(tokens.map((token) => [token, { token }]))),
    });
    expect(await read({})).toBeUndefined();
    const variables = {
      SLACK_BOT_TOKEN: 'xoxb-1, xoxb-2',
      SLACK_APP_TOKEN: ' xapp-1 ',
      SLACK_REQUIRE_MENTION: 'false',
      SLACK_FREE_RESPONSE_CHANNELS: 'C1,C2',
    };
    const extra = { base_url: 'http://127.0.0.1:1/api', reply_in_thread: false };
    expect(
      await read({ values: { token: 'xoxb-0', extra }, variables, files: saved('xoxb-2', 'xoxb-3') }),
    ).toMatchObject({
      tokens: ['xoxb-1', 'xoxb-2', 'xoxb-3'],
      appToken: 'xapp-1',
      baseUrl: 'http://127.0.0.1:1/api/',
      replyInThread: false,
      requireMention: false,
      freeChannels: ['C1', 'C2'],
    });
    expect(await read({ files: saved('xoxb-3') })).toMatchObject({
      tokens: ['xoxb-3'],
      replyInThread: true,
      requireMention: true,
    });
    expect(await read({ values: { enabled: false }, variables })).toBeUndefined();
  });

  it('is opened by its name, one channel for each workspace', async () => {
    const second = server.addWorkspace({ botName: 'helper' });
    const variables = {
      SLACK_BOT_TOKEN: `${server.workspace.token},${second.token}`,
      SLACK_APP_TOKEN: server.appToken,
    };
    const settings = await settingsOf('slack', { variables });
    if (settings === undefined) throw new Error('no settings');
    const opened = await openChannels({ ...settings, baseUrl: `${server.url}/api` });
    const names = await Promise.all(opened.map(async (each) => (await each.identify(soon())).name));
    expect(names).toEqual(['@hermes', '@helper']);
    for (const each of opened) await each.close();
  });
});
