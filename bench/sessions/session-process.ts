import { loadSettings } from '../../src/config/index.ts';
import type { ModelRequest, RouteSource } from '../../src/contracts/index.ts';
import { type AgentBlueprint, createAgent, openServices, type Services } from '../../src/runtime/index.ts';
import { createScriptedModel } from '../../src/testing/index.ts';

/** Runs many sessions one after the other, each with one turn: `HOME COUNT …`. Prints the heap at each count. */
const [home = '', ...marks] = process.argv.slice(2);

async function main(): Promise<void> {
  const settings = await loadSettings({ home, env: {} });
  const model = scriptedRoute();
  const auxiliaryRoutes = async () => [model.source];
  const services = await openServices({ settings, workingDirectory: home, auxiliaryRoutes });
  for (let session = 1; session <= Number(marks.at(-1)); session += 1) {
    // The sessions share only the settings.
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
    if (marks.includes(String(session))) console.log(await collectedHeap());
  }
  await services.close();
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

/** Several garbage collections with pauses: memory released by finalizers is collected by the next one. */
async function collectedHeap(): Promise<number> {
  for (let round = 0; round < 6; round += 1) {
    gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

await main();
