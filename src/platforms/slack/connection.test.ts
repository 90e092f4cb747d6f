import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Channel } from '../../contracts/index.ts';
import { createSlackServer, type SlackServer, type SlackUser } from '../../testing/index.ts';
import { redactSecrets } from '../../util/index.ts';
import { type Receiving, startReceiving, textsOf } from '../../testing/index.ts';
import { requireNoSecret } from '../../testing/channel-suite/no-secret.ts';
import { openSlack, soon } from './slack.test-helper.ts';

let server: SlackServer;
let ada: SlackUser;
let opened: Channel[] = [];

beforeEach(async () => {
  server = await createSlackServer();
  ada = server.addUser({ name: 'Ada' });
  opened = [];
});

afterEach(async () => {
  for (const channel of opened) await channel.close();
  await server.close();
});

function open(options: Parameters<typeof openSlack>[1] = {}): Channel[] {
  const channels = openSlack(server, options);
  opened.push(...channels);
  return channels;
}

/** A connection that has proved that it works. */
async function receive(channel = open()[0] as Channel): Promise<Receiving> {
  const receiving = startReceiving(channel);
  await receiving.waitForProof();
  return receiving;
}

describe('the connection of an app', () => {
  verifies('GW-14', 'ends a connection on which nothing arrives any more, and receives what was missed', async () => {
    const receiving = await receive();
    server.silenceConnections();
    server.send({ from: ada, text: 'missed' });
    const error = await receiving.ended;
    expect(error).toMatchObject({ fault: 'transient', message: expect.stringContaining('no sign of life') as string });
    const again = await receive(opened[0]);
    await again.waitFor(1);
    expect(textsOf(again.events)).toEqual(['missed']);
    await again.stop();
  });

  verifies('GW-14', 'is transient after a reset, and destroys its sockets', async () => {
    const receiving = await receive();
    server.resetConnections();
    expect(await receiving.ended).toMatchObject({ fault: 'transient' });
    const again = await receive(opened[0]);
    expect(server.connections).toBe(1);
    await again.stop();
    while (server.connections > 0) await new Promise(setImmediate);
  });

  it.each(['warning', 'refresh_requested'] as const)('is replaced without a gap after %s', async (reason) => {
    const receiving = await receive();
    server.send({ from: ada, text: 'one' });
    await receiving.waitFor(1);
    server.disconnect(reason);
    server.send({ from: ada, text: 'two' });
    await receiving.waitFor(2);
    const opens = () => server.calls.filter(({ method }) => method === 'apps.connections.open').length;
    while (opens() < 2 || server.connections !== 1) await new Promise(setImmediate);
    await receiving.waitForProof();
    server.send({ from: ada, text: 'three' });
    await receiving.waitFor(3);
    expect(textsOf(receiving.events)).toEqual(['one', 'two', 'three']);
    await receiving.stop();
    expect(await receiving.ended).toBeUndefined();
  });

  verifies('GW-16', 'is fatal when Socket Mode is switched off', async () => {
    const receiving = await receive();
    server.disconnect('link_disabled');
    expect(await receiving.ended).toMatchObject({
      fault: 'fatal',
      hint: expect.stringContaining('Socket Mode') as string,
    });
  });

  it.each([
    'not json',
    '[]',
    'null',
    '{}',
    '{"type":"events_api"}',
    '{"type":"hello"}',
    '{"type":"disconnect"}',
    '{"type":"close"}',
    '{"type":5,"payload":7}',
  ])('survives the frame %j', async (frame) => {
    const receiving = await receive();
    server.sendRaw(frame);
    await receiving.waitForProof();
    server.send({ from: ada, text: 'after' });
    await receiving.waitFor(1);
    expect(textsOf(receiving.events)).toEqual(['after']);
    await receiving.stop();
  });

  verifies('GW-1', 'acknowledges payloads without content, which could not be read the next time either', async () => {
    server.pushPayload('events_api', {});
    server.pushPayload('interactive', { team: { id: server.workspace.teamId } });
    server.pushPayload('slash_commands', { team_id: server.workspace.teamId });
    const receiving = await receive();
    while (server.pendingEvents > 0) await receiving.waitForProof();
    await receiving.stop();
    expect(receiving.events).toEqual([]);
  });

  it.each(['https://evil.example/link', 'wss://slack.com.evil.example/link', 'javascript:1', ''])(
    'does not connect to %j',
    async (url) => {
      const lying = createServer((socket: Socket) => {
        socket.once('data', (request) => {
          const isTest = request.toString().includes('auth.test');
          const body = JSON.stringify({ ok: true, ...(isTest ? { team_id: 'T1', user_id: 'U1' } : { url }) });
          socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
        });
      }).listen(0, '127.0.0.1');
      await once(lying, 'listening');
      const { port } = lying.address() as AddressInfo;
      const [channel] = open({ baseUrl: `http://127.0.0.1:${port}/api/` });
      expect(await startReceiving(channel as Channel).ended).toMatchObject({ fault: 'transient' });
      lying.close();
    },
  );

  it('uses a proxy for the WebSocket, too, and never without encryption', async () => {
    const variables = { HTTP_PROXY: 'http://127.0.0.1:9' };
    const [channel] = open({ variables, baseUrl: 'http://slack.invalid/api/' });
    const error = await channel?.identify(soon()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'transient', message: expect.stringContaining('unencrypted') as string });
  });
});

describe('several workspaces', () => {
  it('receives all of them over one connection, and each its own events', async () => {
    const second = server.addWorkspace({ botName: 'helper' });
    const eve = server.addUser({ name: 'Eve', workspace: second });
    const [first, other] = open({ tokens: [server.workspace.token, second.token] }) as [Channel, Channel];
    const identities = [await first.identify(soon()), await other.identify(soon())];
    expect(identities).toEqual([
      { account: `slack:${server.workspace.teamId}/${server.workspace.bot.userId}`, name: '@hermes' },
      { account: `slack:${second.teamId}/${second.bot.userId}`, name: '@helper' },
    ]);
    const receivers = [await receive(first), await receive(other)];
    expect(server.connections).toBe(1);
    server.send({ from: ada, text: 'to the first' });
    server.send({ from: eve, text: 'to the second' });
    for (const receiving of receivers) await receiving.waitFor(1);
    expect(receivers.map(({ events }) => textsOf(events))).toEqual([['to the first'], ['to the second']]);
    // The connection stays open for the other one.
    await receivers[0]?.stop();
    server.send({ from: ada, text: 'later' });
    server.send({ from: eve, text: 'now' });
    await receivers[1]?.waitFor(2);
    await receivers[1]?.waitForProof();
    expect(textsOf(receivers[1]?.events ?? [])).toEqual(['to the second', 'now']);
    await receivers[1]?.stop();
  });

  verifies('GW-16', 'continues with one workspace if the token of another one is revoked', async () => {
    const second = server.addWorkspace();
    server.revokeToken(second.token);
    const [first, broken] = open({ tokens: [server.workspace.token, second.token] }) as [Channel, Channel];
    expect(await startReceiving(broken).ended).toMatchObject({ fault: 'fatal' });
    const receiving = await receive(first);
    server.send({ from: ada, text: 'hello' });
    await receiving.waitFor(1);
    await receiving.stop();
  });

  verifies('GW-1', 'leaves events of a workspace that is not ready, and takes those of unknown ones', async () => {
    const second = server.addWorkspace();
    const eve = server.addUser({ workspace: second });
    const [first, other] = open({ tokens: [server.workspace.token, second.token] }) as [Channel, Channel];
    const receiving = await receive(first);
    server.send({ from: eve, text: 'early' });
    await receiving.waitForProof();
    await receiving.waitForProof();
    expect(server.pendingEvents).toBe(1);
    await other.identify(soon());
    await receiving.stop();
    const both = [startReceiving(other), startReceiving(first)];
    await both[0]?.waitFor(1);
    server.pushEvent('T0UNKNOWN', { type: 'message', channel: 'C1', ts: '1.1', text: 'a' });
    await both[0]?.waitForProof();
    while (server.pendingEvents > 0) await both[0]?.waitForProof();
    await Promise.all(both.map((each) => each.stop()));
  });
});

describe('tokens', () => {
  verifies('OBS-4', 'are masked wherever text is redacted, and in no error', async () => {
    const [channel] = open();
    await channel?.identify(soon());
    for (const token of [server.workspace.token, server.appToken]) {
      expect(redactSecrets(`Bearer ${token}`)).not.toContain(token.slice(12));
    }
    server.revokeToken(server.appToken);
    const error = await startReceiving(channel as Channel).ended;
    expect(error).toMatchObject({ fault: 'fatal' });
    for (const secret of [server.workspace.token, server.appToken]) requireNoSecret({ secret }, error);
  });

  it.each(['', 'nonsense', 'xoxb-a\r\nx: y', '123:abc'])('rejects the token %j without a call', async (token) => {
    const [channel] = open({ tokens: [token] });
    await expect(channel?.identify(soon())).rejects.toMatchObject({ fault: 'fatal' });
    const [withoutApp] = open({ appToken: token });
    expect(await startReceiving(withoutApp as Channel).ended).toMatchObject({
      fault: 'fatal',
      message: expect.stringContaining('SLACK_APP_TOKEN') as string,
    });
    expect(server.calls.map(({ method }) => method)).toEqual(['auth.test']);
  });
});
