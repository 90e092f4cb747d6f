import type { Agent, Run, RunInput } from '../agent/index.ts';
import type { RunResult } from '../base/index.ts';
import { joinSignals } from '../util/index.ts';
import type { HeldTurn } from './session-lease.ts';

/** Starts a turn under a session lease. It is interrupted by the caller's signal or when the lease is lost. */
export function startHeldRun(
  agent: Agent,
  { signal: lost, storedChanged }: HeldTurn,
  input: Omit<RunInput, 'storedChanged'>,
): { run: Run; result: Promise<RunResult> } {
  const { signal, release } = joinSignals([input.signal, lost]);
  const run = agent.run({ ...input, storedChanged, signal });
  return { run, result: run.result.finally(release) };
}
