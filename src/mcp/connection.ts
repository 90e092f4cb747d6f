import { type Clock, errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { abortable } from '../util/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpSession } from './session.ts';

/** Attempts before Hermes only probes a server now and then: at startup, and after a lost connection. */
const STARTUP_ATTEMPTS = 3;
const RECONNECT_ATTEMPTS = 5;
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [1000, 60_000];
const JITTER = 0.2;
/** Interval between probes after all attempts failed. */
const PROBE_MS = 300_000;
/** After this many consecutive failures, calls fail immediately during a cooldown. */
const FAILURES_BEFORE_COOLDOWN = 3;
const COOLDOWN_MS = 60_000;

export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'failed';

export type ConnectionOptions = OpenerOptions & { random?: () => number };

/** The connection to one server, opened on demand and reopened when it is lost. */
export interface Connection {
  state(): ConnectionState;
  /** Why the last attempt failed, or why the connection was lost. */
  failure(): ServerFailure | undefined;
  /** The open session, or a new one. The signal ends only the wait, not the attempt to connect. */
  session(signal?: AbortSignal): Promise<McpSession>;
  /** Connects in the background, with retries. Resolves after the first attempt, whether it succeeded or not. */
  connectInBackground(): Promise<void>;
  /** Closes a broken session. The next caller gets a new one. */
  drop(session: McpSession, reason: ServerFailure): Promise<void>;
  /** Closes an idle session. The next caller gets a new one. */
  closeIdle(session: McpSession): Promise<void>;
  close(): Promise<void>;
}

export function createConnection({ random = Math.random, ...options }: ConnectionOptions): Connection {
  const { name, clock } = options;
  const closing = new AbortController();
  const opener = createOpener(options, closing.signal, () => void revive(RECONNECT_ATTEMPTS, true));
  let revival: Promise<void> | undefined;

  function revive(tries: number, waitsFirst: boolean): Promise<void> {
    return (revival ??= retryUntilConnected(opener, { tries, waitsFirst, random, clock, signal: closing.signal })
      // Rejects only if Hermes is exiting.
      .catch(() => undefined)
      .finally(() => {
        revival = undefined;
      }));
  }

  return {
    state() {
      if (opener.current() !== undefined) return 'ready';
      if (opener.isOpening()) return 'connecting';
      return opener.failure() === undefined ? 'idle' : 'failed';
    },
    failure: opener.failure,
    async session(signal) {
      signal?.throwIfAborted();
      const current = opener.current();
      if (current !== undefined) return current;
      const failure = opener.failure();
      if (!opener.isOpening() && opener.isInCooldown() && failure !== undefined) throw cooldownFailure(failure);
      return abortable(opener.open(), signal);
    },
    async connectInBackground() {
      void revive(STARTUP_ATTEMPTS, false);
      if (opener.isOpening()) await opener.open().catch(() => undefined);
    },
    async drop(session, reason) {
      opener.markLost(session, reason);
      await session.close();
    },
    async closeIdle(session) {
      if (opener.markLost(session)) await session.close();
    },
    async close() {
      closing.abort(new ServerFailure('unreachable', `The connection to ${name} was closed.`, { isOwnText: true }));
      if (opener.isOpening()) await opener.open().catch(() => undefined);
      await opener.current()?.close();
      await revival;
    },
  };
}

function cooldownFailure({ kind, message, hint, isOwnText }: ServerFailure): ServerFailure {
  const explained = `${message} It failed several times in a row; the next attempt is in a minute.`;
  return new ServerFailure(kind, explained, { isOwnText, ...(hint !== undefined && { hint }) });
}

type RetryOptions = { tries: number; waitsFirst: boolean; random(): number; clock: Clock; signal: AbortSignal };

/** Stops after a login or configuration error: only the user can fix those, so a retry does not help. */
async function retryUntilConnected(
  opener: Opener,
  { tries, waitsFirst, random, clock, signal }: RetryOptions,
): Promise<void> {
  for (let attempt = waitsFirst ? 1 : 0; ; attempt += 1) {
    if (attempt > 0) await clock.sleep(attempt >= tries ? PROBE_MS : delayBefore(attempt, random), signal);
    if (opener.current() !== undefined) return;
    const failed = await opener.open().then(
      () => undefined,
      (thrown: ServerFailure) => thrown,
    );
    if (failed === undefined || failed.kind === 'login' || failed.kind === 'settings') return;
  }
}

function delayBefore(attempt: number, random: () => number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
  return delay * (1 - JITTER + 2 * JITTER * random());
}

type OpenerOptions = {
  name: string;
  /** Connects once. `onClosed` is called when the session ends for any reason other than `close`. */
  open(signal: AbortSignal, onClosed: (reason: ServerFailure) => void): Promise<McpSession>;
  /** Called with every new session before any caller gets it. */
  onReady(session: McpSession): Promise<void>;
  clock: Clock;
  logger: Logger;
};

/** The single session with a server and the outcome of the last attempt to open it. */
interface Opener {
  current(): McpSession | undefined;
  isOpening(): boolean;
  failure(): ServerFailure | undefined;
  /** Whether calls fail immediately for a while, because the server failed several times in a row. */
  isInCooldown(): boolean;
  /** Concurrent callers share one attempt, so only one process is started. Rejects with a `ServerFailure`. */
  open(): Promise<McpSession>;
  /**
   * Returns false if this is no longer the current session. Without a reason, the session counts as closed normally.
   */
  markLost(session: McpSession, reason?: ServerFailure): boolean;
}

function createOpener(options: OpenerOptions, closing: AbortSignal, onLost: (reason: ServerFailure) => void): Opener {
  const { name, clock, logger } = options;
  let current: McpSession | undefined;
  let failure: ServerFailure | undefined;
  let [failures, failedAt] = [0, 0];
  let opening: Promise<McpSession> | undefined;

  const say = (what: string, { message }: ServerFailure) =>
    closing.aborted ? undefined : logger.warn(what, { server: name, error: message });

  async function open(): Promise<McpSession> {
    let opened: McpSession | undefined;
    // The session may close before `open` returns it.
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
    failure = thrown instanceof ServerFailure ? thrown : toServerFailure(name, thrown);
    failures += 1;
    failedAt = clock.now();
    say('could not connect to an MCP server', failure);
    return failure;
  }

  function lose(session: McpSession, reason?: ServerFailure): boolean {
    if (current !== session) return false;
    [current, failure] = [undefined, reason];
    if (reason !== undefined) say('lost the connection to an MCP server', reason);
    return true;
  }

  return {
    current: () => current,
    isOpening: () => opening !== undefined,
    failure: () => failure,
    isInCooldown: () => failures >= FAILURES_BEFORE_COOLDOWN && clock.now() - failedAt < COOLDOWN_MS,
    open: () => (opening ??= open().finally(() => (opening = undefined))),
    markLost: lose,
  };
}

function toServerFailure(name: string, thrown: unknown): ServerFailure {
  return new ServerFailure('unreachable', `${name} cannot be used: ${errorMessage(thrown)}`, { cause: thrown });
}
