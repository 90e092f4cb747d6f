import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateFolder, writeFileAtomic } from './atomic-file.ts';

describe('writeFileAtomic', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-atomic-'));
    file = join(folder, 'file');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('creates a private file, and keeps the mode of an existing one unless a mode is given', async () => {
    await writeFileAtomic(file, 'one');
    expect(await modeOf(file)).toBe(0o600);
    await chmod(file, 0o664);
    await writeFileAtomic(file, 'two');
    expect(await modeOf(file)).toBe(0o664);
    await writeFileAtomic(file, new TextEncoder().encode('three'), { mode: 0o600 });
    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['three', 0o600]);
  });

  it('never shows partial content to a reader', async () => {
    const contents = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    await writeFileAtomic(file, contents[0] ?? '');
    const seen = new Set<string>();
    const writing = (async () => {
      for (let round = 0; round < 10; round += 1) await writeFileAtomic(file, contents[round % 2] ?? '');
    })();
    for (let round = 0; round < 30; round += 1) seen.add(await readFile(file, 'utf8'));
    await writing;
    expect([...seen].every((text) => contents.includes(text))).toBe(true);
  });

  it('does not replace a device, a FIFO or a dangling link', async () => {
    const [fifo, dangling] = [join(folder, 'fifo'), join(folder, 'dangling')];
    execFileSync('mkfifo', [fifo]);
    await symlink(join(folder, 'nowhere'), dangling);
    for (const path of [fifo, dangling]) {
      await expect(writeFileAtomic(path, 'x')).rejects.toThrow(`${path} is not a regular file`);
    }
    expect((await lstat(fifo)).isFIFO()).toBe(true);
    expect((await lstat(dangling)).isSymbolicLink()).toBe(true);
  });

  it('leaves no files behind when it fails', async () => {
    await writeFile(join(folder, 'plain'), '');
    await expect(writeFileAtomic(join(folder, 'plain', 'below'), 'x')).rejects.toThrow();
    await expect(writeFileAtomic(folder, 'over a folder')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['plain']);
  });
});

describe('ensurePrivateFolder', () => {
  it('creates missing folders for the owner only, and does not change existing ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-private-'));
    await chmod(folder, 0o755);
    await ensurePrivateFolder(join(folder, 'a', 'b'));
    await ensurePrivateFolder(folder);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    await rm(folder, { recursive: true });
  });
});
