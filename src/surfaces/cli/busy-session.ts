import { systemClock } from '../../base/index.ts';
import { branchSession, describeHolder, type Runtime, type SessionHeld, waitUntilFree } from '../../runtime/index.ts';
import type { ChatStart } from './chat.ts';
import { StoppedBySignal } from './signals.ts';
import { showable } from './style.ts';

type Busy = { start: ChatStart; runtime: Runtime; signal: AbortSignal };

/** What to go on with where another process works on the session and nobody can be asked: the id of a session. */
export async function settleBusySession(held: SessionHeld, { start, runtime, signal }: Busy): Promise<string> {
  const { ifBusy = 'fail' } = start.options;
  const { sessionId, heldBy } = held;
  const parts = { store: runtime.store, clock: systemClock };
  if (ifBusy === 'fail') throw held;
  if (ifBusy === 'branch') {
    const branch = await branchSession(parts, sessionId, 'cli');
    say(start, `${describeHolder(sessionId, heldBy)} Going on in a branch, session ${branch.id}.`);
    return branch.id;
  }
  say(start, `${describeHolder(sessionId, heldBy)} Waiting until it has ended.`);
  return waitUntilFree(parts, sessionId, signal).catch((thrown: unknown) => {
    if (!signal.aborted) throw thrown;
    throw new StoppedBySignal('Stopped while waiting for the session; nothing was started.');
  });
}

function say({ io, options, lines }: ChatStart, message: string): void {
  const warning = { type: 'warning', message };
  if (lines !== undefined) lines.write(warning);
  else if (!options.quiet) io.stderr.write(`hermes: ${showable(message)}\n`);
}
