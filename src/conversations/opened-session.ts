import type { SessionRecord } from '../contracts/index.ts';
import {
  type AgentBlueprint,
  branchSession,
  copyChoices,
  createAgent,
  type HeldTurn,
  type OpenedAgent,
  type Services,
  type SessionChoice,
  SessionHeld,
} from '../runtime/index.ts';
import { TurnNotStarted } from './conversation-turn.ts';

/** What to do if another process runs a turn in the session: `retry` (the session is free now), branch, or cancel. */
export type HeldChoice = 'retry' | 'branch' | 'cancel';

/** Called when another process holds the session; throws to fail. The signal is aborted if the turn is interrupted. */
export type OnHeld = (held: SessionHeld, signal: AbortSignal) => Promise<HeldChoice>;

/** A change of session that a surface may want to report. */
export type SessionNotice =
  /** Another process compressed the session, and the conversation continues in this session. */
  | { type: 'moved'; sessionId: string }
  /** The session was held, so the conversation continues in a branch of it. */
  | { type: 'branched'; session: SessionRecord; held: SessionHeld };

export type OpenedSessionOptions = {
  services: Services;
  blueprint(): AgentBlueprint;
  /** The stored session to start with; a new one if undefined. */
  session: SessionChoice | undefined;
  onHeld?: OnHeld | undefined;
  onNotice?: ((notice: SessionNotice) => void) | undefined;
};

/** The agent of a conversation and its session, which other processes may hold or may have compressed. */
export interface OpenedSession {
  opened(): OpenedAgent;
  /** Opens an agent like the current one, with these differences. */
  open(changes: Partial<AgentBlueprint>): Promise<OpenedAgent>;
  /**
   * Continues with another agent. The previous one is closed with the conversation, because its processes may still
   * run.
   */
  use(opened: OpenedAgent): void;
  /** Opens a new agent for this session, with everything the user chose for it. */
  reopen(session: SessionChoice): Promise<void>;
  /** Resolves a session that another process holds, by asking `onHeld`. */
  settle(held: SessionHeld, signal: AbortSignal): Promise<void>;
  /** Runs a task while this process holds the session lease. Waits for earlier tasks of this process. */
  hold<Value>(signal: AbortSignal, task: (opened: OpenedAgent, held: HeldTurn) => Promise<Value>): Promise<Value>;
  /** Closes all agents that were opened. */
  close(): Promise<void>;
}

export async function openSession(options: OpenedSessionOptions): Promise<OpenedSession> {
  const { services, onNotice = () => undefined } = options;
  const { store, clock, turns } = services;
  const open = (changes: Partial<AgentBlueprint>) => createAgent(services, { ...options.blueprint(), ...changes });
  let opened = await open({ session: options.session });
  const replaced: OpenedAgent[] = [];
  let isClosed = false;
  /** The lease token of the agent's last completed task. The agent has read everything stored before that. */
  let lastToken: string | undefined;

  function use(other: OpenedAgent): void {
    replaced.push(opened);
    opened = other;
    lastToken = undefined;
  }

  async function reopen(session: SessionChoice): Promise<void> {
    if (isClosed) throw new TurnNotStarted('The message was not sent: the conversation was closed.');
    use(copyChoices(opened, await open({ session, choices: opened.choices })));
  }

  async function settle(held: SessionHeld, signal: AbortSignal): Promise<void> {
    if (options.onHeld === undefined) throw held;
    const choice = await options.onHeld(held, signal);
    if (choice === 'cancel') throw new TurnNotStarted('The message was not sent: the session is in use.');
    if (choice === 'retry') return reopen({ resume: held.sessionId });
    const branch = await branchSession({ store, clock }, held.sessionId, options.blueprint().source);
    await reopen({ resume: branch.id });
    return onNotice({ type: 'branched', session: branch, held });
  }

  /**
   * Returns the session that continues this one if it was compressed elsewhere. That is possible only if another
   * process held the lease in between, or before the first task.
   */
  async function movedTo({ storedChanged }: HeldTurn): Promise<string | undefined> {
    const { agent, resumed } = opened;
    const mayHaveMoved = storedChanged || (resumed !== undefined && lastToken === undefined);
    const newest = mayHaveMoved ? await store.newestInLineage(agent.sessionId) : undefined;
    return newest?.id === agent.sessionId ? undefined : newest?.id;
  }

  return {
    opened: () => opened,
    open,
    use,
    reopen,
    settle,
    async hold(signal, task) {
      for (;;) {
        const current = opened;
        try {
          const held = await turns.run(current.agent.sessionId, current.blueprint.surface, async (turn) => {
            // Compare tokens, because another conversation of this process may have continued the session too.
            const taken = { ...turn, storedChanged: turn.previousToken !== lastToken };
            const moved = await movedTo(taken);
            // A reset or switch happened in the meantime, so this lease is not for the current session.
            if (opened !== current) return { done: false as const };
            if (moved !== undefined) return { done: false as const, moved };
            const value = await task(current, taken);
            if (opened === current) lastToken = turn.token;
            return { done: true as const, value };
          });
          if (held.done) return held.value;
          if (held.moved === undefined) continue;
          await reopen({ resume: held.moved });
          onNotice({ type: 'moved', sessionId: held.moved });
        } catch (thrown) {
          if (!(thrown instanceof SessionHeld)) throw thrown;
          signal.throwIfAborted();
          await settle(thrown, signal);
        }
      }
    },
    async close() {
      isClosed = true;
      for (const agent of [...replaced.splice(0), opened]) await agent.close();
    },
  };
}
