import { describe, expect, it, onTestFinished } from 'vitest';
import { channelRunner } from '../../../test/support/channel-runner.ts';
import type { Channel, ChannelSettings } from '../../contracts/index.ts';
import {
  callTimeout,
  type ChannelBench,
  createNtfyServer,
  describeChannel,
  startReceiving,
  textsOf,
} from '../../testing/index.ts';
import { openChannels } from '../index.ts';
import { settingsOf } from '../../../test/support/platform-settings.ts';
import { toPlainText } from '../text/plain-text.ts';
import { createNtfyChannel } from './ntfy-channel.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createNtfyServer({ keepaliveMs: 20 });
  const channels: Channel[] = [];
  return {
    open(pace) {
      const channel = createNtfyChannel({
        topic: server.topic,
        serverUrl: server.url,
        token: server.token,
        variables: {},
        times: { callMs: callTimeout(pace), transferMs: 200, silenceMs: callTimeout(pace) },
      });
      channels.push(channel);
      return channel;
    },
    start: { since: 'all' },
    secret: server.token,
    target: { chatId: server.topic },
    say: (text) => server.publish({ text }),
    sayUnknown: () => server.pushEvent({ event: 'added_later', list: [1] }),
    setDelivery: (faults) => server.setDelivery(faults),
    failReceiving: (fault) => server.failNext('subscribe', fault),
    failSending: (fault) => server.failNext('publish', fault),
    revoke: () => server.revokeToken(),
    texts: () => server.messages().map(({ text }) => text),
    plainText: (markdown) => toPlainText(markdown).text,
    sentFiles: () =>
      server
        .messages()
        .flatMap(({ file, text }) => (file ? [{ name: file.name, bytes: file.bytes, caption: text }] : [])),
    sayFile: (file) => server.publish({ file }),
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

describeChannel('ntfy', openBench, channelRunner);

describe('ntfy', () => {
  async function open() {
    const server = await createNtfyServer({ keepaliveMs: 20 });
    const { topic, token } = server;
    const channel = createNtfyChannel({ topic, token, serverUrl: `${server.url}/`, variables: {} });
    onTestFinished(async () => {
      await channel.close();
      await server.close();
    });
    return { server, channel };
  }
  const soon = () => AbortSignal.timeout(20_000);

  it('is identified by its server and topic', async () => {
    const { server, channel } = await open();
    const account = `ntfy:${new URL(server.url).host}/${server.topic}`;
    expect(await channel.identify(soon())).toEqual({ account, name: server.topic });
  });

  it('receives only what is published after the first start', async () => {
    const { server, channel } = await open();
    server.publish({ text: 'before' });
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    server.publish({ text: 'after', title: 'A title' });
    await receiving.waitFor(1);
    expect(textsOf(receiving.events)).toEqual(['A title\nafter']);
    await receiving.stop();
  });

  it('does not fetch files of other hosts, and sends its token to none', async () => {
    const { channel } = await open();
    const other = await createNtfyServer();
    onTestFinished(() => other.close());
    for (const id of [`${other.url}/file/1.bin`, 'file:///etc/passwd', 'http://169.254.169.254/file/']) {
      const fetching = channel.fetchFile({ id, kind: 'document' }, { maxBytes: 100, signal: soon() });
      await expect(fetching).rejects.toMatchObject({ fault: 'rejected' });
    }
  });

  it('cannot work without access to its topic', async () => {
    const server = await createNtfyServer();
    const channel = createNtfyChannel({ topic: 'another', token: server.token, serverUrl: server.url, variables: {} });
    onTestFinished(async () => {
      await channel.close();
      await server.close();
    });
    await expect(channel.identify(soon())).rejects.toMatchObject({
      fault: 'fatal',
      hint: expect.stringContaining('NTFY_TOKEN'),
    });
    expect(await startReceiving(channel).ended).toMatchObject({ fault: 'fatal' });
  });

  it('reads its settings', async () => {
    const settings = await settingsOf('ntfy', {
      variables: { NTFY_TOPIC: ' news ', NTFY_SERVER_URL: 'https://push.example' },
    });
    expect(settings).toBeDefined();
    const [channel] = await openChannels(settings as ChannelSettings);
    expect(channel?.facts.platform).toBe('ntfy');
    await channel?.close();
    expect(await settingsOf('ntfy', { variables: { NTFY_TOKEN: 'tk_1' } })).toBeUndefined();
  });
});
