import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer';
import { systemClock } from '../../src/base/index.ts';
import { type CompressionSettings, DEFAULT_COMPRESSION, loadSettings } from '../../src/config/index.ts';
import type { CacheTtlSetting, RouteSource } from '../../src/contracts/index.ts';
import { createModelClient } from '../../src/llm/index.ts';
import { createRuntime, type OpenedAgent } from '../../src/runtime/index.ts';
import {
  createCacheSimulator,
  createProviderServer,
  forwardMarkers,
  type PricedCall,
  type ProviderServer,
  type ReceivedRequest,
  type Reply,
} from '../../src/testing/index.ts';
import type { Api } from './apis.ts';
import { createReplies, userMessage } from './script.ts';
import { summaryOf } from './summary.ts';
import { fillWorkspace } from './workspace.ts';

export type Plan = {
  api: Api;
  toolTurns: number;
  /** Switches to another model and back, twice. */
  switches?: boolean;
  /** The context window of the model, for sessions that should exceed it. */
  window?: number;
  /** The user is away for a while after every few messages. */
  pauses?: boolean;
  cacheTtl?: CacheTtlSetting;
  /** Settings of `compression` other than the defaults, and how the row is called because of them. */
  compression?: { name: string; settings: Partial<CompressionSettings> };
};

/** A call as it was sent, with a simulated time. */
export type RecordedCall = PricedCall & { at: number };

const TURNS_PER_MESSAGE = 10;
/** The simulated time of a model response with its tools, and of a user who reads and thinks. */
const STEP_MS = 12_000;
const MESSAGE_MS = 60_000;
/** The user is away for twenty minutes after every fifth message. */
export const PAUSE_EVERY = 5;
export const PAUSE_MS = 20 * 60_000;

/** Runs a session through the real agent with a scripted model, and records the requests. */
export async function recordSession(plan: Plan, folder: string): Promise<RecordedCall[]> {
  const [home, workingDirectory] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, workingDirectory]) mkdirSync(path, { recursive: true });
  fillWorkspace(workingDirectory);
  const calls: RecordedCall[] = [];
  const time = { now: 0 };
  await using server = await createRecordingServer(plan, calls, time);
  const startedAt = Date.now();
  const compression = { ...DEFAULT_COMPRESSION, ...plan.compression?.settings };
  const settings = { ...(await loadSettings({ home, env: {} })), maxTurns: TURNS_PER_MESSAGE + 5, compression };
  const routes = [routeTo(server, plan, plan.api.model)];
  const auxiliaryRoutes = () => Promise.resolve(routes);
  const runtime = await createRuntime({
    settings,
    routes,
    auxiliaryRoutes,
    workingDirectory,
    source: 'bench',
    // The simulated time decides when cache entries expire.
    clock: { ...systemClock, now: () => startedAt + time.now },
    attended: false,
  });
  try {
    await converse(await runtime.openAgent(), plan, server, time);
  } finally {
    await runtime.close();
  }
  return calls;
}

async function converse(opened: OpenedAgent, plan: Plan, server: ProviderServer, time: { now: number }): Promise<void> {
  const messages = plan.toolTurns / TURNS_PER_MESSAGE;
  const { model, otherModel } = plan.api;
  for (let index = 0; index < messages; index += 1) {
    if (plan.switches && isSwitch(index, messages)) {
      opened.models.use([routeTo(server, plan, isAway(index, messages) ? otherModel : model)]);
    }
    const result = await opened.agent.runConversation({ userMessage: userMessage(index) });
    if (!result.completed) throw new Error(`a turn ended with ${result.exitReason}: ${result.error?.message}`);
    time.now += MESSAGE_MS;
    if (plan.pauses && index % PAUSE_EVERY === PAUSE_EVERY - 1) time.now += PAUSE_MS;
  }
}

/** Uses the other model for one message after two fifths and after four fifths of the session. */
function isAway(index: number, messages: number): boolean {
  return index === Math.floor(messages * 0.4) || index === Math.floor(messages * 0.8) - 1;
}

function isSwitch(index: number, messages: number): boolean {
  return isAway(index, messages) !== isAway(index - 1, messages);
}

async function createRecordingServer(
  plan: Plan,
  calls: RecordedCall[],
  time: { now: number },
): Promise<ProviderServer> {
  const next = createReplies({ ...plan, turnsPerMessage: TURNS_PER_MESSAGE });
  const count = (text: string) => countTokens(text, { allowedSpecial: 'all' });
  const simulator = createCacheSimulator({ countTokens: count });
  return createProviderServer({
    script(request: ReceivedRequest): Reply {
      time.now += STEP_MS;
      const forwarded = plan.api.gateway ? forwardMarkers(request.body, plan.api.gateway) : request;
      if ('fault' in forwarded) return forwarded;
      const auxiliary = !request.toolNames.includes('read_file');
      const reply = auxiliary ? { text: summaryOf(request.messages.length) } : next(request.toolNames);
      const output = count(JSON.stringify([reply.text, reply.toolCalls]));
      const prompt = simulator.read(request.apiMode, forwarded.body);
      calls.push({ prompt, output, auxiliary, at: time.now });
      // Drops recorded requests: a thousand of them with a long history would fill the memory.
      // What the server still needs is whether usage was requested.
      const body = { stream_options: request.body.stream_options ?? null };
      Object.assign(request, { rawBody: '', body, messages: [], toolResults: [] });
      return { ...reply, usage: { ...simulator.serve(prompt, time.now), output } };
    },
  });
}

function routeTo(server: ProviderServer, { api, window, cacheTtl }: Plan, model: string): RouteSource {
  const { name: provider, apiMode, quirks } = api;
  const baseUrl = server.baseUrl(apiMode);
  const credential = { secret: 'bench-secret', hosts: [new URL(server.url).host] };
  const client = createModelClient({
    apiMode,
    baseUrl,
    model,
    quirks,
    credential,
    cacheTtl,
    stallTimeoutMs: 60_000,
  });
  const route = { provider, model, baseUrl, apiMode, contextLength: window, client };
  return { provider, model, open: () => Promise.resolve(route) };
}
