import { type CompressionReport, HermesError, type RunResult, systemClock } from '../base/index.ts';
import { type Logger, type RouteSource, silentLogger, type UnusedMarkers } from '../contracts/index.ts';
import type { AgentOptions, RunInput } from './agent-options.ts';
import { createAgentSession } from './agent-session.ts';
import { type CompressOptions, compressSession } from './compress-session.ts';
import { createRouteChain } from './route-chain.ts';
import { type Run, startRun } from './run.ts';
import { restoreTurns, type UndoneTurns, undoTurns, type UndoOptions } from './undo-turns.ts';

/** An agent for one session. Two agents in a process share no state. */
export interface Agent {
  /** The current session id; it changes with every compression. */
  readonly sessionId: string;
  /** Starts a turn. Throws if a turn is already running. */
  run(input: RunInput): Run;
  /**
   * Switches to other routes from the next turn on. The history stays, the system prompt names the new model, and
   * everything learned about the old routes is forgotten. Throws while a turn is running.
   */
  useRoutes(routes: readonly RouteSource[]): void;
  /**
   * Compresses the session between two turns; afterwards `sessionId` is that of the child session. Returns undefined
   * if nothing can be saved. Throws while a turn is running, and throws the signal's reason when aborted.
   */
  compress(options?: CompressOptions): Promise<CompressionReport | undefined>;
  /**
   * Removes the newest turns from the conversation. Returns `compressed` if they exist only as a summary, undefined
   * if there are no turns. Throws while a turn is running.
   */
  undo(options?: UndoOptions): Promise<UndoneTurns | 'compressed' | undefined>;
  /** Restores the turns that were undone last, unless a new message followed; returns the number of messages. */
  redo(options?: Pick<UndoOptions, 'storedChanged'>): Promise<number>;
  /** Cache markers on the current route that had no effect; undefined if none did. */
  unusedMarkers(): UnusedMarkers | undefined;
  /** Rebuilds the system prompt at the next turn, so that changed context files take effect. */
  renewPrompt(): void;
  /** Runs a turn and returns its result. */
  runConversation(input: RunInput): Promise<RunResult>;
  /** Runs a turn and returns the final text. Throws if the turn failed. */
  chat(text: string): Promise<string>;
}

export function createAgent(options: AgentOptions): Agent {
  const clock = options.clock ?? systemClock;
  const session = createAgentSession(options, clock);
  const logger = guardLogger(options.logger ?? silentLogger, () => session.id);
  const routes = createRouteChain(options.routes, clock, logger);
  let running = false;

  const parts = { options, clock, logger, session, routes };

  function begin(): void {
    if (running) throw new HermesError(`A turn is already running in session ${session.id}.`);
    running = true;
  }

  /** Runs a task that must not overlap with a turn. */
  async function alone<Value>(task: () => Promise<Value>): Promise<Value> {
    begin();
    try {
      return await task();
    } finally {
      running = false;
    }
  }

  function run(input: RunInput): Run {
    begin();
    return startRun(parts, input, () => {
      running = false;
    });
  }

  return {
    get sessionId() {
      return session.id;
    },
    run,
    useRoutes(others) {
      if (running)
        throw new HermesError(`The model cannot be changed while a turn is running in session ${session.id}.`);
      routes.replace(others);
      session.forgetRefusals();
      options.context.allow(session.lineageId, 'model-switch');
    },
    compress: (request = {}) => alone(() => compressSession(parts, request)),
    undo: (request = {}) => alone(() => undoTurns(parts, request)),
    redo: (request = {}) => alone(() => restoreTurns(parts, request)),
    unusedMarkers: () => routes.learned().markers.unused,
    renewPrompt: session.renewPrompt,
    runConversation: (input) => run(input).result,
    async chat(text) {
      const result = await run({ userMessage: text }).result;
      if (result.failed)
        throw new HermesError(result.error?.message ?? 'The turn failed.', { hint: result.error?.hint });
      return result.finalResponse;
    },
  };
}

/** Adds the session id to every log line, and ignores logger errors so that they never affect a turn. */
function guardLogger(logger: Logger, sessionId: () => string): Logger {
  const quietly = (write: () => void) => {
    try {
      write();
    } catch {
      // Nothing left to report the error to.
    }
  };
  return {
    debug: (message, fields) => quietly(() => logger.debug(message, { sessionId: sessionId(), ...fields })),
    info: (message, fields) => quietly(() => logger.info(message, { sessionId: sessionId(), ...fields })),
    warn: (message, fields) => quietly(() => logger.warn(message, { sessionId: sessionId(), ...fields })),
    error: (message, fields, cause) =>
      quietly(() => logger.error(message, { sessionId: sessionId(), ...fields }, cause)),
  };
}
