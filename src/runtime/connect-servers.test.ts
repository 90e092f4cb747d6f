import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { silentLogger } from '../contracts/index.ts';
import { systemClock } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import { testServer } from '../../test/support/mcp-servers.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { call, noEnvironment, runCalls } from '../tools/batch.fixture.ts';
import { createToolSet } from '../tools/index.ts';
import { connectServers } from './connect-servers.ts';

verifies('SURF-8', 'lets sessions continue with the new connection after a server is reloaded', async () => {
  const home = await createTemporaryHome();
  await home.write('config.yaml', JSON.stringify({ mcp_servers: { it: testServer() } }));
  const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'] } });
  const options = { settings, workingDirectory: home.workspace, interactive: false };
  const servers = await connectServers(options, { auxiliary: undefined, logger: silentLogger, clock: systemClock });
  onTestFinished(async () => {
    await servers.close();
    await home.remove();
  });
  const before = servers.sources();
  const tools = createToolSet({ tools: [], sources: before, environment: noEnvironment });
  for (const source of before) await source.ready?.();
  const ask = async () => (await runCalls(tools, [call('1', 'mcp__it__echo', { value: 'x' })]))[0]?.outcome;
  expect(await ask()).toMatchObject({ status: 'ok' });
  await servers.reload();
  expect(servers.sources()).not.toBe(before);
  expect(await ask()).toMatchObject({ status: 'ok', content: expect.stringContaining('echo x') });
});
