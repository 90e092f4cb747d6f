import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { collect, openApiHome } from '../../../../test/support/api-fixture.ts';
import type { ReceivedRequest } from '../../../testing/index.ts';

const MODEL = 'hermes-agent';
const said = ({ messages }: ReceivedRequest) => messages.map(({ role, text }) => `${role}: ${text}`);
const user = (content: string) => ({ type: 'message', role: 'user', content }) as const;
const itemsOf = (client: OpenAI, id: string) =>
  collect(client.conversations.items.list(id, { order: 'asc', limit: 2 }));

describe('/v1/conversations', () => {
  verifies('SURF-5', 'continue in one session, and have the items of their responses', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([
      { text: 'I look.', toolCalls: [{ id: 'c1', name: 'todo', arguments: {} }] },
      { text: 'A1' },
      { text: 'A2' },
    ]);
    const { client: open, runtime } = await start();
    const client = open();
    const { id, ...created } = await client.conversations.create({
      items: [user('earlier')],
      metadata: { topic: 'x' },
    });
    expect(created).toEqual({ object: 'conversation', created_at: expect.any(Number), metadata: { topic: 'x' } });
    const first = await client.responses.create({ model: MODEL, input: 'q1', conversation: id });
    const second = await client.responses.create({ model: MODEL, input: 'q2', conversation: { id } });
    expect([first.conversation, second.output_text]).toEqual([{ id }, 'A2']);
    expect(said(provider.requests[2] as ReceivedRequest)).toEqual([
      ...['user: earlier', 'assistant: (This message was not answered.)', 'user: q1'],
      ...['assistant: I look.', expect.stringContaining('tool: '), 'assistant: A1'],
      'user: q2',
    ]);
    const items = await itemsOf(client, id);
    const inputs = await Promise.all([first, second].map((each) => collect(client.responses.inputItems.list(each.id))));
    const expected = [...(inputs[0] ?? []), ...first.output, ...(inputs[1] ?? []), ...second.output];
    expect(items.slice(1)).toEqual(expected);
    expect(items[0]).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'earlier' }] });
    for (const item of items) {
      const itemId = item.id ?? '';
      expect(await client.conversations.items.retrieve(itemId, { conversation_id: id })).toEqual(item);
    }
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  verifies('GW-12', 'belong to their key, and names to the user of a key', async () => {
    const { provider, start, keyFor } = await openApiHome();
    const secret = await keyFor('friend');
    const { client } = await start();
    const [mine, friend] = [client(), client(secret)];
    const { id } = await mine.conversations.create();
    for (const foreign of [
      () => friend.conversations.retrieve(id),
      () => friend.conversations.update(id, { metadata: {} }),
      () => friend.conversations.delete(id),
      () => friend.conversations.items.create(id, { items: [user('x')] }),
      () => itemsOf(friend, id),
      () => friend.responses.create({ model: MODEL, input: 'x', conversation: id }),
    ])
      await expect(foreign()).rejects.toMatchObject({ status: 404, code: 'conversation_not_found' });
    const named = { model: MODEL, conversation: 'work' };
    await mine.responses.create({ ...named, input: 'mine' });
    await friend.responses.create({ ...named, input: 'his' });
    await mine.responses.create({ ...named, input: 'of anna', user: 'anna' });
    await mine.responses.create({ ...named, input: 'more' });
    expect(provider.requests.map((request) => said(request).filter((text) => text.startsWith('user')))).toEqual([
      ['user: mine'],
      ['user: his'],
      ['user: of anna'],
      ['user: mine', 'user: more'],
    ]);
  });

  it('can be changed and deleted; their messages stay', async () => {
    const { start } = await openApiHome();
    const { client: open, runtime } = await start();
    const client = open();
    const { id } = await client.conversations.create({ metadata: { a: 'b' } });
    expect(await client.conversations.update(id, { metadata: { c: 'd' } })).toMatchObject({ metadata: { c: 'd' } });
    expect(await client.conversations.retrieve(id)).toMatchObject({ id, metadata: { c: 'd' } });
    const response = await client.responses.create({ model: MODEL, input: 'Hi', conversation: id });
    expect(await client.conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect((await client.responses.retrieve(response.id)).output_text).toBe('ok');
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  verifies('SURF-5', 'accept and drop items, which the model then reads or does not', async () => {
    const { provider, start } = await openApiHome();
    const client = (await start()).client();
    const { id } = await client.conversations.create();
    await client.responses.create({ model: MODEL, input: 'q1', conversation: id });
    const added = await client.conversations.items.create(id, {
      items: [
        user('kept'),
        { type: 'message', role: 'assistant', content: 'dropped', id: 'x', status: 'completed' } as never,
        { type: 'function_call', call_id: 'c9', name: 'lookup', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c9', output: 'found' },
      ],
    });
    expect(added.data.map(({ type }) => type)).toEqual([
      ...['message', 'message', 'function_call', 'function_call_output'],
    ]);
    const dropped = added.data[1]?.id ?? '';
    expect(await client.conversations.items.delete(dropped, { conversation_id: id })).toMatchObject({ id });
    await client.responses.create({ model: MODEL, input: 'q2', conversation: id });
    expect(said(provider.requests[1] as ReceivedRequest)).toEqual([
      ...['user: q1', 'assistant: ok', 'user: kept', 'assistant: ', 'tool: found', 'user: q2'],
    ]);
    const left = (await itemsOf(client, id)).map((item) => item.id);
    expect(left).not.toContain(dropped);
    expect(left.slice(0, 2)).toEqual((await collectIds(client, id)).slice(0, 2));
    const gone = client.conversations.items.retrieve(dropped, { conversation_id: id });
    await expect(gone).rejects.toMatchObject({ status: 404, code: 'item_not_found' });
  });

  verifies('SURF-5', 'keep an item that was compressed away', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'ok' }]);
    const { client: open, runtime } = await start();
    const client = open();
    const { id } = await client.conversations.create();
    const { output } = await client.responses.create({ model: MODEL, input: 'q1', conversation: id });
    const [session] = await runtime.store.listSessions();
    const summary = { message: { role: 'user' as const, content: 'A summary.' } };
    await runtime.store.splitSession(session?.id ?? '', { id: 's2', source: 'api_server', startedAt: 1 }, [summary]);
    const answer = output.at(-1)?.id ?? '';
    const deleted = client.conversations.items.delete(answer, { conversation_id: id });
    await expect(deleted).rejects.toMatchObject({ status: 409, code: 'item_compressed' });
    expect(await collectIds(client, id)).toContain(answer);
    expect((await runtime.store.newestInLineage('s2'))?.id).toBe('s2');
  });

  it('refuse what they cannot store', async () => {
    const { start } = await openApiHome();
    const client = (await start()).client();
    const { id } = await client.conversations.create();
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' } as const;
    const bodies: [unknown, string][] = [
      ['x', 'items'],
      [[{ role: 'system', content: 'x' }], 'items.0'],
      [[{ role: 'user', content: [image] }], 'items.0.content.0.image_url'],
      [[{ type: 'item_reference', id: 'x' }], 'items.0'],
    ];
    for (const [items, param] of bodies)
      await expect(client.conversations.items.create(id, { items: items as never })).rejects.toMatchObject({
        status: 400,
        param,
      });
    await expect(client.conversations.items.list(id, { limit: 0 })).rejects.toMatchObject({
      status: 400,
      param: 'limit',
    });
    await expect(client.conversations.items.list(id, { after: 'no' })).rejects.toMatchObject({ status: 400 });
  });
});

async function collectIds(client: OpenAI, id: string): Promise<(string | undefined)[]> {
  return (await collect(client.conversations.items.list(id, { order: 'desc' })))
    .toReversed()
    .map((item) => item.id ?? undefined);
}
