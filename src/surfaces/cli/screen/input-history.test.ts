import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createInputHistory } from './input-history.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-history-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const open = () => createInputHistory(join(folder, 'home', 'history'));

it('stores the lines of several concurrent chats, readable only by the owner', async () => {
  const chats = [open(), open(), open()];
  for (const index of [1, 2, 3])
    for (const [number, chat] of chats.entries()) chat.add(`chat ${number}\nline ${index}`);
  expect(open().load().toSorted()).toEqual(
    [0, 1, 2].flatMap((number) => [1, 2, 3].map((index) => `chat ${number}\nline ${index}`)),
  );
  expect((await stat(join(folder, 'home', 'history'))).mode & 0o777).toBe(0o600);
});

verifies('OBS-4', 'stores neither secrets nor consecutive duplicates', async () => {
  const history = open();
  for (const line of ['a', 'a', '  ', `use sk-ant-api03-${'x1Y2'.repeat(10)}`, 'x'.repeat(10_001)]) history.add(line);
  expect(open().load()).toEqual(['a']);
});

it('limits the number of entries', async () => {
  const file = join(folder, 'history');
  await writeFile(file, Array.from({ length: 1600 }, (_, index) => `"line ${index}"\n`).join(''));
  const entries = createInputHistory(file).load();
  expect([entries.length, entries[0], entries.at(-1)]).toEqual([1000, 'line 600', 'line 1599']);
  await waitUntil(async () => expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(1001));
});

it('reads only the end of an oversized file, and shortens it', async () => {
  const file = join(folder, 'history');
  await writeFile(file, `${'x'.repeat(20_000_000)}\n"newest"\n`);
  expect(createInputHistory(file).load()).toEqual(['newest']);
  await waitUntil(async () => expect((await stat(file)).size).toBe('"newest"\n'.length));
});

it('never fails, whatever the file contains or is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (content) => {
      const file = join(folder, 'history');
      await writeFile(file, content);
      for (const entry of createInputHistory(file).load()) expect(typeof entry).toBe('string');
    }),
    { numRuns: 30 },
  );
  const blocked = createInputHistory(join(folder, 'history', 'below', 'a file'));
  blocked.add('x');
  expect(blocked.load()).toEqual([]);
});
