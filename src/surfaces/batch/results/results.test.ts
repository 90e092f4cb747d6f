import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateFolder } from '../../../util/index.ts';
import { truncatePartialLine, openResultFiles } from './result-files.ts';
import { openPromptIndex } from '../folder/prompt-index.ts';
import { type RunManifest, runPaths } from '../folder/run-folder.ts';
import { finishRun } from './finish-run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-results-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const MANIFEST: RunManifest = {
  version: 1,
  id: 'run_1',
  startedAt: 0,
  provider: 'test',
  model: 'model',
  distributionName: 'default',
  seed: 0,
  distribution: { terminal: 100 },
  partSize: 3,
  tools: ['terminal'],
  metadataKeys: [],
};
const line = (index: number, more = '') => JSON.stringify({ prompt_index: index, completed: true, more });
const kept = (index: number, more?: string) => ({ kind: 'kept' as const, index, line: line(index, more) });

describe('a file of lines', () => {
  it('loses only the partial last line that a killed process left, wherever it was cut', async () => {
    const file = join(folder, 'lines.jsonl');
    const contents = fc.array(
      fc.string({ maxLength: 100 }).map((text) => JSON.stringify({ text })),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(), async (lines, cut) => {
        const whole = lines.map((one) => `${one}\n`).join('');
        const bytes = Buffer.from(whole).subarray(0, cut % (Buffer.byteLength(whole) + 1));
        await writeFile(file, bytes);
        await truncatePartialLine(file);
        const left = await readFile(file);
        expect(whole.startsWith(left.toString())).toBe(true);
        expect(left.length === 0 || left.at(-1) === 10).toBe(true);
        expect(bytes.length - left.length).toBeLessThan(Math.max(1, ...lines.map((one) => Buffer.byteLength(one) + 1)));
      }),
      { numRuns: 50 },
    );
  });

  it('finds the end of the last complete line before a partial line that is longer than the read buffer', async () => {
    const file = join(folder, 'lines.jsonl');
    await writeFile(file, `{}\n${'x'.repeat(300_000)}`);
    expect(await truncatePartialLine(file)).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });
});

describe('the results of a run', () => {
  const open = async () => {
    const paths = runPaths(folder);
    await ensurePrivateFolder(paths.data);
    return { paths, files: await openResultFiles(paths, MANIFEST) };
  };

  it('contain one line for each prompt, however often it is saved or the run is started', async () => {
    const { files, paths } = await open();
    await Promise.all([kept(4), kept(0), kept(4, 'again'), kept(1)].map(files.save));
    const second = (await open()).files;
    expect([...second.done].sort()).toEqual([0, 1, 4]);
    await second.save(kept(0, 'once more'));
    await second.save({ kind: 'dropped', index: 2, record: { prompt_index: 2 } });
    expect(await readFile(paths.part(1), 'utf8')).toBe(`${line(0)}\n${line(1)}\n`);
    expect((await open()).files.done.has(2)).toBe(true);
  });

  it('are joined in prompt order, with only the open failures', async () => {
    const { files, paths } = await open();
    const failed = (index: number, reason: string) => ({
      kind: 'failed' as const,
      index,
      record: { prompt_index: index, reason },
    });
    for (const result of [failed(0, 'first'), failed(1, 'first'), kept(5), kept(3), failed(0, 'second'), kept(1)]) {
      await files.save(result);
    }
    const figures = { files, prompts: 6, usd: 0, tokens: 0, costKnown: true, finishedAt: 0 };
    const { statistics } = await finishRun(paths, MANIFEST, figures);
    expect(await readFile(paths.trajectories, 'utf8')).toBe([1, 3, 5].map((index) => `${line(index)}\n`).join(''));
    expect((await readFile(paths.failed, 'utf8')).trim().split('\n')).toEqual([expect.stringContaining('second')]);
    expect(statistics).toMatchObject({ prompts: 6, kept: 3, failed: 1, left: 2 });
  });
});

describe('prompt indexes', () => {
  it('are stable and never reused, however the input changes', async () => {
    const inputs = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(inputs, async (starts) => {
        const file = join(await mkdtemp(join(folder, 'book-')), 'prompts.txt');
        const numbers = new Map<string, number>();
        for (const keys of starts) {
          const book = await openPromptIndex(file, keys);
          for (const key of keys) {
            const index = book.indexOf(key) ?? -1;
            expect(numbers.get(key) ?? index).toBe(index);
            numbers.set(key, index);
          }
        }
        expect([...numbers.values()].sort((first, second) => first - second)).toEqual(
          [...numbers.keys()].map((_, index) => index),
        );
      }),
      { numRuns: 30 },
    );
  });
});
