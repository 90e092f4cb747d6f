import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { connectClient, GENERATIONS } from '../../../test/support/mcp-clients.ts';
import { openMcpServer } from '../../../test/support/mcp-serve-fixture.ts';
import type { ProviderServerOptions } from '../../testing/index.ts';

/** Deletes a folder, which needs approval, and then answers with the result. */
const deleting: ProviderServerOptions['script'] = ({ messages }) => {
  const last = messages.at(-1);
  const call = { name: 'terminal', arguments: { command: 'rm -rf some-folder' } };
  return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [call] };
};

/** A server whose model deletes a folder. */
async function openDeletingServer(config = '') {
  const server = await openMcpServer({ script: deleting, config });
  const folder = join(server.home.workspace, 'some-folder');
  mkdirSync(folder);
  return { ...server, folder };
}

describe.each(GENERATIONS)('hermes_ask with the official client %s', (generation) => {
  verifies('SURF-8', 'answers with a structured result, reports progress, and continues a session', async () => {
    const { target, provider, home } = await openMcpServer();
    const client = await connectClient(generation, target());
    expect(await client.toolNames()).toHaveLength(12);
    provider.setScript(({ messages }) => {
      const last = messages.at(-1);
      const call = { name: 'read_file', arguments: { path: 'notes.txt' } };
      return last?.text === 'read it' ? { toolCalls: [call] } : { text: `${messages.length} messages` };
    });
    const progress: string[] = [];
    const first = await client.call(
      'hermes_ask',
      { prompt: 'read it' },
      { onProgress: (message) => void progress.push(message) },
    );
    expect(first.isError).toBe(false);
    expect(first.structured).toMatchObject({
      response: '3 messages',
      completed: true,
      exit_reason: 'completed',
      model: 'test-model',
      steps: 2,
      tool_calls: 1,
    });
    const session = String(first.structured?.['session_id']);
    expect(first.text).toBe(`3 messages\n\n[session ${session}]`);
    expect(progress).toEqual(expect.arrayContaining(['test-model is thinking', 'read_file: notes.txt']));
    const second = await client.call('hermes_ask', { prompt: 'go on', session, cwd: home.workspace });
    expect(second.structured).toMatchObject({ response: '5 messages', session_id: session });
    expect(provider.requests.at(-1)?.system).toContain('Another program asks you over MCP');
    expect(await client.resources()).toEqual([`hermes://session/${session}`]);
    const resource = JSON.parse(await client.read(`hermes://session/${session}`)) as { messages: { role: string }[] };
    expect(resource.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  verifies(['SURF-8', 'APPR-3'], 'shows approvals to the user of the client, who allows or denies them', async () => {
    const { target, folder } = await openDeletingServer();
    const forms: string[] = [];
    let decision = 'deny';
    const client = await connectClient(generation, target(), {
      onForm({ message, requestedSchema }) {
        forms.push(message);
        expect(requestedSchema).toMatchObject({ required: ['decision'] });
        return decision === '' ? { action: 'cancel' } : { action: 'accept', content: { decision } };
      },
    });
    expect((await client.call('hermes_ask', { prompt: 'delete' })).text).toMatch(/denied/i);
    expect(forms).toEqual([expect.stringContaining('rm -rf some-folder')]);
    decision = '';
    expect((await client.call('hermes_ask', { prompt: 'delete' })).text).toMatch(/denied/i);
    expect(existsSync(folder)).toBe(true);
    decision = 'once';
    expect((await client.call('hermes_ask', { prompt: 'delete' })).structured).toMatchObject({ completed: true });
    expect(existsSync(folder)).toBe(false);
  });

  verifies('SURF-8', 'denies what needs approval if the client shows no forms', async () => {
    const { target, folder } = await openDeletingServer();
    const client = await connectClient(generation, target());
    expect((await client.call('hermes_ask', { prompt: 'delete' })).text).toMatch(/denied|approval/i);
    expect(existsSync(folder)).toBe(true);
  });

  verifies('SURF-8', 'interrupts the turn when the client cancels the call', async () => {
    const { target, provider, store } = await openMcpServer({ script: () => ({ fault: { type: 'stall' } }) });
    const client = await connectClient(generation, target());
    const cancelling = new AbortController();
    const calling = client.call('hermes_ask', { prompt: 'never ends' }, { signal: cancelling.signal });
    await provider.nextRequest();
    cancelling.abort();
    await expect(calling).rejects.toThrow();
    await provider.waitForDisconnect();
    const [session] = await store.listSessions();
    await expect
      .poll(async () => (await store.getTurns(session?.id ?? '')).map(({ exitReason }) => exitReason))
      .toEqual(['interrupted']);
  });
});

it('answers questions of the model, and reports arguments and sessions that are wrong', async () => {
  const { target, provider, home } = await openMcpServer();
  const client = await connectClient('v2', target(), {
    onForm({ requestedSchema }) {
      const hasChoices = 'choice' in (requestedSchema['properties'] as object);
      const content: Record<string, string> = hasChoices ? { choice: 'blue' } : { text: 'Ada' };
      return { action: 'accept', content };
    },
  });
  const ask = (args: object) => ({ toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', ...args } }] });
  provider.setScript([ask({ choices: ['red', 'blue'] }), ask({}), { text: 'done' }]);
  await client.call('hermes_ask', { prompt: 'ask me' });
  const results = provider.requests.at(-1)?.toolResults.map(({ content }) => content) ?? [];
  expect(results).toEqual([expect.stringContaining('blue'), expect.stringContaining('Ada')]);
  for (const [args, problem] of [
    [{}, '`prompt` is invalid'],
    [{ prompt: ' ' }, '`prompt` is invalid'],
    [{ prompt: 'x', session: 'nowhere' }, 'There is no session'],
    [{ prompt: 'x', cwd: 'relative' }, 'absolute path'],
    [{ prompt: 'x', cwd: join(home.path, 'missing') }, 'is not a folder'],
    [{ prompt: 'x', cwd: home.path }, 'is not inside'],
  ] as const)
    expect(await client.call('hermes_ask', args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(problem),
    });
});

verifies(
  ['GW-12', 'GW-22'],
  'a key that is not the user’s has its own sessions only, and no private tools',
  async () => {
    const { target, provider, store, home } = await openMcpServer({ script: () => ({ text: 'walrus' }) });
    const owner = await connectClient('v2', target());
    const own = await owner.call('hermes_ask', { prompt: 'about the walrus' });
    const friend = await connectClient('v2', target('friend'));
    const other = await connectClient('v1', target('other'));
    expect(await friend.toolNames()).toEqual(['hermes_ask', 'sessions_search']);
    await expect(friend.call('permissions_list_open', {})).rejects.toThrow('no tool');
    const theirs = await friend.call('hermes_ask', { prompt: 'about the walrus, too' });
    // Its tool sets, and nothing that shows what others have said.
    expect(provider.requests.at(-1)?.toolNames).toEqual(['todo']);
    const [ownId, id] = [own, theirs].map(({ structured }) => String(structured?.['session_id']));
    const found = async (client: typeof friend) =>
      (await client.call('sessions_search', { query: 'walrus' })).text.match(/hermes:\/\/session\/[^"]+/g) ?? [];
    expect(new Set(await found(friend))).toEqual(new Set([`hermes://session/${id}`]));
    expect(await found(other)).toEqual([]);
    expect(new Set(await found(owner)).size).toBe(2);
    expect(await friend.resources()).toEqual([`hermes://session/${id}`]);
    expect(await other.resources()).toEqual([]);
    expect(await friend.read(`hermes://session/${id}`)).toContain('walrus');
    await expect(friend.read(`hermes://session/${ownId}`)).rejects.toThrow('no resource');
    await expect(other.read(`hermes://session/${id}`)).rejects.toThrow('no resource');
    for (const [client, session] of [
      [friend, ownId],
      [other, id],
    ] as const)
      expect((await client.call('hermes_ask', { prompt: 'x', session })).text).toContain('no session');
    expect((await friend.call('hermes_ask', { prompt: 'x', session: id })).isError).toBe(false);
    expect((await owner.call('hermes_ask', { prompt: 'x', session: id })).isError).toBe(false);
    for (const cwd of [home.path, join(home.path, 'missing')])
      expect((await friend.call('hermes_ask', { prompt: 'x', cwd })).text).toContain('is not inside');
    const poor = await connectClient('v2', target('poor'));
    expect((await poor.call('hermes_ask', { prompt: 'x' })).text).toContain('limit of 0 USD');
    expect(await (await store.openApiStore()).findSessionOwner(String(id))).toBe('friend');
  },
);

verifies(['GW-12', 'APPR-1'], 'the bearer of a key that is not the user’s cannot approve anything', async () => {
  const { target, provider, folder } = await openDeletingServer();
  let forms = 0;
  const onForm = () => {
    forms += 1;
    return { action: 'accept' as const, content: { decision: 'once' } };
  };
  const other = await connectClient('v2', target('other'), { onForm });
  await other.call('hermes_ask', { prompt: 'delete' });
  expect([forms, existsSync(folder)]).toEqual([0, true]);
  expect(provider.requests.at(-1)?.toolResults).toHaveLength(1);
});

it('interrupts a turn whose client does not come back with an answer', async () => {
  const { target, folder, store } = await openDeletingServer('approvals: { timeout: 1 }');
  const asked = Promise.withResolvers<void>();
  const client = await connectClient('v2', target(), {
    onForm() {
      asked.resolve();
      return new Promise(() => undefined);
    },
  });
  void client.call('hermes_ask', { prompt: 'delete' });
  await asked.promise;
  const [session] = await store.listSessions();
  await expect
    .poll(async () => (await store.getTurns(session?.id ?? '')).map(({ exitReason }) => exitReason), { timeout: 5000 })
    .toEqual(['interrupted']);
  expect(existsSync(folder)).toBe(true);
});
