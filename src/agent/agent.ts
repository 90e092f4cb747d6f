import { type CompressionReport, HermesError, type RunResult, systemClock } from '../base/index.ts';
import { type Logger, type RouteSource, silentLogger } from '../contracts/index.ts';
import type { AgentOptions, RunInput } from './agent-options.ts';
import { createAgentSession } from './agent-session.ts';
import { type CompressOptions, compressSession } from './compress-session.ts';
import { createRouteChain } from './route-chain.ts';
import { type Run, startRun } from './run.ts';
import { restoreTurns, type UndoneTurns, undoTurns, type UndoOptions } from './undo-turns.ts';

/** One session's worth of agent. Two of them in a process share nothing. */
export interface Agent {
  /** The session it works on now: compression changes it. */
  readonly sessionId: string;
  /** Starts a turn. One at a time: a second one while the first runs is refused. */
  run(input: RunInput): Run;
  /**
   * Goes on with other routes from the next turn on. The history stays; the prompt names the new model; nothing that was
   * learnt about the old routes is kept. Refused while a turn runs.
   */
  useRoutes(routes: readonly RouteSource[]): void;
  /**
   * Makes the conversation smaller between two turns; afterwards it goes on in a child, and `sessionId` is another one.
   * Undefined where nothing can be saved. Refused while a turn runs. Throws the signal's reason.
   */
  compress(options?: CompressOptions): Promise<CompressionReport | undefined>;
  /**
   * Takes the newest turns out of the conversation; `compressed` where all that is left of them is a summary, undefined
   * where nothing was said. Refused while a turn runs.
   */
  undo(options?: UndoOptions): Promise<UndoneTurns | 'compressed' | undefined>;
  /** Puts back what was taken back last, as long as nothing was said since; how many messages. */
  redo(options?: Pick<UndoOptions, 'storedChanged'>): Promise<number>;
  /** Builds the system prompt anew with the next turn: files it is made of have changed, and the person wants that seen. */
  renewPrompt(): void;
  /** A turn from its beginning to its result. */
  runConversation(input: RunInput): Promise<RunResult>;
  /** A turn as question and answer; throws where it failed. */
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

  /** Between two turns. */
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
      if (running) throw new HermesError(`The model cannot be changed while a turn runs in session ${session.id}.`);
      routes.replace(others);
      session.forgetLessons();
      options.context.allow(session.lineageId, 'model-switch');
    },
    compress: (request = {}) => alone(() => compressSession(parts, request)),
    undo: (request = {}) => alone(() => undoTurns(parts, request)),
    redo: (request = {}) => alone(() => restoreTurns(parts, request)),
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

/** A log that cannot be written must not decide how a turn ends; and each line says whose it is. */
function guardLogger(logger: Logger, sessionId: () => string): Logger {
  const quietly = (write: () => void) => {
    try {
      write();
    } catch {
      // There is nobody left to tell.
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
