import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HermesError } from '../../base/index.ts';
import { collect, readTar } from './read-tar.ts';
import { type TarFile, writeTar } from './write-tar.ts';

type Plain = { path: string; bytes: Uint8Array };

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function pack(files: readonly Plain[]): Promise<Buffer> {
  async function* entries(): AsyncGenerator<TarFile> {
    for (const { path, bytes } of files) {
      yield { path, size: bytes.length, mode: 0o600, modifiedAt: 1e12, content: pieces(bytes, 700) };
    }
  }
  return collect(writeTar(entries()));
}

async function unpack(archive: Uint8Array, size = 700): Promise<Plain[]> {
  const found: Plain[] = [];
  for await (const { path, content } of readTar(pieces(archive, size)))
    found.push({ path, bytes: await collect(content) });
  return found;
}

describe('tar archives', () => {
  it('contain the files that were put into them, with any name', async () => {
    const path = fc.stringMatching(/^[^\n\0]{1,150}$/);
    const file = fc.record({ path, bytes: fc.uint8Array({ maxLength: 1_600 }).map((bytes) => Buffer.from(bytes)) });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 4 }), fc.integer({ min: 1, max: 2_000 }), async (files, size) => {
        expect(await unpack(await pack(files), size)).toEqual(files);
      }),
    );
  });

  it('are compatible with the tar command, in both directions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-tar-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const long = `${'deep/'.repeat(30)}ü.txt`;
    const files = [
      { path: 'a.txt', bytes: Buffer.from('alpha') },
      { path: long, bytes: Buffer.alloc(1_024, 'x') },
    ];
    writeFileSync(join(folder, 'ours.tar'), await pack(files));
    expect(spawnSync('tar', ['xf', 'ours.tar'], { cwd: folder }).status).toBe(0);
    expect(readFileSync(join(folder, long), 'utf8')).toBe('x'.repeat(1_024));
    for (const format of ['gnu', 'pax']) {
      mkdirSync(join(folder, 'empty'), { recursive: true });
      spawnSync('tar', ['cf', 'theirs.tar', `--format=${format}`, 'a.txt', 'empty', long], { cwd: folder });
      const theirs = await unpack(readFileSync(join(folder, 'theirs.tar')));
      expect(theirs.filter(({ path }) => !path.endsWith('/'))).toEqual(files);
    }
  });

  it('are rejected if they are truncated or corrupt', async () => {
    const archive = await pack([{ path: 'a', bytes: Buffer.alloc(600, 'x') }]);
    for (const end of [0, 100, 512, 900, 1_536]) {
      await expect(unpack(archive.subarray(0, end))).rejects.toThrow(/truncated/);
    }
    const damaged = Buffer.from(archive);
    damaged[3] = 66;
    await expect(unpack(damaged)).rejects.toThrow(HermesError);
    await expect(unpack(Buffer.alloc(2_000, 'no archive at all'))).rejects.toThrow(/corrupt or not a tar archive/);
  });
});
