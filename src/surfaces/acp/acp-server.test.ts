import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHermes } from '../../../test/support/run-hermes.ts';
import { isAlive, untilGone } from '../../../test/support/acp-fixture.ts';
import { TEST_SERVER } from '../../../test/support/mcp-servers.ts';
import type { Frame } from '../../../test/support/acp-frames.ts';
import { type AcpTestClient, openAcp, type Update } from '../../../test/support/acp-client.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type TemporaryHome,
} from '../../testing/index.ts';

let home: TemporaryHome;
let server: ProviderServer;
const running: { client: AcpTestClient; ended: Promise<void> }[] = [];

beforeEach(async () => {
  server = await createProviderServer({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
  home = await createTemporaryHome({ 'config.yaml': config() });
});
afterEach(async () => {
  for (const { client, ended } of running.splice(0)) {
    await client.end();
    await ended;
  }
  await server.close();
  await home.remove();
});

/** Titles are disabled, so that each request of a test is one of its own. */
function config(extra = ''): string {
  return `model: { provider: custom, default: test-model, base_url: ${server.url}/v1, api_key: k, context_length: 100000 }
auxiliary: { title_generation: { enabled: false } }
${extra}`;
}

async function open(capabilities: object = {}, unstable = false) {
  const opened = await openAcp(home, { capabilities, unstable });
  running.push(opened);
  return opened;
}

async function openSession(capabilities: object = {}, extra: object = {}) {
  const { client } = await open(capabilities);
  const created = await client.request('session/new', { cwd: home.workspace, mcpServers: [], ...extra });
  const sessionId = created['sessionId'] as string;
  const prompt = (text: string, params: object = {}) =>
    client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...params });
  return { client, created, sessionId, prompt };
}

/** Calls these tools, one per step, and then says `done`. */
function callTools(...calls: { name: string; arguments: object }[]): void {
  let step = 0;
  server.setScript(() => {
    const call = calls[step];
    step += 1;
    return call === undefined ? { text: 'done' } : { toolCalls: [call as never] };
  });
}

const kinds = (updates: readonly Update[]) => updates.map(({ sessionUpdate }) => sessionUpdate);
const isCall = (status: string) => (update: Update) => update['status'] === status;

verifies('SURF-7', 'opens a session, streams an answer, and describes itself', async () => {
  const { client, created, sessionId, prompt } = await openSession();
  expect(created['modes']).toMatchObject({ currentModeId: 'default' });
  expect((created['configOptions'] as { id: string }[]).map(({ id }) => id)).toEqual([
    'mode',
    'model',
    'effort',
    'personality',
  ]);
  const commands = await client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  const names = (commands['availableCommands'] as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['help', 'compress', 'model', 'plan-change']));
  for (const hidden of ['new', 'resume', 'branch', 'quit', 'approve', 'stop']) expect(names).not.toContain(hidden);
  client.takeUpdates(sessionId);
  expect(await prompt('hello')).toEqual({ stopReason: 'end_turn' });
  const updates = client.takeUpdates(sessionId);
  expect(kinds(updates)).toEqual(['agent_message_chunk', 'usage_update']);
  expect(updates[0]).toMatchObject({ content: { type: 'text', text: '1 messages' } });
  expect(updates[1]).toMatchObject({ size: 100_000, used: expect.any(Number) as number });
  expect(await prompt('again')).toEqual({ stopReason: 'end_turn' });
  expect(client.takeUpdates(sessionId)[0]).toMatchObject({ content: { text: '3 messages' } });
});

verifies('ACP-1', 'replays a session exactly as it was streamed, with diffs, plans and thoughts', async () => {
  await writeFile(join(home.workspace, 'a.txt'), 'one\ntwo\nthree\n');
  const todos = [
    { id: '1', content: 'Read', status: 'completed' },
    { id: '2', content: 'Write', status: 'in_progress' },
    { id: '3', content: 'Dream', status: 'cancelled' },
  ];
  const calls = [
    { name: 'todo', arguments: { todos } },
    { name: 'read_file', arguments: { path: 'a.txt' } },
    { name: 'patch', arguments: { path: 'a.txt', old_string: 'two', new_string: 'zwei' } },
    { name: 'write_file', arguments: { path: 'b.txt', content: 'new\n' } },
    { name: 'write_file', arguments: { path: 'a.txt', content: 'all\nnew\n' } },
    { name: 'read_file', arguments: { path: 'missing.txt' } },
  ];
  let step = 0;
  server.setScript(() => {
    const call = calls[step];
    step += 1;
    if (call === undefined) return { reasoning: 'I am done.', text: 'All *done*.' };
    return { reasoning: `Step ${step}.`, text: `Now ${call.name}.`, toolCalls: [call as never] };
  });
  const { client, sessionId, prompt } = await openSession();
  await client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  client.takeUpdates(sessionId);
  expect(await prompt('Edit it')).toEqual({ stopReason: 'end_turn' });
  const live = client.takeUpdates(sessionId).filter(({ sessionUpdate }) => sessionUpdate !== 'usage_update');
  expect(kinds(live).filter((kind) => kind === 'tool_call')).toHaveLength(6);
  expect(live.find(({ sessionUpdate }) => sessionUpdate === 'plan')).toEqual({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Read', priority: 'medium', status: 'completed' },
      { content: 'Write', priority: 'medium', status: 'in_progress' },
    ],
  });
  const file = join(home.workspace, 'a.txt');
  const ended = live.filter(({ status }) => status === 'completed' || status === 'failed');
  expect(ended.map(({ status }) => status)).toEqual([...Array<string>(5).fill('completed'), 'failed']);
  expect(ended[2]).toMatchObject({
    content: [{ type: 'diff', path: file, oldText: 'one\ntwo\nthree\n', newText: 'one\nzwei\nthree\n' }],
    locations: [{ path: file, line: 2 }],
  });
  expect(ended[3]).toMatchObject({ content: [{ type: 'diff', oldText: null, newText: 'new\n' }] });
  expect(ended[4]).toMatchObject({
    content: [{ type: 'diff', path: file, oldText: 'one\nzwei\nthree\n', newText: 'all\nnew\n' }],
  });
  expect(live.find(({ title }) => title === 'Read a.txt')).toMatchObject({
    kind: 'read',
    locations: [{ path: file }],
    rawInput: { path: 'a.txt' },
  });

  const second = await open();
  await second.client.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
  const replayed = second.client.takeUpdates(sessionId);
  const [question, ...rest] = replayed.filter(
    ({ sessionUpdate }) => !['usage_update', 'available_commands_update'].includes(sessionUpdate),
  );
  expect(question).toMatchObject({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Edit it' } });
  const withoutIds = (updates: readonly Update[]) => updates.map(({ messageId: _, ...update }) => update);
  expect(withoutIds(rest)).toEqual(withoutIds(live));

  const resumed = await open();
  await resumed.client.request('session/resume', { sessionId, cwd: home.workspace });
  await resumed.client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'usage_update');
  expect(kinds(resumed.client.takeUpdates(sessionId))).toEqual(['available_commands_update', 'usage_update']);
});

describe('sessions', () => {
  verifies('ACP-1', 'are never created by a load, a resume or a fork of an unknown id', async () => {
    const { client } = await open({ _meta: { unstable: true } }, true);
    for (const method of ['session/load', 'session/resume', 'session/fork', 'session/delete', 'session/close'])
      expect(await client.failing(method, { sessionId: 'nowhere', cwd: home.workspace, mcpServers: [] })).toMatchObject(
        { code: -32_002, message: expect.stringContaining('nowhere') as string },
      );
    expect((await client.request('session/list'))['sessions']).toEqual([]);
    expect(await client.failing('session/new', { cwd: 'relative', mcpServers: [] })).toMatchObject({ code: -32_602 });
  });

  verifies('SURF-7', 'are listed by directory, forked, named, closed and deleted', async () => {
    const { client, initialized } = await open({ _meta: { unstable: true } }, true);
    const offered = initialized['agentCapabilities'] as { sessionCapabilities: object };
    expect(offered.sessionCapabilities).toMatchObject({ list: {}, fork: {}, title: {}, delete: {} });
    const ids: string[] = [];
    for (const cwd of [home.workspace, home.userHome]) {
      const { sessionId } = await client.request('session/new', { cwd, mcpServers: [] });
      ids.push(sessionId as string);
      const prompt = [{ type: 'text', text: `in ${cwd}` }];
      expect(await client.request('session/prompt', { sessionId, prompt })).toMatchObject({
        usage: { totalTokens: expect.any(Number) as number },
      });
    }
    const list = async (params: object = {}) =>
      (await client.request('session/list', params))['sessions'] as { sessionId: string; title: string }[];
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual(ids.toReversed());
    expect(await list({ cwd: home.workspace })).toMatchObject([{ sessionId: ids[0], cwd: home.workspace }]);
    const [first = ''] = ids;
    expect(await client.request('session/set_title', { sessionId: first, title: 'Mine' })).toEqual({ title: 'Mine' });
    expect(await client.seen(first, ({ sessionUpdate }) => sessionUpdate === 'session_info_update')).toMatchObject({
      title: 'Mine',
    });
    const fork = await client.request('session/fork', { sessionId: first, cwd: home.workspace });
    const forked = fork['sessionId'] as string;
    expect(ids).not.toContain(forked);
    await client.request('session/prompt', { sessionId: forked, prompt: [{ type: 'text', text: 'fork' }] });
    expect(client.takeUpdates(forked)).toContainEqual(
      expect.objectContaining({ content: { type: 'text', text: '3 messages' } }),
    );
    await client.request('session/close', { sessionId: forked });
    expect(await client.failing('session/prompt', { sessionId: forked, prompt: [] })).toMatchObject({ code: -32_002 });
    await client.request('session/delete', { sessionId: forked });
    await client.request('session/delete', { sessionId: first });
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual([ids[1]]);
  });

  it('keep their id when they are compressed', async () => {
    await home.write('config.yaml', config('compression: { enabled: false }\n').replace('100000', '10000'));
    const filler = 'and so on, as was said before; '.repeat(60);
    const summary = '## Active task\nTalk.\n\n## Goal\nHear of all topics.\n\n## Done\nMuch.\n\n## Next steps\nMore.';
    server.setScript(({ toolNames }) => ({ text: toolNames.length === 0 ? summary : filler }));
    const { client, sessionId, prompt } = await openSession({ session: { compaction: {}, notices: {} } });
    for (let turn = 1; turn <= 8; turn += 1) await prompt(`topic ${turn}`);
    client.takeUpdates(sessionId);
    await prompt('/compress');
    const compressed = client.takeUpdates(sessionId);
    expect(JSON.stringify(compressed)).toContain('Compressed: 16 → ');
    expect(kinds(compressed).filter((kind) => kind === 'compaction_update')).toHaveLength(2);
    expect(await prompt('and then?')).toEqual({ stopReason: 'end_turn' });
    const { sessions } = await client.request('session/list');
    expect(sessions).toMatchObject([{ sessionId }]);
    const second = await open({ session: { compaction: {} } });
    await second.client.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
    const replayed = second.client.takeUpdates(sessionId);
    expect(replayed.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toHaveLength(9);
    const compaction = replayed.filter(({ sessionUpdate }) => sessionUpdate === 'compaction_update');
    expect(compaction).toMatchObject([{ status: 'in_progress' }, { status: 'completed' }]);
  });
});

describe('permissions', () => {
  const erase = { name: 'terminal', arguments: { command: 'rm -rf some-folder' } };

  verifies('APPR-3', 'are asked for: once, session, always, deny; a cancelled question is a denial', async () => {
    const { client, sessionId, prompt } = await openSession();
    const answers: unknown[] = [
      { outcome: 'selected', optionId: 'deny' },
      { outcome: 'selected', optionId: 'once' },
      { outcome: 'selected', optionId: 'nonsense' },
      { outcome: 'cancelled' },
      { outcome: 'selected', optionId: 'session' },
    ];
    const asked: Record<string, unknown>[] = [];
    client.on('session/request_permission', (params) => {
      asked.push(params);
      return { outcome: answers[asked.length - 1] };
    });
    const run = async () => {
      callTools(erase);
      client.takeUpdates(sessionId);
      expect(await prompt('clean up')).toEqual({ stopReason: 'end_turn' });
      return client.takeUpdates(sessionId).some(isCall('completed'));
    };
    expect([await run(), await run(), await run(), await run(), await run(), await run()]).toEqual([
      false,
      true,
      false,
      false,
      true,
      // Allowed for the session.
      true,
    ]);
    expect(asked).toHaveLength(5);
    expect(asked[0]).toMatchObject({
      sessionId,
      toolCall: { status: 'pending', content: [{ content: { text: expect.stringContaining('rm -rf some-folder') } }] },
      options: [
        { optionId: 'once', kind: 'allow_once' },
        { optionId: 'session', kind: 'allow_once' },
        { optionId: 'always', kind: 'allow_always' },
        { optionId: 'deny', kind: 'reject_once' },
      ],
    });
    const isFirst = ({ params }: Frame) => (params?.['update'] as Update | undefined)?.sessionUpdate === 'tool_call';
    const call = client.frames.find(isFirst)?.params?.['update'] as Update | undefined;
    expect(asked[0]?.['toolCall']).toMatchObject({ toolCallId: call?.['toolCallId'] });
  });

  verifies('GW-22', 'are denied to a client that does not answer them', async () => {
    const { client, sessionId, prompt } = await openSession();
    callTools(erase);
    expect(await prompt('clean up')).toEqual({ stopReason: 'end_turn' });
    expect(client.takeUpdates(sessionId).some(isCall('failed'))).toBe(true);
  });

  it('are asked for by subagents, too, and the decision is shown', async () => {
    const { client, sessionId, prompt } = await openSession();
    server.setScript(({ messages, toolNames }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return { text: 'done' };
      const delegate = { name: 'delegate_task', arguments: { tasks: [{ goal: 'clean up' }] } };
      return { toolCalls: [toolNames.includes('delegate_task') ? delegate : erase] };
    });
    client.on('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'once' } }));
    expect(await prompt('clean up')).toEqual({ stopReason: 'end_turn' });
    const { toolCall } = await client.asked('session/request_permission');
    const updates = client.takeUpdates(sessionId);
    expect(toolCall).toMatchObject({ title: 'terminal of subagent 1 (clean up)', kind: 'other' });
    expect(updates).toContainEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: (toolCall as { toolCallId: string }).toolCallId,
      status: 'completed',
    });
    expect(JSON.stringify(updates)).toContain('1: rm -rf some-folder');
  });

  it('approve a plan, which ends plan mode', async () => {
    const { client, sessionId, prompt } = await openSession();
    const present = { name: 'clarify', arguments: { question: 'All right?', plan: '1. clean up' } };
    await client.request('session/set_mode', { sessionId, modeId: 'plan' });
    for (const [choice, mode] of [
      ['Reject the plan', 'plan'],
      ['Approve the plan', 'default'],
    ]) {
      callTools(present);
      let asked: Record<string, unknown> = {};
      client.on('session/request_permission', (params) => {
        asked = params;
        return { outcome: { outcome: 'selected', optionId: choice } };
      });
      client.takeUpdates(sessionId);
      await prompt('plan it');
      expect(asked['toolCall']).toMatchObject({ kind: 'switch_mode', content: [{ content: { text: '1. clean up' } }] });
      const modes = client
        .takeUpdates(sessionId)
        .filter(({ sessionUpdate }) => sessionUpdate === 'current_mode_update');
      expect(modes.at(-1)).toMatchObject({ currentModeId: mode });
    }
  });

  it('are not asked for in yolo mode, and nothing runs in plan mode', async () => {
    const { client, sessionId, prompt } = await openSession();
    await client.request('session/set_mode', { sessionId, modeId: 'yolo' });
    callTools(erase);
    await prompt('clean up');
    expect(client.takeUpdates(sessionId).some(isCall('completed'))).toBe(true);
    const { configOptions } = await client.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      value: 'plan',
    });
    expect(configOptions).toMatchObject([{ id: 'mode', currentValue: 'plan' }, {}, {}, {}]);
    expect(await client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'current_mode_update')).toMatchObject({
      currentModeId: 'plan',
    });
    callTools(erase);
    await prompt('clean up');
    expect(client.takeUpdates(sessionId).some(isCall('failed'))).toBe(true);
    expect(await client.failing('session/set_mode', { sessionId, modeId: 'nope' })).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('default, plan and yolo') as string,
    });
  });
});

describe('a turn', () => {
  verifies('SURF-7', 'is cancelled, and another prompt steers it or is refused', async () => {
    const { client, sessionId, prompt } = await openSession();
    const gate = Promise.withResolvers<void>();
    server.setScript(async ({ messages }) => {
      if (messages.length > 1) return { text: `Heard: ${messages.at(-1)?.text}` };
      await gate.promise;
      return { text: 'Which colour?' };
    });
    const first = prompt('paint it');
    await server.nextRequest();
    expect(
      await client.failing('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'now' }] }),
    ).toMatchObject({ message: expect.stringContaining('running') as string });
    expect(await prompt('in blue', { _meta: { steer: true } })).toMatchObject({ _meta: { steered: true } });
    gate.resolve();
    expect(await first).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(client.takeUpdates(sessionId))).toContain('Heard: in blue');

    server.setScript(() => ({ fault: { type: 'stall' } }));
    const stalled = prompt('never end');
    await server.nextRequest();
    client.notify('session/cancel', { sessionId });
    expect(await stalled).toEqual({ stopReason: 'cancelled' });
  });

  it('ends with the reason of its end, or with the words of the provider', async () => {
    const { prompt, client, sessionId } = await openSession();
    server.setScript(() => ({ text: 'half an ans', finishReason: 'length' }));
    expect(await prompt('long')).toEqual({ stopReason: 'max_tokens' });
    server.setScript(() => ({ fault: { type: 'status', status: 401, message: 'no such key' } }) as never);
    const failure = await client.failing('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] });
    expect(failure).toMatchObject({ code: -32_603 });
    expect(failure.message).not.toBe('');
  });

  verifies('SURF-3', 'runs slash commands and skills from the shared registry', async () => {
    const { client, sessionId, prompt } = await openSession();
    expect(await prompt('/help')).toEqual({ stopReason: 'end_turn' });
    expect(server.requests).toEqual([]);
    expect(JSON.stringify(client.takeUpdates(sessionId))).toContain('/compress');
    await prompt('/resume something');
    expect(JSON.stringify(client.takeUpdates(sessionId))).toContain('not available in an editor');
    await prompt('/yolo on');
    expect(client.takeUpdates(sessionId)).toContainEqual({
      sessionUpdate: 'current_mode_update',
      currentModeId: 'yolo',
    });
    expect(await prompt('/plan-change add a button')).toEqual({ stopReason: 'end_turn' });
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toContain('add a button');
    await prompt('/title My thread');
    expect(client.takeUpdates(sessionId)).toContainEqual({
      sessionUpdate: 'session_info_update',
      title: 'My thread',
    });
  });
});

it('loads a session once if it is asked to twice at the same time', async () => {
  const { client, sessionId, prompt } = await openSession();
  await prompt('hello');
  const load = () => client.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
  await Promise.all([load(), load(), load()]);
  expect(await prompt('again')).toEqual({ stopReason: 'end_turn' });
  expect(server.requests.at(-1)?.messages).toHaveLength(3);
});

describe('a question', () => {
  const ask = { name: 'clarify', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } };

  it('is a form where the client has forms', async () => {
    const { client, sessionId, prompt } = await openSession({ elicitation: { form: {} } });
    client.on('elicitation/create', () => ({ action: 'accept', content: { choice: 'blue', answer: '' } }));
    callTools(ask);
    expect(await prompt('paint it')).toEqual({ stopReason: 'end_turn' });
    expect(await client.asked('elicitation/create')).toMatchObject({
      mode: 'form',
      sessionId,
      message: 'Which colour?',
      requestedSchema: { properties: { choice: { enum: ['red', 'blue'] } } },
    });
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe('blue');
    client.on('elicitation/create', () => ({ action: 'decline' }));
    callTools(ask);
    await prompt('paint it');
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toContain('declined');
  });

  it('is text that ends the turn elsewhere, also when the session is loaded', async () => {
    const { client, sessionId, prompt } = await openSession();
    await client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
    client.takeUpdates(sessionId);
    callTools(ask);
    expect(await prompt('paint it')).toEqual({ stopReason: 'end_turn' });
    expect(server.requests).toHaveLength(1);
    const shown = JSON.stringify(client.takeUpdates(sessionId));
    expect(shown).toContain('Which colour?\\n\\n1. red\\n2. blue');
    expect(shown).not.toContain('done');
    expect(await prompt('blue')).toEqual({ stopReason: 'end_turn' });
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe('blue');
    await client.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
    expect(JSON.stringify(client.takeUpdates(sessionId))).toContain('Which colour?\\n\\n1. red\\n2. blue');
  });
});

describe('content', () => {
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

  it('includes images, embedded files and links, and comes back when the session is loaded', async () => {
    const { client, sessionId } = await openSession();
    const note = `file://${home.workspace}/note.md`;
    const prompt = [
      { type: 'text', text: 'Compare' },
      { type: 'resource', resource: { uri: `${note}#L1:2`, text: 'the ```note```' } },
      { type: 'text', text: 'with' },
      { type: 'resource_link', uri: `file://${home.workspace}/other%20file.md`, name: 'other file.md' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ];
    await client.request('session/prompt', { sessionId, prompt });
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).toContain(`Compare ${home.workspace}/note.md#L1:2 with ${home.workspace}/other file.md`);
    expect(sent).toContain('the ```note```');
    expect(sent).toContain(PIXEL);
    await client.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
    const shown = client.takeUpdates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
    expect(shown).toMatchObject([
      { content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      { content: { text: `Compare ${home.workspace}/note.md#L1:2 with ${home.workspace}/other file.md` } },
    ]);
  });

  it('that cannot be read is refused with a reason', async () => {
    const { client, sessionId } = await openSession();
    for (const [block, reason] of [
      [{ type: 'audio', data: '', mimeType: 'audio/wav' }, 'audio'],
      [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, 'Cannot attach'],
      [{ type: 'text', text: ' ' }, 'empty'],
    ] as const) {
      const { message, code } = await client.failing('session/prompt', { sessionId, prompt: [block] });
      expect(message).toContain(reason);
      expect(code).toBe(-32_602);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('the editor', () => {
  it('gives unsaved text, and writes changes', async () => {
    const file = join(home.workspace, 'open.txt');
    await writeFile(file, 'saved\n');
    const { client, prompt } = await openSession({ fs: { readTextFile: true, writeTextFile: true } });
    let buffer = 'unsaved\n';
    client.on('fs/read_text_file', ({ path }) => {
      if (path !== file) throw new Error('not open');
      return { content: buffer };
    });
    client.on('fs/write_text_file', async ({ path, content }) => {
      buffer = content as string;
      await writeFile(path as string, buffer);
      return {};
    });
    callTools(
      { name: 'read_file', arguments: { path: 'open.txt' } },
      { name: 'patch', arguments: { path: 'open.txt', old_string: 'unsaved', new_string: 'changed' } },
    );
    await prompt('change it');
    expect(server.requests[1]?.messages.at(-1)?.text).toContain('unsaved');
    expect(buffer).toBe('changed\n');
    expect(await readFile(file, 'utf8')).toBe('changed\n');
  });

  it('without a file is no reason to fail', async () => {
    await writeFile(join(home.workspace, 'closed.txt'), 'on the disk\n');
    // No handlers: the client answers with errors.
    const { prompt } = await openSession({ fs: { readTextFile: true, writeTextFile: true } });
    callTools(
      { name: 'read_file', arguments: { path: 'closed.txt' } },
      { name: 'write_file', arguments: { path: 'new/file.txt', content: 'x\n' } },
    );
    await prompt('read it');
    expect(server.requests[1]?.messages.at(-1)?.text).toContain('on the disk');
    expect(await readFile(join(home.workspace, 'new/file.txt'), 'utf8')).toBe('x\n');
  });
});

it('compresses during a turn, says so, and reports titles', async () => {
  const filler = 'and so on, as was said before; '.repeat(60);
  const summary = '## Active task\nTalk.\n\n## Goal\nHear of all topics.\n\n## Done\nMuch.\n\n## Next steps\nMore.';
  await home.write('config.yaml', config().replace('100000', '9000').replace('enabled: false', 'enabled: true'));
  server.setScript(({ toolNames, system }) => {
    if (toolNames.length > 0) return { text: filler };
    return { text: system.includes('title') ? 'Many topics' : summary };
  });
  const { client, sessionId, prompt } = await openSession({ session: { compaction: {} } });
  await prompt('topic 0');
  expect(await client.seen(sessionId, ({ sessionUpdate }) => sessionUpdate === 'session_info_update')).toMatchObject({
    title: 'Many topics',
  });
  const isCompacted = ({ sessionUpdate, status }: Update) =>
    sessionUpdate === 'compaction_update' && status === 'completed';
  for (let turn = 1; !client.takeUpdates(sessionId).some(isCompacted); turn += 1) {
    expect(turn).toBeLessThan(20);
    expect(await prompt(`topic ${turn}`)).toEqual({ stopReason: 'end_turn' });
  }
});

it('ends with its input during a turn', async () => {
  const { client, ended } = await open();
  server.setScript(() => ({ fault: { type: 'stall' } }));
  const { sessionId } = await client.request('session/new', { cwd: home.workspace, mcpServers: [] });
  void client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'never end' }] });
  await server.nextRequest();
  await client.end();
  await ended;
  const { stdout } = await runHermes(['sessions', 'list'], { home });
  expect(stdout).toContain('never end');
});

it('asks for a model until one is configured', async () => {
  await writeFile(join(home.path, 'config.yaml'), '');
  const { client, initialized } = await open({ auth: { terminal: true } });
  expect(initialized['authMethods']).toMatchObject([{ type: 'terminal', args: ['--setup'] }]);
  const session = { cwd: home.workspace, mcpServers: [] };
  expect(await client.failing('session/new', session)).toMatchObject({
    code: -32_000,
    message: expect.stringContaining('hermes setup') as string,
  });
  expect(await client.failing('authenticate', { methodId: 'hermes-setup' })).toMatchObject({ code: -32_000 });
  await writeFile(join(home.path, 'config.yaml'), config());
  expect(await client.request('authenticate', { methodId: 'hermes-setup' })).toEqual({});
  expect(await client.request('session/new', session)).toMatchObject({ sessionId: expect.any(String) as string });
});

describe('MCP servers of the client', () => {
  const servers = (record: string, ...args: string[]) => [
    {
      name: 'it',
      command: process.execPath,
      args: [TEST_SERVER, `--record=${record}`, ...args],
      env: [{ name: 'TOKEN', value: '${HOME}-and-$' }],
    },
  ];

  verifies('SURF-7', 'belong to one session, run in its folder, and end with it', async () => {
    await home.write(
      'config.yaml',
      config(`mcp_servers: { it: { command: ${process.execPath}, args: ['${TEST_SERVER}'] } }`),
    );
    const { client } = await open();
    const serversOf = async (sessionId: unknown) => {
      await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] });
      const names = server.requests.at(-1)?.toolNames ?? [];
      return [...new Set(names.flatMap((name) => /^mcp__(\w+?)__/.exec(name)?.[1] ?? []))].sort();
    };
    // A session that is opened before a configured server is connected does not have its tools.
    const openPlain = () => client.request('session/new', { cwd: home.workspace, mcpServers: [] });
    await expect.poll(async () => serversOf((await openPlain())['sessionId']), { timeout: 20_000 }).toEqual(['it']);
    const sessions: { sessionId: string; record: string }[] = [];
    for (const cwd of [home.workspace, home.userHome]) {
      const record = join(home.userHome, `record-${sessions.length}`);
      const [given] = servers(record);
      // The second server has the name of a configured one.
      const mcpServers = [{ ...given, name: sessions.length === 0 ? 'own' : 'it' }];
      const { sessionId } = await client.request('session/new', { cwd, mcpServers });
      sessions.push({ sessionId: sessionId as string, record });
    }
    expect(await serversOf(sessions[0]?.sessionId)).toEqual(['it', 'own']);
    expect(await serversOf(sessions[1]?.sessionId)).toEqual(['it', 'it_2']);
    expect(await serversOf((await openPlain())['sessionId'])).toEqual(['it']);
    const pids = await Promise.all(
      sessions.map(async ({ record }) => Number(/start (\d+)/.exec(await readFile(record, 'utf8'))?.[1])),
    );
    expect(pids.map((pid) => readlinkSync(`/proc/${pid}/cwd`))).toEqual([home.workspace, home.userHome]);
    expect(readFileSync(`/proc/${pids[0]}/environ`, 'utf8')).toContain('TOKEN=${HOME}-and-$');
    callTools({ name: 'mcp__own__echo', arguments: { value: 'x' } });
    const [first, second] = sessions;
    await client.request('session/prompt', { sessionId: first?.sessionId, prompt: [{ type: 'text', text: 'call' }] });
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toContain('echo x');
    await client.request('session/close', { sessionId: first?.sessionId });
    await untilGone(pids[0] ?? 0);
    expect(await isAlive(pids[1] ?? 0)).toBe(true);
    await client.request('session/close', { sessionId: second?.sessionId });
    await untilGone(pids[1] ?? 0);
  });

  it('do not delay the session, and are refused if two have one name', async () => {
    const { client } = await open();
    const record = join(home.userHome, 'record');
    const slow = servers(record, '--mute').map((entry) => ({ ...entry, name: 'slow' }));
    await client.request('session/new', { cwd: home.workspace, mcpServers: slow });
    const twice = [...servers(record), ...servers(record)];
    const { message } = await client.failing('session/new', { cwd: home.workspace, mcpServers: twice });
    expect(message).toContain('"it"');
  });
});
