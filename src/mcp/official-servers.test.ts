import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AuxiliaryRequest } from '../contracts/index.ts';
import { callTool, createTemporaryFolder, OFFICIAL_SERVERS, openTestServer } from '../../test/support/mcp-servers.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { startEverything } from '../../test/support/everything-server.ts';

const node = process.execPath;

describe('the everything server', () => {
  verifies(
    ['SURF-8', 'TOOL-11'],
    'works over stdio: prefixed tool names, results as text, images for the model',
    async () => {
      const server = await openTestServer(
        { command: node, args: [OFFICIAL_SERVERS.everything] },
        { name: 'every thing' },
      );
      await server.connect();
      expect(server.report()).toMatchObject({ state: 'ready', list: 'server', serverVersion: expect.any(String) });
      const names = server.report().tools;
      expect(names).toEqual(expect.arrayContaining(['mcp__every_thing__echo', 'mcp__every_thing__get-sum']));
      expect(names.slice(-4).map((name) => name.split('__').at(-1))).toEqual([
        'list_resources',
        'read_resource',
        'list_prompts',
        'get_prompt',
      ]);
      const call = (tool: string, args = {}, context = {}) =>
        callTool({ ...server, name: 'every_thing' }, tool, args, context);
      expect(await call('echo', { message: 'hi' })).toEqual({ text: 'Echo: hi', images: [], isError: false });
      expect(await call('get-sum', { a: 2, b: 3 })).toMatchObject({ text: expect.stringContaining('5') });
      const kept: { bytes: Uint8Array; extension: string }[] = [];
      const keepFile = async (bytes: Uint8Array, extension: string) => {
        kept.push({ bytes, extension });
        return '/kept.png';
      };
      const image = await call('get-tiny-image', {}, { saveFile: keepFile });
      expect(image.text).toMatch(/\[image image\/png, \d+ bytes, saved to \/kept.png\]/);
      expect(image.images).toEqual([
        { kind: 'image', mediaType: 'image/png', name: 'image-1.png', bytes: kept[0]?.bytes },
      ]);
      expect([...(kept[0]?.bytes.subarray(1, 4) ?? [])]).toEqual([...Buffer.from('PNG')]);
      expect((await call('get-resource-links', { count: 1 })).text).toContain('[resource demo://');
      expect((await call('get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
      expect((await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).text).toContain(
        '[resource demo:',
      );
    },
  );

  verifies('SURF-8', 'provides resources and prompts as tools, unless the settings disable them', async () => {
    const server = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.everything] });
    await server.connect();
    expect((await callTool(server, 'list_resources')).text).toContain('demo://resource/static');
    const uri = 'demo://resource/static/document/architecture.md';
    expect((await callTool(server, 'read_resource', { uri })).text).toContain(`[resource ${uri}]\n`);
    expect((await callTool(server, 'list_prompts')).text).toContain('args-prompt');
    const prompt = { name: 'args-prompt', arguments: { city: 'Paris' } };
    expect((await callTool(server, 'get_prompt', prompt)).text).toMatch(/^user: .*Paris/);
    await expect(callTool(server, 'read_resource', { uri: 'demo://nothing' })).rejects.toThrow('rejected the call');
    const tools = { include: ['get-*', 'echo'], exclude: ['get-e?v'], resources: false, prompts: false };
    const small = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.everything], tools });
    await small.connect();
    const names = small.report().tools.map((name) => name.slice('mcp__it__'.length));
    expect(names).toEqual(expect.arrayContaining(['echo', 'get-sum']));
    expect(names.every((name) => name === 'echo' || name.startsWith('get-'))).toBe(true);
    expect(names).not.toContain('get-env');
  });

  verifies('SURF-8', 'may sample the auxiliary model within limits if that is enabled', fullDoseOnly, async () => {
    const asked: AuxiliaryRequest[] = [];
    const auxiliary = {
      ask: async (_task: string, request: AuxiliaryRequest) => {
        asked.push(request);
        return { text: 'sampled', finishReason: 'stop', model: 'cheap', provider: 'p', usage: {}, cost: {} } as never;
      },
    };
    const sampling = { enabled: true, max_tokens_cap: 50, max_rpm: 1 };
    const entry = { command: node, args: [OFFICIAL_SERVERS.everything], sampling };
    const server = await openTestServer(entry, { auxiliary });
    await server.connect();
    const call = () => callTool(server, 'trigger-sampling-request', { prompt: 'say it', maxTokens: 999 });
    expect((await call()).text).toContain('sampled');
    expect(asked).toMatchObject([{ maxOutputTokens: 50, sessionId: 's', taskId: 't', system: expect.any(String) }]);
    expect(asked[0]?.messages.at(-1)?.content).toContain('say it');
    expect((await call()).text).toContain('at most 1 sampling requests per minute');
    const without = await openTestServer({ ...entry, sampling: false }, { auxiliary });
    await without.connect();
    expect(without.report().tools).not.toContain('mcp__it__trigger-sampling-request');
    expect(asked).toHaveLength(1);
  });

  verifies(
    'SURF-8',
    'may ask the user during a call; without a user the request is cancelled',
    fullDoseOnly,
    async () => {
      const server = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.everything] });
      await server.connect();
      expect((await callTool(server, 'trigger-elicitation-request')).text).toContain('"action": "cancel"');
      const questions: string[] = [];
      const interaction = {
        approve: async () => 'deny' as const,
        async clarify({ question, choices }: { question: string; choices: string[] }) {
          questions.push(question);
          if (question.includes('legal name')) return 'Ada';
          return question.includes('terms and conditions') ? choices[0] : '';
        },
      };
      const { text } = await callTool(server, 'trigger-elicitation-request', {}, { interaction });
      expect(questions[0]).toContain('The MCP server it asks');
      expect(text).toContain('"name": "Ada"');
      expect(text).toContain('"check": true');
    },
  );

  verifies('SURF-8', 'works over Streamable HTTP, also with many concurrent calls', fullDoseOnly, async () => {
    const { url } = await startEverything('streamableHttp');
    const server = await openTestServer({ url });
    await server.connect();
    expect(await callTool(server, 'echo', { message: 'over HTTP' })).toMatchObject({ text: 'Echo: over HTTP' });
    const numbers = Array.from({ length: 20 }, (_, index) => `number ${index}`);
    const answers = await Promise.all(
      numbers.map(async (message) => (await callTool(server, 'echo', { message })).text),
    );
    expect(answers).toEqual(numbers.map((message) => `Echo: ${message}`));
  });

  verifies('SURF-8', 'works over SSE, also without configuring it', fullDoseOnly, async () => {
    const { url } = await startEverything('sse');
    for (const transport of ['sse', undefined]) {
      const server = await openTestServer({ url, ...(transport && { transport }) });
      await server.connect();
      expect(await callTool(server, 'echo', { message: 'events' })).toMatchObject({ text: 'Echo: events' });
      await server.close();
    }
  });
});

describe('the filesystem and memory servers', () => {
  verifies('SURF-8', 'read and write files in the allowed directory and reject others', async () => {
    const folder = await createTemporaryFolder();
    await mkdir(join(folder, 'allowed'));
    await writeFile(join(folder, 'allowed', 'a.txt'), 'alpha');
    const args = [OFFICIAL_SERVERS.filesystem, '${workspaceFolder}/allowed'];
    const server = await openTestServer({ command: node, args }, { folder });
    await server.connect();
    const path = join(folder, 'allowed', 'a.txt');
    expect(await callTool(server, 'read_text_file', { path })).toEqual({ text: 'alpha', images: [], isError: false });
    const written = join(folder, 'allowed', 'b.txt');
    await callTool(server, 'write_file', { path: written, content: 'beta' });
    expect(await readFile(written, 'utf8')).toBe('beta');
    expect(await callTool(server, 'read_text_file', { path: '/etc/passwd' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/denied/i),
    });
    const toolNamed = (tool: string) => server.tools().find(({ definition }) => definition.name.endsWith(tool));
    expect(toolNamed('__read_text_file')).toMatchObject({ needsApproval: false, readOnly: true, parallel: true });
    expect(toolNamed('__write_file')).toMatchObject({ needsApproval: true, readOnly: false, parallel: false });
  });

  verifies('SURF-8', 'get the environment variables of their settings and no others', async () => {
    const folder = await createTemporaryFolder();
    const env = { MEMORY_FILE_PATH: '${STORE_FOLDER}/memory.jsonl' };
    const variables = { PATH: process.env['PATH'], STORE_FOLDER: folder, SECRET_TOKEN: 'x' };
    const server = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.memory], env }, { folder, variables });
    await server.connect();
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    await callTool(server, 'create_entities', { entities });
    expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('"Ada"');
    expect((await callTool(server, 'search_nodes', { query: 'counts' })).text).toContain('Ada');
  });
});
