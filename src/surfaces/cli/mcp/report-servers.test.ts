import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { pollUntil, testServer } from '../../../../test/support/mcp-servers.ts';
import { type AgentEvent, type Clock, systemClock } from '../../../base/index.ts';
import { loadSettings } from '../../../config/index.ts';
import { createRuntime } from '../../../runtime/index.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { withServerReports } from './report-servers.ts';

/** The first request waits this long for a server. */
const FIRST_WAIT_MS = 15_000;

verifies('SURF-8', 'a server that is still connecting is reported once', async () => {
  const home = await createTemporaryHome();
  await home.write('config.yaml', JSON.stringify({ mcp_servers: { mute: testServer('--mute'), half: {} } }));
  const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'] } });
  const clock: Clock = {
    now: systemClock.now,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds === FIRST_WAIT_MS ? 0 : milliseconds, signal),
  };
  const options = { settings, routes: [], workingDirectory: home.workspace, source: 'cli', attended: false, clock };
  const runtime = await createRuntime(options);
  onTestFinished(async () => {
    await runtime.close();
    await home.remove();
  });
  const shown: AgentEvent[] = [];
  const warnings: string[] = [];
  const view = { show: (event: AgentEvent) => void shown.push(event), finish() {} };
  const reporting = withServerReports(view, runtime.servers, (message) => warnings.push(message));
  for (const source of runtime.servers.sources()) await source.ready?.();
  await pollUntil(() => runtime.servers.states().some(({ report }) => report?.failure !== undefined));
  reporting.show({ type: 'started', sessionId: 's', taskId: 't', model: 'm', provider: 'p' });
  reporting.show({ type: 'tool-finished', callId: '1', name: 'x', status: 'ok', content: '', durationMs: 0 });
  expect(shown[0]).toMatchObject({
    mcpServers: [
      { name: 'mute', state: 'connecting', tools: 0 },
      { name: 'half', state: 'failed', error: { message: 'mcp_servers.half has neither command nor url.' } },
    ],
  });
  // The other one was reported when the configuration was read.
  expect(warnings).toEqual([
    'The MCP server mute is still connecting. The model finds its tools with tool_search when it is ready.',
  ]);
});
