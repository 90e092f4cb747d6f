import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const entry = (message: string, more: object = {}) =>
  `${JSON.stringify({ at: new Date().toISOString(), level: 'info', message, ...more })}\n`;

describe('hermes logs', () => {
  verifies('OBS-1', 'prints the log of turns by session and by level', async () => {
    await cli.configure();
    cli.server.setScript([{ fault: { type: 'status', status: 400 } }, { text: 'fine' }]);
    const failed = lastLine((await hermes('--json', '-q', 'one')).stdout)['session_id'] as string;
    await hermes('-z', 'two');
    const all = jsonLines((await hermes('logs', '--json')).stdout);
    expect(all.filter(({ message }) => message === 'turn finished')).toHaveLength(2);
    const ofFirst = jsonLines((await hermes('logs', '--json', '--session', failed.slice(0, 20))).stdout);
    expect(new Set(ofFirst.map(({ sessionId }) => sessionId))).toEqual(new Set([failed]));
    const [warning] = jsonLines((await hermes('logs', '--json', '--session', failed, '--level', 'warn')).stdout);
    expect(warning).toMatchObject({ level: 'warn', message: 'model call failed', sessionId: failed });
    const { stdout } = await hermes('logs', '--level', 'warn');
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d WARN {2}model call failed kind=\S+ .*session=\S+$/m);
    expect(stdout).not.toContain('turn finished');
    await hermes('sessions', 'rename', failed, 'The one that failed');
    expect((await hermes('logs', '--session', 'The one that failed')).stdout).toContain(failed);
  });

  verifies('OBS-1', 'filters by time across rotated files of any writer, without secrets', async () => {
    const old = entry('yesterday').replace(/"at":"[^"]+"/, '"at":"2020-01-01T00:00:00.000Z"');
    await cli.home.write(
      'logs/agent.log.1',
      `${old}2020-01-01 00:00:00,1 - x - ERROR - key sk-abcdefghijklmnopqrstuvwx\n`,
    );
    await cli.home.write('logs/agent.log', `${entry('now', { apiKey: 'k', note: '\u001b[31mred' })}half a line`);
    const { stdout } = await hermes('logs');
    expect(stdout).toMatch(/yesterday\n.*ERROR .*key sk-abc\*\*\*uvwx\n.*INFO {2}now /);
    expect(stdout).not.toContain('\u001b');
    expect((await hermes('logs', '--since', '1d')).stdout).not.toContain('yesterday');
    expect((await hermes('logs', '-n', '1')).stdout).toMatch(/^[^\n]*now[^\n]*\n$/);
    expect(await hermes('logs', '--since', 'soon')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('30m'),
    });
    expect(await hermes('logs', '--level', 'loud')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('warn'),
    });
  });

  it('reports that there is no log yet', async () => {
    expect(await hermes('logs')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('no log yet'),
    });
  });

  verifies('OBS-1', 'follows the log across a rotation', async () => {
    const file = join(cli.home.path, 'logs', 'agent.log');
    await cli.home.write('logs/agent.log', entry('first') + entry('second'));
    const following = startHermes(['logs', '-f', '-n', '1', '--level', 'info'], { home: cli.home });
    await following.waitForOutput('second');
    await appendFile(file, entry('third') + entry('too fine', { level: 'debug' }));
    await following.waitForOutput('third');
    await rename(file, `${file}.1`);
    await appendFile(`${file}.1`, entry('late'));
    await writeFile(file, entry('fourth'));
    await following.waitForOutput('late');
    await following.waitForOutput('fourth');
    following.kill('SIGINT');
    const { exitCode, stdout } = await following.exited;
    expect([exitCode, stdout.includes('first'), stdout.includes('too fine')]).toEqual([130, false, false]);
    expect(await readFile(file, 'utf8')).toContain('fourth');
  });
});
