import { type Actor, type AgentEvent, type Clock, type InteractionAnswer, newId } from '../base/index.ts';
import type { AnswerOutcome, RunningTurn, SessionStore, TurnCommandBody } from '../contracts/index.ts';
import { findHolder } from '../runtime/index.ts';

/** `ended`: the turn ended before its process handled the command. */
export type CommandOutcome = 'done' | 'refused' | 'ended';

/** A turn that runs in another process, on this machine or on another one with the same database. */
export interface RemoteTurn {
  readonly sessionId: string;
  readonly holder: RunningTurn;
  /**
   * The newest stored events of the turn and those that follow, until it ends. Events in quick succession may be
   * merged.
   */
  events(signal?: AbortSignal): AsyncGenerator<AgentEvent>;
  steer(text: string, actor: Actor): Promise<CommandOutcome>;
  interrupt(reason: string, actor: Actor): Promise<CommandOutcome>;
  /**
   * Answers a question of the turn. If its process has died, the answer is kept for ten minutes and used if the same
   * question is asked again.
   */
  answer(questionId: string, answer: InteractionAnswer, actor: Actor): Promise<AnswerOutcome>;
}

type Parts = { store: SessionStore; clock: Clock };

const POLL_MS = 300;

/** All running turns, of this process and others. */
export async function listRunningTurns({ store }: Pick<Parts, 'store'>): Promise<RunningTurn[]> {
  const turns = await store.listRunningTurns();
  const alive = await Promise.all(turns.map(async (turn) => (await findHolder(store, turn.sessionId)) !== undefined));
  return turns.filter((_, index) => alive[index]);
}

/** The turn that runs in a session or in its newest continuation; undefined if there is none. */
export async function findRunningTurn(parts: Parts, sessionId: string): Promise<RemoteTurn | undefined> {
  const { store } = parts;
  const id = (await store.newestInLineage(sessionId))?.id ?? sessionId;
  const holder = await findHolder(store, id);
  return holder && createRemoteTurn(parts, { ...holder, sessionId: id });
}

function createRemoteTurn(parts: Parts, holder: RunningTurn): RemoteTurn {
  const { store, clock } = parts;
  const { token, sessionId } = holder;
  const command = (body: TurnCommandBody, actor: Actor) => runCommand(parts, holder, { body, actor });
  return {
    sessionId,
    holder,
    events: (signal = new AbortController().signal) => followProgress(parts, holder, signal),
    steer: (text, actor) => command({ kind: 'steer', text }, actor),
    interrupt: (reason, actor) => command({ kind: 'interrupt', reason }, actor),
    async answer(questionId, answer, actor) {
      const outcome = await store.answerQuestion(questionId, answer, actor, clock.now());
      if (outcome !== 'answered') return outcome;
      const body: TurnCommandBody = { kind: 'answer', questionId, answer };
      await store.addTurnCommand({ id: newId('command'), turnToken: token, body, actor, createdAt: clock.now() });
      return outcome;
    },
  };
}

/**
 * Whether the turn is still running. A compression moves the lease of the turn to another session, but its token
 * stays the same.
 */
async function isRunning({ store }: Parts, { sessionId, token }: RunningTurn): Promise<boolean> {
  const id = (await store.newestInLineage(sessionId))?.id ?? sessionId;
  return (await findHolder(store, id))?.token === token;
}

async function runCommand(
  parts: Parts,
  turn: RunningTurn,
  { body, actor }: { body: TurnCommandBody; actor: Actor },
): Promise<CommandOutcome> {
  const { store, clock } = parts;
  const id = newId('command');
  await store.addTurnCommand({ id, turnToken: turn.token, body, actor, createdAt: clock.now() });
  for (;;) {
    // Check the turn before the command, so that a command handled just before the turn ended does not count as
    // missed.
    const running = await isRunning(parts, turn);
    const { state = 'pending' } = (await store.getTurnCommand(id)) ?? {};
    if (state !== 'pending') return state;
    if (!running) return 'ended';
    await clock.sleep(POLL_MS);
  }
}

async function* followProgress(parts: Parts, turn: RunningTurn, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  for (let last = 0; ; ) {
    const running = await isRunning(parts, turn);
    for (const { sequence, event } of await parts.store.readProgress(turn.token, last)) {
      last = sequence;
      yield event as AgentEvent;
    }
    if (!running || signal.aborted) return;
    await parts.clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}
