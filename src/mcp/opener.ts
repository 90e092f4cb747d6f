import { type Clock, errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpSession } from './session.ts';

/** So many failures in a row, and calls are answered at once for a while instead of trying again. */
const FAILURES_UNTIL_REST = 3;
const REST_MS = 60_000;

export type OpenerOptions = {
  name: string;
  /** Connects once. `onClosed` is called when what it gave is gone, for whatever reason but `close`. */
  open(signal: AbortSignal, onClosed: (reason: ServerFailure) => void): Promise<McpSession>;
  /** Called with every new session, before anyone else gets it. */
  onReady(session: McpSession): Promise<void>;
  clock: Clock;
  logger: Logger;
};

/** The one session with a server, and what came of the tries to have one. */
export interface Opener {
  current(): McpSession | undefined;
  isOpening(): boolean;
  failure(): ServerFailure | undefined;
  /** It failed several times just now: there is no use in trying again at once. */
  isResting(): boolean;
  /** One at a time, whoever asks: two would start two processes. Rejects with a `ServerFailure`. */
  open(): Promise<McpSession>;
  /** False where it is not the current one any more. Without a reason nothing is wrong with it. */
  lose(session: McpSession, reason?: ServerFailure): boolean;
}

export function createOpener(
  options: OpenerOptions,
  closing: AbortSignal,
  onLost: (reason: ServerFailure) => void,
): Opener {
  const { name, clock, logger } = options;
  let current: McpSession | undefined;
  let failure: ServerFailure | undefined;
  let [failures, failedAt] = [0, 0];
  let opening: Promise<McpSession> | undefined;

  const say = (what: string, { message }: ServerFailure) =>
    closing.aborted ? undefined : logger.warn(what, { server: name, error: message });

  async function open(): Promise<McpSession> {
    let opened: McpSession | undefined;
    // It may be gone before anyone has it.
    let goneEarly: ServerFailure | undefined;
    try {
      opened = await options.open(closing, (reason) => {
        if (opened === undefined || current !== opened) goneEarly ??= reason;
        else if (lose(opened, reason)) onLost(reason);
      });
      await options.onReady(opened);
      if (goneEarly !== undefined) throw goneEarly;
      closing.throwIfAborted();
    } catch (thrown) {
      await opened?.close();
      throw note(goneEarly ?? thrown);
    }
    [current, failures, failure] = [opened, 0, undefined];
    return opened;
  }

  function note(thrown: unknown): ServerFailure {
    failure = thrown instanceof ServerFailure ? thrown : unusable(name, thrown);
    failures += 1;
    failedAt = clock.now();
    say('an MCP server could not be connected to', failure);
    return failure;
  }

  function lose(session: McpSession, reason?: ServerFailure): boolean {
    if (current !== session) return false;
    [current, failure] = [undefined, reason];
    if (reason !== undefined) say('an MCP server was lost', reason);
    return true;
  }

  return {
    current: () => current,
    isOpening: () => opening !== undefined,
    failure: () => failure,
    isResting: () => failures >= FAILURES_UNTIL_REST && clock.now() - failedAt < REST_MS,
    open: () => (opening ??= open().finally(() => (opening = undefined))),
    lose,
  };
}

function unusable(name: string, thrown: unknown): ServerFailure {
  return new ServerFailure('unreachable', `${name} cannot be used: ${errorMessage(thrown)}`, { cause: thrown });
}
