import { counted } from '../../text/counted.ts';
import { readAnswer, runJobsOnce, runNamedJob } from '../../gateway/index.ts';
import type { CliRun } from '../cli-run.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

/** `hermes cron tick`: runs what is due, waits for it, and ends. */
export async function tick({ json, quiet }: { json?: boolean; quiet?: boolean }, { io, exits }: CliRun) {
  const count = await runJobsOnce({ ...stoppable(exits, io), onNotice: () => undefined });
  if (json) writeJson(io.stdout, { runs: count });
  else if (!quiet) io.stdout.write(count === 0 ? 'No job is due.\n' : `Performed ${counted(count, 'run')}.\n`);
  return 0;
}

/** `hermes cron run`: runs one job now and prints its answer. */
export async function runNow(reference: string, { json }: { json?: boolean }, { io, exits }: CliRun): Promise<number> {
  const outcome = await runNamedJob({ ...stoppable(exits, io), onNotice: () => undefined }, reference);
  if (outcome === undefined) {
    io.stderr.write('The run was given up, because this process did not answer for too long.\n');
    return 1;
  }
  const { state, error, outputPath, deliveryError } = outcome;
  const answer = outputPath === undefined ? '' : await readAnswer(outputPath);
  if (json) writeJson(io.stdout, { state, error, outputPath, deliveryError, answer });
  else {
    io.stdout.write(`${printable(answer).trim()}\n`);
    if (error !== undefined) io.stderr.write(`${printable(`The run failed: ${error}`)}\n`);
    if (deliveryError !== undefined) io.stderr.write(`${printable(`Not delivered: ${deliveryError}`)}\n`);
    if (outputPath !== undefined) io.stderr.write(`${printable(`Saved to ${outputPath}`)}\n`);
  }
  return state === 'done' ? 0 : 1;
}

/** The first signal interrupts the run, which is then recorded as failed. */
function stoppable(exits: CliRun['exits'], { env, workingDirectory, stderr }: CliRun['io']) {
  const stop = new AbortController();
  exits.setHandler(() => stop.abort());
  const onImported = (text: string) => void stderr.write(`${printable(text)}\n`);
  return { env, workingDirectory, signal: stop.signal, onImported };
}
