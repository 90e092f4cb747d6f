import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openApi } from '../../../../test/support/api-fixture.ts';
import { createSchemaTool } from '../../../tools/index.ts';

const CONFIG = 'api_server: { client_tools: true }\n';
const tools: OpenAI.ChatCompletionTool[] = ['open_page', 'read_clock'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Use ${name}.`,
    parameters: { type: 'object', properties: { of: { type: 'string' } } },
  },
}));
const call = (name: string, of: string) => ({ name, arguments: { of } });
const user = (content: string) => ({ role: 'user', content }) as const;

/** Calls two tools of the client and one of our own, then one of the client, and then answers. */
function script({ messages }: { messages: { role: string; text: string }[] }) {
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(said).filter(({ role }) => role === 'tool');
  if (messages[said]?.text !== 'go') return { text: `after ${messages.length} messages` };
  if (results.length === 0)
    return {
      text: 'First',
      toolCalls: [call('open_page', 'a'), call('read_clock', 'b'), { name: 'todo', arguments: {} }],
    };
  if (results.length === 3) return { text: 'Then', toolCalls: [call('open_page', 'c')] };
  return { text: results.map(({ text }) => /result of \w+/.exec(text)?.[0]).join(', ') };
}

type Messages = OpenAI.ChatCompletionMessageParam[];

function resultsOf(message: OpenAI.ChatCompletionMessage): Messages {
  const calls = (message.tool_calls ?? []) as OpenAI.ChatCompletionMessageFunctionToolCall[];
  return calls.map(({ id, function: { arguments: args } }) => {
    const { of } = JSON.parse(args) as { of: string };
    return { role: 'tool', tool_call_id: id, content: `result of ${of}` };
  });
}

describe('tools of the client', () => {
  verifies('SURF-5', 'end the answer, and their results continue the same turn', async () => {
    const { client, provider, runtime } = await openApi({ config: CONFIG, script });
    const messages: Messages = [user('go')];
    const sessions: (string | null)[] = [];
    const texts: (string | null | undefined)[] = [];
    for (;;) {
      const asked = client.chat.completions.create({ model: 'hermes-agent', messages, tools });
      const { data, response } = await asked.withResponse();
      sessions.push(response.headers.get('x-hermes-session-id'));
      const [choice] = data.choices;
      texts.push(choice?.message.content);
      if (choice === undefined) throw new Error('no choice');
      messages.push(choice.message);
      if (choice.finish_reason !== 'tool_calls') break;
      messages.push(...resultsOf(choice.message));
    }
    expect(texts).toEqual(['First', 'Then', 'result of a, result of b, , result of c']);
    expect(new Set(sessions).size).toBe(1);
    expect(await runtime.store.getTurns(sessions[0] ?? '')).toMatchObject([{ exitReason: 'completed', apiCalls: 3 }]);
    messages.push(user('next'));
    const next = await client.chat.completions.create({ model: 'hermes-agent', messages, tools }).withResponse();
    expect(next.response.headers.get('x-hermes-session-id')).toBe(sessions[0]);
    const bodies = provider.requests.map(({ body }) => body['messages'] as unknown[]);
    for (const [index, sent] of bodies.slice(1).entries())
      expect(sent.slice(0, bodies[index]?.length)).toEqual(bodies[index]);
  });

  verifies('SURF-5', 'stream as tool calls that the official client reads, with the usage of each answer', async () => {
    const { client } = await openApi({ config: CONFIG, script });
    const runs: string[] = [];
    const runner = client.chat.completions.runTools({
      model: 'hermes-agent',
      stream: true,
      stream_options: { include_usage: true },
      messages: [user('go')],
      tools: ['open_page', 'read_clock'].map((name) => ({
        type: 'function' as const,
        function: {
          name,
          description: name,
          parameters: { type: 'object', properties: { of: { type: 'string' } } },
          parse: JSON.parse,
          function: ({ of }: { of: string }) => {
            runs.push(`${name} ${of}`);
            return `result of ${of}`;
          },
        },
      })),
    });
    expect(await runner.finalContent()).toBe('result of a, result of b, , result of c');
    expect(runs).toEqual(['open_page a', 'read_clock b', 'open_page c']);
    const completions = runner.allChatCompletions().map(({ usage }) => usage?.total_tokens ?? 0);
    expect(completions).toHaveLength(3);
    expect(Math.min(...completions)).toBeGreaterThan(0);
  });

  it('are ignored unless the setting allows them, and have names of their own', async () => {
    const { client, provider } = await openApi({ script: () => ({ text: 'ok' }) });
    await client.chat.completions.create({ model: 'hermes-agent', messages: [user('hi')], tools });
    expect(JSON.stringify(provider.requests[0]?.body['tools'])).not.toContain('open_page');
    const allowed = await openApi({ config: CONFIG });
    const taken: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'terminal' } }];
    await expect(
      allowed.client.chat.completions.create({ model: 'hermes-agent', messages: [user('hi')], tools: taken }),
    ).rejects.toMatchObject({ status: 400, param: 'tools.0.function.name' });
  });

  /** A conversation whose second turn waits for calls of the client. */
  async function openWaiting() {
    const api = await openApi({ config: CONFIG, script });
    const ask = async (messages: Messages) => {
      const asked = api.client.chat.completions.create({ model: 'hermes-agent', messages, tools });
      const { data, response } = await asked.withResponse();
      return { message: data.choices[0]?.message ?? user(''), session: response.headers.get('x-hermes-session-id') };
    };
    const said: Messages = [user('hello')];
    const first = await ask(said);
    said.push(first.message);
    const second = await ask([...said, user('go')]);
    const waiting: Messages = [...said, user('go'), second.message];
    return { ...api, ask, said, waiting, session: first.session };
  }

  verifies('SURF-5', 'are followed by what the user says with their results, or instead of them', async () => {
    for (const hasResults of [true, false]) {
      const { ask, provider, waiting, session, runtime } = await openWaiting();
      const results = hasResults ? resultsOf(waiting.at(-1) as OpenAI.ChatCompletionMessage) : [];
      const answered = await ask([...waiting, ...results, user('and be quick')]);
      expect(answered.session).toBe(session);
      const seen = provider.requests[2]?.messages.slice(-3).map(({ text }) => text) ?? [];
      expect(seen.join('\n')).toContain(hasResults ? 'result of a' : 'The client sent no result for this call.');
      expect(seen.at(-1)).toContain('and be quick');
      expect(await runtime.store.listSessions()).toHaveLength(1);
    }
  });

  verifies('SURF-5', 'do not block a client that edits its message instead', async () => {
    const { ask, said, session, runtime } = await openWaiting();
    const edited = await ask([...said, user('something else')]);
    expect(edited).toMatchObject({
      message: { content: expect.stringMatching(/^after \d messages$/) as string },
      session,
    });
    const turns = await runtime.store.getTurns(session ?? '');
    expect(turns.map(({ exitReason }) => exitReason)).toContain('interrupted');
  });

  it('replace a tool of a plugin with the same name', async () => {
    const own = createSchemaTool({
      name: 'open_page',
      toolset: 'pages',
      description: 'Opens a page on the server.',
      parameters: { type: 'object' },
      concurrency: { mode: 'parallel' },
      run: () => Promise.reject(new Error('the tool of the plugin ran')),
    });
    const toolSources = [{ name: 'pages', kind: 'plugin' as const, tools: () => [own] }];
    const { client, provider } = await openApi({ config: CONFIG, script, runtime: { toolSources } });
    const asked = { model: 'hermes-agent', messages: [user('go')], tools };
    const [choice] = (await client.chat.completions.create(asked)).choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const text = JSON.stringify(provider.requests[0]?.body['tools']);
    expect(text).toContain('Use open_page.');
    expect(text).not.toContain('on the server');
  });

  it('have results that are refused if no turn waits for them, and are history if a message follows', async () => {
    const { client, provider } = await openApi({ config: CONFIG, script });
    const calls = [{ id: 'c1', type: 'function', function: { name: 'open_page', arguments: '{}' } } as const];
    const messages: Messages = [
      user('go'),
      { role: 'assistant', content: null, tool_calls: [...calls] },
      { role: 'tool', tool_call_id: 'c1', content: 'result of x' },
    ];
    const ask = () => client.chat.completions.create({ model: 'hermes-agent', messages, tools });
    await expect(ask()).rejects.toMatchObject({ status: 409, code: 'turn_ended' });
    messages.push(user('next'));
    await ask();
    expect(provider.requests[0]?.messages.map(({ role }) => role).slice(-4)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });
});
