import type { BatchReport } from '../batch-options.ts';
import { withFolderLock, readManifest, runPaths, writeManifest } from '../folder/run-folder.ts';
import { openPromptIndex } from '../folder/prompt-index.ts';
import { finishRun } from '../results/finish-run.ts';
import { openResultFiles } from '../results/result-files.ts';
import { ConfigurationError } from '../../../base/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import type { JobQueue } from './open-queue.ts';
import { countRun, fromStoredResult, type QueuedRun, readResults } from './queued-runs.ts';

/** Writes the results of a run into the same files as a local run. Repeating it adds new results. */
export async function collectRun(queue: JobQueue, run: QueuedRun, output: string): Promise<BatchReport> {
  const paths = runPaths(output);
  const known = await readManifest(paths);
  if (known !== undefined && known.id !== run.id) {
    throw new ConfigurationError(`${output} contains the files of another run.`, { hint: 'Choose another folder.' });
  }
  await ensurePrivateFolder(paths.data);
  return withFolderLock(paths, async () => {
    await writeManifest(paths, { ...run.manifest, id: run.id });
    await openPromptIndex(paths.keys, await readKeys(queue, run.id));
    const files = await openResultFiles(paths, run.manifest);
    for await (const stored of readResults(queue, run.id)) await files.save(fromStoredResult(stored));
    const { prompts, usd, tokens, costKnown } = await countRun(queue, run.id);
    const figures = { files, prompts, usd, tokens, costKnown, finishedAt: Date.now() };
    const report = await finishRun(paths, run.manifest, figures);
    return { ...report, seconds: (Date.now() - run.createdAt) / 1000, stop: undefined };
  });
}

async function readKeys(queue: JobQueue, id: string): Promise<string[]> {
  const rows = await queue.sql('SELECT key FROM hermes_batch.prompts WHERE run_id = $1 ORDER BY prompt_index', [id]);
  return rows.map((row) => row['key'] as string);
}
