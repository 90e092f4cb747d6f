import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Trajectory } from '../../src/trajectories/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const pathOf = (name: string) => join(cli.home.workspace, name);
const linesOf = (name: string) => readFileSync(pathOf(name), 'utf8').split('\n').slice(0, -1);
const trajectories = (name: string) => linesOf(name).map((line) => JSON.parse(line) as Trajectory);
const WRITE = { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'hello' } }] };

verifies(['SURF-1', 'TRAJ-1'], '--save-trajectories writes lines that pass the check', async () => {
  await cli.configure();
  cli.server.setScript([{ reasoning: 'Write.', ...WRITE }, { text: 'Written.' }]);
  const saved = await hermes('--save-trajectories', '-q', 'write it');
  expect(saved).toMatchObject({ exitCode: 0, stdout: 'Written.\n' });
  const [line] = trajectories('trajectory_samples.jsonl');
  expect(line?.conversations.map(({ from }) => from)).toEqual(['system', 'human', 'gpt', 'tool', 'gpt']);
  expect(await hermes('trajectories', 'check', 'trajectory_samples.jsonl')).toMatchObject({
    exitCode: 0,
    stdout: 'trajectory_samples.jsonl: 1 line, all valid.\n',
  });
  // Exporting the stored session produces the same line.
  const exported = await hermes('sessions', 'export', '--format', 'trajectory', 'again.jsonl');
  expect(exported.stdout).toContain('Wrote 1 trajectory to');
  expect(trajectories('again.jsonl')[0]?.conversations.slice(1)).toEqual(line?.conversations.slice(1));
});

verifies('TRAJ-1', 'a chat appends one line at the end of each turn to the given file', async () => {
  await cli.configure();
  cli.server.setScript([{ text: 'One.' }, { text: 'Two.' }]);
  const chat = startTerminal(cli.home, ['--trajectory-file', 'mine.jsonl', '--plain']);
  await chat.see('❯ ');
  chat.type('first\r');
  await chat.see('One.');
  await chat.see('❯ ');
  chat.type('second\r');
  await chat.see('Two.');
  await chat.see('❯ ');
  chat.type('\u0004');
  expect(await chat.exited).toBe(0);
  expect(trajectories('mine.jsonl').map(({ conversations }) => conversations.length)).toEqual([3, 5]);
});

describe('saving', () => {
  it('a failure is reported on stderr, and the answer is still printed', async () => {
    await cli.configure();
    cli.server.setScript([{ text: 'Here.' }]);
    mkdirSync(pathOf('full'));
    const { exitCode, stdout, stderr } = await hermes('--trajectory-file', 'full', '-q', 'hi');
    expect([exitCode, stdout]).toEqual([0, 'Here.\n']);
    expect(stderr).toMatch(
      /full: it is a directory\. Export it later with: hermes sessions export --format trajectory/,
    );
  });

  it('a failure is reported once in a chat, at its end at the latest', async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: 'Here.' }));
    mkdirSync(pathOf('full'));
    const chat = startTerminal(cli.home, ['--trajectory-file', 'full', '--plain']);
    await chat.see('❯ ');
    chat.type('hi\r');
    await chat.see('Here.');
    await chat.see('❯ ');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    expect(chat.output().split('The turn is stored, but its trajectory could not be saved.')).toHaveLength(2);
  });

  it('an invalid template is reported with its name and the allowed placeholders', async () => {
    await cli.configure('trajectories:\n  system_template: mine.txt\n');
    writeFileSync(join(cli.home.path, 'mine.txt'), '{{tools}} {{date}}');
    const { exitCode, stderr } = await hermes('--save-trajectories', '-q', 'hi');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('mine.txt contains the unknown placeholder {{date}}.');
    expect(stderr).toContain('{{tools}}, {{call_schema}}, {{call_example}}');
  });
});

describe('hermes trajectories', () => {
  it('check finds violations by line in several files and exits with 1; a missing file exits with 2', async () => {
    await cli.configure();
    cli.server.setScript([WRITE, { text: 'Written.' }]);
    await hermes('--save-trajectories', '-q', 'write it');
    const [good = ''] = linesOf('trajectory_samples.jsonl');
    const noThought = good.replace('<think>\\n</think>\\n', '');
    const noResult = good.replace('"tool_call_id', '"id');
    writeFileSync(pathOf('bad.jsonl'), [good, noThought, noResult, '{"torn'].join('\n'));
    const { exitCode, stdout } = await hermes('trajectories', 'check', 'trajectory_samples.jsonl', 'bad.jsonl');
    expect(exitCode).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'trajectory_samples.jsonl: 1 line, all valid.',
      'bad.jsonl:2: turn 3 (gpt) does not start with a think block',
      'bad.jsonl:3: turn 4 (tool) has a tool_response that is not {"tool_call_id": …, "name": …, "content": …}',
      'bad.jsonl:3: turn 4 (tool) has 0 results for 1 calls',
      expect.stringMatching(/^bad\.jsonl:4: the line is not JSON: /),
      'bad.jsonl: 4 lines, 4 violations on 3 lines.',
      '',
    ]);
    const missing = await hermes('trajectories', 'check', 'none.jsonl');
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toMatch(/Cannot read .*none\.jsonl: /);
  });

  verifies('TRAJ-6', 'compress lets the model summarise the middle, and stats shows the difference', async () => {
    await cli.configure();
    cli.server.setScript([...Array.from({ length: 30 }, () => WRITE), { text: 'Written.' }]);
    await hermes('--save-trajectories', '-q', 'write it thirty times');
    const [file] = ['trajectory_samples.jsonl', 'failed_trajectories.jsonl'].filter((name) => existsSync(pathOf(name)));
    const tokens = async (name: string) => {
      const { stdout } = await hermes('trajectories', 'stats', name, '--json');
      return (JSON.parse(stdout) as { tokens: { total: number } }).tokens.total;
    };
    const before = await tokens(file ?? '');
    cli.server.setScript(() => ({ text: 'It wrote a.txt again and again.' }));
    const target = String(before - 500);
    const done = await hermes(
      'trajectories',
      'compress',
      file ?? '',
      'short.jsonl',
      '--target',
      target,
      '--summary',
      '60',
    );
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    expect(done.stdout).toContain('0 unchanged, 1 compressed.');
    expect(await tokens('short.jsonl')).toBeLessThanOrEqual(before - 500);
    expect(linesOf('short.jsonl')[0]).toContain('turns that were removed here]\\nIt wrote a.txt again and again.');
    expect((await hermes('trajectories', 'check', 'short.jsonl')).exitCode).toBe(0);
    const again = await hermes('trajectories', 'compress', file ?? '', 'short.jsonl');
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
  });
});
