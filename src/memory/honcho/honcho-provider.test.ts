import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createHonchoProvider, type HonchoProviderOptions } from './honcho-provider.ts';
import { createHonchoServer } from './honcho-server.fixture.ts';

const signal = new AbortController().signal;
const APPLIED = { workspace: 'hermes', userPeer: 'ada', agentPeer: 'agent' };
const open = (options: Partial<HonchoProviderOptions> & { baseUrl: string }) =>
  createHonchoProvider({ ...APPLIED, ...options });
const turn = (userMessage: string, answer = 'done') => ({ sessionId: 's1', userMessage, answer, completed: true });

describe('Honcho', () => {
  verifies('SURF-11', 'learns what was said, and recalls what is relevant to a message', async () => {
    await using server = await createHonchoServer({ apiKey: 'honcho-key' });
    const provider = open({ baseUrl: server.url, apiKey: 'honcho-key' });
    expect(await provider.isAvailable()).toBe(true);
    await provider.learnTurn?.(turn('I moor my walrus in the harbour'), signal);
    await provider.learnTurn?.(turn('I like tea', 'noted'), signal);
    const { sessions, peers } = server.workspaces.get('hermes') ?? {};
    expect([...(peers ?? [])]).toEqual(['ada', 'agent']);
    expect(sessions?.get('s1')).toEqual([
      { peer_id: 'ada', content: 'I moor my walrus in the harbour' },
      { peer_id: 'agent', content: 'done' },
      { peer_id: 'ada', content: 'I like tea' },
      { peer_id: 'agent', content: 'noted' },
    ]);
    // Each workspace, peer and session is created only once.
    expect(server.requests.map(({ path }) => path.replace('/v3/workspaces', ''))).toEqual([
      '',
      '/hermes/peers',
      '/hermes/peers',
      '/hermes/sessions',
      '/hermes/sessions/s1/messages',
      '/hermes/sessions/s1/messages',
    ]);
    expect(server.requests[3]?.body['peers']).toEqual({
      ada: { observe_me: true, observe_others: false },
      agent: { observe_me: false, observe_others: false },
    });
    expect(await provider.recall({ text: 'where is the harbour?', sessionId: 's2' }, signal)).toEqual([
      'I moor my walrus in the harbour',
    ]);
    expect(await provider.recall({ text: 'zebra', sessionId: 's2' }, signal)).toEqual([]);
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer honcho-key']));
  });

  it('adds its lasting facts to the prompt, and answers questions', async () => {
    await using server = await createHonchoServer();
    const provider = open({ baseUrl: `${server.url}/v3/` });
    await provider.learnTurn?.(turn('I like tea'), signal);
    expect(await provider.staticBlock?.(signal)).toBeUndefined();
    server.workspaces.get('hermes')?.card.push('Name: Ada', 'PREFERENCE: short answers');
    expect(await provider.staticBlock?.(signal)).toBe(
      '## What Honcho knows about the user\n- Name: Ada\n- PREFERENCE: short answers',
    );
    const [tool] = provider.tools?.() ?? [];
    expect(await tool?.run({ query: 'drinks?' }, { sessionId: 's', signal })).toBe('You asked: drinks?. I like tea');
  });

  it('receives no failed turns, no secrets, and no text beyond its limit', async () => {
    await using server = await createHonchoServer();
    const provider = open({ baseUrl: server.url });
    await provider.learnTurn?.({ ...turn('x'), completed: false }, signal);
    await provider.learnTurn?.(turn('  '), signal);
    expect(server.requests).toEqual([]);
    const secret = `sk-ant-${'a1'.repeat(20)}`;
    await provider.learnTurn?.(turn(`my key is ${secret}`, 'y'.repeat(100_000)), signal);
    const [said, answered] = server.workspaces.get('hermes')?.sessions.get('s1') ?? [];
    expect(JSON.stringify(said)).not.toContain(secret);
    expect(String(answered?.['content'])).toHaveLength(24_000);
  });

  verifies('SURF-11', 'receives its key at its own host only, and an error has a hint without the key', async () => {
    await using server = await createHonchoServer({ apiKey: 'right' });
    const provider = open({ baseUrl: server.url, apiKey: 'wrong-honcho-key' });
    const refused = provider.recall({ text: 'x', sessionId: 's' }, signal);
    await expect(refused).rejects.toThrow(/^Honcho at 127\.0\.0\.1:\d+ returned HTTP 401: /);
    await expect(refused).rejects.toMatchObject({ hint: 'Check HONCHO_API_KEY.' });
    await expect(refused).rejects.not.toThrow('wrong-honcho-key');
    await using other = await createHonchoServer();
    server.faults.push({ status: 302, body: '' });
    await expect(provider.recall({ text: 'x', sessionId: 's' }, signal)).rejects.toThrow('returned HTTP 302');
    expect(other.requests).toEqual([]);
  });

  it('reads the lists of older servers, and ignores invalid responses', async () => {
    await using server = await createHonchoServer();
    const provider = open({ baseUrl: server.url });
    const older = {
      representation: { explicit: [{ content: 'Likes tea.' }], deductive: [{ conclusion: 'Is awake.', premises: [] }] },
    };
    const recall = async (body: string) => {
      server.faults.push({ status: 200, body });
      return provider.recall({ text: 'x', sessionId: 's' }, signal);
    };
    expect(await recall(JSON.stringify(older))).toEqual(['Likes tea.\nIs awake.']);
    for (const body of [
      '',
      'no json',
      '[]',
      'null',
      '{"representation": null}',
      '{"representation": {"explicit": 3}}',
    ]) {
      expect(await recall(body)).toEqual([]);
    }
  });

  it('requires a key for the public service', async () => {
    const provider = open({ baseUrl: 'https://api.honcho.dev' });
    expect(await provider.isAvailable()).toEqual({ reason: expect.stringContaining('HONCHO_API_KEY is not set') });
  });

  it('retries what could not be created', async () => {
    await using server = await createHonchoServer();
    const provider = open({ baseUrl: server.url });
    server.faults.push({ status: 503, body: 'busy' });
    await expect(provider.learnTurn?.(turn('one'), signal)).rejects.toThrow('returned HTTP 503: busy');
    await provider.learnTurn?.(turn('two'), signal);
    expect(server.workspaces.get('hermes')?.sessions.get('s1')?.[0]).toMatchObject({ content: 'two' });
  });
});
