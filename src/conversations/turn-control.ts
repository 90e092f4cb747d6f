import type { Run } from '../agent/index.ts';
import { type ActorRole, type AgentEvent, errorMessage, hasRole, type JsonObject } from '../base/index.ts';
import type { ProgressEntry, TurnCommand } from '../contracts/index.ts';
import type { Services } from '../runtime/index.ts';
import { takeStart } from '../util/index.ts';

/** The lowest role whose commands are accepted. */
export type ControlRoles = { steer?: ActorRole; interrupt?: ActorRole };

export type ControlOptions = {
  services: Pick<Services, 'store' | 'clock' | 'logger'>;
  run: Run;
  /** The token of the lease under which the turn runs. Other processes address the turn by it. */
  token: string;
  roles?: ControlRoles | undefined;
};

const POLL_MS = 1_000;
/** Maximum stored events per turn. */
const KEPT_EVENTS = 200;
const EVENT_TEXT_LIMIT = 4_000;
/** How long a handled command stays readable for the process that wrote it. */
const COMMANDS_KEPT_MS = 10 * 60_000;

/**
 * Lets other processes watch and control a turn: once a second, its owner stores the newest events and executes
 * pending commands. A turn shorter than that costs nothing.
 */
export function controlTurn(options: ControlOptions): { stop(): Promise<void> } {
  const { store, clock, logger } = options.services;
  const stopping = new AbortController();
  const reader = options.run.read({ maxQueued: KEPT_EVENTS });
  let sequence = 0;

  async function poll(): Promise<void> {
    const entries: ProgressEntry[] = reader.drain().map((event) => {
      sequence += 1;
      return { sequence, event: toProgress(event) };
    });
    if (entries.length > 0) await store.appendProgress(options.token, entries, KEPT_EVENTS);
    for (const command of await store.listPendingCommands(options.token)) {
      await store.settleTurnCommand(command.id, tryToObey(command) ? 'done' : 'refused');
    }
  }

  /** A command written by another program may be malformed; it must not prevent the others from running. */
  function tryToObey(command: TurnCommand): boolean {
    try {
      return executeCommand(options, command);
    } catch (thrown) {
      logger.warn('rejected an invalid turn command', { id: command.id, reason: errorMessage(thrown) });
      return false;
    }
  }

  async function work(): Promise<void> {
    for (let failures = 0; ; ) {
      try {
        await clock.sleep(POLL_MS, stopping.signal);
        await poll();
        failures = 0;
      } catch (thrown) {
        if (stopping.signal.aborted) return;
        failures += 1;
        // The turn works without remote control, so an unreachable database is reported only once.
        if (failures === 1)
          logger.warn('other processes cannot watch or control this turn', { reason: errorMessage(thrown) });
      }
    }
  }

  const working = work();
  return {
    async stop() {
      stopping.abort();
      await reader.return?.();
      await working;
      if (sequence === 0) return;
      await store.clearTurn(options.token, clock.now() - COMMANDS_KEPT_MS).catch((thrown: unknown) => {
        logger.warn('could not delete the progress of a turn', { reason: errorMessage(thrown) });
      });
    },
  };
}

/** Returns false if the actor lacks the role or the turn no longer accepts the command. */
function executeCommand({ run, roles = {} }: ControlOptions, { body, actor }: TurnCommand): boolean {
  switch (body.kind) {
    case 'steer':
      return hasRole(actor, roles.steer ?? 'user') && run.steer(body.text);
    case 'interrupt':
      if (!hasRole(actor, roles.interrupt ?? 'user')) return false;
      run.interrupt(body.reason);
      return true;
    case 'answer':
      // Whether the actor may answer was checked when the answer was stored.
      return run.respond(body.questionId, body.answer);
  }
}

/** An event for other processes: JSON with shortened texts, and without the messages, which the store has anyway. */
function toProgress(event: AgentEvent): JsonObject {
  const plain = event.type === 'finished' ? { ...event, result: { ...event.result, messages: [] } } : event;
  return JSON.parse(JSON.stringify(plain, (_, value: unknown) => limitText(value))) as JsonObject;
}

function limitText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= EVENT_TEXT_LIMIT) return value;
  return `${takeStart(value, EVENT_TEXT_LIMIT)}…`;
}
