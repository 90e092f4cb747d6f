import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  type AgentPlan,
  type ClientOptions,
  type AcpFixture,
  createAcpFixture,
  request,
  untilGone,
} from '../../../test/support/acp-fixture.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { type Message, ModelError, NO_USAGE } from '../../base/index.ts';
import type { ModelAnswer, ModelRequest, ModelStreamEvent } from '../../contracts/index.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

const idle = () => new AbortController().signal;

type Spoken = { events: ModelStreamEvent[]; answer: ModelAnswer };

async function ask(client: ReturnType<AcpFixture['client']>, asked: ModelRequest = request()): Promise<Spoken> {
  const events: ModelStreamEvent[] = [];
  const answer = await client.stream(asked, { signal: idle(), onEvent: (event) => events.push(event) });
  return { events, answer };
}

/** Returns the failure of one call to an agent with scripted behaviour. */
async function failing(plan: Partial<AgentPlan>, options: ClientOptions = {}): Promise<ModelError> {
  await using fixture = await createAcpFixture({ replies: [], ...plan });
  const error = await ask(fixture.client(options)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

const joined = (events: readonly ModelStreamEvent[], type: string) =>
  events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');

describe('an ACP command as a model', () => {
  verifies('CALL-1', 'answers through the same interface as other models', async () => {
    const calls = '<call-CODE echo>\n{"text": "hi", "n": 1.0}\n</call-CODE>\n<call-CODE echo>\n{}\n</call-CODE>';
    const reply = { thoughts: ['I ', 'think.'], text: [`I look first 👋.\n\n${calls}`], chunkSize: 3 };
    await using fixture = await createAcpFixture({ replies: [reply] });
    const { events, answer } = await ask(fixture.client());
    expect(answer).toMatchObject({
      text: 'I look first 👋.',
      reasoning: 'I think.',
      finishReason: 'tool_calls',
      usage: NO_USAGE,
      cost: { usd: 0, status: 'unknown', source: 'subscription' },
    });
    expect(answer.toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['echo', '{"text": "hi", "n": 1.0}'],
      ['echo', '{}'],
    ]);
    expect(joined(events, 'text-delta')).toBe('I look first 👋.');
    expect(joined(events, 'reasoning-delta')).toBe('I think.');
    expect(events.filter((event) => event.type === 'tool-call-start')).toHaveLength(2);
  });

  it('grants the agent no permission, file, terminal, key or project', async () => {
    await using fixture = await createAcpFixture({ replies: [{ asks: true, text: ['Then not.'] }] });
    const { answer } = await ask(fixture.client());
    expect(answer.text).toBe('Then not.');
    const outcomes = (await fixture.logged('asked')).map(({ name, outcome }) => [name, outcome]);
    expect(outcomes).toEqual([
      ['permission', { outcome: { outcome: 'selected', optionId: 'no' } }],
      ['no way out', { outcome: { outcome: 'cancelled' } }],
      ['read', { error: -32_601 }],
      ['write', { error: -32_601 }],
      ['terminal', { error: -32_601 }],
    ]);
    const [hello] = await fixture.logged('initialize');
    expect(hello?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    const [start] = await fixture.logged('start');
    expect(start).toMatchObject({ files: [], folder: expect.stringContaining('hermes-acp-') as string });
    expect(Object.keys(start?.env as object)).toEqual(['PATH']);
    expect((await fixture.logged('new session'))[0]?.params).toEqual({ cwd: start?.folder, mcpServers: [] });
  });

  it('discards the response of an agent that ran something without asking', async () => {
    const error = await failing({ replies: [{ runs: 'execute', text: ['done'] }] });
    expect(error.failure).toMatchObject({ kind: 'format_error', retryable: false, fallBack: true });
    expect(error.message).toContain('rm -rf');
    await using reading = await createAcpFixture({ replies: [{ runs: 'read', text: ['done'] }] });
    expect((await ask(reading.client())).answer.text).toBe('done');
  });

  it('continues a session only if its content is the start of the history', async () => {
    const call = 'Look.\n<call-CODE echo>\n{"a":1}\n</call-CODE>';
    const replies = [{ text: [call] }, { text: ['One.'] }, { text: ['Two.'] }];
    await using fixture = await createAcpFixture({ replies, canDelete: true });
    const client = fixture.client();
    const first = await ask(client);
    const [toolCall] = first.answer.toolCalls;
    const history: Message[] = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: first.answer.text, toolCalls: first.answer.toolCalls },
      { role: 'tool', toolCallId: toolCall?.id ?? '', toolName: 'echo', content: 'the result' },
    ];
    await ask(client, request({ messages: history }));
    const changed: Message[] = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'I never said this' },
    ];
    await ask(client, request({ messages: [...changed, { role: 'user', content: 'and now?' }] }));

    const prompts = await fixture.logged('prompt');
    expect(prompts.map(({ pid }) => pid === prompts[0]?.pid)).toEqual([true, true, true]);
    expect(prompts[1]?.sessionId).toBe(prompts[0]?.sessionId);
    expect(prompts[2]?.sessionId).not.toBe(prompts[0]?.sessionId);
    const marker = /\[\[(\w+) /.exec(prompts[0]?.text as string)?.[1];
    expect(prompts[1]?.text).toBe(`[[${marker} result 1 echo]]\nthe result`);
    expect(prompts[2]?.text).toContain('I never said this');
    expect(prompts[2]?.text).toContain('Be brief.');
  });

  it('runs two concurrent calls in two sessions of one process', async () => {
    await using fixture = await createAcpFixture({ replies: [{ text: ['a'] }, { text: ['b'] }] });
    const client = fixture.client();
    const answers = await Promise.all([ask(client), ask(client, request({ system: 'Other.' }))]);
    expect(answers.map(({ answer }) => answer.text).sort()).toEqual(['a', 'b']);
    const prompts = await fixture.logged('prompt');
    expect(new Set(prompts.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(prompts.map(({ sessionId }) => sessionId)).size).toBe(2);
  });

  it('reads responses of many megabytes, in one chunk and in many', fullDoseOnly, async () => {
    const piece = 'ü€😀 '.repeat(500_000);
    await using fixture = await createAcpFixture({ replies: [{ text: [piece, `${piece}.`] }] });
    const { answer } = await ask(fixture.client());
    expect(answer.text === `${piece}${piece}.`).toBe(true);
  });

  it('accepts text before the first message', async () => {
    await using fixture = await createAcpFixture({
      greeting: 'Welcome!\n{"not": "a message"}\n',
      replies: [{ text: ['hi'] }],
    });
    expect((await ask(fixture.client())).answer.text).toBe('hi');
  });
});

describe('selecting a model', () => {
  const select = (category: string, values: string[]) => ({
    id: `the-${category}`,
    name: category,
    category,
    type: 'select',
    currentValue: values[0],
    options: [{ group: 'g', name: 'g', options: values.map((value) => ({ value, name: value })) }],
  });
  const session = { configOptions: [select('model', ['small', 'large']), select('thought_level', ['low', 'high'])] };

  it('requests the selected model and effort if the agent offers them', async () => {
    await using fixture = await createAcpFixture({ session, replies: [{ text: ['hi'] }, { text: ['hi'] }] });
    const client = fixture.client({ model: 'large' });
    await ask(client, request({ effort: 'high' }));
    await ask(client, request({ system: 'Other.', effort: 'xhigh' }));
    const options = (await fixture.logged('option')).map(({ params }) => params);
    expect(options).toMatchObject([
      { configId: 'the-model', value: 'large' },
      { configId: 'the-thought_level', value: 'high' },
      { configId: 'the-model', value: 'large' },
    ]);
    expect(client.models()).toEqual(['small', 'large']);
  });

  it('fails if the model is not offered, instead of using another one', async () => {
    const unknown = await failing({ session }, { model: 'huge' });
    expect(unknown.failure.kind).toBe('model_not_found');
    expect(unknown.message).toContain('small, large');
    expect((await failing({}, { model: 'huge' })).failure.kind).toBe('model_not_found');
  });
});

describe('failures', () => {
  it('say what to install if the command is missing or cannot run', async () => {
    const missing = await failing({}, { command: '/nowhere/copilot' });
    expect(missing.failure).toMatchObject({ kind: 'auth_permanent', retryable: false, fallBack: true });
    expect(missing).toMatchObject({ hint: 'install it', message: expect.stringContaining('was not found') as string });
    await using fixture = await createAcpFixture({ replies: [] });
    const noProgram = await failing({}, { command: fixture.file('plan.json') });
    expect(noProgram.failure.kind).toBe('auth_permanent');
    expect(noProgram.message).toContain('could not be started');
  });

  it('include the output of a command that exits before its first message', async () => {
    const error = await failing({ complaint: 'unknown option --acp\n', exitCode: 3 });
    expect(error.failure).toMatchObject({ kind: 'format_error', retryable: false });
    expect(error.message).toMatch(/exited with exit code 3 before its first ACP message.*unknown option --acp/);
  });

  it('say how to sign in, and restart the command for the next call', async () => {
    const sessionError = { code: -32_000, message: 'Authentication required' };
    await using fixture = await createAcpFixture({ sessionError, replies: [] });
    const client = fixture.client();
    for (let time = 0; time < 2; time += 1) {
      const error = (await ask(client).catch((thrown: unknown) => thrown)) as ModelError;
      expect(error.failure.kind).toBe('auth');
      expect(error.hint).toBe('log in');
    }
    expect(await fixture.logged('start')).toHaveLength(2);
  });

  const failures: [name: string, plan: Partial<AgentPlan>, kind: string, words: RegExp][] = [
    ['a crash during a response', { replies: [{ text: ['half an ans'], crash: 9 }] }, 'connection', /code 9/],
    ['garbage', { replies: [{ text: ['a'], garbage: 'Oops!\n' }] }, 'invalid_response', /not a message: Oops!/],
    [
      'a truncated message',
      { replies: [{ text: ['a'], garbage: '{"jsonrpc":\n' }] },
      'invalid_response',
      /not a message/,
    ],
    ['text without messages', { greeting: 'blah\n'.repeat(20_000) }, 'invalid_response', /text instead of messages/],
    ['another version', { version: 7 }, 'format_error', /version 1/],
    ['an unknown stop reason', { replies: [{ text: ['a'], stopReason: 'bored' }] }, 'invalid_response', /bored/],
    ['an unrequested cancellation', { replies: [{ stopReason: 'cancelled' }] }, 'invalid_response', /cancelled/],
    ['a refusal', { replies: [{ stopReason: 'refusal' }] }, 'content_policy', /refusal/],
    [
      'an overflow reported by the provider',
      {
        replies: [
          {
            error: {
              code: -32_603,
              message: 'Internal error',
              data: { details: 'maximum context length is 1000 tokens' },
            },
          },
        ],
      },
      'context_overflow',
      /Internal error: maximum context length/,
    ],
    ['a rate limit', { replies: [{ error: { code: -32_603, message: 'Rate limit exceeded' } }] }, 'rate_limit', /Rate/],
  ];
  for (const [name, plan, kind, words] of failures) {
    it(`${name} is ${kind}`, async () => {
      const error = await failing(plan);
      expect(error.failure.kind).toBe(kind);
      expect(error.message).toMatch(words);
    });
  }

  it('do not affect the next call', fullDoseOnly, async () => {
    const replies = [{ crash: 1 }, { garbage: 'x\n' }, { error: { code: 1, message: 'no' } }, { text: ['at last'] }];
    await using fixture = await createAcpFixture({ replies });
    const client = fixture.client();
    for (let time = 0; time < 3; time += 1) await expect(ask(client)).rejects.toThrow(ModelError);
    expect((await ask(client)).answer.text).toBe('at last');
  });

  it('of a reader are passed on unchanged', async () => {
    await using fixture = await createAcpFixture({ replies: [{ text: ['a', 'b'] }] });
    const onEvent = () => {
      throw new RangeError('my own');
    };
    await expect(fixture.client().stream(request(), { signal: idle(), onEvent })).rejects.toThrow(RangeError);
  });

  it('end a command that stalls, also before its first message', async () => {
    const plans = [{ replies: [{ text: ['a'], hang: 'forever' as const }] }, { hangAtStart: true, replies: [] }];
    const stall = async (plan: AgentPlan) => {
      await using fixture = await createAcpFixture(plan);
      const error = (await ask(fixture.client({ stallTimeoutMs: 1500 })).catch(
        (thrown: unknown) => thrown,
      )) as ModelError;
      expect(error.failure.kind).toBe('stream_stall');
      for (const { pid } of await fixture.logged('start')) await untilGone(pid);
    };
    // In parallel, because each of them waits for its timeout.
    await Promise.all(plans.map(stall));
  });
});

describe('an abort', () => {
  async function abortAfterFirstWord(fixture: AcpFixture, client = fixture.client()): Promise<unknown> {
    const abort = new AbortController();
    const onEvent = () => abort.abort(new Error('enough'));
    return client.stream(request(), { signal: abort.signal, onEvent }).catch((thrown: unknown) => thrown);
  }

  it('cancels the call, and a command that reacts is used again', async () => {
    const replies = [{ text: ['a'], hang: 'until cancelled' as const }, { text: ['b'] }];
    await using fixture = await createAcpFixture({ replies });
    const client = fixture.client();
    expect(await abortAfterFirstWord(fixture, client)).toMatchObject({ message: 'enough' });
    while ((await fixture.logged('cancel')).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await ask(client)).answer.text).toBe('b');
  });

  it('ends a command that does not react, with its child processes and its directory', fullDoseOnly, async () => {
    const plan: AgentPlan = { replies: [{ text: ['a'], hang: 'forever' }] };
    await using fixture = await createAcpFixture(plan);
    await using other = await createAcpFixture({ ...plan, child: fixture.file('child') });
    await abortAfterFirstWord(other);
    const [start] = await other.logged('start');
    await untilGone(start?.pid ?? 0);
    await untilGone(Number(await readFile(fixture.file('child'), 'utf8')));
    while (existsSync(start?.folder as string)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await other.logged('cancel')).toHaveLength(1);
  });

  it('before the call starts no process', async () => {
    await using fixture = await createAcpFixture({ replies: [] });
    const call = fixture.client().stream(request(), { signal: AbortSignal.abort(new Error('no')), onEvent: () => {} });
    await expect(call).rejects.toThrow('no');
    expect(await fixture.log()).toEqual([]);
  });
});
