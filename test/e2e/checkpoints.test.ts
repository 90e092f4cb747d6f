import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const writing = (content: string) => ({ toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content } }] });
const read = () => readFileSync(join(cli.home.workspace, 'a.txt'), 'utf8');

describe('checkpoints', () => {
  verifies(
    'SURF-3',
    '/rollback in a chat shows the diff, does not accept Enter as yes, and restores files',
    fullDoseOnly,
    async () => {
      await cli.configure();
      await writeFile(join(cli.home.workspace, 'a.txt'), 'one\n');
      cli.server.setScript([writing('two\n'), { text: 'Changed.' }, { text: 'I know.' }]);
      const chat = startTerminal(cli.home, ['--checkpoints', '--plain']);
      await chat.see('❯ ');
      chat.type('change it\r');
      await chat.see('Changed.');
      await chat.see('❯ ');
      chat.type('/rollback\r');
      await chat.see('write_file: a.txt');
      await chat.see('❯ ');
      // Enter alone, then Ctrl-C, then the answer.
      chat.type('/rollback 1\r');
      await chat.see('+two');
      await chat.see('Type yes to restore checkpoint 1 › ');
      chat.type('\r');
      await chat.see('No files were changed.');
      await chat.see('❯ ');
      chat.type('/rollback 1\r');
      await chat.see('Type yes');
      chat.type('\u0003');
      await chat.see('No files were changed.');
      await chat.see('❯ ');
      expect(read()).toBe('two\n');
      chat.type('/rollback 1 a.txt\r');
      await chat.see('Type yes');
      chat.type('yes\r');
      await chat.see('Restored checkpoint 1: 1 file restored, 0 deleted.');
      await chat.see('❯ ');
      expect(read()).toBe('one\n');
      chat.type('what now?\r');
      await chat.see('I know.');
      expect(JSON.stringify(cli.server.requests.at(-1)?.body)).toContain('rolled back to checkpoint 1');
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    },
  );

  verifies('SURF-2', 'hermes checkpoints lists them, restores files and deletes them', fullDoseOnly, async () => {
    await cli.configure('checkpoints:\n  enabled: true\n');
    await writeFile(join(cli.home.workspace, 'a.txt'), 'one\n');
    cli.server.setScript([writing('two\n'), { text: 'Changed.' }]);
    expect(await hermes('-z', 'change it')).toMatchObject({ stdout: 'Changed.\n', stderr: '' });
    expect((await hermes('checkpoints', 'list')).stdout).toMatch(/^ {2}1 {2}\d{4}-.* {2}write_file: a\.txt\n$/);
    const listed = JSON.parse((await hermes('checkpoints', 'list', '--json')).stdout) as unknown;
    expect(listed).toEqual([expect.objectContaining({ number: 1, reason: 'write_file: a.txt', left_out: 0 })]);
    expect((await hermes('checkpoints', 'diff', '1')).stdout).toContain('-one\n+two\n');
    expect(await hermes('checkpoints', 'restore', '1')).toMatchObject({ exitCode: 2 });
    expect(read()).toBe('two\n');
    const { stdout } = await hermes('checkpoints', 'restore', '1', '--yes');
    expect(stdout).toContain('To go back to it: `hermes checkpoints restore 2`');
    expect(read()).toBe('one\n');
    expect(await hermes('checkpoints', 'diff', '9')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('There is no checkpoint 9'),
    });
    expect((await hermes('checkpoints', 'prune')).stdout).toContain('this directory has 2');
    expect((await hermes('checkpoints', 'list', '--all')).stdout).toContain(cli.home.workspace);
    expect(await hermes('checkpoints', 'clear', '--yes')).toMatchObject({ exitCode: 0 });
    expect((await hermes('checkpoints', 'list')).stdout).toContain('There are no checkpoints of');
  });

  it('are created only if enabled', async () => {
    await cli.configure();
    cli.server.setScript([writing('two\n'), { text: 'Changed.' }]);
    await hermes('-z', 'change it');
    expect(existsSync(join(cli.home.path, 'checkpoints'))).toBe(false);
  });

  it('report that they cannot be created', async () => {
    await cli.configure();
    cli.server.setScript([writing('two\n'), { text: 'Changed.' }]);
    const { exitCode, stderr } = await runHermes(['--checkpoints', '-q', 'go'], {
      home: cli.home,
      cwd: cli.home.userHome,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('No checkpoint was taken');
    expect(stderr).toContain('contains your whole home directory');
  });
});
