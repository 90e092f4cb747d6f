import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { OWNER } from '../base/index.ts';
import { loadSettings, type Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript, type TemporaryHome } from '../testing/index.ts';
import { type AgentBlueprint, createAgent, openServices, type Services } from './index.ts';

function scripted(script: ModelScript) {
  const client = createScriptedModel(script);
  const about = { provider: 'p', model: 'm', baseUrl: 'scripted://', apiMode: 'chat_completions' } as const;
  const source: RouteSource = { ...about, open: async () => ({ ...about, contextLength: undefined, client }) };
  return { client, source };
}

describe('createAgent', () => {
  let home: TemporaryHome;
  let settings: Settings;
  let services: Services;
  beforeEach(async () => {
    home = await createTemporaryHome();
    settings = await loadSettings({ home: home.path, env: {} });
  });
  afterEach(async () => {
    await services.close();
    await home.remove();
  });

  function blueprint(script: ModelScript, changes: Partial<AgentBlueprint> = {}): AgentBlueprint {
    const routes = [scripted(script).source];
    const options = { source: 'cli', surface: 'cli', actor: OWNER, workingDirectory: home.workspace };
    return { settings, routes, ...options, attended: false, ...changes };
  }

  it('gives each agent of a process its own source, directory, tools and checkpoints', async () => {
    services = await openServices({ settings, workingDirectory: home.workspace });
    const folderOf = (name: string) => join(home.workspace, name);
    for (const name of ['a', 'b']) {
      await mkdir(folderOf(name));
      await writeFile(join(folderOf(name), 'AGENTS.md'), `The rules of ${name}.`);
    }
    const write = { name: 'write_file', arguments: { path: 'note.txt', content: 'new' } };
    const agents = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const model = scripted([{ toolCalls: [write] }, { text: 'done' }]);
        const opened = await createAgent(services, {
          ...blueprint([]),
          routes: [model.source],
          source: `source-${name}`,
          workingDirectory: folderOf(name),
          checkpoints: name === 'a',
          toolsets: name === 'a' ? ['file'] : ['file', 'todo'],
        });
        return { ...opened, model, name };
      }),
    );
    for (const { agent, model, name, checkpoints, toolNames } of agents) {
      await agent.chat('write it');
      expect(await readFile(join(folderOf(name), 'note.txt'), 'utf8')).toBe('new');
      expect(model.client.requests[0]?.system).toContain(`The rules of ${name}.`);
      expect((await services.store.getSession(agent.sessionId))?.source).toBe(`source-${name}`);
      expect((await toolNames()).includes('todo')).toBe(name === 'b');
      expect(await (await checkpoints.open()).list()).toHaveLength(name === 'a' ? 1 : 0);
    }
    const latest = await createAgent(services, {
      ...blueprint([]),
      source: 'source-a',
      session: { continueLatest: true },
    });
    expect(latest.resumed?.id).toBe(agents[0]?.agent.sessionId);
  });

  verifies('STORE-7', 'names the surface of the agent in the session lease', async () => {
    services = await openServices({ settings, workingDirectory: home.workspace });
    const { agent, blueprint: own } = await createAgent(services, blueprint([], { surface: 'telegram' }));
    const { sessionId } = agent;
    const holder = await services.turns.run(sessionId, own.surface, () => services.store.findLeaseHolder(sessionId));
    expect(holder?.surface).toBe('telegram');
  });

  it('keeps session approvals as long as an agent has the session open', async () => {
    services = await openServices({ settings, workingDirectory: home.workspace });
    const first = await createAgent(services, blueprint([{ text: 'one' }]));
    await first.agent.chat('hello');
    const { sessionId } = first.agent;
    services.approvals.rulesOf(sessionId).add('rule');
    const second = await createAgent(services, blueprint([{ text: 'two' }], { session: { resume: sessionId } }));
    await second.agent.chat('again');
    await first.close();
    expect([...services.approvals.rulesOf(sessionId)]).toEqual(['rule']);
    await second.close();
    expect([...services.approvals.rulesOf(sessionId)]).toEqual([]);
  });

  it('still sets the title of a session after the agent is closed', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const titles = scripted(async () => {
      asked.resolve();
      await answer.promise;
      return { text: 'About walruses' };
    });
    const auxiliaryRoutes = async () => [titles.source];
    services = await openServices({ settings, workingDirectory: home.workspace, auxiliaryRoutes });
    const opened = await createAgent(services, blueprint([{ text: 'A walrus is large.' }], { attended: true }));
    const result = await opened.agent.runConversation({ userMessage: 'What is a walrus?' });
    services.titles.begin(result, opened.blueprint);
    await asked.promise;
    await opened.close();
    answer.resolve();
    const title = async () => (await services.store.getSession(result.sessionId))?.title;
    while ((await title()) === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(await title()).toBe('About walruses');
  });
});
