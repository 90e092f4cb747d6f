import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LockTimeout, currentProcess, withFileLock } from './index.ts';

describe('a lock file', () => {
  let folder: string;
  let lock: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-lock-'));
    lock = join(folder, 'a.lock');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lets one task run at a time, and is removed afterwards', async () => {
    const file = join(folder, 'count');
    await writeFile(file, '0');
    const increase = () =>
      withFileLock(lock, async () => writeFile(file, String(Number(await readFile(file, 'utf8')) + 1)));
    await Promise.all(Array.from({ length: 30 }, increase));
    expect(await readFile(file, 'utf8')).toBe('30');
    expect(await readdir(folder)).toEqual(['count']);
  });

  it('is released when the task fails', async () => {
    await expect(withFileLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withFileLock(lock, async () => 'free', { timeoutMs: 0 })).toBe('free');
  });

  it('is waited for only until the timeout or an abort', async () => {
    await withFileLock(lock, async () => {
      await expect(withFileLock(lock, async () => 'never', { timeoutMs: 20 })).rejects.toThrow(LockTimeout);
      const stopped = withFileLock(lock, async () => 'never', { signal: AbortSignal.abort(new Error('stopped')) });
      await expect(stopped).rejects.toThrow('stopped');
    });
  });

  it('is released immediately when its owner was killed, and goes to one of the waiting tasks', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => child.once('close', resolve));
    await writeFile(lock, JSON.stringify({ ...currentProcess(), pid: child.pid, token: 'x' }));
    let inside = 0;
    let most = 0;
    const task = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await readdir(folder);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => withFileLock(lock, task, { timeoutMs: 5_000 })));
    expect(most).toBe(1);
  });

  it('never expires while its owner runs, and names the owner', async () => {
    const longAgo = new Date(Date.now() - 60 * 60_000);
    await withFileLock(lock, async () => {
      await utimes(lock, longAgo, longAgo);
      const refused = await withFileLock(lock, async () => 'never', { timeoutMs: 20 }).catch(
        (thrown: unknown) => thrown,
      );
      expect(refused).toBeInstanceOf(LockTimeout);
      expect(refused).toMatchObject({
        message: expect.stringMatching(`a\\.lock is held by process ${process.pid} for 36\\d\\d s$`),
        holder: { pid: process.pid },
      });
    });
  });

  it('is released immediately if the pid of its owner now belongs to another process', async () => {
    await writeFile(lock, JSON.stringify({ ...currentProcess(), startTime: 'an earlier one', token: 'x' }));
    expect(await withFileLock(lock, async () => 'mine', { timeoutMs: 0 })).toBe('mine');
  });

  it('is released if a process was killed while it removed a stale lock', async () => {
    await writeFile(lock, JSON.stringify({ ...currentProcess(), startTime: 'an earlier one', token: 'x' }));
    await writeFile(`${lock}.breaking`, 'token');
    await expect(withFileLock(lock, async () => 'x', { signal: AbortSignal.timeout(20) })).rejects.toThrow();
    const before = new Date(Date.now() - 5_000);
    await utimes(`${lock}.breaking`, before, before);
    expect(await withFileLock(lock, async () => 'mine', { timeoutMs: 0 })).toBe('mine');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is respected for a while if its owner cannot be checked', async () => {
    await writeFile(lock, '{"pid": 1, "scope": "another machine"}');
    await expect(withFileLock(lock, async () => 'x', { timeoutMs: 10 })).rejects.toThrow(LockTimeout);
    const longAgo = new Date(Date.now() - 10 * 60_000);
    await utimes(lock, longAgo, longAgo);
    expect(await withFileLock(lock, async () => 'mine', { timeoutMs: 5_000 })).toBe('mine');
  });

  it('is respected for a moment if it is empty, because its owner may still write its name', async () => {
    await writeFile(lock, '');
    await expect(withFileLock(lock, async () => 'x', { timeoutMs: 10 })).rejects.toThrow(LockTimeout);
    const before = new Date(Date.now() - 5_000);
    await utimes(lock, before, before);
    expect(await withFileLock(lock, async () => 'mine', { timeoutMs: 0 })).toBe('mine');
  });

  it('fails immediately if the lock file cannot be created', async () => {
    await expect(withFileLock(join(folder, 'none', 'a.lock'), async () => 'x')).rejects.toThrow('ENOENT');
  });
});
