import { operatingSystem } from '../../util/index.ts';

/** Tells the model about the limits of the sandbox, so that it does not try what cannot work. */
export function describeSandboxSystem(network: boolean): string {
  return `${operatingSystem()}, sandboxed: only the working directory and /tmp are writable${network ? '' : ', no network'}`;
}
