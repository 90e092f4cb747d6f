import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fullDoseOnly, someOf } from '../../test/support/dose.ts';
import { systemClock } from '../base/index.ts';
import { createWorktrees } from './index.ts';

/** A repository with one commit, and a separate folder for worktrees. */
function openRepository(name = 'project') {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-worktrees-')));
  const [repository, folder] = [join(root, name), join(root, 'home', 'worktrees')];
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  writeFileSync(join(root, '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.com\n');
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  write(join(repository, 'a.txt'), '1\n');
  write(join(repository, 'sub/b.txt'), '1\n');
  write(join(repository, '.gitignore'), '.env*\nbuild/\n');
  git(repository, 'add', '.');
  git(repository, 'commit', '-qm', 'first');
  const open = (variables: Record<string, string | undefined> = env) =>
    createWorktrees({ folder, variables, clock: systemClock });
  return {
    root,
    repository,
    folder,
    env,
    git,
    write,
    open,
    branches: () => git(repository, 'branch', '--list', '--format=%(refname:short)').split('\n'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

describe('a worktree', () => {
  it('starts at the last commit on its own branch, and leaves the repository clean', async () => {
    await using project = openRepository('my project');
    project.write(join(project.repository, 'a.txt'), 'not committed\n');
    const { record, uncommitted, copied } = await project.open().create(join(project.repository, 'sub'));
    expect({ uncommitted, copied }).toEqual({ uncommitted: 1, copied: 0 });
    expect(record.branch).toMatch(/^hermes\/\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(record.directory).toBe(join(project.folder, record.id, 'my project', 'sub'));
    expect(readFileSync(join(record.path, 'a.txt'), 'utf8')).toBe('1\n');
    expect(project.git(record.path, 'branch', '--show-current')).toBe(record.branch);
    expect(project.git(project.repository, 'status', '--porcelain')).toBe('M a.txt');
  });

  it('is removed with its branch if nothing was changed', async () => {
    await using project = openRepository();
    const worktrees = project.open();
    const { record } = await worktrees.create(project.repository);
    project.write(join(record.path, 'build/out'), 'ignored');
    expect(await worktrees.leave(record.id)).toEqual({ kind: 'removed' });
    expect(existsSync(join(project.folder, record.id))).toBe(false);
    expect(project.branches()).toEqual(['main']);
    expect(project.git(project.repository, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  const CHANGES: readonly [name: string, expected: { commits: number; uncommitted: number }, command: string][] = [
    ['a new file', { commits: 0, uncommitted: 1 }, 'echo x > new.txt'],
    ['a changed file', { commits: 0, uncommitted: 1 }, 'echo x > a.txt'],
    ['a commit', { commits: 1, uncommitted: 0 }, 'echo x > a.txt && git commit -qam second'],
    [
      'a commit on another branch',
      { commits: 1, uncommitted: 0 },
      'git checkout -qb other && git commit -qm x --allow-empty',
    ],
    [
      'a commit that was left',
      { commits: 1, uncommitted: 0 },
      'git commit -qm x --allow-empty && git checkout -q --detach HEAD~1',
    ],
  ];

  // In the small dose, a new file and a commit on another branch.
  it.each(someOf(CHANGES, 3))('is kept with %s', async (_, expected, command) => {
    await using project = openRepository();
    const worktrees = project.open();
    const { record } = await worktrees.create(project.repository);
    execFileSync('sh', ['-c', command], { cwd: record.path, env: project.env });
    await worktrees.recordSession(record.id, 's1');
    expect(await worktrees.leave(record.id)).toEqual({ kind: 'kept', ...expected });
    expect(await worktrees.cleanUp()).toEqual([]);
    expect(existsSync(record.path)).toBe(true);
    expect(worktrees.find(['s0', 's1'])?.path).toBe(record.path);
    expect(worktrees.find(['s0'])).toBeUndefined();
  });

  it('does not run what the configuration of a submodule names', async () => {
    await using project = openRepository();
    const head = project.git(project.repository, 'rev-parse', 'HEAD');
    project.git(project.repository, 'update-index', '--add', '--cacheinfo', `160000,${head},lib`);
    project.git(project.repository, 'commit', '-qm', 'a submodule');
    const worktrees = project.open();
    const { record } = await worktrees.create(project.repository);
    // A command in the sandbox can do this, because the folder of the submodule is empty.
    const [lib, mark] = [join(record.path, 'lib'), join(project.root, 'mark')];
    project.git(lib, 'init', '-q');
    project.write(join(lib, '.gitattributes'), '* filter=x\n');
    project.write(join(lib, 'a'), '1\n');
    project.git(lib, 'add', '.');
    project.git(lib, 'commit', '-qm', 'x');
    project.git(lib, 'config', 'filter.x.clean', `touch '${mark}'; cat`);
    project.write(join(lib, 'a'), '2\n');
    expect(await worktrees.leave(record.id)).toMatchObject({ kind: 'kept' });
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(join(lib, 'a'), 'utf8')).toBe('2\n');
  });

  it('gets the ignored files that .worktreeinclude names, and no others', async () => {
    await using project = openRepository();
    const files = { '.env': 'KEY=1', '.env.local': 'KEY=2', 'build/cache': 'x', 'sub/.env': 'KEY=3', 'new.txt': 'x' };
    for (const [path, content] of Object.entries(files)) project.write(join(project.repository, path), content);
    chmodSync(join(project.repository, '.env'), 0o600);
    symlinkSync('/etc/passwd', join(project.repository, '.env.link'));
    project.write(join(project.repository, '.worktreeinclude'), '.env\n.env.link\nnew.txt\na.txt\n../outside\n');
    const { record, copied } = await project.open().create(project.repository);
    expect(copied).toBe(3);
    expect(readFileSync(join(record.path, 'sub/.env'), 'utf8')).toBe('KEY=3');
    for (const name of ['.env.local', 'build', 'new.txt']) expect(existsSync(join(record.path, name))).toBe(false);
  });

  it('can be created from another worktree, and is removed after that one is gone', fullDoseOnly, async () => {
    await using project = openRepository();
    const worktrees = project.open();
    const outer = await worktrees.create(project.repository);
    const inner = await worktrees.create(outer.record.path);
    expect(await worktrees.leave(outer.record.id)).toEqual({ kind: 'removed' });
    expect(await worktrees.leave(inner.record.id)).toEqual({ kind: 'removed' });
    expect(project.branches()).toEqual(['main']);
  });

  it('ignores the environment variables of a git hook', async () => {
    await using project = openRepository();
    await using other = openRepository();
    const variables = {
      ...project.env,
      GIT_DIR: join(other.repository, '.git'),
      GIT_WORK_TREE: other.repository,
      GIT_INDEX_FILE: 'x',
    };
    const { record } = await project.open(variables).create(project.repository);
    expect(record.repository).toBe(project.repository);
    expect(other.branches()).toEqual(['main']);
  });
});

describe('directories without a usable repository', () => {
  it('are rejected with a clear message, and nothing is left behind', async () => {
    await using project = openRepository();
    const worktrees = project.open();
    await expect(worktrees.create(project.root)).rejects.toThrow('is not in a git repository');
    const bare = join(project.root, 'bare.git');
    project.git(project.root, 'init', '-q', '--bare', bare);
    await expect(worktrees.create(bare)).rejects.toThrow('is a bare repository');
    await expect(worktrees.create(join(project.repository, '.git'))).rejects.toThrow('inside a .git folder');
    const empty = join(project.root, 'empty');
    project.git(project.root, 'init', '-q', empty);
    await expect(worktrees.create(empty)).rejects.toThrow('has no commits yet');
    // A branch named `hermes` prevents git from creating `hermes/…`.
    project.git(project.repository, 'branch', 'hermes');
    await expect(worktrees.create(project.repository)).rejects.toThrow(/git worktree add failed: .*hermes/s);
    expect(existsSync(project.folder) ? readdir(project.folder) : []).toEqual([]);
  });
});

const readdir = (folder: string) => execFileSync('ls', [folder], { encoding: 'utf8' }).split('\n').filter(Boolean);

/** Rejects if the program exits before it has printed anything. */
async function failWhenExited(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the program exited with ${code}`);
}

describe('worktrees of processes that have ended', () => {
  it('are removed if they are unchanged, and only then', async () => {
    await using project = openRepository();
    const code = `import { createWorktrees } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      import { writeFileSync } from 'node:fs';
      const worktrees = createWorktrees({ folder: ${JSON.stringify(project.folder)}, variables: process.env, clock: { now: Date.now } });
      const unchanged = await worktrees.create(${JSON.stringify(project.repository)});
      const changed = await worktrees.create(${JSON.stringify(project.repository)});
      writeFileSync(changed.record.path + '/new.txt', 'x');
      console.log(JSON.stringify([unchanged.record.path, changed.record.path]));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: project.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await Promise.race([once(child.stdout, 'data'), failWhenExited(child)])) as [Buffer];
    const [unchanged = '', changed = ''] = JSON.parse(line.toString()) as string[];
    const worktrees = project.open();
    const own = await worktrees.create(project.repository);
    // The process is still running.
    expect(await worktrees.cleanUp()).toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await worktrees.cleanUp()).toEqual([unchanged]);
    expect([unchanged, changed, own.record.path].map(existsSync)).toEqual([false, true, true]);
    expect(project.branches()).toHaveLength(3);
  });

  it('are forgotten if the user removed them', async () => {
    await using project = openRepository();
    const worktrees = project.open();
    const { record } = await worktrees.create(project.repository);
    rmSync(record.path, { recursive: true });
    expect(await worktrees.leave(record.id)).toEqual({ kind: 'removed' });
    expect(project.branches()).toEqual(['main']);
  });
});
