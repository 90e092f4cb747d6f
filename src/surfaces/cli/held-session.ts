import type { HeldChoice } from '../../conversations/index.ts';
import { describeHolder, type Runtime, type SessionHeld, waitUntilFree } from '../../runtime/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { StoppedBySignal } from './exit-path.ts';

type Held = { options: ChatOptions; runtime: Runtime; signal: AbortSignal; say(message: string): void };

/** Applies `--if-busy` to a session that another process holds. */
export async function settleHeldSession(
  held: SessionHeld,
  { options: { ifBusy = 'fail' }, runtime, signal, say }: Held,
): Promise<HeldChoice> {
  if (ifBusy === 'fail') throw held;
  if (ifBusy === 'branch') return 'branch';
  say(`${describeHolder(held.sessionId, held.heldBy)} Waiting for it to finish.`);
  await waitUntilFree(runtime, held.sessionId, signal).catch((thrown: unknown) => {
    if (!signal.aborted) throw thrown;
    throw new StoppedBySignal('Stopped while waiting for the session; no turn was started.');
  });
  return 'retry';
}
