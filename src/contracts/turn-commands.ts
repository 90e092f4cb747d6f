import type { Actor, InteractionAnswer, JsonObject } from '../base/index.ts';
import type { HeldLease } from './session-leases.ts';

/** A request from another process to a running turn. */
export type TurnCommandBody =
  | { kind: 'steer'; text: string }
  | { kind: 'interrupt'; reason: string }
  | { kind: 'answer'; questionId: string; answer: InteractionAnswer };

/** `pending` until the owner of the turn has handled it. */
export type TurnCommandState = 'pending' | 'done' | 'refused';

/** A command for a running turn, written by another process and read by the owner of the turn. */
export type TurnCommand = {
  id: string;
  /** The token of the lease under which the turn runs. */
  turnToken: string;
  body: TurnCommandBody;
  actor: Actor;
  state: TurnCommandState;
  createdAt: number;
};

export type RunningTurn = HeldLease & { sessionId: string };

/** An event of a running turn, as other processes read it. */
export type ProgressEntry = { sequence: number; event: JsonObject };

/** The tables `turn_commands` and `turn_progress`. */
export interface TurnCommandStore {
  /** All unexpired leases, oldest first; each is a turn that runs in some process. */
  listRunningTurns(): Promise<RunningTurn[]>;
  addTurnCommand(command: Pick<TurnCommand, 'id' | 'turnToken' | 'body' | 'actor' | 'createdAt'>): Promise<void>;
  /** Undefined if it does not exist or was deleted with its turn. */
  getTurnCommand(id: string): Promise<TurnCommand | undefined>;
  /** The pending commands in the order they were written. */
  listPendingCommands(turnToken: string): Promise<TurnCommand[]>;
  settleTurnCommand(id: string, state: 'done' | 'refused'): Promise<void>;
  /** Adds events and keeps only the newest `keep` of the turn. */
  appendProgress(turnToken: string, entries: readonly ProgressEntry[], keep: number): Promise<void>;
  /** The stored events of a turn with a higher sequence number than `after`, in order. */
  readProgress(turnToken: string, after: number): Promise<ProgressEntry[]>;
  /** Deletes the progress of a turn, and all commands written before a point in time. */
  clearTurn(turnToken: string, commandsBefore: number): Promise<void>;
}
