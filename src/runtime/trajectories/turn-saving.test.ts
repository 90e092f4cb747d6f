import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { loadSettings } from '../../config/index.ts';
import { type RouteSource, silentLogger, type StoredMessage } from '../../contracts/index.ts';
import { createLocalEnvironment } from '../../environments/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript, type TemporaryHome } from '../../testing/index.ts';
import { createToolSet } from '../../tools/index.ts';
import { checkLines, type Trajectory } from '../../trajectories/index.ts';
import { createRuntime, type RuntimeOptions } from '../index.ts';
import { createTurnSaving } from './turn-saving.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

async function open(script: ModelScript, changes: Partial<RuntimeOptions> = {}, config = '') {
  writeFileSync(join(home.path, 'config.yaml'), config);
  const settings = await loadSettings({ home: home.path, env: {} });
  const client = createScriptedModel(script);
  const endpoint = { baseUrl: 'scripted://', apiMode: 'chat_completions' as const, contextLength: undefined };
  const route: RouteSource = {
    provider: 'p',
    model: 'a/m',
    open: () => Promise.resolve({ provider: 'p', model: 'a/m', ...endpoint, client }),
  };
  const rest = { workingDirectory: home.workspace, source: 'cli', attended: false };
  return createRuntime({ settings, routes: [route], ...rest, ...changes });
}

function linesOf(name: string): Trajectory[] {
  const lines = readFileSync(join(home.workspace, name), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Trajectory);
}

async function faultsOf(name: string): Promise<object[]> {
  const found: object[] = [];
  async function* bytes() {
    yield readFileSync(join(home.workspace, name));
  }
  for await (const deviation of checkLines(bytes())) found.push(deviation);
  return found;
}

const WRITE = { toolCalls: [{ name: 'write_file', arguments: { path: 'note.txt', content: 'hello' } }] };

verifies(
  'TRAJ-1',
  'writes each finished turn as one line with the whole conversation, completed ones to a separate file',
  async () => {
    const answers = [{ reasoning: 'Easy.', ...WRITE }, { text: 'written' }, WRITE, WRITE, { text: 'again' }];
    const runtime = await open(answers, { saveTrajectories: true, maxTurns: 2 });
    const { agent } = await runtime.openAgent();
    await agent.chat('write it');
    await runtime.trajectories.settled();
    const before = Date.now();
    await agent.chat('and again');
    await runtime.close();

    const [line] = linesOf('trajectory_samples.jsonl');
    expect(Object.keys(line ?? {})).toEqual(['conversations', 'timestamp', 'model', 'completed']);
    expect(line).toMatchObject({ model: 'a/m', completed: true });
    expect(line?.conversations.map(({ from }) => from)).toEqual(['system', 'human', 'gpt', 'tool', 'gpt']);
    expect(line?.conversations[0]?.value).toContain('{"name": "write_file", "description"');
    expect(line?.conversations[2]?.value).toMatch(
      /^<think>\nEasy\.\n<\/think>\n<tool_call>\n\{"name": "write_file", "arguments": \{"path": "note.txt", "content": "hello"\}\}/,
    );
    expect(Math.abs(new Date(line?.timestamp ?? '').getTime() - before)).toBeLessThan(60_000);

    const [failed] = linesOf('failed_trajectories.jsonl');
    expect(failed?.completed).toBe(false);
    expect(failed?.conversations.slice(0, 5)).toEqual(line?.conversations);
    expect(failed?.conversations.length).toBeGreaterThan(5);
    expect(linesOf('trajectory_samples.jsonl')).toHaveLength(1);
    for (const name of ['trajectory_samples.jsonl', 'failed_trajectories.jsonl'])
      expect(await faultsOf(name)).toEqual([]);
  },
);

verifies('TRAJ-1', 'is configured by the settings: file, template and redaction', async () => {
  writeFileSync(join(home.path, 'system.txt'), 'Mine.\n<tools>\n{{tools}}\n</tools>\n');
  const config =
    'agent: { save_trajectories: true }\ntrajectories: { file: all.jsonl, system_template: system.txt, redact: true }';
  const runtime = await open([{ text: 'I keep sk-ant-abcdefghij0123456789 to myself.' }], {}, config);
  await (await runtime.openAgent()).agent.chat('hello');
  await runtime.close();
  const [line] = linesOf('all.jsonl');
  expect(line?.conversations[0]?.value).toMatch(/^Mine\.\n<tools>\n\[\{"name"/);
  expect(line?.conversations[2]?.value).toBe('<think>\n</think>\nI keep «secret removed» to myself.');
  expect(existsSync(join(home.workspace, 'trajectory_samples.jsonl'))).toBe(false);
});

verifies('TRAJ-1', 'writes the original messages after a compression, without the summary', async () => {
  const filler = 'and so on, as was said before; '.repeat(60);
  const script: ModelScript = ({ tools }) => ({ text: tools.length === 0 ? 'SUMMARY' : `Heard. ${filler}` });
  const config = 'compression: { protect_last_n: 2 }\nmodel: { context_length: 8000 }\n';
  const runtime = await open(script, { saveTrajectories: true }, config);
  const { agent } = await runtime.openAgent();
  for (let topic = 1; topic <= 8; topic += 1) await agent.chat(`topic ${topic}`);
  const before = agent.sessionId;
  await agent.compress();
  expect(agent.sessionId).not.toBe(before);
  await agent.chat('topic 9');
  await runtime.close();
  const last = linesOf('trajectory_samples.jsonl').at(-1);
  const said = last?.conversations.filter(({ from }) => from === 'human').map(({ value }) => value);
  expect(said).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((topic) => `topic ${topic}`));
  expect(last?.conversations).toHaveLength(19);
  expect(await faultsOf('trajectory_samples.jsonl')).toEqual([]);
});

describe('saving', () => {
  it('does nothing when disabled or for a turn without an answer', async () => {
    const runtime = await open([{ text: 'hello' }]);
    await (await runtime.openAgent()).agent.chat('hi');
    await runtime.close();
    const failing = await open(() => Promise.reject(new Error('no')), { saveTrajectories: true });
    await (await failing.openAgent()).agent.runConversation({ userMessage: 'hi' });
    await failing.close();
    for (const name of ['trajectory_samples.jsonl', 'failed_trajectories.jsonl']) {
      expect(existsSync(join(home.workspace, name))).toBe(false);
    }
  });

  it('reports a failure once, with the command to export it later; the turns are stored', async () => {
    mkdirSync(join(home.workspace, 'a-folder'));
    const runtime = await open(() => ({ text: 'hello' }), { trajectoryFile: 'a-folder' });
    const { agent } = await runtime.openAgent();
    expect((await agent.runConversation({ userMessage: 'hi' })).completed).toBe(true);
    expect((await agent.runConversation({ userMessage: 'hi' })).completed).toBe(true);
    await runtime.trajectories.settled();
    const news = runtime.trajectories.drainMessages();
    expect(news).toEqual([expect.stringContaining('a-folder: it is a directory.')]);
    expect(news[0]).toContain(`hermes sessions export --format trajectory --session ${agent.sessionId}`);
    expect(runtime.trajectories.drainMessages()).toEqual([]);
    expect(await runtime.store.getMessages(agent.sessionId)).toHaveLength(4);
    await runtime.close();
  });

  it('makes startup fail with an invalid template, before anything is open', async () => {
    writeFileSync(join(home.path, 'system.txt'), '{{tool}}');
    const config = 'trajectories: { system_template: system.txt }';
    const opening = open([], { saveTrajectories: true }, config);
    await expect(opening).rejects.toThrow(/system\.txt contains the unknown placeholder \{\{tool\}\}/);
  });

  it('excludes a turn that started in the meantime', async () => {
    const runtime = await open([{ text: 'hello' }]);
    const { agent } = await runtime.openAgent();
    const { taskId, sessionId } = await agent.runConversation({ userMessage: 'one' });
    const settings = await loadSettings({ home: home.path, env: {} });
    const saving = await createTurnSaving({ settings }, silentLogger);
    const tools = createToolSet({
      tools: [],
      environment: createLocalEnvironment({ workingDirectory: home.workspace }),
    });
    // A store that already contains the next turn when the saved one is read.
    const [turn] = await runtime.store.getTurns(sessionId);
    const later = { id: 99, sessionId, timestamp: (turn?.endedAt ?? 0) + 1, message: { role: 'user', content: 'two' } };
    const getMessages = async (id: string) => [...(await runtime.store.getMessages(id)), later as StoredMessage];
    saving.save(
      { sessionId, taskId, exitReason: 'completed' },
      { store: { ...runtime.store, getMessages }, tools, workingDirectory: home.workspace },
    );
    await saving.settled();
    await runtime.close();
    const [line] = linesOf('trajectory_samples.jsonl');
    expect(line?.conversations.slice(1).map(({ from }) => from)).toEqual(['human', 'gpt']);
  });
});
