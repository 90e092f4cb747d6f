import { systemClock } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { formatDuration } from '../../text/format-duration.ts';
import { printable } from '../../text/style.ts';
import { formatTable } from '../../text/table.ts';
import { type Job, listJobs } from '../jobs.ts';
import type { PickItem } from '../pick-request.ts';
import type { SlashContext } from '../slash-context.ts';

const SHOWN = 60;
const STOP = /^stop\s+(\S+)$/i;
const NONE =
  'There are no jobs. The model starts processes and subagents; /background PROMPT starts a turn in the background.\n';
const KINDS: Readonly<Record<Job['kind'], string>> = {
  process: 'process',
  turn: 'background turn',
  subagent: 'subagent',
};

/** `/jobs` lists the jobs of a chat, `/jobs ID` follows one, `/jobs stop ID` stops one. */
export async function jobsCommand(context: SlashContext, argument: string): Promise<void> {
  const { print, terminal } = context;
  const jobs = await listJobs(context);
  const stopped = STOP.exec(argument)?.[1];
  if (stopped !== undefined) return stopJob(context, findJob(jobs, stopped), stopped);
  if (argument !== '') return followJob(context, findJob(jobs, argument), argument);
  if (jobs.length === 0) return print(NONE);
  if (terminal?.pick === undefined) return print(formatJobs(jobs));
  await selectJob(context, jobs);
}

function findJob(jobs: readonly Job[], id: string): Job | undefined {
  const matches = jobs.filter((job) => job.id.startsWith(id));
  return jobs.find((job) => job.id === id) ?? (matches.length === 1 ? matches[0] : undefined);
}

async function selectJob(context: SlashContext, jobs: readonly Job[]): Promise<void> {
  const pick = context.terminal?.pick;
  // Running jobs first.
  const sorted = jobs.toSorted((one, other) => Number(one.ended !== undefined) - Number(other.ended !== undefined));
  const id = await pick?.({ title: 'Jobs', items: sorted.map(toItem) });
  const job = jobs.find((one) => one.id === id);
  if (job === undefined) return;
  const follow = {
    value: 'follow',
    label: job.ended === undefined ? 'Show the output and follow it' : 'Show the output',
  };
  const stop = { value: 'stop', label: `Stop the ${KINDS[job.kind]}` };
  const action = await pick?.({
    title: `${job.id}: ${job.title}`,
    items: job.ended === undefined ? [follow, stop] : [follow],
  });
  if (action === 'follow') await followJob(context, job, job.id);
  if (action === 'stop') await stopJob(context, job, job.id);
}

function toItem(job: Job): PickItem {
  const label = shorten(job.title.replace(/\s+/g, ' '), SHOWN);
  return { value: job.id, label, about: KINDS[job.kind], note: stateOf(job), keywords: job.id, detail: job.title };
}

function stateOf({ ended, startedAt }: Job): string {
  return ended ?? `running for ${formatDuration((systemClock.now() - startedAt) / 1000)}`;
}

function formatJobs(jobs: readonly Job[]): string {
  const rows = jobs.map((job) => [job.id, shorten(printable(job.title), SHOWN), KINDS[job.kind], stateOf(job)]);
  return `${formatTable(rows)}/jobs ID shows the output of a job, /jobs stop ID stops it.\n`;
}

async function stopJob({ print }: SlashContext, job: Job | undefined, id: string): Promise<void> {
  if (job === undefined) return print(`There is no job ${printable(id)}. Use /jobs to list all.\n`);
  if (job.ended !== undefined) return print(`The job ${job.id} has already ended (${printable(job.ended)}).\n`);
  await job.stop();
  print(`Stopping ${KINDS[job.kind]} ${job.id} (${printable(shorten(job.title, SHOWN))}).\n`);
}

async function followJob({ print, style, terminal }: SlashContext, job: Job | undefined, id: string): Promise<void> {
  if (job === undefined) return print(`There is no job ${printable(id)}. Use /jobs to list all.\n`);
  if (terminal === undefined) return;
  const end = job.ended === undefined ? ' Esc or Ctrl-C returns to the chat; the job continues.' : '';
  print(style.dim(`${job.id}: ${printable(shorten(job.title, SHOWN))}, ${stateOf(job)}.${end}\n`));
  const output = { text: (text: string) => print(printable(text)), messages: terminal.printConversation };
  const outcome = await terminal.follow((signal) => job.follow(output, signal));
  print(style.dim(outcome === 'stopped' ? `No longer following ${job.id}.\n` : `End of ${job.id}.\n`));
}
