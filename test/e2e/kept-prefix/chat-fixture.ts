import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, OWNER, type RunResult, systemClock } from '../../../src/base/index.ts';
import { loadSettings } from '../../../src/config/index.ts';
import type { RouteSource } from '../../../src/contracts/index.ts';
import { type Conversation, openConversation } from '../../../src/conversations/index.ts';
import { type AgentBlueprint, createRuntime, type Runtime } from '../../../src/runtime/index.ts';
import { usageOf } from '../../../src/surfaces/slash/commands/usage.ts';
import {
  createCacheSimulator,
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type Reply,
  type TemporaryHome,
} from '../../../src/testing/index.ts';
import { PATIENT_MS, routeToServer } from '../../support/provider-fixture.ts';

export type Started = { runtime: Runtime; conversation: Conversation; say(text: string): Promise<RunResult> };

export type ChatWorld = {
  home: TemporaryHome;
  /** Two models of different providers with their caches. */
  first: ProviderServer;
  second: ProviderServer;
  /** The settings besides the model, for processes that are started afterwards. */
  config: Record<string, unknown>;
  /** Starts a process. The first one begins a session, the others continue it. */
  start(changes?: Partial<AgentBlueprint>): Promise<Started>;
  /** Ends the process, as when its terminal is closed. */
  stop(started: Started): Promise<void>;
  pause(minutes: number): void;
  routes: RouteSource[];
};

/** Models that accept effort levels. */
const MODELS = ['gpt-5.4', 'gpt-5.4-mini'];

/** A home with sessions whose requests can be compared, on servers that simulate the prompt cache. */
export async function openWorld(options: { isCached?: boolean } = {}): Promise<ChatWorld> {
  const home = await createTemporaryHome();
  let now = systemClock.now();
  const clock: Clock = { ...systemClock, now: () => now };
  const server = async () => {
    const cache = options.isCached === false ? undefined : createCacheSimulator({ clock });
    return createProviderServer({ script: () => ({ text: 'Yes.' }), ...(cache && { cache }) });
  };
  const [first, second] = [await server(), await server()];
  const running = new Set<Started>();
  // Nothing stalls here, and a repeated request would be counted.
  const facts = { contextLength: 100_000, stallMs: PATIENT_MS };
  const world: ChatWorld = {
    home,
    first,
    second,
    config: {},
    routes: [
      routeToServer(first, 'chat_completions', 'first', undefined, { model: MODELS[0], ...facts }),
      routeToServer(second, 'chat_completions', 'second', undefined, {
        model: MODELS[1],
        ...facts,
      }),
    ],
    pause: (minutes) => void (now += minutes * 60_000),
    async start(changes = {}) {
      await home.write('config.yaml', JSON.stringify({ ...world.config, auxiliary: NO_TITLES }));
      const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'] } });
      const given = { settings, routes: world.routes.slice(0, 1), workingDirectory: home.workspace };
      const runtime = await createRuntime({ ...given, source: 'cli', attended: true, clock });
      const blueprint = { ...runtime.blueprint, actor: OWNER, ...changes };
      const exists = (await runtime.store.listSessions()).length > 0;
      const session = exists ? { continueLatest: true } : {};
      const conversation = await openConversation({ services: runtime, blueprint, session });
      const say = (text: string) => conversation.queue({ text }).result;
      const started = { runtime, conversation, say };
      running.add(started);
      return started;
    },
    async stop(started) {
      running.delete(started);
      await started.conversation.close();
      await started.runtime.close();
    },
  };
  onTestFinished(async () => {
    for (const started of running) await world.stop(started);
    await Promise.all([first.close(), second.close()]);
    await home.remove();
  });
  return world;
}

const NO_TITLES = { title_generation: { enabled: false } };

/** Everything that the cache of a provider compares: the tools, the system prompt and the messages. */
export function promptOf(body: string): string {
  return body.slice(body.indexOf('"tools":')).replace(/\]\}$/, '');
}

/** How much of the request before it the newest request begins with, in the words of the table. */
export function keptPart({ requests }: ProviderServer, { from = -2 } = {}): string {
  const [before = '', after = ''] = [requests.at(from), requests.at(-1)].map((sent) => promptOf(sent?.rawBody ?? ''));
  if (before !== '' && after.startsWith(before)) return 'yes';
  const fixed = before.slice(0, before.indexOf('"role":"user"'));
  return after.startsWith(fixed) ? 'tools and system prompt' : 'no';
}

/** Whether all requests begin with the same prompt up to a text in it. */
export function keptUpTo({ requests }: ProviderServer, text: string): boolean {
  const prompts = requests.map(({ rawBody }) => promptOf(rawBody));
  const newest = prompts.at(-1) ?? '';
  const kept = newest.slice(0, newest.indexOf(text));
  return kept !== '' && prompts.filter((prompt) => prompt.includes(text)).every((prompt) => prompt.startsWith(kept));
}

/** What `/usage` prints about the cache misses of the last turn. */
export async function lastMisses({ runtime, conversation }: Started): Promise<string> {
  const question = { store: runtime.store, lastCall: undefined, contextLength: undefined };
  const text = await usageOf({ ...question, sessionId: conversation.sessionId });
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return (
    /\$[\d.]+ {2}(.*)$|unknown {2}(.*)$/
      .exec(line)
      ?.slice(1)
      .find(Boolean)
      ?.replaceAll(/ \([\d.]+[kM]?\)/g, '') ?? '–'
  );
}

export const call = (name: string, args: object = {}): Reply => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});

/** The newest tool result that a model received. */
export function lastResult({ requests }: ProviderServer): string {
  const { messages = [] } = (requests.at(-1)?.body ?? {}) as { messages?: { role: string; content: string }[] };
  return messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

const SERVER = join(import.meta.dirname, '../../support/mcp-server.ts');
export const mcpServer = { command: process.execPath, args: [SERVER] };
