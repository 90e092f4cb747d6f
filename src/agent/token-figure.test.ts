import { encode } from 'gpt-tokenizer';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, routeTo, withRoutes } from '../../test/support/agent-fixture.ts';
import { createPlainEngine } from '../../test/support/plain-engine.ts';
import { createTokenMeter } from '../context/index.ts';
import type { ContextEngine, ModelRequest, RouteSource } from '../contracts/index.ts';
import { createScriptedModel, type ModelScript } from '../testing/index.ts';

const TEXTS = [
  'The parser reads one line after another and keeps the place of each, so that an error can name it. ',
  'export const retry = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait * 1000));\n',
  '{"id": 4711, "name": "walrus", "tags": ["sea", "ice"], "weight_kg": 1234.5}\n',
];

/** What a provider with a real tokenizer counts for a request in its own format. */
function countTokens({ system, tools, messages }: ModelRequest): number {
  const texts = messages.flatMap((message) => [
    message.role,
    message.content,
    ...(message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.name + call.arguments) : []),
  ]);
  const definitions = tools.map(({ name, description, parameters }) => name + description + JSON.stringify(parameters));
  return [system, ...definitions, ...texts].reduce((sum, text) => sum + encode(text).length, 4 * messages.length);
}

verifies('CTX-4', 'is within 10 % of the actual usage before a turn, during it and after a restart', async () => {
  const plain = createPlainEngine();
  let figure = 0;
  const engine: ContextEngine = {
    ...plain,
    shouldCompress(window) {
      figure = window.tokens;
      return plain.shouldCompress(window);
    },
    async compress(input) {
      const compression = await plain.compress(input);
      // The size reported after a compression is the size of the next request.
      figure = compression?.tokensAfter ?? figure;
      return compression;
    },
  };
  const pairs: { figure: number; counted: number }[] = [];
  let step = 0;
  const script: ModelScript = (request) => {
    step += 1;
    const counted = countTokens(request);
    pairs.push({ figure, counted });
    const text = (TEXTS[step % TEXTS.length] ?? '').repeat(6);
    const output = encode(text).length + 12;
    const usage = { input: counted - 100, cacheRead: 100, output, reasoning: 0, cacheWrite: 0 };
    return step % 6 === 0 ? { text, usage } : { ...calling('echo', { text: `${step} ${text}` }), usage };
  };
  const route = (contextLength: number): RouteSource => routeTo(createScriptedModel(script), { contextLength });
  await withRoutes(
    [route(8_000)],
    async ({ agent, restart }) => {
      for (const text of ['one', 'two', 'three', 'four']) await agent.chat(text);
      const later = restart(script, { sessionId: agent.sessionId });
      later.agent.useRoutes([route(8_000)]);
      for (const text of ['five', 'six', 'seven']) await later.agent.chat(text);
    },
    { context: engine, meter: createTokenMeter() },
  );
  expect(plain.inputs.length).toBeGreaterThan(1);
  // The first three calls calibrate the meter.
  for (const { figure: guessed, counted } of pairs.slice(3)) {
    expect(Math.abs(guessed / counted - 1), `${guessed} for ${counted}`).toBeLessThan(0.1);
  }
});
