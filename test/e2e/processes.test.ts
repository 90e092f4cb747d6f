import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isRunning, uniqueSeconds, untilRunning } from '../../src/environments/conformance/bench.ts';
import { type ReceivedRequest, type Reply, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

const cli = useCliFixture();

const calling = (name: string, args: JsonObject): Reply => ({ toolCalls: [{ name, arguments: args }] });
const results = (request: ReceivedRequest) => request.toolResults.map(({ content }) => content);

describe('background processes', () => {
  verifies('TOOL-6', 'end with the program', async () => {
    await cli.configure();
    const seconds = uniqueSeconds();
    const command = `sleep ${seconds}; true`;
    cli.server.setScript([
      calling('terminal', { command, background: true }),
      calling('process', { action: 'list' }),
      { text: 'it runs' },
    ]);
    expect(await runHermes(['-z', 'start it'], { home: cli.home })).toMatchObject({ exitCode: 0, stdout: 'it runs\n' });
    expect(results(cli.server.requests.at(-1) as ReceivedRequest)[1]).toMatch(/^proc_\w+ \(pid \d+\), running: sleep/);
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect(await readdir(join(cli.home.path, 'processes'))).toEqual([]);
  });

  verifies(['TOOL-6', 'CTX-11'], 'stay with a conversation that was compressed meanwhile', fullDoseOnly, async () => {
    await cli.configure('  context_length: 14000\n');
    const command = `sleep ${uniqueSeconds()}; true`;
    const long = (turn: number): Reply => calling('terminal', { command: `echo ${turn}; seq 1 700 | tr '\\n' ' '` });
    cli.server.setScript((request) => {
      if (request.toolNames.length === 0) return { text: 'no summary' };
      const steps = cli.server.requests.filter(({ toolNames }) => toolNames.length > 0).length;
      if (steps === 1) return calling('terminal', { command, background: true });
      if (steps <= 8) return long(steps);
      return steps === 9 ? calling('process', { action: 'list' }) : { text: 'it runs' };
    });
    const { stdout } = await runHermes(['-q', 'start it', '--json'], { home: cli.home });
    expect(stdout).toContain('"type":"compressed"');
    expect(results(cli.server.requests.at(-1) as ReceivedRequest).at(-1)).toMatch(
      /^proc_\w+ \(pid \d+\), running: sleep/,
    );
  });

  verifies('TOOL-6', 'keep running if configured, and are recovered at the next start', fullDoseOnly, async () => {
    await cli.configure('terminal:\n  keep_background: true\n');
    const seconds = uniqueSeconds();
    cli.server.setScript([
      calling('terminal', { command: `sleep ${seconds}; true`, background: true }),
      { text: 'ok' },
    ]);
    // A separate process, because a command belongs to an earlier run only once its process has exited.
    expect((await runHermes(['-z', 'start it'], { home: cli.home, spawn: true })).exitCode).toBe(0);
    // The shell may still be starting.
    await waitUntil(() => expect(isRunning(`sleep ${seconds}`)).toBe(true));
    cli.server.setScript([calling('process', { action: 'kill', session_id: 'proc_' }), { text: 'ended' }]);
    expect((await runHermes(['-z', 'end it'], { home: cli.home })).exitCode).toBe(0);
    expect(results(cli.server.requests.at(-1) as ReceivedRequest)[0]).toContain(
      'Killed the process and its child processes',
    );
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect(await readdir(join(cli.home.path, 'processes'))).toEqual([]);
  });

  verifies('TOOL-6', 'that a foreground command left running end with the program too', async () => {
    await cli.configure();
    const seconds = uniqueSeconds();
    cli.server.setScript([calling('terminal', { command: `sleep ${seconds} & echo begun` }), { text: 'ok' }]);
    expect((await runHermes(['-z', 'start it'], { home: cli.home })).exitCode).toBe(0);
    // The process is named by its command line, which is still that of the shell if `sleep` has not started yet.
    expect(results(cli.server.requests.at(-1) as ReceivedRequest)[0]).toMatch(
      /^begun\n\[the command left a process running: pid \d+ \((sleep|\S*bash )/,
    );
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect(await readdir(join(cli.home.path, 'processes'))).toEqual([]);
  });

  verifies('TOOL-6', 'and foreground commands are recovered after the program was killed', fullDoseOnly, async () => {
    await cli.configure();
    const seconds = uniqueSeconds();
    cli.server.setScript([calling('terminal', { command: `sleep ${seconds}; true` })]);
    const victim = startHermes(['-z', 'run it'], { home: cli.home, input: '' });
    const folder = join(cli.home.path, 'processes');
    const isNoted = async () => (await readdir(folder).catch(() => [])).some((name) => name.endsWith('.json'));
    while (!(await isNoted())) await new Promise((resolve) => setTimeout(resolve, 5));
    victim.kill('SIGKILL');
    await victim.exited;
    // The shell may still be starting.
    await waitUntil(() => expect(isRunning(`sleep ${seconds}`)).toBe(true));
    const seen = cli.server.requests.length;
    cli.server.setScript([calling('process', { action: 'kill', session_id: 'proc_' }), { text: 'ended' }]);
    expect((await runHermes(['--continue', '-z', 'what runs?'], { home: cli.home })).exitCode).toBe(0);
    expect(cli.server.requests[seen]?.messages.at(-1)?.text).toMatch(
      /are still running:\n- proc_\w+ \(sleep [\d.]+; true\)/,
    );
    expect(results(cli.server.requests.at(-1) as ReceivedRequest).at(-1)).toContain(
      'Killed the process and its child processes',
    );
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
  });

  verifies('TOOL-6', 'of a killed program are recovered with their output, and can be killed', async () => {
    await cli.configure();
    const seconds = uniqueSeconds();
    const command = `echo before the kill; sleep ${seconds}; true`;
    cli.server.setScript([
      calling('terminal', { command, background: true }),
      calling('process', { action: 'wait', session_id: 'proc_' }),
    ]);
    const victim = startHermes(['-z', 'start it'], { home: cli.home, input: '' });
    await cli.server.waitForRequests(2);
    const folder = join(cli.home.path, 'processes');
    const saved = async () => {
      const names = (await readdir(folder).catch(() => [])).filter((name) => /^proc_\w+\.txt$/.test(name));
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
    };
    while (!(await saved()).includes('before the kill')) await new Promise((resolve) => setTimeout(resolve, 5));
    victim.kill('SIGKILL');
    await victim.exited;
    // The shell may still be starting.
    await waitUntil(() => expect(isRunning(`sleep ${seconds}`)).toBe(true));

    const seen = cli.server.requests.length;
    cli.server.setScript([
      calling('process', { action: 'log', session_id: 'proc_' }),
      calling('process', { action: 'submit', session_id: 'proc_', data: 'x' }),
      calling('process', { action: 'kill', session_id: 'proc_' }),
      { text: 'ended' },
    ]);
    const later = await runHermes(['--continue', '-z', 'what runs?'], { home: cli.home });
    expect(later).toMatchObject({ exitCode: 0, stdout: 'ended\n' });
    const asked = cli.server.requests[seen]?.messages.at(-1)?.text ?? '';
    expect(asked).toMatch(
      /^what runs\?\n\n\[Notice from Hermes, not from the user]\nAn earlier Hermes process was killed/,
    );
    const [log, submit, kill] = results(cli.server.requests.at(-1) as ReceivedRequest).slice(-3);
    expect(log).toMatch(/^proc_\w+ is running\. Lines 1-1 of 1:\nbefore the kill$/);
    expect(submit).toContain('its stdin is not available');
    expect(kill).toContain('Killed the process and its child processes');
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  verifies('TOOL-6', 'notify the model once when they have ended, also during a turn', async () => {
    await cli.configure();
    const notice = '[Notice from Hermes, not from the user]';
    const command = 'until [ -e go ]; do sleep 0.01; done; echo built; exit 7';
    let noticed = 0;
    cli.server.setScript((request) => {
      const sofar = results(request);
      if (sofar.length === 0) return calling('terminal', { command, background: true, notify_on_complete: true });
      if (sofar.join('\n').includes(notice)) noticed += 1;
      if (noticed > 2) return { text: 'done' };
      return calling('terminal', { command: `touch go; echo ${sofar.length}` });
    });
    const run = await runHermes(['-z', 'build it', '--max-turns', '1000'], { home: cli.home });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const all = results(cli.server.requests.at(-1) as ReceivedRequest).join('\n');
    expect(all.split(notice)).toHaveLength(2);
    expect(all).toMatch(/exited with code 7\.\nLast output:\nbuilt\n\[End of the notice]/);
  });

  verifies('TOOL-6', 'end when the program is terminated', fullDoseOnly, async () => {
    await cli.configure();
    const seconds = uniqueSeconds();
    const command = `trap '' TERM HUP; (setsid sleep ${seconds} &) ; while :; do sleep 0.05; done`;
    cli.server.setScript([
      calling('terminal', { command, background: true }),
      calling('process', { action: 'wait', session_id: 'proc_' }),
    ]);
    const hermes = startHermes(['-z', 'start it'], { home: cli.home, input: '' });
    await cli.server.waitForRequests(2);
    await untilRunning(`sleep ${seconds}`);
    hermes.kill('SIGTERM');
    await hermes.exited;
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
  });
});
