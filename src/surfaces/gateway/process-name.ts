import type { GatewayStore } from '../../contracts/index.ts';
import { processScope, processStartTime } from '../../util/index.ts';

/** How this process is called in the store: the start time tells it from a later process with the same id. */
export function processName(): string {
  return `process ${process.pid} in ${processScope()}, started ${processStartTime(process.pid)}`;
}

const NAME = /^process (\d+) in (.*), started (\S+)$/;

/** Releases what processes of this machine held when they died. */
export async function releaseDeadProcesses(store: GatewayStore): Promise<void> {
  for (const owner of await store.listOwners()) {
    const [, pid, scope, started] = NAME.exec(owner) ?? [];
    if (scope === processScope() && processStartTime(Number(pid)) !== started) await store.releaseOwner(owner);
  }
}
