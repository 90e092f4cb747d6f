import type { JobQueue } from './job-queue.ts';
import { type QueuedRun, queueName, setState } from './queued-runs.ts';
import { WORKERS_MAY_DIE } from './submit-run.ts';

/** Nobody takes prompts of it any more; what is under way comes to its end, and what is done stays. */
export async function cancelRun(queue: JobQueue, run: QueuedRun): Promise<void> {
  await setState(queue, run.id, 'cancelled');
  await queue.remove(queueName(run));
}

/** Prompts that failed are put back into the queue, but for those whose lines cannot be used; how many. */
export async function retryFailed(queue: JobQueue, run: QueuedRun): Promise<number> {
  await queue.create(queueName(run), WORKERS_MAY_DIE + 1);
  const rows = await queue.sql(
    `DELETE FROM hermes_batch.results AS gone USING hermes_batch.prompts AS prompts
     WHERE gone.run_id = $1 AND gone.kind = 'failed' AND prompts.run_id = gone.run_id
       AND prompts.prompt_index = gone.prompt_index AND prompts.prompt::json->>'text' <> ''
     RETURNING gone.prompt_index`,
    [run.id],
  );
  await queue.add(
    queueName(run),
    rows.map((row) => row['prompt_index'] as number),
  );
  await setState(queue, run.id, 'open');
  return rows.length;
}
