import { HermesError } from '../base/index.ts';
import type { HeldLease } from '../contracts/index.ts';

const WAYS_OUT =
  'Wait until that turn has ended (--if-busy wait), go on in a branch (--if-busy branch), or look on with `hermes sessions watch`.';

/** A turn was refused, because another process runs one in the same session. */
export class SessionHeld extends HermesError {
  readonly sessionId: string;
  readonly heldBy: HeldLease;

  constructor(sessionId: string, heldBy: HeldLease) {
    super(describeHolder(sessionId, heldBy), { hint: WAYS_OUT });
    this.sessionId = sessionId;
    this.heldBy = heldBy;
  }
}

export function describeHolder(sessionId: string, { pid, host, surface, since }: HeldLease): string {
  const time = new Date(since).toTimeString().slice(0, 8);
  return `Session ${sessionId} is in use: process ${pid} on ${host} (${surface}) has been running a turn in it since ${time}.`;
}
