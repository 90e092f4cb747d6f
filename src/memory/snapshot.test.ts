import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createMemoryFiles, takeSnapshot } from './index.ts';

describe('a memory snapshot', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-memory-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const put = (content: string | Uint8Array, name = 'MEMORY.md') => writeFile(join(folder, name), content);
  const take = (limits = { memory: 100, user: 100 }) => takeSnapshot(createMemoryFiles({ folder, limits }));

  it('contains each entry once, and how much of the limit is used', async () => {
    expect(await take()).toEqual({});
    await put('likes tea\n§\nworks on ships\n§\nlikes tea\n');
    await put('  \n', 'USER.md');
    expect(await take()).toEqual({
      memory:
        '## Your notes from earlier sessions (MEMORY.md, 26 % of 100 characters used)\nlikes tea\n§\nworks on ships',
    });
    await put('Ada', 'USER.md');
    expect((await take()).user).toBe('## What you know about the user (USER.md, 3 % of 100 characters used)\nAda');
    expect(await takeSnapshot(createMemoryFiles({ folder, limits: { user: 50 } }))).toHaveProperty('user');
    expect(await takeSnapshot(createMemoryFiles({ folder, limits: { user: 50 } }))).not.toHaveProperty('memory');
  });

  verifies('SURF-11', 'blocks an entry that looks like an attack, without changing the file', async () => {
    const hidden = `see this${String.fromCodePoint(0xe0049, 0xe0047)}`;
    await put(`likes tea\n§\n${hidden}\n§\ndrinks it cold`);
    const { memory } = await take();
    expect(memory).toMatch(
      /\nlikes tea\n§\n\[An entry was blocked: it .+ It is still in the file\.\]\n§\ndrinks it cold$/,
    );
    expect(memory).not.toContain(hidden);
    expect(await readFile(join(folder, 'MEMORY.md'), 'utf8')).toContain(hidden);
  });

  it('contains no secret', async () => {
    const secret = `sk-ant-${'a1'.repeat(20)}`;
    await put(`the key is ${secret}`);
    expect((await take()).memory).not.toContain(secret);
  });

  it('is complete slightly above the limit, and truncated far above it', async () => {
    await put(`${'a'.repeat(90)}\n§\n${'b'.repeat(60)}`);
    expect((await take()).memory).toMatch(/153 % of 100 characters used\)\na{90}\n§\nb{60}$/);
    await put(`${'a'.repeat(90)}\n§\n${'b'.repeat(90)}\n§\nc\n§\n${'d'.repeat(900)}\n§\ne`);
    expect((await take()).memory).toMatch(
      /\na{90}\n§\nb{90}\n§\nc\n§\n\[2 more entries exceed the limit by far and are omitted\.\]$/,
    );
    await put('x'.repeat(50_000));
    expect((await take()).memory).toMatch(/\)\nx{200}\n§\n\[The rest exceeds the limit by far and is omitted\.\]$/);
  });

  it('says what is wrong with a file instead of failing', async () => {
    await put(Buffer.from([0x61, 0xff]));
    expect((await take()).memory).toContain('[MEMORY.md is not valid UTF-8; its content is not available here.]');
    await put('<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> b\n§\nthree');
    const { memory } = await take();
    expect(memory).toContain('[The file contains merge conflict markers (<<<<<<<); it cannot be changed');
    expect(memory).toContain('three');
  });
});
