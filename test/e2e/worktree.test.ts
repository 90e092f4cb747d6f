import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: cli.home.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cli.home.userHome },
  }).trim();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const writing = (path: string) => ({ toolCalls: [{ name: 'write_file', arguments: { path, content: 'x\n' } }] });
const worktrees = () => {
  const folder = join(cli.home.path, 'worktrees');
  return existsSync(folder) ? readdirSync(folder).map((id) => join(folder, id, 'workspace')) : [];
};

beforeEach(async () => {
  await cli.configure();
  git('init', '-q', '-b', 'main');
  await writeFile(join(cli.home.workspace, 'a.txt'), '1\n');
  git('add', '.');
  git('commit', '-qm', 'first');
});

describe('hermes --worktree', () => {
  verifies(
    'SURF-1',
    'works in a new worktree, keeps it if something was changed, and can be resumed',
    fullDoseOnly,
    async () => {
      cli.server.setScript([writing('new.txt'), { text: 'Done.' }]);
      const first = await hermes('-w', '-q', 'write it');
      expect(first).toMatchObject({ exitCode: 0 });
      const [worktree = ''] = worktrees();
      expect(first.stderr).toMatch(/Working in the worktree .*, branch hermes\//);
      expect(first.stderr).toContain(`The worktree was kept: ${worktree}`);
      expect(first.stderr).toMatch(/0 commits, 1 file not committed[^]*git -C .* merge hermes\//);
      expect(existsSync(join(cli.home.workspace, 'new.txt'))).toBe(false);
      expect(git('status', '--porcelain')).toBe('');

      const [, id = ''] = /hermes --resume (\w+)/.exec(first.stderr) ?? [];
      cli.server.setScript([writing('second.txt'), { text: 'Done.' }]);
      const second = await hermes('--resume', id, '-q', 'once more');
      expect(second.stderr).toContain(`Continuing in the worktree ${worktree}`);
      expect(readFileSync(join(worktree, 'second.txt'), 'utf8')).toBe('x\n');
      expect(worktrees()).toEqual([worktree]);

      await rm(worktree, { recursive: true });
      cli.server.setScript([{ text: 'Fine.' }]);
      const third = await hermes('--continue', '-q', 'still there?');
      expect(third).toMatchObject({ exitCode: 0, stdout: 'Fine.\n' });
      expect(third.stderr).toContain(`no longer exists; continuing in ${cli.home.workspace}`);
    },
  );

  verifies('SURF-1', 'removes an unchanged worktree', fullDoseOnly, async () => {
    cli.server.setScript([{ text: 'Nothing to do.' }]);
    const { exitCode, stderr } = await hermes('--worktree', '-q', 'look around');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/The worktree had no changes and was removed with its branch hermes\//);
    expect(worktrees()).toEqual([]);
    expect(git('branch', '--list')).toBe('* main');
    cli.server.setScript([{ text: 'Quiet.' }]);
    expect(await hermes('-w', '-z', 'hi', '-Q')).toMatchObject({ stdout: 'Quiet.\n', stderr: '' });
  });

  it('reports errors before anything is started', async () => {
    await rm(join(cli.home.workspace, '.git'), { recursive: true });
    const { exitCode, stderr } = await hermes('-w', '-q', 'hi');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/is not in a git repository, but --worktree requires one/);
    expect(cli.server.requests).toEqual([]);
  });

  it('applies to a chat, whose status shows the folder', fullDoseOnly, async () => {
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const chat = startTerminal(cli.home, ['-w', '--plain'], { cols: 200, rows: 40 });
    await chat.see('Working in the worktree');
    await chat.see('❯ ');
    chat.type('/status\r');
    await chat.see(worktrees()[0] ?? '-');
    chat.type('\u0004');
    await chat.see('was removed with its branch');
    expect(await chat.exited).toBe(0);
    expect(worktrees()).toEqual([]);
  });
});
