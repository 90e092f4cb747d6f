import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BatchOptions } from './batch-options.ts';
import { runPaths } from './folder/run-folder.ts';
import { runBatch } from './run-batch.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('refuses a run that another process started in the folder while the input was read', async () => {
  const paths = runPaths(join(folder, 'out'));
  const input = join(folder, 'prompts.jsonl');
  await writeFile(input, '{"prompt": "hello"}\n');
  const other = JSON.stringify({ version: 1, provider: 'other', model: 'other' });
  const options = {
    output: paths.folder,
    resume: false,
    workers: 1,
    route: { provider: 'custom', model: 'test-model' },
    distribution: { name: undefined, toolsets: {} },
    signal: new AbortController().signal,
    // This getter runs just after the check for an existing run.
    get input() {
      mkdirSync(paths.data, { recursive: true });
      writeFileSync(paths.manifest, other);
      return input;
    },
  };
  await expect(runBatch(options as unknown as BatchOptions)).rejects.toThrow('There is already a run in');
  expect(await readFile(paths.manifest, 'utf8')).toBe(other);
});
