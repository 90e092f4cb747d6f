import { describe, expect, it, vi } from 'vitest';
import { OWNER } from '../../../base/index.ts';
import { findRunningTurn } from '../../../conversations/index.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import { collect, openApiHome } from '../../../../test/support/api-fixture.ts';

const REQUEST = { model: 'hermes-agent', input: 'Hi', background: true } as const;
const STALLED = { text: 'A long answer that never ends', fault: { type: 'stall', afterEvents: 3 } } as const;

type RawEvent = { id: string | undefined; event: string | undefined; data: Record<string, unknown> };

/** The events of a stream as they are sent. */
async function readRaw(response: Response): Promise<RawEvent[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block.includes('data: '));
  return blocks.map((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    return { id: field('id'), event: field('event'), data: JSON.parse(field('data') ?? '') as RawEvent['data'] };
  });
}

describe('background responses', () => {
  verifies('SURF-5', 'go on without their client, and can be polled', async () => {
    const { provider, start } = await openApiHome();
    const gate = Promise.withResolvers<void>();
    provider.setScript([{ text: 'Done.', fault: { type: 'slow-headers', wait: gate.promise } }]);
    const client = (await start()).client();
    const queued = await client.responses.create(REQUEST);
    expect(queued).toMatchObject({ status: 'queued', output: [], background: true });
    await provider.nextRequest();
    expect(await client.responses.retrieve(queued.id)).toMatchObject({ status: 'in_progress' });
    gate.resolve();
    await vi.waitFor(async () =>
      expect(await client.responses.retrieve(queued.id)).toMatchObject({ status: 'completed', output_text: 'Done.' }),
    );
    // A final response stays as it is.
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'completed' });
  });

  verifies('SURF-5', 'can be cancelled, also while they wait for an earlier one', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([STALLED, { text: 'After.' }]);
    const client = (await start()).client();
    const conversation = await client.conversations.create();
    const first = await client.responses.create({ ...REQUEST, conversation: conversation.id });
    await provider.nextRequest();
    const second = await client.responses.create({ ...REQUEST, conversation: conversation.id });
    expect(await client.responses.cancel(second.id)).toMatchObject({ status: 'cancelled' });
    const started = Date.now();
    expect(await client.responses.cancel(first.id)).toMatchObject({ status: 'cancelled', output: [] });
    expect(Date.now() - started).toBeLessThan(1000);
    const third = await client.responses.create({ ...REQUEST, background: false, conversation: conversation.id });
    expect(third.output_text).toBe('After.');
    await expect(client.responses.cancel(third.id)).rejects.toMatchObject({ status: 400 });
  });

  verifies('SURF-5', 'are cancelled if another process interrupts their turn', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([STALLED]);
    const { client: open, runtime } = await start();
    const { id } = await open().responses.create(REQUEST);
    await provider.nextRequest();
    const [session] = await runtime.store.listSessions();
    const turn = await findRunningTurn(runtime, session?.id ?? '');
    await turn?.interrupt('the response was cancelled', OWNER);
    await vi.waitFor(async () => expect(await open().responses.retrieve(id)).toMatchObject({ status: 'cancelled' }));
  });

  verifies('SURF-5', 'leave no branch behind if they are cancelled before they start', async () => {
    const { start } = await openApiHome();
    const { client: open, runtime } = await start();
    const client = open();
    const first = await client.responses.create({ ...REQUEST, background: false });
    const second = await client.responses.create({ ...REQUEST, background: false, previous_response_id: first.id });
    const { branchSession } = runtime.store;
    const [branched, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    runtime.store.branchSession = async (...args) => {
      const branch = await branchSession(...args);
      branched.resolve();
      await cancelled.promise;
      return branch;
    };
    const third = await client.responses.create({ ...REQUEST, previous_response_id: first.id });
    await branched.promise;
    expect(await client.responses.cancel(third.id)).toMatchObject({ status: 'cancelled' });
    expect(await runtime.store.listSessions()).toHaveLength(2);
    cancelled.resolve();
    // It waits for the session that the withdrawn response was about to branch.
    await client.responses.create({ ...REQUEST, background: false, previous_response_id: second.id });
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  verifies(['SURF-5', 'API-1'], 'resume their stream after any event, while they run and afterwards', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([
      { text: 'I look.', toolCalls: [{ name: 'todo', arguments: {} }] },
      { reasoning: 'Now I know.', text: 'It is a walrus, after all that looking.' },
    ]);
    const { client: open, fetch } = await start();
    const client = open();
    const stream = await client.responses.create({ ...REQUEST, stream: true });
    const seen: { sequence_number: number }[] = [];
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      seen.push(event);
      if (seen.length === 5) break;
    }
    const rest = await collect(await client.responses.retrieve(id, { stream: true, starting_after: 4 }));
    const all = [...seen, ...rest];
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index));
    for (const [index] of all.entries()) {
      const later = await collect(await client.responses.retrieve(id, { stream: true, starting_after: index }));
      expect(later).toEqual(all.slice(index + 1));
    }
    const raw = await readRaw(await fetch(`/responses/${id}?stream=true`));
    expect(raw.map(({ data }) => data)).toEqual(all);
    const resumed = await fetch(`/responses/${id}?stream=true`, { headers: { 'last-event-id': raw[6]?.id ?? '' } });
    expect(await readRaw(resumed)).toEqual(raw.slice(7));
    const final = await client.responses.stream({ response_id: id, starting_after: 3 }).finalResponse();
    expect(final.output_text).toBe('I look.It is a walrus, after all that looking.');
    expect(final.output.map((item) => item.id)).toEqual(
      (await client.responses.retrieve(id)).output.map((item) => item.id),
    );
  });

  verifies('SURF-5', 'end as failed with a stream that says so when the server stops', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([STALLED]);
    const first = await start();
    const { id } = await first.client().responses.create(REQUEST);
    await provider.nextRequest();
    await first.close();
    const second = await start();
    const response = await second.client().responses.retrieve(id);
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
    const events = await readRaw(await second.fetch(`/responses/${id}?stream=true`));
    expect(events.at(-1)).toMatchObject({ event: 'response.failed', data: { response: { id } } });
  });

  verifies('SURF-5', 'and streams in the foreground never mix', async () => {
    const { provider, start } = await openApiHome('api_server: { max_runs: 20 }');
    provider.setScript(({ lastUserText }) => ({ text: `Answer to ${lastUserText}. `.repeat(10), chunkSize: 7 }));
    const client = (await start()).client();
    const words = Array.from({ length: 20 }, (_, index) => `word-${index}-end`);
    const answers = words.map(async (input, index) => {
      const request = { model: 'hermes-agent', input, background: index % 2 === 0, stream: true } as const;
      const events = await collect(await client.responses.create(request));
      return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
    });
    expect(await Promise.all(answers)).toEqual(words.map((word) => `Answer to ${word}. `.repeat(10)));
  });

  it('are limited in number', async () => {
    const { provider, start } = await openApiHome('api_server: { max_runs: 1 }');
    provider.setScript([STALLED]);
    const client = (await start()).client();
    const { id } = await client.responses.create(REQUEST);
    await expect(client.responses.create(REQUEST)).rejects.toMatchObject({ status: 429, code: 'too_many_runs' });
    await client.responses.cancel(id);
  });

  it('are interrupted when they are deleted', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([STALLED]);
    const client = (await start()).client();
    const { id } = await client.responses.create(REQUEST);
    await provider.nextRequest();
    await client.responses.delete(id);
    await provider.waitForDisconnect();
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});
