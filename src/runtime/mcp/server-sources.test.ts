import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { OFFICIAL_SERVERS, SDK_SERVER, testServer } from '../../../test/support/mcp-servers.ts';
import { type JsonObject, systemClock } from '../../base/index.ts';
import { loadSettings } from '../../config/index.ts';
import { silentLogger } from '../../contracts/index.ts';
import { createTemporaryHome } from '../../testing/index.ts';
import { call, noEnvironment, recordedContext, runCalls } from '../../tools/batch.fixture.ts';
import { createToolSet } from '../../tools/index.ts';
import { connectServers } from '../connect-servers.ts';

/** Calls the tools of real servers as an agent does, and returns what the model reads. */
async function openTools(servers: Record<string, object>) {
  const home = await createTemporaryHome();
  await home.write('config.yaml', JSON.stringify({ mcp_servers: servers }));
  const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'] } });
  const options = { settings, workingDirectory: home.workspace, interactive: false };
  const opened = await connectServers(options, { auxiliary: undefined, logger: silentLogger, clock: systemClock });
  onTestFinished(async () => {
    await opened.close();
    await home.remove();
  });
  const tools = createToolSet({ tools: [], sources: opened.sources(), environment: noEnvironment });
  for (const source of opened.sources()) await source.ready?.();
  return async (name: string, args: JsonObject = {}, signal?: AbortSignal) => {
    const context = recordedContext(signal === undefined ? {} : { signal });
    const [delivered] = await runCalls(tools, [call('1', name, args)], context);
    return delivered?.outcome ?? { status: 'none', content: '' };
  };
}

describe('a call of an MCP tool', () => {
  verifies(['SURF-8', 'TOOLX-2'], 'gets the defaults of required parameters that the model omitted', async () => {
    const ask = await openTools({ it: { command: process.execPath, args: [SDK_SERVER] } });
    const sent = async (args: JsonObject) =>
      JSON.parse(/\{.*\}/.exec((await ask('mcp__it__search', args)).content)?.[0] ?? '') as JsonObject;
    expect(await sent({ query: 'x' })).toEqual({ query: 'x', limit: 10, order: { by: 'date' } });
    expect(await sent({ query: 'x', limit: null, order: {} })).toEqual({
      query: 'x',
      limit: 10,
      order: { by: 'name' },
    });
    expect(await sent({ query: 'x', limit: 2 })).toMatchObject({ limit: 2 });
    expect(await ask('mcp__it__search')).toMatchObject({ content: expect.stringContaining('query is missing') });
  });

  verifies(['SURF-8', 'TOOL-9'], 'that Hermes itself denies or cannot send is not marked as untrusted', async () => {
    const ask = await openTools({
      it: testServer(),
      files: { command: process.execPath, args: [OFFICIAL_SERVERS.filesystem] },
      slow: { ...testServer(), timeout: 0.2 },
    });
    const denied = { status: 'denied', content: expect.stringMatching(/^\{"error":"Not allowed: /) };
    expect(await ask('mcp__it__erase', { value: 'x' })).toMatchObject(denied);
    expect(await ask('mcp__files__write_file', { path: '/x', content: 'x' })).toMatchObject(denied);
    const timedOut = { status: 'error', content: expect.stringMatching(/^\{"error":"slow timed out after 0\.2 s\./) };
    expect(await ask('mcp__slow__hang')).toMatchObject(timedOut);
    // The server writes the rest.
    expect((await ask('mcp__it__refuse')).content).toMatch(/^⟦untrusted text from mcp__it__refuse/);
    expect((await ask('mcp__it__die')).content).toMatch(/^⟦untrusted text from mcp__it__die[^]*the disk is on fire/);
  });
});
