import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeFiles(bench: () => Bench): void {
  describe('files', () => {
    verifies('TOOL-6', 'are read byte for byte, completely or in part', async () => {
      const { environment, folder } = bench();
      const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) % 256));
      await writeFile(join(folder, 'bytes.bin'), bytes);
      expect(Buffer.from(await environment.readFile('bytes.bin')).equals(bytes)).toBe(true);
      const part = await environment.readFile('bytes.bin', { offset: 100, length: 50 });
      expect([...part]).toEqual([...bytes.subarray(100, 150)]);
      expect([...(await environment.readFile('bytes.bin', { offset: 990 }))]).toEqual([...bytes.subarray(990)]);
      expect((await environment.readFile('bytes.bin', { offset: 995, length: 50 })).length).toBe(5);
      expect((await environment.readFile('bytes.bin', { offset: 5000, length: 5 })).length).toBe(0);
      expect((await environment.readFile('bytes.bin', { length: 3 })).length).toBe(3);
    });

    it('of two gigabytes can be read in part', async () => {
      const { environment, folder } = bench();
      await writeFile(join(folder, 'huge'), 'begin');
      await truncate(join(folder, 'huge'), 2 ** 31 + 10);
      expect(await environment.stat('huge')).toMatchObject({ size: 2 ** 31 + 10 });
      expect(Buffer.from(await environment.readFile('huge', { length: 5 })).toString()).toBe('begin');
      expect((await environment.readFile('huge', { offset: 2 ** 31 + 5, length: 100 })).length).toBe(5);
    });

    verifies('TOOL-6', 'that are not regular files are rejected immediately', async () => {
      const { environment, folder } = bench();
      execFileSync('mkfifo', [join(folder, 'fifo')]);
      await expect(environment.readFile('fifo')).rejects.toThrow(/not a regular file/);
      await expect(environment.readFile('/dev/zero', { length: 10 })).rejects.toThrow(/not a regular file/);
      await expect(environment.readFile('.')).rejects.toThrow(/EISDIR/);
      await expect(environment.writeFile('fifo', 'x')).rejects.toThrow(/not a regular file/);
      expect(await environment.stat('fifo')).toMatchObject({ kind: 'other' });
      expect(await environment.stat('/dev/null')).toMatchObject({ kind: 'other' });
    });

    it('that are missing are reported with the right code', async () => {
      const { environment, folder } = bench();
      await writeFile(join(folder, 'plain'), '');
      expect(await environment.stat('none')).toBeUndefined();
      expect(await environment.stat('plain/none')).toBeUndefined();
      await expect(environment.readFile('none')).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(environment.removeFile('none')).rejects.toThrow(/ENOENT/);
      await expect(environment.list('none')).rejects.toThrow(/ENOENT/);
      await expect(environment.list('plain')).rejects.toThrow(/ENOTDIR/);
    });
  });
}

export function describeFileNames(bench: () => Bench): void {
  describe('file names', () => {
    it('may contain any character in stat and list', async () => {
      const { environment, folder } = bench();
      const names = ['.hidden', '..dots', ' blank ', 'line\nbreak', `quo'te"`, '漢字', '-dash', '*'];
      await mkdir(join(folder, 'listed/sub'), { recursive: true });
      for (const name of names) await writeFile(join(folder, 'listed', name), 'abc');
      await symlink('sub', join(folder, 'listed/link'));
      const entries = await environment.list('listed');
      expect(new Map(entries.map(({ name, kind }) => [name, kind]))).toEqual(
        new Map([...names.map((name): [string, string] => [name, 'file']), ['sub', 'directory'], ['link', 'other']]),
      );
      for (const name of names)
        expect(await environment.stat(`listed/${name}`)).toMatchObject({ kind: 'file', size: 3 });
      expect(await environment.stat('listed/link')).toMatchObject({ kind: 'directory' });
      expect(await environment.list('listed/sub')).toEqual([]);
      const { modifiedMs } = (await environment.stat('listed/*')) ?? { modifiedMs: 0 };
      expect(Math.abs(modifiedMs - Date.now())).toBeLessThan(600_000);
    });

    it('are resolved through links as far as they exist', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'target'), { recursive: true });
      await symlink('target', join(folder, 'way'));
      await symlink('loop-b', join(folder, 'loop-a'));
      await symlink('loop-a', join(folder, 'loop-b'));
      expect(await environment.resolvePath('way/not/yet.txt')).toBe(join(folder, 'target/not/yet.txt'));
      expect(await environment.resolvePath(`${folder}/./way/../none`)).toBe(join(folder, 'none'));
      expect(await environment.resolvePath('.')).toBe(folder);
      expect(await environment.resolvePath('/')).toBe('/');
      await expect(environment.resolvePath('loop-a')).rejects.toThrow(/ELOOP|symbolic links/);
      await expect(environment.stat('loop-a')).rejects.toThrow(/ELOOP|symbolic links/);
    });

    it('are removed, links without their target, folders not at all', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'stays'), { recursive: true });
      await symlink('stays', join(folder, 'goes'));
      await environment.removeFile('goes');
      expect(await environment.stat('goes')).toBeUndefined();
      await expect(environment.removeFile('stays')).rejects.toThrow();
      expect(await environment.stat('stays')).toMatchObject({ kind: 'directory' });
    });
  });
}

export function describeWriting(bench: () => Bench): void {
  describe('writing', () => {
    verifies('TOOL-6', 'replaces the file atomically, creates folders, and keeps permissions', async () => {
      const { environment, folder } = bench();
      await environment.writeFile('new/deep/er/file.sh', 'one');
      await chmod(join(folder, 'new/deep/er/file.sh'), 0o751);
      const before = await stat(join(folder, 'new/deep/er/file.sh'));
      await environment.writeFile('new/deep/er/file.sh', 'two');
      const after = await stat(join(folder, 'new/deep/er/file.sh'));
      expect(after.mode & 0o777).toBe(0o751);
      expect(after.ino).not.toBe(before.ino);
      expect(await readFile(join(folder, 'new/deep/er/file.sh'), 'utf8')).toBe('two');
      expect(await readdir(join(folder, 'new/deep/er'))).toEqual(['file.sh']);
    });

    it('accepts any bytes, none, and many', async () => {
      const { environment, folder } = bench();
      const many = Buffer.alloc(5_000_000, 'x\0\n\xff');
      for (const content of [Buffer.from([0xff, 0, 0xc3, 10]), Buffer.alloc(0), many]) {
        await environment.writeFile('any bytes', content);
        expect((await readFile(join(folder, 'any bytes'))).equals(content)).toBe(true);
        expect(Buffer.from(await environment.readFile('any bytes')).equals(content)).toBe(true);
      }
    });
  });
}

export function describeWritingElsewhere(bench: () => Bench): void {
  describe('writing in special cases', () => {
    it('follows links, including to a target that does not exist yet', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'elsewhere'), { recursive: true });
      await writeFile(join(folder, 'elsewhere/real.txt'), 'old');
      await symlink('elsewhere/real.txt', join(folder, 'link.txt'));
      await symlink('elsewhere/later.txt', join(folder, 'dangling.txt'));
      await environment.writeFile('link.txt', 'new');
      await environment.writeFile('dangling.txt', 'made');
      expect(await readFile(join(folder, 'elsewhere/real.txt'), 'utf8')).toBe('new');
      expect(await readFile(join(folder, 'elsewhere/later.txt'), 'utf8')).toBe('made');
    });

    it('fails without side effects if it is not permitted or a folder has the name', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'taken/inner'), { recursive: true });
      await writeFile(join(folder, 'taken/file'), 'old');
      await expect(environment.writeFile('taken/inner', 'x')).rejects.toThrow();
      await expect(environment.writeFile('taken/file/below', 'x')).rejects.toThrow(/ENOTDIR|EEXIST|EIO/);
      await expect(environment.writeFile('/proc/hermes', 'x')).rejects.toThrow();
      expect((await readdir(join(folder, 'taken'))).sort()).toEqual(['file', 'inner']);
      expect(await readFile(join(folder, 'taken/file'), 'utf8')).toBe('old');
    });

    // Permissions do not apply to root.
    it.skipIf(process.getuid?.() === 0)('respects permissions and reports EACCES', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'closed'), { recursive: true });
      await writeFile(join(folder, 'closed/secret'), 'x', { mode: 0o000 });
      await expect(environment.readFile('closed/secret')).rejects.toMatchObject({ code: 'EACCES' });
      await chmod(join(folder, 'closed'), 0o000);
      await expect(environment.stat('closed/secret')).rejects.toThrow(/EACCES/);
      await expect(environment.list('closed')).rejects.toThrow(/EACCES/);
      await expect(environment.writeFile('closed/new', 'x')).rejects.toThrow(/EACCES/);
      await chmod(join(folder, 'closed'), 0o700);
    });
  });
}
