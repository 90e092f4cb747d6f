import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import type { ImportLimits } from '../../config/index.ts';
import { type TarFile, writeTar } from '../../util/tar/index.ts';
import { unpackBackup } from './read-backup.ts';

const MEGABYTE = 1024 * 1024;
const DEFAULTS: ImportLimits = { maxBytes: 2048 * MEGABYTE, maxRatio: 100, maxFiles: 200_000 };
const ZEROS = new Uint8Array(MEGABYTE);

type Part = { path: string; size: number; content(): Iterable<Uint8Array> };

/** Random bytes do not compress, so their share of a megabyte decides the ratio. */
function megabytesOf(count: number, random = 0): Pick<Part, 'size' | 'content'> {
  return {
    size: count * MEGABYTE,
    *content() {
      for (let index = 0; index < count; index++) yield Buffer.concat([randomBytes(random), ZEROS.subarray(random)]);
    },
  };
}

describe('the limits of an import', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermes-import-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function pack(parts: readonly Part[], manifestPadding = 0): Promise<string> {
    const file = join(folder, 'backup.tar.gz');
    const manifest = JSON.stringify({
      format: 1,
      version: '1',
      createdAt: '2026-01-01T00:00:00.000Z',
      files: parts.map(({ path }) => path),
    });
    const first = Buffer.from(manifest + ' '.repeat(manifestPadding));
    async function* entries(): AsyncGenerator<TarFile> {
      yield { path: 'hermes-backup.json', size: first.length, mode: 0o600, modifiedAt: 1e12, content: stream([first]) };
      for (const { path, size, content } of parts)
        yield { path, size, mode: 0o600, modifiedAt: 1e12, content: stream(content()) };
    }
    await pipeline(writeTar(entries()), createGzip({ level: 1 }), createWriteStream(file));
    return file;
  }

  async function* stream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }

  const unpack = (file: string, limits: Partial<ImportLimits> = {}) =>
    unpackBackup({ file, home: join(folder, 'home'), limits: { ...DEFAULTS, ...limits } });

  async function expectRejection(file: string, limits: Partial<ImportLimits>, message: RegExp): Promise<void> {
    await expect(unpack(file, limits)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['backup.tar.gz']);
  }

  verifies(
    'BOUND-2',
    'rejects an archive that expands more than a hundredfold, early and completely',
    fullDoseOnly,
    async () => {
      const file = await pack([{ path: 'logs/agent.log', ...megabytesOf(66) }]);
      await expectRejection(file, {}, /rejected: it expands to more than 100 times its size\. Nothing was changed/);
      // The limit can be raised.
      await (await unpack(file, { maxRatio: 2000 })).discard();
    },
  );

  it('accepts a large backup that compresses as well as most do', fullDoseOnly, async () => {
    // About 25 times its size, as backups of homes with many sessions are.
    const ordinary = await unpack(await pack([{ path: 'logs/agent.log', ...megabytesOf(66, 40_000) }]));
    await ordinary.discard();
    expect(readdirSync(folder)).toEqual(['backup.tar.gz']);
  });

  it('accepts a small backup with any ratio', async () => {
    const small = await unpack(await pack([{ path: 'logs/agent.log', ...megabytesOf(8) }]));
    await small.discard();
    expect(readdirSync(folder)).toEqual(['backup.tar.gz']);
  });

  verifies('BOUND-2', 'rejects an archive with too much content or too many files', async () => {
    const file = await pack([
      { path: 'logs/one.log', ...megabytesOf(1, 1000) },
      { path: 'logs/two.log', ...megabytesOf(2, 1000) },
    ]);
    await expectRejection(file, { maxBytes: 2 * MEGABYTE }, /its content is larger than 2 MB/);
    await expectRejection(file, { maxFiles: 1 }, /it contains more than 1 files/);
    await (await unpack(file, { maxBytes: 4 * MEGABYTE, maxFiles: 2 })).discard();
  });

  verifies('BOUND-2', 'counts the list of files, too', async () => {
    await expectRejection(await pack([], 3 * MEGABYTE), { maxBytes: 2 * MEGABYTE }, /larger than 2 MB/);
  });
});
