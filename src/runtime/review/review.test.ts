import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message, RunResult } from '../../base/index.ts';
import { loadSettings } from '../../config/index.ts';
import { type Environment, silentLogger } from '../../contracts/index.ts';
import { createProviderServer, createTemporaryHome, type ProviderServer } from '../../testing/index.ts';
import { createToolSet } from '../../tools/index.ts';
import { type AgentBlueprint, createRuntime, loadModels } from '../index.ts';
import { createReviewCounter, openReviews } from './open-review.ts';
import { describeWork, reviewTurn } from './review.ts';

const SKILL = '---\nname: list-folders\ndescription: Lists folders.\n---\nRun `ls -p`.\n';
const locate = (server: ProviderServer) => `base_url: ${server.url}/v1, api_key: key`;

/** A chat with one provider for its turns and another for background work. */
async function open(more: string) {
  const home = await createTemporaryHome();
  const [chat, reviewer] = [await createProviderServer(), await createProviderServer()];
  onTestFinished(async () => {
    await Promise.all([chat.close(), reviewer.close()]);
    await home.remove();
  });
  const config = [
    `model: { provider: custom, default: big, ${locate(chat)} }`,
    `auxiliary: { title_generation: { enabled: false }, review: { provider: custom, model: small, ${locate(reviewer)} } }`,
    more,
  ];
  await writeFile(join(home.path, 'config.yaml'), config.join('\n'));
  const { settings, models } = await loadModels({ home: home.path, env: {} });
  const { routes = [], auxiliaryRoutes } = models ?? {};
  const rest = { workingDirectory: home.workspace, source: 'cli', attended: true };
  const runtime = await createRuntime({ settings, routes, auxiliaryRoutes, ...rest });
  const { agent } = await runtime.openAgent();
  // Each turn is one step with a tool, and an answer.
  let answers = 0;
  chat.setScript(() => (answers++ % 2 === 0 ? { toolCalls: [{ name: 'todo', arguments: {} }] } : { text: 'done' }));
  const takeTurn = async () => {
    const result = await agent.runConversation({
      userMessage: 'List the folders, my key is sk-proj-Abcdefghij1234567890',
    });
    return result;
  };
  return { home, reviewer, runtime, takeTurn };
}

const step = (...names: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: names.map((name, index) => ({ id: `${index}`, name, arguments: '{}' })),
});
const turn = (...messages: Message[]) =>
  ({
    sessionId: 's',
    completed: true,
    messages: [{ role: 'user', content: 'x' }, ...messages],
  }) as unknown as RunResult;

const NO_TOOLS = createToolSet({ tools: [], environment: {} as Environment });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a review', () => {
  verifies('SURF-10', 'lets an auxiliary model save a skill after enough work, and tells the user', async () => {
    const { home, reviewer, runtime, takeTurn } = await open(
      'skills: { creation_nudge_interval: 1 }\nmemory: { nudge_interval: 0 }',
    );
    const create = { action: 'create', name: 'list-folders', content: SKILL };
    reviewer.setScript([{ toolCalls: [{ name: 'skill_manage', arguments: create }] }, { text: 'NOTHING' }]);
    const news: string[] = [];
    await takeTurn();
    await until(() => news.push(...runtime.reviews.drainMessages()) > 0);
    expect(news).toEqual(['Saved for later sessions: a new skill list-folders.']);
    expect(runtime.reviews.drainMessages()).toEqual([]);
    expect(await readFile(join(home.path, 'skills/list-folders/SKILL.md'), 'utf8')).toBe(SKILL);
    const [first, second] = reviewer.requests;
    expect(first?.toolNames?.toSorted()).toEqual(['skill_manage', 'skill_view', 'skills_list']);
    expect(first?.lastUserText).toContain('List the folders');
    expect(first?.lastUserText).not.toContain('Abcdefghij');
    expect(second?.toolResults).toHaveLength(1);
    await runtime.close();
  });

  it('may save a memory entry after enough messages, with only that tool', async () => {
    const { home, reviewer, runtime, takeTurn } = await open(
      'skills: { creation_nudge_interval: 0 }\nmemory: { nudge_interval: 2 }',
    );
    const add = { target: 'user', action: 'add', content: 'Likes folders.' };
    reviewer.setScript([{ toolCalls: [{ name: 'memory', arguments: add }] }, { text: 'NOTHING' }]);
    await takeTurn();
    expect(reviewer.requests).toHaveLength(0);
    await takeTurn();
    const news: string[] = [];
    await until(() => news.push(...runtime.reviews.drainMessages()) > 0);
    expect(news).toEqual(['Saved for later sessions: a memory entry.']);
    expect(reviewer.requests[0]?.toolNames).toEqual(['memory']);
    expect(await readFile(join(home.path, 'memories/USER.md'), 'utf8')).toContain('Likes folders.');
    await runtime.close();
  });

  it.each<[string, string, Partial<AgentBlueprint>, number]>([
    ['happens where it is due', 'skills: { creation_nudge_interval: 1 }', {}, 1],
    [
      'does not where it is switched off',
      'skills: { creation_nudge_interval: 0 }\nmemory: { nudge_interval: 0 }',
      {},
      0,
    ],
    ['does not in plan mode', 'skills: { creation_nudge_interval: 1 }', { plan: true }, 0],
    [
      'does not where its task is off',
      'auxiliary: { review: { enabled: false } }\nskills: { creation_nudge_interval: 1 }',
      {},
      0,
    ],
  ])('%s', async (_, config, changes, expected) => {
    await using home = await createTemporaryHome({ 'config.yaml': config });
    const settings = await loadSettings({ home: home.path, env: {} });
    let opened = 0;
    const openTools = async () => {
      opened += 1;
      return { tools: NO_TOOLS, close: async () => undefined };
    };
    const ask = () => Promise.reject(new Error('no model may be asked'));
    const reviews = openReviews({ ask }, { logger: silentLogger, openTools });
    reviews.begin(turn(step('terminal')), { settings, attended: true, ...changes } as AgentBlueprint);
    // A running review opens its tools before it checks whether it was aborted.
    await reviews.stop();
    expect(opened).toBe(expected);
  });

  it('calls no model if the agent has no tool to save with', async () => {
    const ask = () => Promise.reject(new Error('no model may be asked'));
    const parts = { auxiliary: { ask }, tools: NO_TOOLS, signal: new AbortController().signal };
    expect(await reviewTurn(parts, { skills: true, memory: true }, turn(), [])).toEqual([]);
  });

  it('stops at shutdown, and limits its calls', async () => {
    const { home, reviewer, runtime, takeTurn } = await open(
      'skills: { creation_nudge_interval: 1 }\nmemory: { nudge_interval: 0 }',
    );
    reviewer.setScript(() => ({ toolCalls: [{ name: 'skills_list', arguments: {} }] }));
    await takeTurn();
    await until(() => reviewer.requests.length === 5);
    await takeTurn();
    reviewer.setScript(() => ({ text: 'never', fault: { type: 'stall', afterEvents: 1 } }));
    await runtime.close();
    expect(existsSync(join(home.path, 'skills/list-folders'))).toBe(false);
    expect(reviewer.requests.length).toBeLessThanOrEqual(10);
  });
});

describe('the review counter', () => {
  it('counts steps and messages, and restarts when the agent saved something itself', () => {
    const counter = createReviewCounter();
    const count = (result: RunResult) => counter.count(result, { steps: 3, messages: 4 });
    expect(count(turn(step('terminal'), step('terminal')))).toBeUndefined();
    expect(count(turn(step('terminal')))).toEqual({ skills: true, memory: false });
    expect(count(turn(step('terminal'), step('terminal'), step('skill_manage')))).toBeUndefined();
    expect(count(turn(step('terminal')))).toEqual({ skills: false, memory: true });
    expect(count(turn(step('memory'), step('terminal'), step('terminal')))).toEqual({ skills: true, memory: false });
  });
});

describe('the input of a review', () => {
  it('is limited in size and is data', () => {
    const messages: Message[] = Array.from({ length: 500 }, (_, index) => ({
      ...({ role: 'tool', toolCallId: `${index}`, toolName: 't', content: `"}]${'x'.repeat(5_000)}` } as const),
    }));
    const text = describeWork([{ role: 'user', content: 'first' }, ...messages]);
    expect(text.length).toBeLessThan(26_000);
    expect(Array.isArray(JSON.parse(text))).toBe(true);
  });
});
