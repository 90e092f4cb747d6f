import { ConfigurationError } from '../../../base/index.ts';
import type { JobQueue } from './open-queue.ts';
import { type QueuedRun, queueName, setState } from './queued-runs.ts';
import { MAX_DEAD_WORKERS } from './submit-run.ts';

/** Cancels a run: no further prompts are taken, running ones finish, and results are kept. */
export async function cancelRun(queue: JobQueue, run: QueuedRun): Promise<void> {
  await setState(queue, run.id, 'cancelled');
  await queue.remove(queueName(run));
}

/**
 * Requeues failed prompts, except invalid lines, and the remaining prompts of a cancelled run. Returns how many. It
 * can be repeated after an interruption, because it requeues every prompt without a result.
 */
export async function retryFailed(queue: JobQueue, run: QueuedRun): Promise<number> {
  if (run.state === 'submitting') {
    throw new ConfigurationError(
      `The run ${run.id} is not completely submitted: its submission is still running or was interrupted.`,
      {
        hint: 'Wait until the submission has ended, or submit the prompts again.',
      },
    );
  }
  const name = queueName(run);
  await queue.create(name, MAX_DEAD_WORKERS + 1);
  // Compared as text, because PostgreSQL rejects JSON with NUL or lone surrogates. The cost of the deleted results is
  // kept.
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

/** The JSON prefix of an invalid line's prompt; all other prompts have a text. */
const UNUSABLE = '{"text":"",';
