import type { GatewayStore } from '../../contracts/index.ts';
import { hasDied } from '../../util/process-name.ts';

/** Releases what processes of this machine held when they died. */
export async function releaseDeadProcesses(store: GatewayStore): Promise<void> {
  for (const owner of await store.listOwners()) {
    if (hasDied(owner)) await store.releaseOwner(owner);
  }
}
