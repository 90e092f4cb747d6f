import { ConfigurationError } from '../../../base/index.ts';
import type { JobQueue } from './open-queue.ts';
import { type QueuedRun, queueName, setState } from './queued-runs.ts';
import { WORKERS_MAY_DIE } from './submit-run.ts';

/** Nobody takes prompts of it any more; what is under way comes to its end, and what is done stays. */
export async function cancelRun(queue: JobQueue, run: QueuedRun): Promise<void> {
  await setState(queue, run.id, 'cancelled');
  await queue.remove(queueName(run));
}

/**
 * Prompts that failed are put back into the queue, but for those whose lines cannot be used; so is what a cancelled run
 * had left. How many. If it is ended half way, it is done again: what is to be run follows from what has no result.
 */
export async function retryFailed(queue: JobQueue, run: QueuedRun): Promise<number> {
  if (run.state === 'submitting') {
    throw new ConfigurationError(
      `The run ${run.id} is not in the queue as a whole: its submission is under way or was ended.`,
      {
        hint: 'Wait for it, or submit the prompts again.',
      },
    );
  }
  const name = queueName(run);
  await queue.create(name, WORKERS_MAY_DIE + 1);
  // Compared as texts: PostgreSQL refuses to read JSON with a NUL or half a character in it. What they cost was paid.
  await queue.sql(
    `WITH gone AS (
       DELETE FROM hermes_batch.results AS gone USING hermes_batch.prompts AS prompts
       WHERE gone.run_id = $1 AND gone.kind = 'failed' AND prompts.run_id = gone.run_id
         AND prompts.prompt_index = gone.prompt_index AND NOT starts_with(prompts.prompt, $2)
       RETURNING gone.run_id, gone.usd, gone.tokens, gone.cost_known)
     INSERT INTO hermes_batch.retried
     SELECT run_id, sum(usd), sum(tokens)::bigint, bool_and(cost_known) FROM gone GROUP BY run_id`,
    [run.id, UNUSABLE],
  );
  const rows = await queue.sql(
    `SELECT prompt_index FROM hermes_batch.prompts AS prompts WHERE run_id = $1 AND NOT EXISTS (
       SELECT FROM hermes_batch.results AS results
       WHERE results.run_id = prompts.run_id AND results.prompt_index = prompts.prompt_index)
     ORDER BY prompt_index`,
    [run.id],
  );
  const unfinished = await queue.unfinished(name);
  const open = rows.map((row) => row['prompt_index'] as number).filter((index) => !unfinished.has(index));
  await queue.add(name, open);
  await setState(queue, run.id, 'open');
  return open.length;
}

/** How the prompt of a line begins that cannot be used: all others have a text. */
const UNUSABLE = '{"text":"",';
