import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeWriting(bench: () => Bench): void {
  describe('writing', () => {
    verifies('TOOL-6', 'replaces in one step, makes folders, and keeps permissions', async () => {
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

    it('takes any bytes, none, and many', async () => {
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
  describe('writing where it is not plain', () => {
    it('goes through links, also to a target that is not there yet', async () => {
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

    it('fails without a trace where it must not, or where a folder has the name', async () => {
      const { environment, folder } = bench();
      await mkdir(join(folder, 'taken/inner'), { recursive: true });
      await writeFile(join(folder, 'taken/file'), 'old');
      await expect(environment.writeFile('taken/inner', 'x')).rejects.toThrow();
      await expect(environment.writeFile('taken/file/below', 'x')).rejects.toThrow(/ENOTDIR|EEXIST|EIO/);
      await expect(environment.writeFile('/proc/hermes', 'x')).rejects.toThrow();
      expect((await readdir(join(folder, 'taken'))).sort()).toEqual(['file', 'inner']);
      expect(await readFile(join(folder, 'taken/file'), 'utf8')).toBe('old');
    });

    // Permissions do not hold for the administrator.
    it.skipIf(process.getuid?.() === 0)('respects permissions, and says so', async () => {
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
