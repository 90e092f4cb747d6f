import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type RunResult, totalTokens } from '../../base/index.ts';
import type { CallRecord } from '../../contracts/index.ts';
import { createProviderServer, createTemporaryHome, type ReceivedRequest, type Reply } from '../../testing/index.ts';
import { createRuntime, loadModels } from '../index.ts';

const FILLER = 'and so on, as was said before; '.repeat(60);
const SUMMARY = ['Active task', 'Goal', 'Done', 'Next steps'].map((heading) => `## ${heading}\n- talk`).join('\n');
const CALL: Reply = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] };

/** The chat calls a tool for `clean` and answers with text otherwise; all other requests are auxiliary. */
function answer({ toolNames, system, lastUserText, messages }: ReceivedRequest): Reply {
  if (toolNames.length > 0) {
    if (messages.at(-1)?.role === 'user' && lastUserText === 'clean') return CALL;
    return { text: `About ${lastUserText.slice(0, 20)}: ${FILLER}` };
  }
  if (system.startsWith('You check shell commands')) return { text: 'APPROVE' };
  return { text: system.includes('long-term notes') ? '{"operations": []}' : SUMMARY };
}

async function open(more = '') {
  const [home, server] = [await createTemporaryHome(), await createProviderServer()];
  server.setScript(answer);
  const endpoint = `base_url: ${server.url}/v1, api_key: test-key`;
  const config = `model: { provider: custom, default: one, context_length: 13000, ${endpoint} }\n${more}`;
  await writeFile(join(home.path, 'config.yaml'), config);
  const { settings, models } = await loadModels({ home: home.path, env: {} });
  const { routes = [], auxiliaryRoutes } = models ?? {};
  const rest = { workingDirectory: home.workspace, source: 'cli', attended: true };
  const runtime = await createRuntime({ settings, routes, auxiliaryRoutes, ...rest });
  onTestFinished(async () => {
    await runtime.close();
    await server.close();
    await home.remove();
  });
  const { agent } = await runtime.openAgent();
  /** The stored calls of a turn in all sessions of the lineage. */
  const callsOf = async ({ sessionId, taskId }: RunResult) => {
    const lineage = [sessionId, ...(await runtime.store.getAncestors(sessionId)).map(({ id }) => id)];
    const records = await Promise.all(lineage.map((id) => runtime.store.exportSession(id)));
    return records.flatMap(({ calls }) => calls).filter((call) => call.taskId === taskId);
  };
  return { agent, callsOf };
}

function expectSame(result: RunResult, stored: readonly CallRecord[]): void {
  const sum = (calls: readonly CallRecord[]) => calls.reduce((tokens, { usage }) => tokens + totalTokens(usage), 0);
  const auxiliary = stored.filter(({ purpose }) => purpose !== undefined);
  expect(totalTokens(result.usage)).toBe(sum(stored));
  expect([result.auxiliary?.calls, result.apiCalls]).toEqual([auxiliary.length, stored.length - auxiliary.length]);
  expect(totalTokens(result.auxiliary?.usage ?? result.usage)).toBe(sum(auxiliary));
}

describe('the usage of a turn matches the stored calls', () => {
  verifies('CALL-11', 'with a summary and a memory flush before it', async () => {
    const { agent, callsOf } = await open();
    let result: RunResult | undefined;
    for (let turn = 1; turn <= 20 && result?.auxiliary === undefined; turn += 1) {
      result = await agent.runConversation({ userMessage: `topic ${turn}` });
    }
    if (result === undefined) return expect.unreachable('no turn was run');
    const stored = await callsOf(result);
    expect(stored.map(({ purpose }) => purpose).sort()).toEqual(['compression', 'memory_flush', undefined]);
    expectSame(result, stored);
  });

  verifies('CALL-11', 'with the review of a command', async () => {
    const { agent, callsOf } = await open('approvals: { mode: smart }\n');
    const result = await agent.runConversation({ userMessage: 'clean' });
    const stored = await callsOf(result);
    expect(stored.filter(({ purpose }) => purpose === 'approval')).toHaveLength(1);
    expectSame(result, stored);
  });
});
