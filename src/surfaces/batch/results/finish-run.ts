import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { isJsonObject, type JsonObject, parseJson } from '../../../base/index.ts';
import { readLines, writeFileAtomic } from '../../../util/index.ts';
import type { BatchReport } from '../batch-options.ts';
import { partNumber, type RunManifest, type RunPaths } from '../folder/run-folder.ts';
import { linesOf, type ResultFiles } from './result-files.ts';
import { indexOfLine } from './result-line.ts';

type LineRange = { index: number; start: number; end: number };

/** Joins the part files in prompt order and writes the statistics. Repeated after every resume. */
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

/** Reads one line at a time, because a part file may not fit into memory. */
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

async function findLines(file: string): Promise<LineRange[]> {
  const places = new Map<number, LineRange>();
  for await (const { bytes, start, length } of readLines(createReadStream(file), Infinity)) {
    const index = bytes === undefined ? undefined : indexOfLine(bytes.toString('utf8'));
    if (index !== undefined && !places.has(index)) places.set(index, { index, start, end: start + length });
  }
  return [...places.values()].sort((first, second) => first.index - second.index);
}

/** Keeps only the latest failure of each prompt that is not done. */
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

/** Replaces a file atomically. */
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

type Use = { count: number; success: number; failure: number };

/** Totals over all samples of a run. */
interface LineTally {
  add(line: JsonObject): void;
  totals(): LineTotals;
}

type LineTotals = {
  kept: number;
  completed: number;
  partial: number;
  apiCalls: number;
  toolsets: Record<string, number>;
  tools: Record<string, Use>;
};

function createLineTally(tools: readonly string[]): LineTally {
  const totals: LineTotals = {
    kept: 0,
    completed: 0,
    partial: 0,
    apiCalls: 0,
    toolsets: {},
    tools: Object.fromEntries(tools.map((name) => [name, { count: 0, success: 0, failure: 0 }])),
  };
  return {
    add(line) {
      totals.kept += 1;
      if (line['completed'] === true) totals.completed += 1;
      if (line['partial'] === true) totals.partial += 1;
      totals.apiCalls += numberIn(line, 'api_calls');
      const { toolsets_used: used, tool_stats: stats } = line;
      for (const name of Array.isArray(used) ? used.map(String) : []) {
        totals.toolsets[name] = (totals.toolsets[name] ?? 0) + 1;
      }
      for (const [name, use] of Object.entries(isJsonObject(stats) ? stats : {})) {
        if (isJsonObject(use)) addUse((totals.tools[name] ??= { count: 0, success: 0, failure: 0 }), use);
      }
    },
    totals: () => totals,
  };
}

function addUse(sum: Use, use: JsonObject): void {
  sum.count += numberIn(use, 'count');
  sum.success += numberIn(use, 'success');
  sum.failure += numberIn(use, 'failure');
}

function numberIn(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === 'number' ? value : 0;
}

/** Figures that the samples do not contain. */
type RunFigures = {
  prompts: number;
  dropped: number;
  failed: number;
  left: number;
  usd: number;
  tokens: number;
  /** False if some calls had no price. */
  costKnown: boolean;
  finishedAt: number;
};

/** The content of `statistics.json`. */
function describeStatistics(totals: LineTotals, figures: RunFigures, manifest: RunManifest): object {
  const { kept, completed, partial, apiCalls, toolsets, tools } = totals;
  const { prompts, dropped, failed, left, usd, tokens, costKnown, finishedAt } = figures;
  return {
    prompts,
    kept,
    dropped_without_reasoning: dropped,
    failed,
    left,
    completed,
    partial,
    api_calls: apiCalls,
    tokens,
    cost_usd: costKnown || usd > 0 ? usd : null,
    model: manifest.model,
    provider: manifest.provider,
    distribution: manifest.distributionName,
    toolset_probabilities: manifest.distribution,
    toolsets_used: toolsets,
    started_at: new Date(manifest.startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    tool_statistics: Object.fromEntries(Object.entries(tools).map(([name, use]) => [name, withRates(use)])),
  };
}

function withRates({ count, success, failure }: Use): object {
  const rate = (part: number) => (count === 0 ? 0 : Number((part / count).toFixed(4)));
  return { count, success, failure, success_rate: rate(success), failure_rate: rate(failure) };
}
