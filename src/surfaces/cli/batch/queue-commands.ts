import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import { localTime } from '../../../util/index.ts';
import {
  cancelRun,
  collectRun,
  countRun,
  hasReachedLimit,
  type JobQueue,
  listRuns,
  openQueue,
  type QueuedRun,
  requireRun,
  retryFailed,
} from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import { formatCost } from '../../text/format-cost.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { writeJson } from '../sessions/write-json.ts';
import { exitCodeOf, writeBatchReport } from './report.ts';

export type QueueOptions = { queue?: string };
export type StatusOptions = QueueOptions & { json?: boolean };
export type CollectOptions = StatusOptions & { output: string };

/** `hermes batch status` */
export function showStatus(
  reference: string | undefined,
  { queue: url, json }: StatusOptions,
  io: CliIo,
): Promise<number> {
  return withQueue(url, io, async (queue) => {
    const runs = reference === undefined ? await listRuns(queue) : [await requireRun(queue, reference)];
    const rows = await Promise.all(runs.map((run) => describeRun(queue, run)));
    if (json) writeJson(io.stdout, rows);
    else if (rows.length === 0) io.stdout.write('The queue is empty.\n');
    else for (const row of rows) io.stdout.write(formatRow(row));
    return 0;
  });
}

async function describeRun(queue: JobQueue, run: QueuedRun) {
  const { id, manifest, createdAt } = run;
  const counts = await countRun(queue, id);
  const { prompts, kept, dropped, failed, usd, costKnown } = counts;
  const left = prompts - kept - dropped - failed;
  const costUsd = costKnown || usd > 0 ? usd : null;
  return {
    id,
    state: stateOf(run, { ...counts, left }),
    model: manifest.model,
    createdAt,
    prompts,
    kept,
    dropped,
    failed,
    left,
    costUsd,
    costKnown,
  };
}

/**
 * The displayed state of a run. An open run without further work is shown as done, or as having reached its spending
 * limit.
 */
function stateOf(run: QueuedRun, counts: { left: number; usd: number; costKnown: boolean }): string {
  if (run.state !== 'open') return run.state;
  if (counts.left === 0) return 'done';
  return hasReachedLimit(run, counts) ? 'limit_reached' : run.state;
}

function formatRow(row: Awaited<ReturnType<typeof describeRun>>): string {
  const { id, state, model, createdAt, prompts, kept, dropped, failed, left, costUsd, costKnown } = row;
  const cost = formatCost({ usd: costUsd, unpriced: costKnown ? 0 : 1 });
  const figures = [
    `${kept} of ${counted(prompts, 'prompt')} kept`,
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    cost,
  ];
  return `${id}  ${state}  ${localTime(createdAt)}  ${model}\n    ${figures.join(', ')}\n`;
}

/** `hermes batch collect` */
export function collectCommand(
  reference: string,
  { queue: url, output, json }: CollectOptions,
  io: CliIo,
): Promise<number> {
  return withQueue(url, io, async (queue) => {
    const run = await requireRun(queue, reference);
    const report = await collectRun(queue, run, resolve(io.workingDirectory, output));
    writeBatchReport(report, { json: json ?? false, again: `hermes batch retry ${run.id}` }, io);
    return exitCodeOf(report);
  });
}

/** `hermes batch retry` */
export function retryCommand(reference: string, { queue: url }: QueueOptions, io: CliIo): Promise<number> {
  return withQueue(url, io, async (queue) => {
    const count = await retryFailed(queue, await requireRun(queue, reference));
    io.stdout.write(`Returned ${counted(count, 'prompt')} to the queue.\n`);
    return 0;
  });
}

/** `hermes batch cancel` */
export function cancelCommand(reference: string, { queue: url }: QueueOptions, io: CliIo): Promise<number> {
  return withQueue(url, io, async (queue) => {
    const run = await requireRun(queue, reference);
    await cancelRun(queue, run);
    io.stdout.write(`Removed ${run.id} from the queue; \`hermes batch collect\` returns the finished samples.\n`);
    return 0;
  });
}

/** Opens the queue for one command and closes it afterwards. */
export async function withQueue<Value>(
  url: string | undefined,
  io: CliIo,
  use: (queue: JobQueue) => Promise<Value>,
): Promise<Value> {
  const queue = await openQueue(await requireQueueUrl(url, io), (message) => {
    writeReport(io, { message: `Database: ${message}` });
  });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** The URL of the queue. Throws if there is none or if it is not the URL of a PostgreSQL database. */
export async function requireQueueUrl(given: string | undefined, io: CliIo): Promise<string> {
  const url = given ?? (await configuredUrl(io));
  (await import('../../../store/postgres/index.ts')).parseDatabaseUrl(url);
  return url;
}

async function configuredUrl(io: CliIo): Promise<string> {
  const { storage } = await loadSettings({ home: resolveHome(io.env), env: io.env });
  if (storage !== undefined) return storage.url;
  throw new ConfigurationError('No queue is configured.', {
    hint: 'Pass a PostgreSQL URL with --queue postgresql://USER@HOST/DATABASE, or set HERMES_DATABASE_URL in .env.',
  });
}
