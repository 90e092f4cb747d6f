import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { isJsonObject, parseJson } from '../../../base/index.ts';
import { readLines, writeFileAtomic } from '../../../util/index.ts';
import type { BatchReport } from '../batch-options.ts';
import { linesOf } from '../folder/line-file.ts';
import type { RunManifest } from '../folder/run-manifest.ts';
import { partNumber, type RunPaths } from '../folder/run-paths.ts';
import type { ResultFiles } from './result-files.ts';
import { indexOfLine } from './result-line.ts';
import { createLineTally, describeStatistics, type LineTotals, type RunFigures } from './statistics.ts';

type LinePlace = { index: number; start: number; end: number };

/** Puts the parts together, in the order of the prompts, and adds them up. Done again as often as a run goes on. */
export async function finishRun(
  paths: RunPaths,
  manifest: RunManifest,
  { files, ...figures }: { files: ResultFiles } & Omit<RunFigures, 'failed' | 'dropped' | 'left'>,
): Promise<Omit<BatchReport, 'seconds' | 'stop'>> {
  const totals = await joinParts(paths, manifest);
  const failed = await keepOpenFailures(paths, files.done);
  const { prompts, usd, costKnown } = figures;
  const { kept, dropped } = files;
  const left = Math.max(0, prompts - kept - dropped - failed);
  const statistics = describeStatistics(totals, { ...figures, failed, dropped, left }, manifest);
  await writeFileAtomic(paths.statistics, `${JSON.stringify(statistics, undefined, 2)}\n`);
  return { folder: paths.folder, prompts, kept, dropped, failed, left, usd, costKnown, statistics };
}

async function joinParts(paths: RunPaths, manifest: RunManifest): Promise<LineTotals> {
  const tally = createLineTally(manifest.tools);
  const numbers = (await readdir(paths.folder)).flatMap((name) => partNumber(name) ?? []).sort((a, b) => a - b);
  await replaceFile(paths.trajectories, async (output) => {
    for (const number of numbers) {
      for await (const line of sortedLines(paths.part(number))) {
        await output.writeFile(line);
        const value = parseJson(line.toString('utf8'));
        if (isJsonObject(value)) tally.add(value);
      }
    }
  });
  return tally.totals();
}

/** One line at a time, with its end: a part may be far larger than what one wants to hold. */
async function* sortedLines(file: string): AsyncGenerator<Buffer> {
  const places = await findLines(file);
  const handle = await open(file, 'r');
  try {
    for (const { start, end } of places) {
      const line = Buffer.alloc(end + 1 - start);
      await handle.read(line, 0, line.length, start);
      yield line;
    }
  } finally {
    await handle.close();
  }
}

async function findLines(file: string): Promise<LinePlace[]> {
  const places = new Map<number, LinePlace>();
  for await (const { bytes, start, length } of readLines(createReadStream(file), Infinity)) {
    const index = bytes === undefined ? undefined : indexOfLine(bytes.toString('utf8'));
    if (index !== undefined && !places.has(index)) places.set(index, { index, start, end: start + length });
  }
  return [...places.values()].sort((first, second) => first.index - second.index);
}

/** The last word about each prompt that failed and was not done since. */
async function keepOpenFailures(paths: RunPaths, done: ReadonlySet<number>): Promise<number> {
  const latest = new Map<number, string>();
  for await (const line of linesOf(paths.failed)) {
    const index = indexOfLine(line);
    if (index !== undefined && !done.has(index)) latest.set(index, line);
  }
  const lines = [...latest].sort(([first], [second]) => first - second).map(([, line]) => `${line}\n`);
  await writeFileAtomic(paths.failed, lines.join(''));
  return latest.size;
}

/** A reader meets the old file or the new one. */
async function replaceFile(file: string, write: (output: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const output = await open(temporary, 'wx', 0o600);
  try {
    try {
      await write(output);
      await output.sync();
    } finally {
      await output.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
