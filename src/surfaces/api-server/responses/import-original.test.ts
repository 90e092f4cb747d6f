import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { collect, openApiHome } from '../../../../test/support/api-fixture.ts';
import type { ReceivedRequest } from '../../../testing/index.ts';

const MODEL = 'hermes-agent';
const said = (request: ReceivedRequest | undefined) => request?.messages.map(({ role, text }) => `${role}: ${text}`);
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content, finish_reason: 'stop' });
const CALL = { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } };
const FIRST = [
  user('q1'),
  { role: 'assistant', content: '', tool_calls: [CALL], reasoning: 'Look.' },
  { role: 'tool', tool_call_id: 'call_1', content: 'walrus' },
  assistant('A1'),
];
const SECOND = [...FIRST, user([{ type: 'text', text: 'q2' }]), assistant('A2')];

type Data = { conversation_history: unknown; session_id?: string; response?: object };

/** A `response_store.db` as the original writes it. */
function writeStore(home: string, rows: Record<string, Data | string>, conversations: Record<string, string> = {}) {
  const file = join(home, 'response_store.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE IF NOT EXISTS responses (response_id TEXT PRIMARY KEY, data TEXT, accessed_at REAL)');
  database.exec('CREATE TABLE IF NOT EXISTS conversations (name TEXT PRIMARY KEY, response_id TEXT NOT NULL)');
  for (const [index, [id, data]] of Object.entries(rows).entries()) {
    const response = { id, object: 'response', status: 'completed', created_at: 1_760_000_000, model: 'old-model' };
    const whole = typeof data === 'string' ? data : JSON.stringify({ response, instructions: null, ...data });
    database.prepare('INSERT OR REPLACE INTO responses VALUES (?, ?, ?)').run(id, whole, index);
  }
  for (const [name, id] of Object.entries(conversations))
    database.prepare('INSERT OR REPLACE INTO conversations VALUES (?, ?)').run(name, id);
  database.close();
  return file;
}

const digest = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe('responses of the original', () => {
  verifies('SURF-5', 'are continued by their ids and conversations, in one session for each chain', async () => {
    const { home, provider, start, keyFor } = await openApiHome();
    const rows = {
      resp_1: { conversation_history: FIRST },
      resp_2: { conversation_history: SECOND },
      resp_other: { conversation_history: [user('hello'), assistant('there')] },
    };
    const file = writeStore(home.path, rows, { work: 'resp_2', early: 'resp_1' });
    const before = await digest(file);
    provider.setScript(({ messages }) => ({ text: `after ${messages.length}` }));
    const { client: clientOf, runtime } = await start();
    const client = clientOf();
    const sessions = await runtime.store.listSessions();
    // Two histories, and a branch for the conversation that ended earlier in one of them.
    expect(sessions.map(({ source }) => source)).toEqual(['api_server', 'api_server', 'api_server']);

    const old = await client.responses.retrieve('resp_2');
    expect(old).toMatchObject({
      status: 'completed',
      model: 'old-model',
      output_text: 'A2',
      created_at: 1_760_000_000,
    });
    const first = await client.responses.retrieve('resp_1');
    expect(first.output.map(({ type }) => type)).toEqual([
      ...['reasoning', 'function_call', 'function_call_output', 'message'],
    ]);
    expect(await collect(client.responses.inputItems.list('resp_2'))).toMatchObject([
      { role: 'user', content: [{ type: 'input_text', text: 'q2' }] },
    ]);

    await client.responses.create({ model: MODEL, input: 'q3', previous_response_id: 'resp_2' });
    const spoken = ['user: q1', 'assistant: ', 'tool: walrus', 'assistant: A1'];
    expect(said(provider.requests[0])).toEqual([...spoken, 'user: q2', 'assistant: A2', 'user: q3']);
    await client.responses.create({ model: MODEL, input: 'q2b', previous_response_id: 'resp_1' });
    expect(said(provider.requests[1])).toEqual([...spoken, 'user: q2b']);
    await client.responses.create({ model: MODEL, input: 'go on', conversation: 'early' });
    expect(said(provider.requests[2])).toEqual([...spoken, 'user: go on']);
    const friend = clientOf(await keyFor('friend'));
    await expect(friend.responses.retrieve('resp_2')).rejects.toMatchObject({ status: 404 });
    expect(await digest(file)).toBe(before);
  });

  verifies('SURF-5', 'are imported once, also if a start was cut short', async () => {
    const { home, start } = await openApiHome();
    const file = writeStore(home.path, { resp_1: { conversation_history: FIRST } }, { work: 'resp_1' });
    const one = await start();
    await one.client().responses.delete('resp_1');
    await one.close();
    writeStore(home.path, { resp_2: { conversation_history: SECOND } }, { work: 'resp_2' });
    const two = await start();
    // A response that was deleted does not come back; one that the original has added since is imported.
    await expect(two.client().responses.retrieve('resp_1')).rejects.toMatchObject({ status: 404 });
    expect((await two.client().responses.retrieve('resp_2')).output_text).toBe('A2');
    const sessions = (await two.runtime.store.listSessions()).length;
    await two.close();
    // As if the process had died before it recorded what it had imported.
    await home.write('response_store.imported.json', '{');
    const three = await start();
    expect((await three.client().responses.retrieve('resp_2')).output_text).toBe('A2');
    expect((await three.runtime.store.listSessions()).length - sessions).toBeLessThanOrEqual(1);
    await three.close();
    expect(await readFile(file)).toBeInstanceOf(Buffer);
  });

  verifies('SURF-5', 'use the session of the original if it has the same messages', async () => {
    const { home, start } = await openApiHome();
    const { runtime, close } = await start();
    const { store } = runtime;
    await store.createSession({ id: 'api_old', source: 'api_server', startedAt: 1 });
    await store.appendMessages('api_old', [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'there', finishReason: 'stop' },
    ]);
    await close();
    writeStore(home.path, {
      resp_1: { conversation_history: [user('hello'), assistant('there')], session_id: 'api_old' },
      resp_2: { conversation_history: [user('other')], session_id: 'api_old' },
    });
    const again = await start();
    expect((await again.client().responses.retrieve('resp_1')).output_text).toBe('there');
    expect(await again.runtime.store.listSessions()).toHaveLength(2);
  });

  it('do not prevent the start if their file is damaged', async () => {
    const { home, start } = await openApiHome();
    writeStore(home.path, {
      resp_1: { conversation_history: [user('hello'), assistant('there')] },
      resp_2: 'not JSON',
      resp_3: { conversation_history: 'no list' },
      resp_4: { conversation_history: [] },
    });
    const one = await start();
    expect((await one.client().responses.retrieve('resp_1')).output_text).toBe('there');
    await expect(one.client().responses.retrieve('resp_3')).rejects.toMatchObject({ status: 404 });
    await one.close();
    await home.write('response_store.db', 'this is no database');
    const two = await start();
    expect((await two.client().responses.retrieve('resp_1')).output_text).toBe('there');
  });
});
