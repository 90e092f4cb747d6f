import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tamper } from '../../src/store/sqlite/fixtures.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const doctor = (args: string[], env: Record<string, string> = {}) =>
  runHermes(['doctor', '--offline', ...args], { home: cli.home, env });
const path = (name: string) => join(cli.home.path, name);
const modeOf = (name: string) => statSync(path(name)).mode & 0o777;

async function openUp(): Promise<void> {
  await cli.configure();
  await cli.home.write('.env', 'A_KEY=1\n');
  await cli.home.write('logs/agent.log', '');
  await cli.home.write('logs/agent.log.1', '');
  for (const name of ['.env', 'logs/agent.log', 'logs/agent.log.1']) chmodSync(path(name), 0o644);
  for (const name of ['', 'logs']) chmodSync(path(name), 0o755);
  for (const folder of [cli.home.userHome, join(cli.home.userHome, '..')]) chmodSync(folder, 0o755);
}

describe('hermes doctor --fix', () => {
  verifies('SURF-2', 'removes permissions of others, and says so', async () => {
    await openUp();
    const before = await doctor([]);
    expect([before.exitCode, before.stderr]).toEqual([1, expect.stringContaining('hermes doctor --fix')]);
    const { exitCode, stdout } = await doctor(['--fix', '--yes']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`+ Removed the permissions of other users on ${path('.env')}.`);
    expect(['.env', 'logs/agent.log', 'logs/agent.log.1'].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    expect(await doctor(['--fix', '--yes'])).toMatchObject({ exitCode: 0, stderr: 'Nothing was fixed.\n' });
  });

  it('changes nothing without --fix', fullDoseOnly, async () => {
    await openUp();
    expect(await doctor(['--fix'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    const asked = startTerminal(cli.home, ['doctor', '--offline', '--fix']);
    await asked.see('Apply these fixes? [y/N]');
    asked.type('n\r');
    expect(await asked.exited).toBe(1);
    expect(asked.output()).toContain(`- remove the permissions of other users on ${path('.env')}`);
    expect(modeOf('.env')).toBe(0o644);
  });

  it('rebuilds a damaged search index', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: 'about walruses' }));
    await runHermes(['-z', 'hello'], { home: cli.home });
    tamper(path('state.db'), "UPDATE messages_fts_data SET block = X'00112233445566'");
    expect((await doctor([])).stdout).toContain('✗ The search index of ');
    const fixed = await doctor(['--fix', '--yes', '--json']);
    expect([fixed.exitCode, JSON.parse(fixed.stdout)]).toMatchObject([
      0,
      { ok: true, mended: [{ action: 'rebuild-search-index', done: true }] },
    ]);
    expect((await runHermes(['sessions', 'search', 'walruses'], { home: cli.home })).stdout).toContain(
      '>>>walruses<<<',
    );
  });

  it('creates a missing home', async () => {
    const home = path('new');
    expect((await doctor(['--fix', '--yes'], { HERMES_HOME: home })).stdout).toContain(`+ Created the folder ${home}.`);
    expect([existsSync(home), statSync(home).mode & 0o777]).toEqual([true, 0o700]);
  });
});
