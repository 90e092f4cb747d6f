import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { PNG } from '../../test/support/sample-files.ts';
import { createProviderServer, createTemporaryHome, type Reply } from '../testing/index.ts';
import { createWebServer } from '../toolbox/web/web-server.fixture.ts';
import { createRuntime, loadModels } from './index.ts';

const MADE = { data: [{ b64_json: PNG.toString('base64') }] };
const DRAW: Reply = { toolCalls: [{ name: 'image_generate', arguments: { prompt: 'a cat' } }] };
/** The cost of the two chat answers with twenty tokens each. */
const CHAT_USD = 0.00004;

/** A chat that generates one image with a service that returns this response. */
async function drawOne(answer: object, moreOverrides = '') {
  const [home, server] = [await createTemporaryHome(), await createProviderServer()];
  const service = await createWebServer((_seen, response) => response.end(JSON.stringify(answer)));
  server.setScript(({ messages }) => {
    const reply: Reply = messages.at(-1)?.role === 'tool' ? { text: 'done' } : DRAW;
    return { ...reply, usage: { input: 10, output: 10 } };
  });
  const model = `model: { provider: custom, default: one, base_url: '${server.url}/v1', api_key: k }\n`;
  const maker = `image_gen: { provider: openai, base_url: '${service.url}', model: drawer }\n`;
  const overrides = `model_overrides: { one: { price: { input: 1, output: 1 } }${moreOverrides} }\n`;
  await home.write('config.yaml', model + maker + overrides);
  const { settings, models } = await loadModels({ home: home.path, env: {} });
  const common = { workingDirectory: home.workspace, source: 'cli', attended: false };
  const runtime = await createRuntime({ settings, routes: models?.routes ?? [], ...common });
  onTestFinished(async () => {
    await runtime.close();
    await Promise.all([server.close(), service[Symbol.asyncDispose](), home.remove()]);
  });
  const { agent } = await runtime.openAgent();
  const result = await agent.runConversation({ userMessage: 'draw' });
  const { calls } = await runtime.store.exportSession(result.sessionId);
  return { result, drawn: calls.filter(({ purpose }) => purpose !== undefined), store: runtime.store };
}

describe('the cost of paid services', () => {
  verifies('CALL-11', 'counts for the turn and the session', async () => {
    const { result, drawn, store } = await drawOne({ ...MADE, usage: { input_tokens: 100, output_tokens: 1000 } });
    expect(result.completed).toBe(true);
    expect(drawn).toMatchObject([
      { purpose: 'image_generate', provider: 'openai', model: 'drawer', usage: { input: 100, output: 1000 } },
    ]);
    // There is no known token price.
    expect(result.cost).toMatchObject({ status: 'unknown', usd: expect.closeTo(CHAT_USD, 10) });
    expect(result.auxiliary).toMatchObject({ calls: 1, usage: { output: 1000 }, cost: { status: 'unknown' } });
    expect(await store.sessionSpending(result.sessionId)).toMatchObject({ tokens: 1140, unpriced: 1 });
  });

  verifies('CALL-11', 'uses the configured price of the model', async () => {
    const usage = { input_tokens: 1000, output_tokens: 100_000 };
    const { result, store } = await drawOne({ ...MADE, usage }, ', drawer: { price: { input: 5, output: 40 } }');
    expect(result.cost).toMatchObject({ status: 'estimated', usd: expect.closeTo(4.005 + CHAT_USD, 10) });
    expect(result.auxiliary?.cost.usd).toBeCloseTo(4.005, 10);
    const spent = await store.sessionSpending(result.sessionId);
    expect([spent.usd, spent.unpriced]).toEqual([expect.closeTo(4.005 + CHAT_USD, 10), 0]);
  });

  verifies('CALL-11', 'makes the total unknown if neither cost nor tokens are reported', async () => {
    const { result, store } = await drawOne(MADE);
    expect(result.cost).toMatchObject({ status: 'unknown', usd: expect.closeTo(CHAT_USD, 10) });
    expect(result.auxiliary).toMatchObject({ calls: 1 });
    expect(await store.sessionSpending(result.sessionId)).toMatchObject({ tokens: 40, unpriced: 1 });
  });
});
