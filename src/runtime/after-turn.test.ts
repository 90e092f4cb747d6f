import { afterEach, beforeEach, expect, it } from 'vitest';
import { OWNER } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { createScriptedModel, createTemporaryHome, type TemporaryHome } from '../testing/index.ts';
import { type AfterTurnWork, createAgent, openServices, type AgentBlueprint } from './index.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

const client = createScriptedModel(() => ({ text: 'done' }));
const route: RouteSource = {
  provider: 'p',
  model: 'm',
  open: async () => ({
    provider: 'p',
    model: 'm',
    baseUrl: 'scripted://',
    apiMode: 'chat_completions',
    contextLength: undefined,
    client,
  }),
};

/** The after-turn work started for an agent with this blueprint, in order. */
async function startedAfter(changes: Partial<AgentBlueprint>, failing?: AfterTurnWork): Promise<string[]> {
  const settings = await loadSettings({ home: home.path, env: {} });
  const services = await openServices({ settings, workingDirectory: home.workspace });
  if (changes.subagent !== undefined) {
    const { parentSessionId: id } = changes.subagent;
    await services.store.createSession({ id, source: 'test', startedAt: Date.now() });
  }
  const started: string[] = [];
  const note = (work: AfterTurnWork) => () => {
    started.push(work);
    if (work === failing) throw new Error('not today');
  };
  const watched = {
    ...services,
    memory: {
      ...services.memory,
      open: async (blueprint: AgentBlueprint) => ({
        ...(await services.memory.open(blueprint)),
        turns: { recall: async () => undefined, learn: note('learn') },
      }),
    },
    trajectories: { ...services.trajectories, save: note('trajectory') },
    titles: { ...services.titles, begin: note('title') },
    reviews: { ...services.reviews, begin: note('review') },
  };
  const opened = await createAgent(watched, {
    settings,
    routes: [route],
    source: 'test',
    surface: 'test',
    actor: OWNER,
    workingDirectory: home.workspace,
    attended: true,
    ...changes,
  });
  expect(await opened.agent.chat('go')).toBe('done');
  await opened.close();
  await services.close();
  return started;
}

it('starts everything for attended agents, less for unattended ones, nothing for subagents', async () => {
  expect(await startedAfter({ attended: true })).toEqual(['learn', 'trajectory', 'title', 'review']);
  expect(await startedAfter({ attended: false })).toEqual(['learn', 'trajectory']);
  expect(await startedAfter({ attended: false, afterTurn: ['title'] })).toEqual(['title']);
  expect(await startedAfter({ subagent: { parentSessionId: 'parent', toolsets: undefined } })).toEqual([]);
});

it('starts the rest if one part fails, and does not affect the turn', async () => {
  expect(await startedAfter({}, 'learn')).toEqual(['learn', 'trajectory', 'title', 'review']);
});
