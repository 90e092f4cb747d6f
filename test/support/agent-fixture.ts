import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Agent, type AgentOptions, createAgent, type Run } from '../../src/agent/index.ts';
import type { AgentEvent, ModelErrorKind, ModelFailure, RunResult } from '../../src/base/index.ts';
import type { CredentialPool, Environment, ModelClient, RouteSource, SessionStore } from '../../src/contracts/index.ts';
import { createLocalEnvironment } from '../../src/environments/index.ts';
import { classifyFailure } from '../../src/llm/failure/classify-failure.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createFakeClock, createScriptedModel, type ModelScript, type ScriptedModel } from '../../src/testing/index.ts';
import { createPlainEngine, createPlainMeter } from './plain-engine.ts';
import { createToolSet, defineTool, type Tool } from '../../src/tools/index.ts';

export type AgentFixture = {
  agent: Agent;
  store: SessionStore;
  folder: string;
  environment: Environment;
  clock: ReturnType<typeof createFakeClock>;
  /** Another agent on the same store and session, as after a restart. */
  restart(script: ModelScript, options?: FixtureOptions): { agent: Agent; model: ScriptedModel };
  remove(): Promise<void>;
};

export type FixtureOptions = Partial<AgentOptions> & { toolList?: Tool[] };

/** Agent options with real parts, except for the model and the clock. */
export function fixtureOptions(
  { store, folder, clock, environment }: Pick<AgentFixture, 'store' | 'folder' | 'clock' | 'environment'>,
  routes: readonly RouteSource[],
  { toolList = [echoTool], ...changes }: FixtureOptions = {},
): AgentOptions {
  return {
    routes,
    tools: createToolSet({ tools: toolList, environment, spillFolder: join(folder, 'spill') }),
    prompt: { build: async (context) => `Prompt for ${context.model}. ${context.systemMessage ?? ''}`.trim() },
    context: createPlainEngine(),
    meter: createPlainMeter(),
    source: 'test',
    attended: false,
    retrySeconds: 300,
    maxIterations: 90,
    maxIdenticalCalls: 90,
    clock,
    random: () => 0,
    ...changes,
    store,
  };
}

export async function createAgentFixture(
  routes: readonly RouteSource[],
  options: FixtureOptions = {},
): Promise<AgentFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-agent-'));
  const store = await openSqliteStore({ file: join(folder, 'state.db') });
  const environment = createLocalEnvironment({ workingDirectory: folder });
  const parts = { folder, store, environment, clock: createFakeClock() };
  const agent = createAgent(fixtureOptions(parts, routes, options));
  return {
    ...parts,
    agent,
    restart(script, changes = {}) {
      const model = createScriptedModel(script);
      const given = { ...options, sessionId: agent.sessionId, ...changes };
      return { model, agent: createAgent(fixtureOptions(parts, [routeTo(model)], given)) };
    },
    async remove() {
      await store.close();
      await environment.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A fixture with one scripted model, removed after the test. */
export async function withAgent(
  script: ModelScript,
  test: (fixture: AgentFixture & { model: ScriptedModel }) => Promise<void>,
  options: FixtureOptions = {},
): Promise<void> {
  const model = createScriptedModel(script);
  await withRoutes([routeTo(model)], (fixture) => test({ ...fixture, model }), options);
}

export async function withRoutes(
  routes: readonly RouteSource[],
  test: (fixture: AgentFixture) => Promise<void>,
  options: FixtureOptions = {},
): Promise<void> {
  const fixture = await createAgentFixture(routes, options);
  try {
    await test(fixture);
  } finally {
    await fixture.remove();
  }
}

export function routeTo(
  client: ModelClient,
  { provider = 'scripted', model = 'model-1', credentials, contextLength }: RouteNames = {},
): RouteSource {
  const route = { baseUrl: 'scripted://', apiMode: 'chat_completions' as const, contextLength };
  return { provider, model, open: async () => ({ ...route, provider, model, client, credentials }) };
}

export type RouteNames = {
  provider?: string;
  model?: string;
  credentials?: CredentialPool;
  contextLength?: number;
};

/** A reply that fails with this kind, classified as usual. */
export function failing(kind: ModelErrorKind, extra: Partial<ModelFailure> = {}) {
  const failure: ModelFailure = { ...classifyFailure({ kind, message: `scripted ${kind}` }), ...extra };
  return { fault: { type: 'failure' as const, failure } };
}

export const calling = (name: string, args: object | string = {}, id?: string) => ({
  toolCalls: [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args), ...(id ? { id } : {}) }],
});

export const echoTool = defineTool({
  name: 'echo',
  toolset: 'test',
  description: 'Returns its text.',
  parameters: z.object({ text: z.optional(z.string()) }),
  concurrency: { mode: 'barrier' },
  run: async ({ text }) => `echo: ${text ?? ''}`,
});

/** Reads all events of a run. */
export async function readEvents(run: Run): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, result: await run.result };
}

export const typesOf = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
