import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { API_MODES, type ApiMode, type ModelFacts } from '../../src/contracts/index.ts';
import { collectFacts } from '../../src/providers/catalogue/index.ts';
import { createProviderServer, findHistoryFaults, type ProviderServer, type Reply } from '../../src/testing/index.ts';
import { calling, type FixtureOptions, readEvents, withRoutes } from '../support/agent-fixture.ts';
import { configFor, useCliFixture } from '../support/cli-fixture.ts';
import { routeToServer, type ServedModel } from '../support/provider-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { verifies } from '../spec/verifies.ts';

const OPTIONAL_MODES = API_MODES.filter((mode) => mode !== 'anthropic_messages');
const DONE: Reply = { text: 'done' };
const refuse = (status: number, message: string): Reply => ({ fault: { type: 'status', status, message } });
const cutCall = (args: string | object = '{"text": "hal', output = 500): Reply => ({
  ...calling('echo', args, 'call_cut'),
  finishReason: 'length',
  usage: { output },
});
/** Ollama sends arguments as objects, so they cannot be cut in the middle. */
const cutIn = (mode: ApiMode, output?: number) => cutCall(mode === 'ollama_chat' ? { text: 'x' } : undefined, output);

/** The output limit in a request, under the name that it has in its API mode. */
function limitOf(body: ProviderServer['requests'][number]['body']): unknown {
  const { max_tokens: chat, max_output_tokens: responses, options } = body as Record<string, unknown>;
  return chat ?? responses ?? (options as { num_predict?: number } | undefined)?.num_predict;
}

type Asked = ServedModel & { mode?: ApiMode; facts?: ModelFacts; message?: string; options?: FixtureOptions };

/** Runs one turn and returns its result and the output limits of its requests. */
async function runTurn(script: Reply[], asked: Asked = {}) {
  const { mode = 'anthropic_messages', facts, message = 'go', options, ...served } = asked;
  await using server = await createProviderServer({ script });
  let outcome: Awaited<ReturnType<typeof readEvents>> | undefined;
  await withRoutes(
    [routeToServer(server, mode, 'server', facts, served)],
    async ({ agent, store }) => {
      outcome = await readEvents(agent.run({ userMessage: message }));
      expect(await store.getConversation(agent.sessionId)).toEqual(outcome.result.messages);
    },
    options,
  );
  for (const { body } of server.requests) expect(findHistoryFaults(mode, body)).toEqual([]);
  const { result } = outcome as NonNullable<typeof outcome>;
  return { result, limits: server.requests.map(({ body }) => limitOf(body)), requests: server.requests };
}

describe('the output limit of a request', () => {
  verifies('CALL-7', 'is the limit of the model where the API requires one, and 32,000 if it is unknown', async () => {
    for (const [model, limit] of Object.entries({
      'claude-opus-5': 128_000,
      'claude-sonnet-4-5': 64_000,
      'claude-3-haiku-20240307': 4_096,
      'claude-unheard-of': 32_000,
    })) {
      const facts = collectFacts(model, { configured: {}, service: 'anthropic', local: false, home: '/nonexistent' });
      expect((await runTurn([DONE], { model, facts })).limits, model).toEqual([limit]);
    }
  });

  for (const mode of OPTIONAL_MODES) {
    verifies('CALL-7', `${mode}: is left to the provider`, async () => {
      expect((await runTurn([DONE], { mode, facts: { outputLimit: 64_000 } })).limits).toEqual([undefined]);
    });
  }

  verifies('CALL-7', 'is at most what the window leaves after the prompt', async () => {
    const message = 'word '.repeat(12_000);
    const { limits, requests } = await runTurn([DONE], { message, contextLength: 40_000 });
    const [limit] = limits as [number];
    const prompt = (requests[0]?.rawBody.length ?? 0) / 4;
    expect(limit).toBeGreaterThan(20_000);
    expect(prompt + limit).toBeLessThan(40_000);
    // A window that is already full is handled by compression, not by a limit of zero.
    expect((await runTurn([DONE], { message, contextLength: 15_500 })).limits).toEqual([1_024]);
  });

  verifies('CALL-7', 'includes the reasoning budget', async () => {
    const asked = { model: 'claude-3-7-sonnet', options: { preferences: { effort: 'high' as const } } };
    const { requests } = await runTurn([DONE], { ...asked, facts: { outputLimit: 16_000 } });
    expect(requests[0]?.body).toMatchObject({ max_tokens: 16_000, thinking: { budget_tokens: 8_000 } });
  });
});

describe('a rejected output limit', () => {
  for (const [status, message, lowered] of [
    [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens', 50_000],
    [400, 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8_192],
    [400, 'max_tokens: invalid value', 50_000],
    [402, 'This request requires more credits, or fewer max_tokens.', 50_000],
    [402, 'You requested up to 100000 tokens, but can only afford 20370. Add more credits.', 20_370],
  ] as const) {
    verifies('CALL-7', `is halved and remembered: ${status} ${message}`, async () => {
      const script = [refuse(status, message), calling('echo', { text: 'x' }), DONE];
      const { result, limits } = await runTurn(script, { facts: { outputLimit: 100_000 } });
      expect(result).toMatchObject({ completed: true, toolCalls: 1 });
      expect(limits).toEqual([100_000, lowered, lowered]);
    });
  }

  verifies('CALL-7', 'is halved only once', async () => {
    const refusals = [refuse(402, 'Not enough credits.'), refuse(402, 'Not enough credits.')];
    const poor = await runTurn(refusals, { facts: { outputLimit: 64_000 } });
    expect(poor.result).toMatchObject({ failed: true, error: { kind: 'billing' } });
    expect(poor.limits).toEqual([64_000, 32_000]);
    const message = 'max_tokens is too large.';
    const small = await runTurn([refuse(400, message), refuse(400, message), DONE], { facts: { outputLimit: 64_000 } });
    expect(small.result.completed).toBe(true);
    expect(small.limits).toEqual([64_000, 32_000, 8_192]);
  });

  verifies('CALL-7', 'is lowered to what the window leaves, without compression', async () => {
    const message =
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length';
    const { result, limits } = await runTurn([refuse(400, message), DONE], { facts: { outputLimit: 64_000 } });
    expect(result.completed).toBe(true);
    expect(limits).toEqual([64_000, 11_760]);
  });

  verifies(
    'CALL-7',
    'chat_completions: is sent if the account cannot pay for the default of the provider',
    async () => {
      const message = 'You requested up to 65536 tokens, but can only afford 40000. Add more credits.';
      const { result, limits } = await runTurn([refuse(402, message), DONE], { mode: 'chat_completions' });
      expect(result.completed).toBe(true);
      expect(limits).toEqual([undefined, 32_768]);
    },
  );

  for (const mode of ['chat_completions', 'codex_responses'] as const) {
    verifies('CALL-7', `${mode}: a raised limit that is rejected is halved`, async () => {
      const name = mode === 'chat_completions' ? 'max_tokens' : 'max_output_tokens';
      const script = [cutIn(mode), refuse(400, `${name} is too large: 32000.`), calling('echo', { text: 'x' }), DONE];
      const { result, limits } = await runTurn(script, { mode });
      expect(result).toMatchObject({ completed: true, toolCalls: 1 });
      expect(limits).toEqual([undefined, 32_000, 16_000, undefined]);
    });
  }
});

describe('a truncated tool call', () => {
  for (const mode of OPTIONAL_MODES) {
    verifies('CALL-7', `${mode}: is retried once with the limit of the model, then answered`, async () => {
      const facts = { outputLimit: 50_000 };
      const retried = await runTurn([cutIn(mode), calling('echo', { text: 'x' }), DONE], { mode, facts });
      expect(retried.result).toMatchObject({ completed: true, toolCalls: 1 });
      expect(retried.limits).toEqual([undefined, 50_000, undefined]);
      const answered = await runTurn([cutIn(mode), cutIn(mode), DONE], { mode, facts });
      expect(answered.result).toMatchObject({ completed: true, finalResponse: 'done' });
      expect(answered.limits).toEqual([undefined, 50_000, undefined]);
      expect(resultOf(answered.result.messages)).toMatch(/This call was not run: .*smaller calls/);
    });
  }

  for (const mode of API_MODES) {
    verifies('CALL-7', `${mode}: is answered immediately if the limit cannot be raised`, async () => {
      const limit = 9_000;
      const { result, requests } = await runTurn([cutIn(mode, limit), DONE], { mode, facts: { outputLimit: limit } });
      expect(result).toMatchObject({ completed: true, finalResponse: 'done' });
      expect(requests).toHaveLength(2);
      expect(resultOf(result.messages)).toMatch(/This call was not run: .*smaller calls/);
      expect(requests[1]?.rawBody).not.toContain('echo: ');
    });
  }

  verifies('CALL-7', 'is answered immediately if the endpoint accepts no limit', async () => {
    const script = [cutIn('codex_responses'), DONE];
    const { result, limits } = await runTurn(script, { mode: 'codex_responses', quirks: { noOutputLimit: true } });
    expect(result.finalResponse).toBe('done');
    expect(limits).toEqual([undefined, undefined]);
  });
});

function resultOf(messages: readonly { role: string; content: string }[]): string | undefined {
  return messages.find(({ role }) => role === 'tool')?.content;
}

describe('hermes', () => {
  const cli = useCliFixture();
  let lastSession = '';

  async function ask(model: string, more = ''): Promise<unknown> {
    const titles = 'auxiliary:\n  title_generation:\n    enabled: false\n';
    const config = configFor(cli.server)
      .replace(`${cli.server.url}/v1`, cli.server.baseUrl('anthropic_messages'))
      .replace('test-model', model);
    await cli.home.write('config.yaml', `${titles}${config}  api_mode: anthropic_messages\n${more}`);
    const { exitCode, stderr } = await runHermes(['-q', 'go'], { home: cli.home });
    expect(exitCode).toBe(0);
    lastSession = /hermes --resume (\S+)\)/.exec(stderr)?.[1] ?? '';
    return limitOf(cli.server.requests.at(-1)?.body ?? {});
  }

  verifies('CALL-7', 'sends the configured output limit, or 32,000 if it is unknown', async () => {
    cli.server.setScript(() => DONE);
    expect(await ask('some-model')).toBe(32_000);
    expect(await ask('some-model', 'model_overrides:\n  some-model:\n    output_limit: 12345\n')).toBe(12_345);
  });

  verifies(['CALL-7', 'OBS-3'], 'replays a session with a lowered limit and a truncated call', async () => {
    const cut: Reply = { ...calling('terminal', '{"command": "ec', 'call_cut'), finishReason: 'length' };
    cli.server.setScript([refuse(400, 'max_tokens is too large.'), cut, DONE]);
    expect(await ask('some-model')).toBe(16_000);
    const sent = cli.server.requests.map(({ rawBody }) => createHash('sha256').update(rawBody).digest('hex'));
    const { stdout, exitCode } = await runHermes(['replay', lastSession, '--json'], { home: cli.home });
    const { steps, same } = JSON.parse(stdout) as { steps: { hash: string }[]; same: boolean };
    expect(steps.map(({ hash }) => hash)).toEqual(sent.slice(1));
    expect([exitCode, same]).toEqual([0, true]);
  });

  verifies('CALL-7', 'remembers a lowered limit after a restart, but not what an account can pay for', async () => {
    cli.server.setScript([
      refuse(400, 'max_tokens is too large.'),
      DONE,
      DONE,
      refuse(402, 'Add credits.'),
      DONE,
      DONE,
    ]);
    expect(await ask('some-model')).toBe(16_000);
    expect(await ask('some-model')).toBe(16_000);
    expect(await ask('some-model')).toBe(8_000);
    expect(await ask('some-model')).toBe(16_000);
    const saved = await readFile(join(cli.home.path, 'cache/models/learned-output-limits.json'), 'utf8');
    expect(saved).toContain('16000');
  });
});
