import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openApiHome } from '../../../../test/support/api-fixture.ts';
import { createHonchoServer } from '../../../memory/honcho/honcho-server.fixture.ts';

const configOf = (url: string) => `memory: { provider: honcho, honcho: { base_url: "${url}" } }\n`;
const ask = (content: string) => ({ model: 'hermes-agent', messages: [{ role: 'user' as const, content }] });
const withKey = (key: string) => ({ headers: { 'X-Hermes-Session-Key': key } });

describe('X-Hermes-Session-Key', () => {
  verifies(['GW-12', 'SURF-5'], 'names a memory of its own at the memory provider', async () => {
    await using honcho = await createHonchoServer();
    const { provider, start } = await openApiHome(configOf(honcho.url));
    const one = await start();
    const client = one.client();
    const learned = client.chat.completions.create(ask('My walrus is called Ada'), withKey('agent:main:webui:1'));
    expect((await learned.asResponse()).headers.get('x-hermes-session-key')).toBe('agent:main:webui:1');
    await client.responses.create({ model: 'hermes-agent', input: 'My walrus is called Bob' }, withKey('other'));
    await client.chat.completions.create(ask('My walrus is called Cleo'));
    // The turns are learned in the background, which the end of the process waits for.
    await one.close();
    const { peers } = honcho.workspaces.get('hermes') ?? {};
    const names = [...(peers ?? [])].filter((name) => name.startsWith('user'));
    expect(names).toEqual([
      expect.stringMatching(/^user-agent-main-webui-1-[\da-f]{12}$/),
      expect.stringMatching(/^user-other-[\da-f]{12}$/),
      'user',
    ]);

    const again = (await start()).client();
    const recalled = async (send: () => Promise<unknown>) => {
      await send();
      const text = provider.requests.at(-1)?.messages.at(-1)?.text ?? '';
      return ['Ada', 'Bob', 'Cleo'].filter((name) => text.includes(`called ${name}`));
    };
    const question = 'What is the name of my walrus?';
    const chat = (key?: string) => again.chat.completions.create(ask(question), key === undefined ? {} : withKey(key));
    expect(await recalled(() => chat('agent:main:webui:1'))).toEqual(['Ada']);
    expect(await recalled(() => chat('other'))).toEqual(['Bob']);
    expect(await recalled(() => chat('agent-main-webui-1'))).toEqual([]);
    expect(await recalled(() => chat())).toEqual(['Cleo']);
  });

  it('has at most 256 characters', async () => {
    const { start } = await openApiHome();
    const asked = (await start()).client().chat.completions.create(ask('hi'), withKey('k'.repeat(257)));
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'invalid_value' });
  });
});
