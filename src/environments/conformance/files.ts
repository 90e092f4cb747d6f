import { execFileSync } from 'node:child_process';
import { truncate, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeFiles(bench: () => Bench): void {
  describe('files', () => {
    verifies('TOOL-6', 'are read byte for byte, whole or in part', async () => {
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

    it('of two gigabytes are read where it matters', async () => {
      const { environment, folder } = bench();
      await writeFile(join(folder, 'huge'), 'begin');
      await truncate(join(folder, 'huge'), 2 ** 31 + 10);
      expect(await environment.stat('huge')).toMatchObject({ size: 2 ** 31 + 10 });
      expect(Buffer.from(await environment.readFile('huge', { length: 5 })).toString()).toBe('begin');
      expect((await environment.readFile('huge', { offset: 2 ** 31 + 5, length: 100 })).length).toBe(5);
    });

    verifies('TOOL-6', 'that are no regular files are refused at once', async () => {
      const { environment, folder } = bench();
      execFileSync('mkfifo', [join(folder, 'fifo')]);
      await expect(environment.readFile('fifo')).rejects.toThrow(/not a regular file/);
      await expect(environment.readFile('/dev/zero', { length: 10 })).rejects.toThrow(/not a regular file/);
      await expect(environment.readFile('.')).rejects.toThrow(/EISDIR/);
      await expect(environment.writeFile('fifo', 'x')).rejects.toThrow(/not a regular file/);
      expect(await environment.stat('fifo')).toMatchObject({ kind: 'other' });
      expect(await environment.stat('/dev/null')).toMatchObject({ kind: 'other' });
    });

    it('that are missing are told apart', async () => {
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
  describe('names of files', () => {
    it('are described and listed, whatever they are called', async () => {
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

    it('have paths that follow links as far as they exist', async () => {
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

    it('are removed, links without what they point to, folders not at all', async () => {
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
