import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadSettings } from '../src/config/index.ts';
import type { ModelRequest, RouteSource } from '../src/contracts/index.ts';
import { type AgentBlueprint, createAgent, openServices, type Services } from '../src/runtime/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

/** What the heap keeps of sessions that are over: each has one turn and is closed, all of them in this process. */
async function main(): Promise<void> {
  // Code that is not used for a while is otherwise dropped from the heap, which hides what grows.
  setFlagsFromString('--no-flush-bytecode');
  const { values } = parseArgs({
    options: { sessions: { type: 'string', default: '5000' }, json: { type: 'boolean', default: false } },
  });
  const count = Number(values.sessions);
  const marks = [0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.round(count * part));
  const home = mkdtempSync(join(tmpdir(), 'hermes-sessions-'));
  try {
    const heap = await measureHeap(home, marks);
    const [, second = 0, , , last = 0] = heap;
    const perSession = (last - second) / (count - (marks[1] ?? 0));
    if (values.json) return console.log(JSON.stringify({ sessions: count, heap, perSession }));
    const rows = marks.map((mark, index) => `| ${mark} | ${((heap[index] ?? 0) / 1e6).toFixed(3)} |`);
    console.log(['| sessions | heap after a collection, MB |', '|---:|---:|', ...rows, ''].join('\n'));
    console.log(`Per session, from ${marks[1]} to ${count}: ${perSession.toFixed(0)} bytes`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The size of the heap after so many sessions. */
async function measureHeap(home: string, marks: readonly number[]): Promise<number[]> {
  const settings = await loadSettings({ home, env: {} });
  const model = scriptedRoute();
  const auxiliaryRoutes = async () => [model.source];
  const services = await openServices({ settings, workingDirectory: home, auxiliaryRoutes });
  const heap: number[] = [];
  for (let session = 1; session <= (marks.at(-1) ?? 0); session += 1) {
    // Nothing but the settings is the same for all of them.
    await runSession(services, {
      settings,
      routes: [model.source],
      source: `surface-${session % 3}`,
      surface: `surface-${session % 3}`,
      actor: { id: `person:${session}`, role: 'user' },
      workingDirectory: home,
      attended: true,
    });
    model.forgetRequests();
    if (marks.includes(session)) heap.push(await collectedHeap());
  }
  await services.close();
  return heap;
}

async function runSession(services: Services, blueprint: AgentBlueprint): Promise<void> {
  const opened = await createAgent(services, blueprint);
  const { agent } = opened;
  const result = await services.turns.run(agent.sessionId, blueprint.surface, (turn) =>
    agent.runConversation({ ...turn, userMessage: 'How are you?' }),
  );
  if (result.exitReason !== 'completed') throw new Error(`a turn ended with ${result.exitReason}`);
  services.titles.begin(result, blueprint);
  services.reviews.begin(result, blueprint);
  await services.store.endSession(agent.sessionId, 'bench');
  await opened.close();
}

function scriptedRoute(): { source: RouteSource; forgetRequests(): void } {
  const client = createScriptedModel(() => ({ text: 'Fine' }));
  const about = {
    provider: 'scripted',
    model: 'scripted',
    baseUrl: 'scripted://',
    apiMode: 'chat_completions',
  } as const;
  const route = { ...about, contextLength: 100_000, client };
  const forgetRequests = () => void (client.requests as ModelRequest[]).splice(0);
  return { source: { ...about, open: async () => route }, forgetRequests };
}

/** Several collections with pauses between them: what finalizers release is collected by the next one. */
async function collectedHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 6; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

await main();
