import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  type AgentEvent,
  createHermes,
  createMemoryStorage,
  defineTool,
  type HermesOptions,
  type JsonObject,
  type SessionExport,
} from '../../index.ts';
import { createProviderServer, createTemporaryHome, type ProviderServer } from '../../testing/index.ts';

let server: ProviderServer;
beforeEach(async () => {
  server = await createProviderServer({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
});
afterEach(async () => server.close());

function open(options: Partial<HermesOptions> = {}) {
  const model = { provider: 'custom', model: 'test-model', baseUrl: `${server.url}/v1`, apiKey: 'key-of-the-program' };
  return createHermes({ model, env: {}, ...options });
}

/** Calls a tool once and then repeats its result. */
function callTool(name: string, args: JsonObject): void {
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [{ name, arguments: args }] };
  });
}

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string().describe('Name of the city'), days: z.number().default(1) }),
  readOnly: true,
  run: ({ city, days }, { sessionId }) => ({ city, days, sessionId }),
});

describe('createHermes', () => {
  verifies('SURF-1', 'answers with a model given in code, without a home, and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('hermes-sdk-'));
    const hermes = await open();
    const result = await hermes.ask('hi');
    await hermes.close();
    expect(result).toMatchObject({ finalResponse: '1 messages', completed: true, model: 'test-model' });
    const [request] = server.requests;
    expect(request?.headers['authorization']).toBe('Bearer key-of-the-program');
    expect(request?.body['tools']).toBeUndefined();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('hermes-sdk-'))).toEqual(before);
  });

  it('continues a session, one turn after the other', async () => {
    await using hermes = await open();
    await using session = await hermes.openSession();
    const turns = ['one', 'two', 'three'].map((text) => session.send(text));
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ finalResponse }) => finalResponse)).toEqual(['1 messages', '3 messages', '5 messages']);
    expect((await session.messages()).map(({ role }) => role)).toHaveLength(6);
    expect(session.id).toBe(results[0]?.sessionId);
  });

  it('uses the configuration, the tools and the sessions of a home', async () => {
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: of-home, base_url: ${server.url}/v1, api_key: k }\n`,
    });
    const first = await createHermes({ home: home.path, env: {}, workingDirectory: home.workspace });
    const { sessionId } = await first.ask('hi');
    await first.close();
    expect(server.requests[0]?.body).toMatchObject({ model: 'of-home', tools: expect.any(Array) as unknown });
    await using second = await createHermes({
      home: home.path,
      env: {},
      toolsets: ['file'],
      config: { agent: { max_turns: 3 } },
    });
    await using session = await second.openSession({ resume: sessionId });
    expect(await session.send('again').result).toMatchObject({ finalResponse: '3 messages', sessionId });
    await expect(second.openSession({ resume: 'no-such-session' })).rejects.toThrow('no-such-session');
  });

  it('follows and stops a turn of another process', async () => {
    const config = `model: { provider: custom, default: m, base_url: ${server.url}/v1, api_key: k }\n`;
    await using home = await createTemporaryHome({ 'config.yaml': config });
    const options = { home: home.path, env: {}, workingDirectory: home.workspace };
    await using owner = await createHermes(options);
    await using other = await createHermes(options);
    server.setScript([{ fault: { type: 'stall' } }]);
    await using session = await owner.openSession();
    const turn = session.send('work');
    await server.nextRequest();
    const [sessionId = ''] = await other.runningSessions();
    const found = await other.findTurn(sessionId);
    expect(await found?.interrupt('enough')).toBe(true);
    expect(await turn.result).toMatchObject({ interrupted: true, sessionId });
    expect(await other.findTurn(sessionId)).toBeUndefined();
  });

  it('tries the fallbacks if the model fails', async () => {
    // Not retried, unlike a host that does not respond.
    server.setScript(({ model }) =>
      model === 'gone' ? { fault: { type: 'status', status: 401 } } : { text: 'from the fallback' },
    );
    const endpoint = { provider: 'custom', baseUrl: `${server.url}/v1`, apiKey: 'k' };
    const [bad, good] = [
      { ...endpoint, model: 'gone' },
      { ...endpoint, model: 'fallback-model' },
    ];
    await using hermes = await open({ model: bad, fallbacks: [good] });
    expect(await hermes.ask('hi')).toMatchObject({ completed: true, model: 'fallback-model' });
  });

  it('reports a failed turn in its result', async () => {
    server.setScript([{ fault: { type: 'status', status: 401 } }]);
    await using hermes = await open();
    const result = await hermes.ask('hi');
    expect(result).toMatchObject({ failed: true, exitReason: 'failed' });
    expect(result.error?.message).toContain('The API key is not valid');
  });

  it.each([
    [{ modell: {} }, '"modell" is not an option'],
    [{ model: { provider: 'custom' } }, '`model.model` must be a string'],
    [{ model: { provider: 'custom', model: 'm', key: 'k' } }, '"model.key" is not an option'],
    [{ tools: [{ name: 'x' }] }, '`tools.0` must be a tool made with `defineTool`'],
    [{ onApproval: 'yes' }, '`onApproval` must be a function'],
    [{ storage: {} }, '`storage` must be an object with the functions `save` and `load`'],
    [{ config: { agent: { max_turns: 'many' } } }, 'the passed config'],
    [{ toolsets: ['no-such-set'] }, 'no-such-set'],
    [{ model: undefined }, 'no model is configured'],
    [{ model: { provider: 'custom', model: 'm', baseUrl: 'localhost:1' } }, '`model.baseUrl` must be a URL'],
  ])('rejects the wrong option %j', async (options, message) => {
    await expect(open(options as never)).rejects.toThrow(message);
  });

  it('says where a key belongs, and names no file that is removed', async () => {
    const opening = open({ model: { provider: 'openai', model: 'm' } });
    await expect(opening).rejects.toMatchObject({
      message: 'No API key was found for OpenAI.',
      hint: 'Pass `apiKey` with the model, or set the environment variable of the provider.',
    });
    await using home = await createTemporaryHome();
    const withHome = open({ model: { provider: 'openai', model: 'm' }, home: home.path });
    await expect(withHome).rejects.toMatchObject({ hint: expect.stringContaining(join(home.path, '.env')) as string });
  });
});

describe('a turn', () => {
  it('has an event stream for any number of readers', async () => {
    await using hermes = await open();
    await using session = await hermes.openSession();
    const turn = session.send('hi');
    const read = async () => {
      const types: string[] = [];
      for await (const { type } of turn) types.push(type);
      return types;
    };
    const [first, second] = await Promise.all([read(), read()]);
    expect([first[0], first.at(-1)]).toEqual(['started', 'finished']);
    expect(second).toEqual(first);
  });

  it('can be interrupted and steered', async () => {
    const gate = Promise.withResolvers<void>();
    server.setScript(async ({ messages }) => {
      if (messages.length > 1) return { text: `Got: ${messages.at(-1)?.text}` };
      await gate.promise;
      return { text: 'first' };
    });
    await using hermes = await open();
    await using session = await hermes.openSession();
    const turn = session.send('go');
    await server.nextRequest();
    expect(turn.steer('faster')).toBe(true);
    gate.resolve();
    expect((await turn.result).finalResponse).toContain('faster');
    const stop = new AbortController();
    server.setScript([{ fault: { type: 'stall' } }]);
    const hanging = session.send('hang', { signal: stop.signal });
    await server.nextRequest();
    stop.abort();
    expect(await hanging.result).toMatchObject({ interrupted: true });
    expect(() => session.send('x', { systemMesage: 'y' } as never)).toThrow('"systemMesage" is not an option');
  });

  it('gives structured output, and asks again if the answer does not match', async () => {
    const schema = z.object({ city: z.string(), degrees: z.number().max(60) });
    server.setScript([{ text: 'warm' }, { text: '{"city":"Rome","degrees":31}' }, { text: '{"a":1}' }]);
    await using hermes = await open();
    await using session = await hermes.openSession();
    const turn = session.send('How warm is Rome?', { schema });
    const events: AgentEvent[] = [];
    for await (const event of turn) events.push(event);
    const { data } = await turn.result;
    const degrees: number | undefined = data?.degrees;
    expect({ data, degrees }).toEqual({ data: { city: 'Rome', degrees: 31 }, degrees: 31 });
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1);
    const plain = await session.send('and?', { schema: { type: 'object', required: ['a'] } }).result;
    expect(plain.data).toEqual({ a: 1 });
    expect(() => session.send('x', { schema: { type: 'numbr' } })).toThrow('not usable');
  });
});

describe('defineTool', () => {
  it('passes checked arguments with defaults to the program', async () => {
    callTool('weather', { city: 'Rome' });
    await using hermes = await open({ tools: [weather] });
    const { finalResponse, sessionId } = await hermes.ask('How is the weather?');
    expect(finalResponse).toContain(JSON.stringify({ city: 'Rome', days: 1, sessionId }));
    const body = server.requests[0]?.body as
      | { tools: { function: { name: string; parameters: unknown } }[] }
      | undefined;
    const tools = body?.tools ?? [];
    expect(tools.map((tool) => tool.function.name)).toEqual(['weather']);
    expect(tools[0]?.function.parameters).toMatchObject({ properties: { city: { description: 'Name of the city' } } });
  });

  it('tells the model about wrong arguments and errors', async () => {
    callTool('weather', { city: 'Rome', days: 'many' });
    await using hermes = await open({ tools: [weather] });
    expect((await hermes.ask('x')).finalResponse).toMatch(/days/);
    callTool('broken', {});
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      parameters: { type: 'object', properties: {} },
      run() {
        throw new Error('the disk is on fire');
      },
    });
    await using other = await open({ tools: [broken] });
    expect((await other.ask('x')).finalResponse).toContain('the disk is on fire');
  });

  it.each([
    [{ name: 'a b' }, '`name` must be'],
    [{ description: ' ' }, 'needs a `description`'],
    [{ run: undefined }, 'needs a function `run`'],
    [{ readonly: true }, '"readonly" is not an option'],
    [{ parameters: 'city' }, 'unusable schema'],
    [{ parameters: { type: 'string' } }, '`parameters` of the tool "t" must describe an object'],
    [{ parameters: z.string() }, '`parameters` of the tool "t" must describe an object'],
    [{ readOnly: 'yes' }, '`readOnly` of the tool "t" must be true or false'],
  ])('rejects %j', (change, message) => {
    const tool = { name: 't', description: 'd', parameters: { type: 'object' }, run: () => '' };
    expect(() => defineTool({ ...tool, ...change } as never)).toThrow(message);
  });
});

describe('questions', () => {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys.',
    parameters: { type: 'object', properties: {} },
    needsApproval: true,
    run: () => 'deployed',
  });

  verifies('APPR-3', 'are answered by a callback, and denied without one', async () => {
    callTool('deploy', {});
    const asked: string[] = [];
    await using allowing = await open({
      tools: [deploy],
      onApproval: (request) => (asked.push(request.toolName), 'once'),
    });
    expect((await allowing.ask('ship it')).finalResponse).toContain('deployed');
    expect(asked).toEqual(['deploy']);
    await using denying = await open({
      tools: [deploy],
      onApproval: () => ({ answer: 'deny', reason: 'not on Friday' }),
    });
    expect((await denying.ask('ship it')).finalResponse).toContain('not on Friday');
    await using failing = await open({ tools: [deploy], onApproval: () => Promise.reject(new Error('no phone')) });
    expect((await failing.ask('ship it')).finalResponse).toContain('no phone');
    await using silent = await open({ tools: [deploy] });
    expect((await silent.ask('ship it')).finalResponse).not.toContain('deployed');
  });

  it('can be answered from the event stream', async () => {
    callTool('deploy', {});
    await using hermes = await open({ tools: [deploy], attended: true });
    await using session = await hermes.openSession();
    const turn = session.send('ship it');
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      expect(await session.answer(event.requestId, { kind: 'approval', answer: 'once' })).toBe(true);
    }
    expect((await turn.result).finalResponse).toContain('deployed');
  });

  it('of the model are not left open if the program fails to answer', async () => {
    callTool('clarify', { question: 'Which colour?' });
    const onQuestion = () => {
      throw new Error('no phone');
    };
    await using hermes = await open({ toolsets: ['clarify'], onQuestion });
    expect((await hermes.ask('paint')).finalResponse).toContain('No user is available');
  });

  it('of the model reach the program', async () => {
    callTool('clarify', { question: 'Which colour?' });
    await using hermes = await open({ toolsets: ['clarify'], onQuestion: ({ question }) => `${question} Blue.` });
    expect((await hermes.ask('paint')).finalResponse).toContain('Which colour? Blue.');
  });
});

describe('a storage of the program', () => {
  verifies('STORE-1', 'keeps sessions between processes', async () => {
    const storage = createMemoryStorage();
    const first = await open({ storage });
    const { sessionId } = await first.ask('remember 42');
    await first.close();
    await using second = await open({ storage });
    await using session = await second.openSession({ resume: sessionId });
    expect(await session.send('what was it?').result).toMatchObject({ finalResponse: '3 messages', sessionId });
    expect((await storage.load(sessionId))?.messages).toHaveLength(4);
  });

  it('gets each step, and its failure is not silent', async () => {
    callTool('weather', { city: 'Rome' });
    const saved: number[] = [];
    const save = async ({ messages }: SessionExport) => void saved.push(messages.length);
    await using hermes = await open({ tools: [weather], storage: { save, load: async () => undefined } });
    await hermes.ask('x');
    expect(saved[0]).toBeLessThan(4);
    expect(saved.at(-1)).toBe(4);
    const full = { save: () => Promise.reject(new Error('disk full')), load: async () => undefined };
    await using failing = await open({ storage: full });
    await expect(failing.ask('x')).rejects.toThrow(/did not save .*disk full/);
  });
});

it('refuses tools with equal names, wrong records, and messages after its end', async () => {
  const named = (name: string) => defineTool({ name, description: 'x', parameters: z.object({}), run: () => '' });
  await expect(open({ tools: [named('a'), named('a')] })).rejects.toThrow('another tool with the name "a"');
  await expect(open({ tools: [named('terminal')] })).rejects.toThrow('another tool with the name "terminal"');
  const storage = { save: async () => undefined, load: async () => ({ odd: 1 }) as unknown as SessionExport };
  const hermes = await open({ storage });
  await expect(hermes.openSession({ resume: 'one' })).rejects.toThrow('no valid record of the session one');
  await hermes.close();
  await expect(hermes.ask('hi')).rejects.toThrow('This Hermes was closed.');
});

it('never reads files of the working directory without a home', async () => {
  await using home = await createTemporaryHome({});
  await home.write('workspace/AGENTS.md', 'SECRET-RULE');
  expect(existsSync(join(home.path, 'workspace/AGENTS.md'))).toBe(true);
  await using hermes = await open({ workingDirectory: join(home.path, 'workspace') });
  await hermes.ask('hi');
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('SECRET-RULE');
});
