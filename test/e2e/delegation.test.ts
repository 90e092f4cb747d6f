import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ReceivedRequest, type Reply, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { readLineSchema } from '../support/line-schema.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const schema = readLineSchema();
const hermes = (args: string[]) => runHermes(args, { home: cli.home });
const json = async (args: string[]) =>
  JSON.parse((await hermes([...args, '--json'])).stdout) as Record<string, unknown>[];

const isSubagent = ({ system }: ReceivedRequest) => system.includes('another agent delegated');
const command = (text: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command: text } }] });
const tasks = (...goals: string[]): Reply => ({
  toolCalls: [{ name: 'delegate_task', arguments: JSON.stringify({ tasks: goals.map((goal) => ({ goal })) }) }],
});

/** The chat delegates the goals once; subagents run a command first. */
function handOut(goals: string[], first: Reply = command('echo at work')): void {
  cli.server.setScript((request) => {
    const done = request.messages.at(-1)?.role === 'tool';
    if (isSubagent(request)) return done ? { text: `report on ${request.messages[0]?.text}` } : first;
    return done ? { text: 'All is done.' } : tasks(...goals);
  });
}

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

describe('subagents on the command line', () => {
  verifies('SURF-13', 'subagents are reported in lines with the documented schema', async () => {
    await cli.configure();
    handOut(['one', 'two']);
    const { stdout, exitCode } = await hermes(['--json', '-q', 'go']);
    const lines = jsonLines(stdout);
    expect([exitCode, lines.flatMap(schema.faultsOf)]).toEqual([0, []]);
    const subagentLines = lines.filter(({ type }) => type === 'subagent') as {
      task: number;
      event: Record<string, unknown>;
    }[];
    const inner = subagentLines.map(({ event }) => event).filter(({ type }) => type !== 'ended');
    expect(inner.flatMap((event) => schema.faultsOf({ v: 1, ...event }))).toEqual([]);
    for (const task of [1, 2]) {
      const own = subagentLines.filter((each) => each.task === task).map(({ event }) => event);
      expect(own.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['started', 'tool-started', 'tool-finished', 'usage']),
      );
      expect(own.at(-1)).toMatchObject({ type: 'ended', exit_reason: 'completed', api_calls: 2, tool_calls: 1 });
    }
    expect(lines.filter(({ type }) => type === 'tool-finished')).toMatchObject([
      { name: 'delegate_task', content: expect.stringMatching(/report on one[^]*report on two/) },
    ]);
  });

  verifies('STORE-3', 'their sessions are linked to that of the chat and not listed', async () => {
    await cli.configure();
    handOut(['one', 'two']);
    await hermes(['-q', 'go']);
    const [chat, ...others] = await json(['sessions', 'list']);
    expect(others).toEqual([]);
    const ofThem = await json(['sessions', 'list', '--source', 'subagent']);
    expect(ofThem).toMatchObject([{ parent_session_id: chat?.['id'] }, { parent_session_id: chat?.['id'] }]);
    expect(await json(['sessions', 'list', '--all'])).toHaveLength(3);
    const shown = (await hermes(['sessions', 'show', String(chat?.['id'])])).stdout;
    for (const { id } of ofThem) expect(shown).toContain(String(id));
    const [sub] = ofThem;
    expect((await hermes(['sessions', 'show', String(sub?.['id'])])).stdout).toContain(
      `subagent of  ${String(chat?.['id'])}`,
    );
    expect((await hermes(['insights'])).stdout).toMatch(/sessions +1, plus 2 of subagents/);
    cli.server.setScript([{ text: 'still here' }]);
    const again = jsonLines((await hermes(['--json', '--continue', '-q', 'and now?'])).stdout).at(-1);
    expect(again).toMatchObject({ session_id: chat?.['id'], final_response: 'still here' });
    expect((await hermes(['sessions', 'delete', String(chat?.['id']), '--yes'])).exitCode).toBe(0);
    expect(await json(['sessions', 'list', '--all'])).toEqual([]);
  });

  verifies('LOOP-7', 'Ctrl-C ends subagents and their commands', fullDoseOnly, async () => {
    await cli.configure();
    handOut(['one', 'two'], command('echo $$ >> pids; exec sleep 600'));
    const pids = join(cli.home.workspace, 'pids');
    const running = startHermes(['-q', 'go'], { home: cli.home });
    await expect.poll(() => (existsSync(pids) ? readFileSync(pids, 'utf8').split('\n').length : 0), POLL).toBe(3);
    running.kill('SIGINT');
    expect((await running.exited).exitCode).toBe(130);
    const numbers = (await readFile(pids, 'utf8')).trim().split('\n').map(Number);
    expect(numbers.filter(isRunning)).toEqual([]);
    const ended = await json(['sessions', 'list', '--source', 'subagent']);
    expect(ended.map(({ end_reason: reason }) => reason)).toEqual(['delegation', 'delegation']);
  });

  verifies('LOOP-11', 'a killed program can resume the chat', fullDoseOnly, async () => {
    await cli.configure();
    handOut(['one'], command('echo $$ > begun; exec sleep 600'));
    const running = startHermes(['-q', 'go'], { home: cli.home });
    const begun = join(cli.home.workspace, 'begun');
    await expect.poll(() => existsSync(begun) && readFileSync(begun, 'utf8'), POLL).toMatch(/\d\n/);
    // The command survives the kill of Hermes, so the test has to kill it.
    const left = Number(readFileSync(begun, 'utf8'));
    onTestFinished(() => void process.kill(left));
    running.kill('SIGKILL');
    await running.exited;
    cli.server.setScript((request) => ({ text: request.toolResults.at(-1)?.content ?? 'no result' }));
    const again = jsonLines((await hermes(['--json', '--continue', '-q', 'and now?'])).stdout).at(-1);
    expect(again).toMatchObject({ completed: true, final_response: expect.stringContaining('No result of this call') });
    expect(await json(['sessions', 'list'])).toHaveLength(1);
  });
});

describe('scripts on the command line', () => {
  it('run, call tools, and do not count as steps', async () => {
    await cli.configure('agent: { max_turns: 90 }\n');
    const code = `const files = await tools.search_files({ pattern: '*.txt', target: 'files' });
      await tools.write_file({ path: 'found.txt', content: 'x' });
      console.log(typeof files);`;
    cli.server.setScript([{ toolCalls: [{ name: 'execute_code', arguments: { code } }] }, { text: 'done' }]);
    const { stdout } = await hermes(['--json', '-q', 'go']);
    expect(jsonLines(stdout).find(({ type }) => type === 'tool-finished')).toMatchObject({
      status: 'ok',
      content: 'string',
    });
    expect(await readFile(join(cli.home.workspace, 'found.txt'), 'utf8')).toBe('x');
  });

  verifies('TOOL-6', 'are not offered if commands run on another machine', async () => {
    await cli.home.write('config.yaml', 'terminal: { backend: ssh, ssh_host: example.invalid }\n');
    const listed = (await hermes(['tools', 'list'])).stdout;
    expect(listed).toMatch(/execute_code.*scripts run only with/);
  });
});

const POLL = { interval: 20 };
