import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type TestDirectory, openTestDirectory } from './checkpoints.fixture.ts';
import { type CheckpointedDirectory, listDirectories } from './limits.ts';
import { dose, fullDoseOnly } from '../../test/support/dose.ts';

afterEach(() => vi.unstubAllEnvs());

/** A command that leaves a trace when it runs. */
function trap(project: TestDirectory, name: string): string {
  const file = join(project.root, name);
  writeFileSync(file, `#!/bin/sh\necho ${name} >> "${project.root}/trapped"\ncat\n`);
  chmodSync(file, 0o755);
  return file;
}

const trapped = (project: TestDirectory) => existsSync(join(project.root, 'trapped'));

/** The content of all files of a repository. */
function stateOf(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `${file} ${readFileSync(file).toString('base64')}`)
    .join('\n');
}

describe('a repository of the user', () => {
  it('is neither changed nor read for configuration, and none of its commands are run', async () => {
    await using project = openTestDirectory({ 'a.txt': 'one\r\ntwo\n', 'b.dat': '$Id$ plain', '.gitattributes': '' });
    project.git('init', '-q');
    project.git('add', '.');
    project.git('commit', '-qm', 'first');
    const hooks = join(project.root, 'hooks');
    mkdirSync(hooks);
    for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >> "${project.root}/trapped"\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    const settings = `[core]\n\thooksPath = ${hooks}\n\tfsmonitor = ${trap(project, 'fsmonitor')}\n\tautocrlf = true
[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = ${trap(project, 'gpg')}
[filter "evil"]\n\tclean = ${trap(project, 'clean')}\n\tsmudge = ${trap(project, 'smudge')}\n\tprocess = ${trap(project, 'process')}\n\trequired = true
[diff "evil"]\n\ttextconv = ${trap(project, 'textconv')}\n\tcommand = ${trap(project, 'external')}\n`;
    writeFileSync(join(project.root, '.gitconfig'), settings);
    mkdirSync(join(project.root, '.config/git'), { recursive: true });
    writeFileSync(join(project.root, '.config/git/config'), settings);
    writeFileSync(join(project.directory, '.git/config'), settings, { flag: 'a' });
    project.write(
      '.gitattributes',
      '* text=auto eol=crlf filter=evil diff=evil\n*.dat ident working-tree-encoding=UTF-16\n',
    );
    const before = stateOf(join(project.directory, '.git'));

    // As if Hermes had been started from a hook of another repository, by a user with all these settings.
    vi.stubEnv('HOME', project.root);
    vi.stubEnv('XDG_CONFIG_HOME', join(project.root, '.config'));
    for (const name of ['GIT_DIR', 'GIT_COMMON_DIR']) vi.stubEnv(name, join(project.directory, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(project.directory, '.git/index'));
    vi.stubEnv('GIT_WORK_TREE', project.root);
    vi.stubEnv('GIT_EXTERNAL_DIFF', trap(project, 'external'));
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor');
    vi.stubEnv('GIT_CONFIG_VALUE_0', trap(project, 'fsmonitor'));

    const checkpoints = await project.open();
    await checkpoints.take('x');
    project.write('a.txt', 'other');
    project.write('b.dat', 'other');
    expect((await checkpoints.diff(1)).text).toContain('+other');
    await checkpoints.restore(1);
    await checkpoints.prune();
    expect(project.read('a.txt')).toBe('one\r\ntwo\n');
    expect(project.read('b.dat')).toBe('$Id$ plain');
    expect(trapped(project)).toBe(false);
    expect(stateOf(join(project.directory, '.git'))).toBe(before);
  });

  it('is not created if there is none', async () => {
    await using project = openTestDirectory({ 'a.txt': '1' });
    await (await project.open()).take('x');
    expect(project.files()).toEqual(['a.txt']);
    expect(existsSync(join(project.directory, '.git'))).toBe(false);
  });
});

/** Takes checkpoints in a separate process. */
function startTaking(project: TestDirectory, times: number) {
  const code = `import { createCheckpoints } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    import { writeFileSync } from 'node:fs';
    const checkpoints = await createCheckpoints(${JSON.stringify(project.options)});
    console.log('ready');
    for (let n = 0; n < ${times}; n += 1) {
      writeFileSync(${JSON.stringify(project.directory)} + '/' + process.pid + '-' + n, String(n));
      await checkpoints.take('n' + n);
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('concurrent processes', () => {
  it('take checkpoints one at a time and lose none', fullDoseOnly, async () => {
    await using project = openTestDirectory({ 'a.txt': '1' });
    const children = Array.from({ length: dose(2, 3) }, () => startTaking(project, 4));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual(codes.map(() => 0));
    const checkpoints = await project.open();
    const numbers = (await checkpoints.list()).map(({ number }) => number);
    // Each process recorded at least its own last write; two processes may have recorded the same state.
    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers).toEqual(numbers.map((_, index) => numbers.length - index));
    expect((await checkpoints.diff(numbers[0] ?? 0)).changes).toEqual([]);
  });

  it('continue after one was killed halfway', fullDoseOnly, async () => {
    await using project = openTestDirectory(
      Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n}`, String(n)])),
    );
    for (const wait of [30, 90, 150]) {
      const child = startTaking(project, 100);
      await once(child.stdout, 'data');
      // The process may be killed at any point, and other processes must be able to continue.
      await new Promise((resolve) => setTimeout(resolve, wait));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const checkpoints = await project.open();
    const { number } = await checkpoints.take('after');
    expect((await checkpoints.diff(number)).changes).toEqual([]);
  });

  it('are not blocked by leftover git locks or a corrupt index', async () => {
    await using project = openTestDirectory({ 'a.txt': '1' });
    const checkpoints = await project.open();
    await checkpoints.take('x');
    const [kept] = await listDirectories(project.options.folder);
    const { paths } = kept as CheckpointedDirectory;
    for (const lock of ['packed-refs.lock', 'HEAD.lock', 'refs/checkpoints/000000002.lock']) {
      writeFileSync(join(paths.store, lock), '');
    }
    writeFileSync(`${paths.indexFile}.lock`, '');
    writeFileSync(paths.indexFile, 'rubbish');
    writeFileSync(paths.lockFile, JSON.stringify({ pid: 2 ** 22 + 1, scope: 'elsewhere' }));
    project.write('a.txt', '2');
    execFileSync('touch', ['-d', '1 hour ago', paths.lockFile]);
    expect(await checkpoints.take('y')).toMatchObject({ number: 2 });
  });
});

const NOBODY = 65_534;

describe('unreadable files', () => {
  // Root can read everything, so the test runs in a process that drops its privileges.
  it.skipIf(process.getuid?.() !== 0)('are skipped, and the other files are stored', async () => {
    await using project = openTestDirectory({ 'a.txt': '1', 'locked.txt': 'l', 'closed/b.txt': '1' });
    for (const name of ['locked.txt', 'closed']) chmodSync(join(project.directory, name), 0o000);
    chmodSync(project.root, 0o755);
    for (const own of [project.directory, join(project.directory, 'a.txt'), project.home])
      chownSync(own, NOBODY, NOBODY);
    const code = `import { createCheckpoints } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      import { writeFileSync } from 'node:fs';
      process.setgid(${NOBODY});
      process.setuid(${NOBODY});
      const checkpoints = await createCheckpoints(${JSON.stringify(project.options)});
      const { leftOut } = await checkpoints.take('x');
      writeFileSync(${JSON.stringify(join(project.directory, 'a.txt'))}, '2');
      const { written, kept } = await checkpoints.restore(1);
      console.log(JSON.stringify({ leftOut, written, kept }));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ leftOut: 1, written: ['a.txt'], kept: [] });
  });
});

describe('limits', () => {
  it('keep only the newest checkpoints', fullDoseOnly, async () => {
    await using project = openTestDirectory();
    const checkpoints = await project.open({ maxCheckpoints: 3 });
    for (let n = 1; n <= 5; n += 1) {
      project.write('a.txt', String(n));
      await checkpoints.take(`n${n}`);
      await checkpoints.prune();
    }
    expect((await checkpoints.list()).map(({ reason }) => reason)).toEqual(['n5', 'n4', 'n3']);
    await checkpoints.restore(3);
    expect(project.read('a.txt')).toBe('3');
  });

  it(
    'delete the least recently used directories, then the oldest checkpoints, when the total is too large',
    fullDoseOnly,
    async () => {
      await using project = openTestDirectory();
      const noise = () =>
        Buffer.from(Array.from({ length: 6000 }, () => Math.floor(Math.random() * 256))).toString('base64');
      const other = join(project.root, 'other');
      mkdirSync(other);
      writeFileSync(join(other, 'a.txt'), noise());
      await (await project.open({ directory: other })).take('x');
      const checkpoints = await project.open({ maxTotalBytes: 40_000 });
      for (let n = 1; n <= 8; n += 1) {
        project.write('a.txt', noise());
        await checkpoints.take(`n${n}`);
      }
      await checkpoints.prune();
      const left = await listDirectories(project.options.folder);
      expect(left.map(({ paths }) => paths.directory)).toEqual([project.directory]);
      expect(left[0]?.bytes).toBeLessThan(40_000);
      expect((await checkpoints.list())[0]).toMatchObject({ reason: 'n8' });
      await checkpoints.restore(8);
    },
  );

  it('abort a checkpoint that takes too long', async () => {
    await using project = openTestDirectory(
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, String(n)])),
    );
    const checkpoints = await project.open({ timeoutMs: 1 });
    await expect(checkpoints.take('x')).rejects.toThrow('timed out after');
    const stop = new AbortController();
    const taking = (await project.open()).take('x', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(taking).rejects.toThrow('stopped');
    expect(await (await project.open()).take('x')).toMatchObject({ number: 1 });
  });
});
