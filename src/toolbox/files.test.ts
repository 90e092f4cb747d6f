import { execFileSync } from 'node:child_process';
import { chmod, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

describe('read_file', () => {
  it('numbers the lines and adds none', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\n');
    await fixture.put('b.txt', '\uFEFFone\r\n\r\nthree');
    await fixture.put('empty.txt', '');
    expect((await fixture.run('read_file', { path: 'a.txt' })).content).toBe('1|one\n2|two');
    expect((await fixture.run('read_file', { path: 'b.txt' })).content).toBe('1|one\n2|\n3|three');
    expect((await fixture.run('read_file', { path: 'empty.txt' })).content).toBe('(empty file)');
  });

  it('pages by lines and by size, and returns the next offset', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n'));
    const { content } = await fixture.run('read_file', { path: 'a.txt', offset: 10, limit: 2 });
    expect(content).toBe('10|line 10\n11|line 11\n[lines 10–11 of 5000; continue with offset 12]');
    expect((await fixture.run('read_file', { path: 'a.txt' })).content).toContain(
      '[lines 1–2000 of 5000; continue with offset 2001]',
    );
    expect(errorOf(await fixture.run('read_file', { path: 'a.txt', offset: 5001 }))).toContain('has 5000 lines');
    await fixture.put('wide.txt', `${'x'.repeat(1500)}\n`.repeat(200));
    const wide = (await fixture.run('read_file', { path: 'wide.txt' })).content;
    expect(wide.length).toBeLessThanOrEqual(100_000);
    expect(wide).toMatch(/\n66\|x+\n\[lines 1–66 of 200; continue with offset 67]$/);
  });

  it('truncates long lines', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'y'.repeat(5000));
    const { content } = await fixture.run('read_file', { path: 'a.txt' });
    expect(content).toBe(
      `1|${'y'.repeat(2000)}… [line truncated: 5000 characters; continue with offset 1, limit 1, column 2001]`,
    );
  });

  verifies('TOOLX-6', 'reaches every character of a long line by following the notices', async () => {
    await using fixture = await createToolFixture();
    const long = Array.from({ length: 20_000 }, (_, index) => `${index}𐀀`).join(' ');
    await fixture.put('a.txt', `short\n${long}\nend`);
    let args: JsonObject = { path: 'a.txt', offset: 2, limit: 1 };
    let whole = '';
    for (let calls = 1; ; calls += 1) {
      const { content } = await fixture.run('read_file', args);
      expect(content.length).toBeLessThanOrEqual(100_000);
      const [, text = '', column] = /^2\|(.*?)(?:… \[line truncated.* column (\d+)\])?\n\[lines/su.exec(content) ?? [];
      whole += text;
      if (column === undefined) {
        expect(calls).toBe(2);
        break;
      }
      args = { ...args, column: Number(column) };
    }
    expect(whole).toBe(long);
  });

  it('rejects anything but a text file, and suggests similar names', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('data.bin', new Uint8Array([1, 2, 0, 3]));
    await fixture.put('src/config.ts', '');
    execFileSync('mkfifo', [join(fixture.folder, 'pipe')]);
    const failure = async (path: string) => errorOf(await fixture.run('read_file', { path }));
    expect(await failure('data.bin')).toContain('binary file');
    expect(await failure('src')).toBe(
      'src is a directory. List it with search_files (target: files, pattern: *, path: src).',
    );
    expect(await failure('/dev/zero')).toContain('read a device');
    expect(await failure('pipe')).toContain('device, pipe or socket');
    expect(await failure('src/confg.ts')).toContain('Did you mean src/config.ts?');
    expect(await failure('srcs/config.ts')).toContain('Did you mean src/config.ts?');
    await fixture.put('m', '');
    expect(await failure('missing.txt')).toBe(
      `File not found: ${join(fixture.folder, 'missing.txt')}. Find it with search_files (target: files, pattern: missing.txt).`,
    );
    expect(await failure('a\0b')).toContain('NUL');
    await symlink('nowhere.txt', join(fixture.folder, 'dangling.txt'));
    expect(await failure('dangling.txt')).toBe(
      `dangling.txt is a symbolic link to ${join(fixture.folder, 'nowhere.txt')}, which does not exist.`,
    );
  });

  verifies('TOOLX-6', 'can read a spill file', async () => {
    await using other = await createToolFixture();
    const spillFolder = join(other.root, 'spill');
    await using spilling = await createToolFixture({ set: { maxResultCharacters: 3000, spillFolder } });
    await spilling.put('a.txt', Array.from({ length: 900 }, (_, index) => `match ${index}`).join('\n'));
    const { content } = await spilling.run('search_files', { pattern: 'match', limit: 900 });
    const file = /The full text is in (\S+);/.exec(content)?.[1] ?? '';
    const read = await spilling.run('read_file', { path: file, offset: 300 });
    expect(read.content).toMatch(/^300\|299:match 298\n/);
    expect(read.content.length).toBeLessThanOrEqual(3000);
  });
});

describe('write_file', () => {
  it('creates directories, reports what it wrote, keeps mode, byte order mark and line endings', async () => {
    await using fixture = await createToolFixture();
    const made = await fixture.run('write_file', { path: 'a/b/c.txt', content: 'ö\ntwo\n' });
    expect(made.content).toBe('Created a/b/c.txt (2 lines, 7 bytes).');
    await chmod(join(fixture.folder, 'a/b/c.txt'), 0o700);
    await fixture.put('win.txt', '\uFEFFold\r\nlines\r\n');
    await fixture.run('write_file', { path: 'a/b/c.txt', content: 'new' });
    expect((await stat(join(fixture.folder, 'a/b/c.txt'))).mode & 0o777).toBe(0o700);
    expect((await fixture.run('write_file', { path: 'win.txt', content: 'x\ny\n' })).content).toContain(
      'Replaced win.txt',
    );
    expect(await fixture.get('win.txt')).toBe('\uFEFFx\r\ny\r\n');
  });

  it('rejects directories and devices', async () => {
    await using fixture = await createToolFixture();
    expect(errorOf(await fixture.run('write_file', { path: '.', content: '' }))).toContain('is a directory');
    expect(errorOf(await fixture.run('write_file', { path: '/dev/null', content: '' }))).toContain('not a file');
  });

  verifies('APPR-4', 'guards a protected symbolic link by its own path and by its target', async () => {
    await using fixture = await createToolFixture();
    // The link is created after the approval guard has checked the path.
    await fixture.run('write_file', { path: 'dotfiles/bashrc', content: 'old' });
    await symlink(join(fixture.folder, 'dotfiles/bashrc'), join(fixture.home, '.bashrc'));
    const path = join(fixture.home, '.bashrc');
    expect((await fixture.run('write_file', { path, content: 'evil' })).status).toBe('denied');
    const deletion = { mode: 'patch', patch: `*** Delete File: ${path}` };
    expect((await fixture.run('patch', deletion)).status).toBe('denied');
    expect(await fixture.get('dotfiles/bashrc')).toBe('old');
  });

  it('asks before it writes to a protected path, following links', async () => {
    await using fixture = await createToolFixture({ answers: ['deny', 'once'] });
    await symlink(join(fixture.home, '.bashrc'), join(fixture.folder, 'innocent.txt'));
    const denied = await fixture.run('write_file', { path: 'innocent.txt', content: 'evil' });
    expect(denied.status).toBe('denied');
    expect(errorOf(denied)).toContain('shell start-up file');
    const allowed = await fixture.run('write_file', { path: join(fixture.home, '.ssh/config'), content: 'x' });
    expect(allowed.status).toBe('ok');
    expect(fixture.asked.map(({ reasons }) => reasons[0]?.rule)).toEqual([
      'change a shell start-up file',
      'change ssh keys or configuration',
    ]);
    expect(fixture.asked[0]?.subject).toBe(join(fixture.home, '.bashrc'));
  });

  verifies('TOOLX-3', 'run in parallel on different files and in order on one file', async () => {
    await using fixture = await createToolFixture();
    const calls = Array.from({ length: 12 }, (_, index) => ({
      name: 'write_file',
      args: { path: index % 3 === 0 ? 'same.txt' : `own-${index}.txt`, content: `${index}` },
    }));
    const outcomes = await fixture.runAll(calls);
    expect(outcomes.every(({ status }) => status === 'ok')).toBe(true);
    expect(await fixture.get('same.txt')).toBe('9');
    expect(await fixture.get('own-11.txt')).toBe('11');
  });
});
