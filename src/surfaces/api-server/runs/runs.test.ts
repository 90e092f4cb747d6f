import { describe, expect, it } from 'vitest';
import { readLineSchema } from '../../../../test/support/line-schema.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import { addKey } from '../index.ts';
import { openApi } from '../../../../test/support/api-fixture.ts';

type Api = Awaited<ReturnType<typeof openApi>>;
type Line = { type: string; text?: string; request_id?: string; [field: string]: unknown };

async function start(api: Api, body: object, headers: Record<string, string> = {}) {
  const response = await api.request('/v1/runs', { method: 'POST', body, headers });
  const run = (await response.json()) as { run_id: string; session_id: string };
  expect([response.status, run]).toMatchObject([202, { status: 'started' }]);
  return { ...run, path: `/v1/runs/${run.run_id}` };
}

async function get(api: Api, path: string, key?: string) {
  const response = await api.request(path, { ...(key !== undefined && { key }) });
  return { status: response.status, ...((await response.json()) as object) };
}

async function post(api: Api, path: string, body: object = {}) {
  const response = await api.request(path, { method: 'POST', body });
  return { status: response.status, ...((await response.json()) as object) };
}

/** The events of a run with their ids, up to its end or to the event for which `isLast` is true. */
async function events(
  api: Api,
  path: string,
  { after, isLast }: { after?: string; isLast?: (line: Line) => boolean } = {},
) {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
  const { body } = await api.request(`${path}/events`, { headers });
  const read: { id: string; line: Line }[] = [];
  let text = '';
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString('utf8');
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, id = '', , data = ''] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (data === '') continue;
      read.push({ id, line: JSON.parse(data) as Line });
    }
    // Ending the loop disconnects.
    if (read.some(({ line }) => isLast?.(line))) break;
  }
  return read;
}

const textOf = (read: { line: Line }[]) =>
  read.map(({ line }) => (line.type === 'text-delta' ? line.text : '')).join('');

describe('runs', () => {
  verifies(['SURF-5', 'SURF-15'], 'have events in the format of the JSON lines, which can be resumed', async () => {
    const api = await openApi({ script: () => ({ text: 'a long answer', chunkSize: 1 }) });
    const { path, run_id, session_id } = await start(api, { input: 'hi', instructions: 'Be brief.' });
    const all = await events(api, path);
    expect(all.map(({ id }) => Number(id))).toEqual(all.map((_, index) => index + 1));
    expect(all.flatMap(({ line }) => readLineSchema().faultsOf(line))).toEqual([]);
    expect(textOf(all)).toBe('a long answer');
    expect(all.at(-1)?.line).toMatchObject({
      type: 'result',
      exit_reason: 'completed',
      final_response: 'a long answer',
    });
    const middle = all[3]?.id ?? '';
    expect(await events(api, path, { after: middle })).toEqual(all.slice(4));
    expect(await get(api, path)).toMatchObject({ run_id, session_id, status: 'completed', output: 'a long answer' });
    expect(JSON.stringify(api.provider.requests[0]?.body)).toContain('Be brief.');
    const next = await start(api, { input: [{ role: 'user', content: 'again' }], session_id });
    expect(next.session_id).toBe(session_id);
    await events(api, next.path);
    expect(api.provider.requests[1]?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  verifies('SURF-5', 'can be steered and stopped', async () => {
    const api = await openApi({
      script: ({ messages }) =>
        messages.at(-1)?.role === 'user'
          ? { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 60', timeout: 60 } }] }
          : { text: 'done' },
    });
    const { path } = await start(api, { input: 'hi' });
    await events(api, path, { isLast: ({ type }) => type === 'tool-started' });
    expect(await post(api, `${path}/steer`, { text: 'faster' })).toMatchObject({ status: 'steered' });
    expect(await post(api, `${path}/stop`)).toMatchObject({ status: 'stopping' });
    const all = await events(api, path);
    expect(all.at(-1)?.line).toMatchObject({ type: 'result', exit_reason: 'interrupted' });
    expect(await get(api, path)).toMatchObject({ status: 'cancelled' });
    expect(await post(api, `${path}/steer`, { text: 'more' })).toMatchObject({ error: { code: 'not_running' } });
    expect(await post(api, `${path}/stop`)).toMatchObject({ status: 'cancelled' });
  });

  verifies('SURF-5', 'wait for approvals only if the client asked for it', async () => {
    const command = { name: 'terminal', arguments: { command: 'rm -rf ./build' } };
    const api = await openApi({
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? { text: messages.at(-1)?.text ?? '' } : { toolCalls: [command] },
    });
    const unattended = await start(api, { input: 'clean' });
    const denied = await events(api, unattended.path);
    expect(denied.find(({ line }) => line.type === 'tool-finished')?.line).toMatchObject({ status: 'denied' });
    expect(denied.some(({ line }) => line.type === 'request')).toBe(false);

    const { path } = await start(api, { input: 'clean' }, { 'hermes-approvals': 'events' });
    const waiting = await events(api, path, { isLast: ({ type }) => type === 'request' });
    const { request_id } = waiting.at(-1)?.line ?? {};
    expect(await get(api, path)).toMatchObject({ status: 'waiting_for_approval', requests: [{ request_id }] });
    expect(await post(api, `${path}/approval`, { choice: 'perhaps' })).toMatchObject({ error: { param: 'choice' } });
    expect(await post(api, `${path}/approval`, { request_id: 'x', choice: 'once' })).toMatchObject({
      error: { code: 'question_not_found' },
    });
    expect(await post(api, `${path}/approval`, { choice: 'once' })).toMatchObject({ status: 'answered', request_id });
    const approved = await events(api, path);
    expect(approved.find(({ line }) => line.type === 'tool-finished')?.line).toMatchObject({ status: 'ok' });
    expect(await post(api, `${path}/approval`, { choice: 'once' })).toMatchObject({ error: { code: 'no_question' } });

    const friend = await addKey(api.home.path, 'friend', {}, 0);
    const headers = { 'hermes-approvals': 'events' };
    const refused = await api.request('/v1/runs', { method: 'POST', key: friend, body: { input: 'clean' }, headers });
    expect(refused.status).toBe(403);
  });

  verifies('SURF-5', 'are limited, and belong to their key', async () => {
    const release = Promise.withResolvers<void>();
    const api = await openApi({
      config: 'api_server: { max_runs: 2 }\n',
      script: () => ({ text: 'ok', fault: { type: 'slow-headers', wait: release.promise } }),
    });
    const runs = [await start(api, { input: 'a' }), await start(api, { input: 'b' })];
    const third = await api.request('/v1/runs', { method: 'POST', body: { input: 'c' } });
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5']);
    const friend = await addKey(api.home.path, 'friend', {}, 0);
    for (const path of [runs[0]?.path ?? '', `${runs[0]?.path}/events`])
      expect(await get(api, path, friend)).toMatchObject({ status: 404, error: { code: 'run_not_found' } });
    release.resolve();
    for (const { path } of runs) expect((await events(api, path)).at(-1)?.line).toMatchObject({ type: 'result' });
    await expect
      .poll(async () => (await api.request('/v1/runs', { method: 'POST', body: { input: 'd' } })).status)
      .toBe(202);
  });

  it('refuse what is not a run', async () => {
    const api = await openApi();
    for (const [body, param] of [
      [{}, null],
      [{ input: '' }, 'input'],
      [{ input: [{ role: 'assistant', content: 'x' }] }, 'input.0.role'],
    ] as const)
      expect(await post(api, '/v1/runs', body)).toMatchObject({ error: { ...(param !== null && { param }) } });
    expect(await post(api, '/v1/runs', { input: 'x', session_id: 'nowhere' })).toMatchObject({
      error: { code: 'session_not_found' },
    });
    const { path } = await start(api, { input: 'x' });
    const response = await api.request(`${path}/events`, { headers: { 'last-event-id': 'first' } });
    expect(response.status).toBe(400);
  });
});
