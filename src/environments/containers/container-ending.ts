import type { ContainerEngine } from './container-engine.ts';
import type { ContainerLeases } from './container-leases.ts';
import { runProgram } from '../run-program.ts';

const END_MS = 20_000;
/** How long a leaving program waits. */
const LEAVE_MS = 5000;

export type ContainerEnding = {
  engine: ContainerEngine;
  leases: ContainerLeases;
  env: Record<string, string>;
  name: string;
  /** Nothing of it is kept. */
  removes: boolean;
  /** What runs in it goes on without the program. */
  goesOn: boolean;
};

/** What ends a container; undefined where it is to go on. */
function endingOf({ engine, name, removes, goesOn }: ContainerEnding): string[] | undefined {
  if (goesOn && !removes) return undefined;
  return removes ? (engine.remove ?? engine.stop)(name) : engine.stop(name);
}

/** Ends a container that nobody uses. One that is there no more is no fault. */
export async function endContainer(ending: ContainerEnding): Promise<void> {
  const args = endingOf(ending);
  if (args === undefined) return;
  const { engine, env, leases, name } = ending;
  await runProgram(engine.program, args, { env, timeoutMs: END_MS }).catch(() => undefined);
  if (ending.removes) leases.forget(name);
}

/** The same for a program that leaves, which cannot wait for events. */
export function endContainerNow(ending: ContainerEnding): void {
  const args = endingOf(ending);
  if (args === undefined) return;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  spawnSync(ending.engine.program, args, { env: ending.env, stdio: 'ignore', timeout: LEAVE_MS });
  if (ending.removes) ending.leases.forget(ending.name);
}

type Abandoned = Pick<ContainerEnding, 'engine' | 'leases' | 'env'> & { except: string };

/** Ends what programs left that were killed; the one that is about to be used is found again instead. */
export async function endAbandoned({ except, ...parts }: Abandoned): Promise<void> {
  const left = parts.leases.abandoned().filter(({ name }) => name !== except);
  const ends = left.map(({ name, keeps }) => endContainer({ ...parts, name, removes: !keeps, goesOn: false }));
  await Promise.all(ends);
}
