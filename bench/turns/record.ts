import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer';
import { loadSettings } from '../../src/config/index.ts';
import { createModelClient } from '../../src/llm/index.ts';
import { createRuntime } from '../../src/runtime/index.ts';
import { createCacheSimulator, createProviderServer, type Reply } from '../../src/testing/index.ts';
import { APIS, type Api } from '../economy/apis.ts';
import type { RecordedCall } from '../economy/record.ts';
import { createTasks, type Task, type Variant } from './script.ts';
import { fillWorkspace } from './workspace.ts';

const STEP_MS = 12_000;
const count = (text: string) => countTokens(text, { allowedSpecial: 'all' });

/** Runs the tasks of a variant through the real agent and its tools, and records the requests. */
export async function recordVariant(variant: Variant): Promise<RecordedCall[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-turns-'));
  try {
    return await recordTasks(createTasks(variant), APIS['anthropic'] as Api, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recordTasks(tasks: readonly Task[], api: Api, folder: string): Promise<RecordedCall[]> {
  const [home, workingDirectory] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, workingDirectory]) mkdirSync(path, { recursive: true });
  fillWorkspace(workingDirectory);
  const calls: RecordedCall[] = [];
  const replies = tasks.flatMap((task) => task.replies);
  await using server = await createServer(replies, calls);
  const { name: provider, apiMode, model, quirks } = api;
  const baseUrl = server.baseUrl(apiMode);
  const credential = { secret: 'bench-secret', hosts: [new URL(server.url).host] };
  const client = createModelClient({ apiMode, baseUrl, model, quirks, credential, stallTimeoutMs: 60_000 });
  const route = { provider, model, baseUrl, apiMode, contextLength: undefined, client };
  const settings = { ...(await loadSettings({ home, env: {} })), maxTurns: 30 };
  const routes = [{ provider, model, open: () => Promise.resolve(route) }];
  const auxiliaryRoutes = () => Promise.resolve([]);
  const source = 'bench';
  const runtime = await createRuntime({ settings, routes, auxiliaryRoutes, workingDirectory, source, attended: false });
  try {
    const { agent } = await runtime.openAgent();
    for (const { userMessage } of tasks) {
      const result = await agent.runConversation({ userMessage });
      const failed = result.messages.filter((each) => each.role === 'tool' && each.content.startsWith('{"error"'));
      if (!result.completed || failed.length > 0) throw new Error(failed[0]?.content ?? `ended: ${result.exitReason}`);
    }
  } finally {
    await runtime.close();
  }
  return calls;
}

function createServer(replies: readonly Reply[], calls: RecordedCall[]) {
  const simulator = createCacheSimulator({ countTokens: count });
  let at = 0;
  return createProviderServer({
    script(request) {
      at += STEP_MS;
      const reply = replies[calls.length] ?? { text: 'Done.' };
      const output = count(JSON.stringify([reply.text, reply.toolCalls]));
      const prompt = simulator.read(request.apiMode, request.body);
      calls.push({ prompt, output, auxiliary: false, at });
      return { ...reply, usage: { ...simulator.serve(prompt, at), output } };
    },
  });
}
