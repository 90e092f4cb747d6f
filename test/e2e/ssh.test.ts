import { rmdirSync } from 'node:fs';
import { expect } from 'vitest';
import { describeWithSshServer } from '../../src/environments/skip-tests.fixture.ts';
import { startCountingProxy } from '../../src/environments/ssh/counting-proxy.fixture.ts';
import type { ReceivedRequest, Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const DELAY_MS = 5;
const results = (request: ReceivedRequest | undefined) => request?.toolResults.map(({ content }) => content) ?? [];

describeWithSshServer((server) => {
  /** Runs a turn with these commands on the other machine, and counts what it took. */
  async function runCommands(commands: readonly string[], onCall: (command: string) => void = () => undefined) {
    const proxy = await startCountingProxy(server().port, DELAY_MS);
    server().connectThrough(proxy.port);
    const before = server().processes();
    const calls = [...commands];
    cli.server.setScript((): Reply => {
      const command = calls.shift();
      if (command === undefined) return { text: 'done' };
      onCall(command);
      return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
    });
    await cli.configure(`terminal: { backend: ssh, ssh_host: ${server().host} }\n`);
    try {
      const run = await runHermes(['-z', 'go'], { home: cli.home, env: { PATH: server().env['PATH'] ?? '' } });
      expect(run).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      return { trips: proxy.roundTrips(), processes: server().processes() - before };
    } finally {
      await proxy.close();
    }
  }

  verifies('TOOL-6', 'a tool call over ssh takes one round trip and no process of its own', fullDoseOnly, async () => {
    const few = await runCommands(['echo first']);
    const many = await runCommands(Array.from({ length: 11 }, (_, index) => `echo ${index}`));
    expect((many.trips - few.trips) / 10).toBeLessThanOrEqual(1.5);
    expect(many.processes).toBe(few.processes);
    expect(many.processes).toBeLessThanOrEqual(4);
    expect(results(cli.server.requests.at(-1)).at(-1)).toBe('10');
  });

  verifies('TOOL-6', 'a command does not run if the remote working directory was deleted', fullDoseOnly, async () => {
    const gone = `${server().folder}/gone`;
    const remove = (command: string) => (command === 'pwd # missing' ? rmdirSync(gone) : undefined);
    await runCommands(['mkdir gone && cd gone', 'pwd # missing', 'pwd'], remove);
    const [, missing, next] = results(cli.server.requests.at(-1));
    expect(missing).toContain(
      `The working directory ${gone} no longer exists. Nothing was run. The working directory is now ${server().folder}.`,
    );
    expect(next).toBe(server().folder);
  });
});
