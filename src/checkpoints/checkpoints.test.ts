import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dose, fullDoseOnly } from '../../test/support/dose.ts';
import { openTestDirectory } from './checkpoints.fixture.ts';
import { unsupportedReason } from './store-paths.ts';

const isRoot = process.getuid?.() === 0;

describe('checkpoints', () => {
  it('restore files, and restore the state before that', async () => {
    await using project = openTestDirectory({ 'a.txt': 'one\n', 'sub/b.txt': 'bee\n', 'gone.txt': 'here\n' });
    const checkpoints = await project.open();
    const first = await checkpoints.take('write_file: a.txt', { sessionId: 's1' });
    expect(first).toMatchObject({ number: 1, reason: 'write_file: a.txt', sessionId: 's1', leftOut: 0 });
    project.write('a.txt', 'two\n');
    project.write('new/deep/c.txt', 'sea\n');
    rmSync(join(project.directory, 'gone.txt'));

    const { changes, text, cut } = await checkpoints.diff(1);
    expect(changes).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'gone.txt', change: 'deleted' },
      { path: 'new/deep/c.txt', change: 'added' },
    ]);
    expect(text).toContain('-one\n+two\n');
    expect(cut).toBe(false);

    expect(await checkpoints.restore(1, { sessionId: 's1' })).toEqual({
      before: 2,
      written: ['a.txt', 'gone.txt'],
      removed: ['new/deep/c.txt'],
      kept: [],
    });
    expect(project.files()).toEqual(['a.txt', 'gone.txt', 'sub/b.txt']);
    expect(project.read('a.txt')).toBe('one\n');
    expect(() => lstatSync(join(project.directory, 'new'))).toThrow(/ENOENT/);

    await checkpoints.restore(2);
    expect(project.files()).toEqual(['a.txt', 'new/deep/c.txt', 'sub/b.txt']);
    expect(project.read('a.txt')).toBe('two\n');
    expect((await checkpoints.list()).map(({ number }) => number)).toEqual([3, 2, 1]);
    expect((await checkpoints.list({ sessionId: 's1' })).map(({ number }) => number)).toEqual([2, 1]);
  });

  it('return the newest one if nothing has changed', async () => {
    await using project = openTestDirectory({ 'a.txt': 'one' });
    const checkpoints = await project.open();
    await checkpoints.take('first');
    expect(await checkpoints.take('second')).toMatchObject({ number: 1, reason: 'first' });
    expect(await checkpoints.restore(1)).toEqual({ before: 1, written: [], removed: [], kept: [] });
  });

  it('detect every change, however soon it follows and however similar it is', fullDoseOnly, async () => {
    await using project = openTestDirectory();
    const checkpoints = await project.open();
    for (let n = 10; n < dose(15, 25); n += 1) {
      project.write('a.txt', String(n));
      expect(await checkpoints.take('x')).toMatchObject({ number: n - 9 });
    }
    await checkpoints.restore(3);
    expect(project.read('a.txt')).toBe('12');
  });

  it('restore one file or one folder', async () => {
    await using project = openTestDirectory({ 'a.txt': '1', 'sub/b.txt': '1', 'sub-c.txt': '1' });
    const checkpoints = await project.open();
    await checkpoints.take('x');
    for (const path of ['a.txt', 'sub/b.txt', 'sub-c.txt', 'sub/new.txt']) project.write(path, '2');
    expect((await checkpoints.diff(1, { paths: ['a.txt'] })).text).not.toContain('sub');
    expect(await checkpoints.restore(1, { paths: ['./sub/'] })).toMatchObject({
      written: ['sub/b.txt'],
      removed: ['sub/new.txt'],
    });
    expect(await checkpoints.restore(1, { paths: [join(project.directory, 'a.txt')] })).toMatchObject({
      written: ['a.txt'],
    });
    expect(project.read('sub-c.txt')).toBe('2');
    await expect(checkpoints.restore(1, { paths: ['../home/x'] })).rejects.toThrow('is outside');
    await expect(checkpoints.restore(7)).rejects.toThrow('There is no checkpoint 7');
  });

  it('keep links as links, and the executable bit', async () => {
    await using project = openTestDirectory({ 'run.sh': '#!/bin/sh\n' });
    symlinkSync('/etc/passwd', join(project.directory, 'link'));
    symlinkSync('.', join(project.directory, 'loop'));
    chmodSync(join(project.directory, 'run.sh'), 0o755);
    const checkpoints = await project.open();
    await checkpoints.take('x');
    rmSync(join(project.directory, 'link'));
    project.write('link', 'now a file');
    chmodSync(join(project.directory, 'run.sh'), 0o644);
    expect(await checkpoints.restore(1)).toMatchObject({ written: ['link', 'run.sh'] });
    expect(readlinkSync(join(project.directory, 'link'))).toBe('/etc/passwd');
    expect(statSync(join(project.directory, 'run.sh')).mode & 0o111).not.toBe(0);
  });

  it('keep private files private', fullDoseOnly, async () => {
    await using project = openTestDirectory({ '.env': 'KEY=1', 'b.env': 'KEY=2' });
    for (const name of ['.env', 'b.env']) chmodSync(join(project.directory, name), 0o600);
    const checkpoints = await project.open();
    await checkpoints.take('x');
    rmSync(join(project.directory, '.env'));
    project.write('b.env', 'KEY=3');
    await checkpoints.restore(1);
    for (const name of ['.env', 'b.env']) expect(statSync(join(project.directory, name)).mode & 0o777).toBe(0o600);
    expect(statSync(project.options.folder).mode & 0o777).toBe(0o700);
  });

  it('restore a folder where there is now a file or a link, and the reverse', fullDoseOnly, async () => {
    await using project = openTestDirectory({ 'src/a.txt': '1', 'src/b.txt': '2', plain: 'file' });
    mkdirSync(join(project.root, 'elsewhere'));
    const checkpoints = await project.open();
    await checkpoints.take('x');
    rmSync(join(project.directory, 'src'), { recursive: true });
    symlinkSync(join(project.root, 'elsewhere'), join(project.directory, 'src'));
    rmSync(join(project.directory, 'plain'));
    project.write('plain/inside.txt', '3');
    await checkpoints.restore(1);
    expect(project.files()).toEqual(['plain', 'src/a.txt', 'src/b.txt']);
    expect(lstatSync(join(project.directory, 'src')).isDirectory()).toBe(true);
    expect(() => lstatSync(join(project.root, 'elsewhere/a.txt'))).toThrow(/ENOENT/);
  });

  it('preserve any name and any bytes', fullDoseOnly, async () => {
    await using project = openTestDirectory();
    const name = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x61 : byte))))
      .filter((bytes) => !['.', '..'].includes(bytes.toString('latin1')) && !/^\.git/i.test(bytes.toString('latin1')));
    const content = fc.uint8Array({ maxLength: 200 });
    const [entries = []] = fc.sample(
      fc.uniqueArray(fc.tuple(name, content), { selector: ([one]) => one.toString('hex'), minLength: 30 }),
      { numRuns: 1, seed: 7 },
    );
    const pathOf = (one: Buffer) => Buffer.concat([Buffer.from(`${project.directory}/`), one]);
    for (const [one, bytes] of entries) writeFileSync(pathOf(one), bytes);
    for (const odd of ['-n', 'a\nb', ' leading', 'tab\there', '"quoted"', "it's", ':(top)x', '*', 'ünï'])
      project.write(odd, odd);
    const before = project.files();
    const checkpoints = await project.open();
    await checkpoints.take('x');
    for (const path of before) rmSync(join(project.directory, path), { force: true });
    for (const [one] of entries) rmSync(pathOf(one), { force: true });
    const { written } = await checkpoints.restore(1);
    expect(written).toHaveLength(entries.length + 9);
    expect(project.files()).toEqual(before);
    expect(project.read('a\nb')).toBe('a\nb');
    project.write('*', 'changed');
    project.write('ünï', 'changed');
    expect(await checkpoints.restore(1, { paths: ['*'] })).toMatchObject({ written: ['*'] });
    expect((await checkpoints.diff(1, { paths: ['ünï'] })).text).toContain('+changed');
  });
});

describe('files that are not in a checkpoint', () => {
  it(
    'are the ignored, generated, too large and unreadable ones; a restore does not touch them',
    fullDoseOnly,
    async () => {
      await using project = openTestDirectory({
        '.gitignore': 'secret.txt\n!dist/keep/\n',
        'secret.txt': 's',
        'node_modules/x/i.js': 'x',
        'trajectory_samples.jsonl': '{}',
        'logs/a.log': 'l',
        'big.bin': 'x'.repeat(10_001),
        'locked.txt': 'l',
        'a.txt': '1',
      });
      chmodSync(join(project.directory, 'locked.txt'), 0o000);
      const checkpoints = await project.open({ excludes: ['logs/'] });
      expect(await checkpoints.take('x')).toMatchObject({ leftOut: isRoot ? 1 : 2 });
      // Later checkpoints include `secret.txt` and `big.bin`, because the rules and the size have changed. A restore
      // must still keep both files, because they existed before.
      rmSync(join(project.directory, '.gitignore'));
      project.write('big.bin', 'small');
      project.write('a.txt', '2');
      project.write('new.txt', '3');
      const { kept, removed, written } = await checkpoints.restore(1);
      expect({ removed, written }).toEqual({ removed: ['new.txt'], written: ['.gitignore', 'a.txt'] });
      expect(kept.map(({ path }) => path)).toEqual(['big.bin', 'secret.txt']);
      for (const path of ['secret.txt', 'node_modules/x/i.js', 'trajectory_samples.jsonl', 'logs/a.log', 'big.bin'])
        expect(project.files()).toContain(path);
      chmodSync(join(project.directory, 'locked.txt'), 0o600);
    },
  );

  it('are never overwritten: a file that has become too large is kept', async () => {
    await using project = openTestDirectory({ 'a.txt': '1', 'b.txt': '1' });
    const checkpoints = await project.open();
    await checkpoints.take('x');
    project.write('a.txt', 'x'.repeat(10_001));
    rmSync(join(project.directory, 'b.txt'));
    project.write('b.txt/node_modules/x.js', 'kept');
    const { kept, written } = await checkpoints.restore(1);
    expect(written).toEqual([]);
    expect(kept.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(project.read('a.txt')).toHaveLength(10_001);
    expect(project.read('b.txt/node_modules/x.js')).toBe('kept');
  });

  it('are never replaced: an ignored link is kept where a folder was', fullDoseOnly, async () => {
    await using project = openTestDirectory({ '.gitignore': '', 'src/a.txt': '1' });
    const checkpoints = await project.open();
    await checkpoints.take('x');
    rmSync(join(project.directory, 'src'), { recursive: true });
    mkdirSync(join(project.root, 'elsewhere'));
    symlinkSync(join(project.root, 'elsewhere'), join(project.directory, 'src'));
    project.write('.gitignore', 'src\n');
    const { kept } = await checkpoints.restore(1);
    expect(kept).toEqual([{ path: 'src/a.txt', why: 'src is not a folder any more' }]);
    expect(readlinkSync(join(project.directory, 'src'))).toBe(join(project.root, 'elsewhere'));
  });

  it('include the home directory if it is inside the directory', async () => {
    await using project = openTestDirectory({ 'a.txt': '1', '.hermes [x]/state.db': 'no' });
    const home = join(project.directory, '.hermes [x]');
    const checkpoints = await project.open({ home, folder: join(home, 'checkpoints') });
    await checkpoints.take('x');
    project.write('.hermes [x]/state.db', 'other');
    expect((await checkpoints.diff(1)).changes).toEqual([]);
  });

  it('include the .git folder of a nested repository, but not its files', fullDoseOnly, async () => {
    await using project = openTestDirectory({
      'inner/.gitignore': 'out/\n',
      'inner/a.txt': '1',
      'inner/out/b.txt': '1',
    });
    project.git('init', '-q', 'inner');
    project.git('init', '-q', 'inner/deeper');
    project.write('inner/deeper/c.txt', '1');
    const checkpoints = await project.open();
    await checkpoints.take('x');
    for (const path of ['inner/a.txt', 'inner/out/b.txt', 'inner/deeper/c.txt']) project.write(path, '2');
    expect(await checkpoints.restore(1)).toMatchObject({ written: ['inner/a.txt', 'inner/deeper/c.txt'] });
    expect(project.read('inner/out/b.txt')).toBe('2');
  });

  it('include whole home directories and file systems', () => {
    expect(unsupportedReason('/', '/home/u/.hermes', '/home/u')).toContain('root');
    for (const directory of ['/home/u', '/home'])
      expect(unsupportedReason(directory, '/home/u/.hermes', '/home/u')).toContain('home directory');
    expect(unsupportedReason('/home/u/.hermes/skills', '/home/u/.hermes', '/home/u')).toContain(
      'home directory of Hermes',
    );
    expect(unsupportedReason('/home/u/.hermes/worktrees/x', '/home/u/.hermes', '/home/u')).toBeUndefined();
    expect(unsupportedReason('/home/u/project', '/home/u/.hermes', '/home/u')).toBeUndefined();
  });

  it('count against the file limit only when taking a checkpoint, not when restoring one', fullDoseOnly, async () => {
    await using project = openTestDirectory({ 'a.txt': '1', 'b.txt': '1', 'c.txt': '1' });
    const checkpoints = await project.open({ maxFiles: 3 });
    await checkpoints.take('x');
    for (const name of ['a.txt', 'b.txt']) rmSync(join(project.directory, name));
    for (const name of ['d.txt', 'e.txt']) project.write(name, '2');
    expect(await checkpoints.restore(1)).toMatchObject({ written: ['a.txt', 'b.txt'], removed: ['d.txt', 'e.txt'] });
  });

  it('include directories with too many files', async () => {
    await using project = openTestDirectory();
    for (let file = 0; file < 12; file += 1) project.write(`${file % 3}/${file}`, '');
    const checkpoints = await project.open({ maxFiles: 11 });
    await expect(checkpoints.take('x')).rejects.toThrow('more than 11 files');
    expect(await checkpoints.list()).toEqual([]);
  });
});
