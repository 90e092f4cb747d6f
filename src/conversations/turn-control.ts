import type { Run } from '../agent/index.ts';
import { type ActorRole, type AgentEvent, errorMessage, hasRole, type JsonObject } from '../base/index.ts';
import type { ProgressEntry, TurnCommand } from '../contracts/index.ts';
import type { Services } from '../runtime/index.ts';
import { takeStart } from '../util/index.ts';

/** The lowest role whose commands the owner of a turn obeys. */
export type ControlRoles = { steer?: ActorRole; interrupt?: ActorRole };

export type ControlOptions = {
  services: Pick<Services, 'store' | 'clock' | 'logger'>;
  run: Run;
  /** The token of the lease that the turn runs under. Other processes address the turn by it. */
  token: string;
  roles?: ControlRoles | undefined;
};

const POLL_MS = 1_000;
/** The newest events of a turn that are stored for other processes. */
const KEPT_EVENTS = 200;
const EVENT_TEXT_LIMIT = 4_000;
/** How long a settled command stays readable for the process that wrote it. */
const COMMANDS_KEPT_MS = 10 * 60_000;

/**
 * Lets other processes watch and control a turn: once a second, its owner stores the newest events and obeys the commands
 * that were written for it. A turn shorter than that costs nothing.
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

  /** A command that another program wrote may lack anything, and must not keep the others from being obeyed. */
  function tryToObey(command: TurnCommand): boolean {
    try {
      return obey(options, command);
    } catch (thrown) {
      logger.warn('a command was refused', { id: command.id, reason: errorMessage(thrown) });
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
        // The turn does not depend on it, so an unreachable database is reported once.
        if (failures === 1) logger.warn('other processes cannot reach this turn', { reason: errorMessage(thrown) });
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
        logger.warn('the progress of a turn was not deleted', { reason: errorMessage(thrown) });
      });
    },
  };
}

/** False if the actor may not do this, or if the turn no longer accepts it. */
function obey({ run, roles = {} }: ControlOptions, { body, actor }: TurnCommand): boolean {
  switch (body.kind) {
    case 'steer':
      return hasRole(actor, roles.steer ?? 'user') && run.steer(body.text);
    case 'interrupt':
      if (!hasRole(actor, roles.interrupt ?? 'user')) return false;
      run.interrupt(body.reason);
      return true;
    case 'answer':
      // Whether the actor may answer was decided when the answer was stored.
      return run.respond(body.questionId, body.answer);
  }
}

/** An event as another process reads it: JSON with short texts, and without the messages that the store has anyway. */
function toProgress(event: AgentEvent): JsonObject {
  const plain = event.type === 'finished' ? { ...event, result: { ...event.result, messages: [] } } : event;
  return JSON.parse(JSON.stringify(plain, (_, value: unknown) => limitText(value))) as JsonObject;
}

function limitText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= EVENT_TEXT_LIMIT) return value;
  return `${takeStart(value, EVENT_TEXT_LIMIT)}…`;
}
