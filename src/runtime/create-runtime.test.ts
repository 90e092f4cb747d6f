import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript, type TemporaryHome } from '../testing/index.ts';
import { createRuntime, loadModels, type RuntimeOptions } from './index.ts';

describe('createRuntime', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());

  function routeOf(script: ModelScript, contextLength?: number): RouteSource {
    const client = createScriptedModel(script);
    const endpoint = { baseUrl: 'scripted://', apiMode: 'chat_completions' as const, contextLength };
    return {
      provider: 'p',
      model: 'm',
      open: () => Promise.resolve({ provider: 'p', model: 'm', ...endpoint, client }),
    };
  }
  async function open(script: ModelScript, changes: Partial<RuntimeOptions> = {}) {
    const settings = await loadSettings({ home: home.path, env: {} });
    const routes = [routeOf(script)];
    const rest = { workingDirectory: home.workspace, source: 'cli', attended: false };
    return createRuntime({ settings, routes, ...rest, ...changes });
  }

  it('uses the effort and speed of the settings until they are changed', async () => {
    await writeFile(join(home.path, 'config.yaml'), 'agent: { reasoning_effort: high, service_tier: fast }');
    const client = createScriptedModel(() => ({ text: 'ok' }));
    const route = { provider: 'p', model: 'm', baseUrl: 'x://', apiMode: 'chat_completions', client } as const;
    const routes = [{ ...route, open: () => Promise.resolve({ ...route, contextLength: undefined }) }];
    const runtime = await open([], { routes });
    const { agent, preferences } = await runtime.openAgent();
    await agent.chat('one');
    preferences.effort = 'low';
    preferences.speed = undefined;
    await agent.chat('two');
    const other = await runtime.openAgent();
    await other.agent.chat('three');
    expect(client.requests.map(({ effort, speed }) => [effort, speed])).toEqual([
      ['high', 'fast'],
      ['low', undefined],
      ['high', 'fast'],
    ]);
    await runtime.close();
  });

  it('runs a turn with real tools and resumes the session later', async () => {
    const call = { name: 'write_file', arguments: { path: 'note.txt', content: 'hello' } };
    const first = await open([{ toolCalls: [call] }, { text: 'written' }]);
    const { agent } = await first.openAgent();
    expect(await agent.chat('write it')).toBe('written');
    await first.close();

    const second = await open([{ text: 'still here' }]);
    const { agent: again, resumed } = await second.openAgent({ session: { continueLatest: true } });
    expect([again.sessionId, resumed?.id]).toEqual([agent.sessionId, agent.sessionId]);
    expect((await again.runConversation({ userMessage: 'and now?' })).messages).toHaveLength(6);
    await second.close();
  });

  it("names the shell that commands run in, not the user's login shell", async () => {
    const settings = await loadSettings({ home: home.path, env: { SHELL: '/usr/bin/fish' } });
    const systems: string[] = [];
    const runtime = await open(({ system }) => ({ text: String(systems.push(system)) }), { settings });
    await (await runtime.openAgent()).agent.chat('which shell?');
    await runtime.close();
    expect(systems[0]).toMatch(/shell: \/bin\/(?:ba)?sh/);
  });

  verifies('STORE-8', 'deletes the spill files of a session with it', async () => {
    await writeFile(join(home.workspace, 'a.txt'), 'match\n'.repeat(900));
    const long = { toolCalls: [{ name: 'search_files', arguments: { pattern: 'match', limit: 900 } }] };
    const runtime = await open([], { routes: [routeOf([long, { text: 'counted' }], 4000)] });
    const { agent } = await runtime.openAgent();
    await runtime.turns.run(agent.sessionId, 'cli', (turn) => agent.runConversation({ userMessage: 'count', ...turn }));
    const folder = join(home.path, 'cache', 'tool-results', agent.sessionId);
    expect(await readdir(folder)).toHaveLength(1);
    await runtime.store.deleteSession(agent.sessionId);
    expect(existsSync(folder)).toBe(false);
    await runtime.close();
  });

  verifies('STORE-5', 'resumes a compressed session in its newest continuation', async () => {
    const runtime = await open([]);
    await runtime.store.createSession({ id: 'first', source: 'cli', startedAt: 1, title: 'Walrus' });
    await runtime.store.splitSession('first', { id: 'second', source: 'cli', startedAt: 2 }, []);
    for (const resume of ['first', 'Walrus', 'second']) {
      const { agent, resumed } = await runtime.openAgent({ session: { resume } });
      expect([agent.sessionId, resumed?.id]).toEqual(['second', 'second']);
    }
    await runtime.close();
  });

  it('names the session that was not found', async () => {
    const runtime = await open([]);
    await expect(runtime.openAgent({ session: { resume: 'nothing' } })).rejects.toThrow(
      /There is no session "nothing"/,
    );
    await expect(runtime.openAgent({ session: { continueLatest: true } })).rejects.toThrow(/no session to continue/);
    await runtime.close();
  });

  verifies('LOOP-9', 'shares no approvals between two agents of a process', async () => {
    const dangerous = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf folder' } }] };
    const runtime = await open((request) => (request.messages.at(-1)?.role === 'tool' ? { text: 'ok' } : dangerous), {
      attended: true,
    });
    const asked = [];
    for (const name of ['first', 'second']) {
      const { agent } = await runtime.openAgent();
      const run = agent.run({ userMessage: name });
      for await (const event of run) {
        if (event.type !== 'request') continue;
        asked.push(name);
        run.respond(event.requestId, { kind: 'approval', answer: 'session' });
      }
    }
    expect(asked).toEqual(['first', 'second']);
    await runtime.close();
  });

  verifies('APPR-3', 'keeps session approvals across a compression, but not for branches or children', async () => {
    const dangerous = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf folder' } }] };
    const runtime = await open((request) => (request.messages.at(-1)?.role === 'tool' ? { text: 'ok' } : dangerous), {
      attended: true,
    });
    const { store } = runtime;
    async function isAsked(resume?: string): Promise<boolean> {
      const { agent } = await runtime.openAgent({ session: { resume } });
      if (resume !== undefined) expect(agent.sessionId).toBe(resume);
      const run = agent.run({ userMessage: 'go' });
      let asked = false;
      for await (const event of run) {
        if (event.type !== 'request') continue;
        asked = true;
        run.respond(event.requestId, { kind: 'approval', answer: 'session' });
      }
      first ??= agent.sessionId;
      return asked;
    }
    let first: string | undefined;
    expect(await isAsked()).toBe(true);
    const root = String(first);
    const later = Date.now() + 1000;
    await store.createSession({ id: 'child', source: 'cli', startedAt: 1, parentSessionId: root });
    await store.branchSession(root, { id: 'branch', source: 'cli', startedAt: later });
    await store.splitSession(root, { id: 'second', source: 'cli', startedAt: later }, []);
    expect(await isAsked('second')).toBe(false);
    await store.splitSession('second', { id: 'third', source: 'cli', startedAt: later + 1000 }, []);
    expect(await isAsked('third')).toBe(false);
    expect(await isAsked('branch')).toBe(true);
    expect(await isAsked('child')).toBe(true);
    await runtime.close();
  });

  it('saves permanent approvals before it closes', async () => {
    const dangerous = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf folder' } }] };
    const runtime = await open([dangerous, { text: 'ok' }], { attended: true });
    const run = (await runtime.openAgent()).agent.run({ userMessage: 'go' });
    for await (const event of run) {
      if (event.type === 'request') run.respond(event.requestId, { kind: 'approval', answer: 'always' });
    }
    await runtime.close();
    expect((await loadSettings({ home: home.path, env: {} })).commandAllowlist).toHaveLength(1);
  });

  verifies('APPR-2', 'asks the approval reviewer before the user in the mode smart', async () => {
    await writeFile(join(home.path, 'config.yaml'), 'approvals: { mode: smart }');
    const calls = ['rm -rf build', 'npm publish --registry http://127.0.0.1:9', 'rm -rf /'];
    const script = calls.map((command) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] }));
    const questions: string[] = [];
    const reviewer = routeOf(({ messages }) => {
      questions.push(String(messages.at(-1)?.content));
      return { text: 'APPROVE' };
    });
    const runtime = await open([...script, { text: 'done' }], { auxiliaryRoutes: () => Promise.resolve([reviewer]) });
    const { agent } = await runtime.openAgent();
    const { messages, taskId } = await agent.runConversation({ userMessage: 'go' });
    const { calls: stored } = await runtime.store.exportSession(agent.sessionId);
    await runtime.close();
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(stored?.filter(({ purpose }) => purpose !== undefined)).toMatchObject([{ purpose: 'approval', taskId }]);
    expect(results.map((text) => /Not allowed|Blocked/.exec(text)?.[0])).toEqual([undefined, 'Not allowed', 'Blocked']);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('rm -rf build');
  });

  verifies('APPR-3', 'has separate approval settings for unattended runs and scheduled jobs', async () => {
    const call = { toolCalls: [{ name: 'terminal', arguments: { command: 'mkdir x && rm -rf x && echo done' } }] };
    const outputs: Record<string, string> = {};
    for (const [name, settings, source] of [
      ['by itself', '', 'cli'],
      ['allowed', 'approvals: { single_query_mode: approve }', 'cli'],
      ['another kind', 'approvals: { single_query_mode: approve, cron_mode: deny }', 'cron'],
      ['a job', 'approvals: { cron_mode: approve }', 'cron'],
    ] as const) {
      await writeFile(join(home.path, 'config.yaml'), settings);
      const runtime = await open([call, { text: 'ok' }], { source });
      const { messages } = await (await runtime.openAgent()).agent.runConversation({ userMessage: 'go' });
      outputs[name] = /Not allowed|done/.exec(String(messages.find(({ role }) => role === 'tool')?.content))?.[0] ?? '';
      await runtime.close();
    }
    expect(outputs).toEqual({
      'by itself': 'Not allowed',
      allowed: 'done',
      'another kind': 'Not allowed',
      'a job': 'done',
    });
  });

  verifies('APPR-5', 'reads files and changes nothing in plan mode, whatever tool is called', async () => {
    await writeFile(join(home.workspace, 'a.txt'), 'here\n');
    const calls: { name: string; arguments: JsonObject }[] = [
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'terminal', arguments: { command: 'cat a.txt' } },
      { name: 'write_file', arguments: { path: 'b.txt', content: 'x' } },
      { name: 'patch', arguments: { mode: 'replace', path: 'a.txt', old_string: 'here', new_string: 'gone' } },
      { name: 'terminal', arguments: { command: 'touch b.txt' } },
    ];
    const runtime = await open([...calls.map((call) => ({ toolCalls: [call] })), { text: 'ok' }], {
      plan: true,
      yolo: true,
    });
    const { messages } = await (await runtime.openAgent()).agent.runConversation({ userMessage: 'go' });
    await runtime.close();
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results.map((text) => text.includes('Plan mode is on'))).toEqual([false, false, true, true, true]);
    expect(await readdir(home.workspace)).toEqual(['a.txt']);
  });

  it('skips approvals with yolo and respects the step limit', async () => {
    const dangerous = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf folder' } }] };
    const runtime = await open((request) => (request.toolChoice === 'none' ? { text: 'sum' } : dangerous), {
      yolo: true,
      maxTurns: 1,
    });
    const { agent } = await runtime.openAgent();
    const result = await agent.runConversation({ userMessage: 'go' });
    expect(result).toMatchObject({ exitReason: 'max_iterations', finalResponse: 'sum', toolCalls: 1 });
    await runtime.close();
  });

  verifies('PROV-1', 'resolves settings and models together, and no models if nothing is configured', async () => {
    expect((await loadModels({ home: home.path, env: {} })).models).toBeUndefined();
    const { models } = await loadModels({ home: home.path, env: { XAI_API_KEY: 'k' }, flags: { model: 'grok-4' } });
    expect(models).toMatchObject({
      source: { origin: 'auto', place: 'XAI_API_KEY in the environment' },
      routes: [{ provider: 'xai', model: 'grok-4' }],
    });
  });
});
