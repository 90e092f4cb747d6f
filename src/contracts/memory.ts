import type { JsonObject, Message } from '../base/index.ts';
import type { ToolDefinition } from './tool.ts';

/** The agent's own notes, and what it knows of the person. */
export const MEMORY_TARGETS = ['memory', 'user'] as const;
export type MemoryTarget = (typeof MEMORY_TARGETS)[number];
export const MEMORY_FILE_NAMES: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };

/** `oldText` is a part of one entry that no other entry has. */
export type MemoryOperation =
  | { action: 'add'; content: string }
  | { action: 'replace'; oldText: string; content: string }
  | { action: 'remove'; oldText: string };

/** How much of its limit a memory takes, in characters. */
export type MemoryUsage = { used: number; limit: number };

export type MemoryOutcome =
  | { status: 'changed' | 'unchanged'; usage: MemoryUsage; entries: number }
  /** Nothing was written. `entries` are there where they help to try again with less. */
  | { status: 'refused'; kind: MemoryRefusal; reason: string; usage?: MemoryUsage; entries?: readonly string[] };

export type MemoryRefusal = 'over_limit' | 'no_match' | 'several_matches' | 'unsafe' | 'unusable' | 'empty';

/** The memory files, as whatever changes them sees them. */
export interface MemoryWriter {
  /** Those that are switched on. */
  readonly targets: readonly MemoryTarget[];
  /** A person wants to be asked before something is written. */
  readonly asksFirst: boolean;
  /** What `change` would come to, without writing anything: nobody is asked about what cannot be done. */
  check(target: MemoryTarget, operations: readonly MemoryOperation[]): Promise<MemoryOutcome>;
  /** Makes all changes in order, or none; others that write at the same time wait. Never rejects over the files. */
  change(target: MemoryTarget, operations: readonly MemoryOperation[], signal?: AbortSignal): Promise<MemoryOutcome>;
}

/** Memory as the prompt of a new session gets it: each a text with its own heading, absent where there is nothing. */
export type MemorySnapshot = { memory?: string; user?: string; external?: string };
export type MemorySnapshotSource = () => Promise<MemorySnapshot>;

/** What is remembered and learnt around a turn. Neither ever fails: what goes wrong is logged. */
export interface TurnMemory {
  /** What is known that has to do with a message; undefined where that is nothing, or took too long. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<string | undefined>;
  /** Takes in a finished turn, in the background. */
  learn(turn: LearntTurn): void;
}

export type RecallQuery = { text: string; sessionId: string };
export type LearntTurn = { sessionId: string; userMessage: string; answer: string; completed: boolean };

/** A service that remembers beside the files; one at a time, `memory.provider`. All of its methods may fail. */
export interface MemoryProvider {
  readonly name: string;
  /** True, or what is missing and what to do about it. */
  isAvailable(): Promise<true | { reason: string }>;
  /** For the prompt of a new session, where it stays as it is. */
  staticBlock?(signal: AbortSignal): Promise<string | undefined>;
  /** One text for each thing that is known, best first; whoever asks leaves out what does not fit. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<readonly string[]>;
  /** Called for one turn after the other, in their order. */
  learnTurn?(turn: LearntTurn, signal: AbortSignal): Promise<void>;
  sessionEnded?(sessionId: string, signal: AbortSignal): Promise<void>;
  tools?(): readonly MemoryProviderTool[];
  close?(): Promise<void>;
}

export type MemoryProviderTool = ToolDefinition & {
  readOnly?: boolean;
  run(args: JsonObject, context: { sessionId: string; signal: AbortSignal }): Promise<string>;
};

/** Saves what should last before a conversation is made smaller. */
export interface MemoryFlush {
  /** Takes 30 s at most; a failure is only logged. Throws only the signal's reason. */
  beforeCompression(
    messages: readonly Message[],
    context: { sessionId: string; taskId?: string; signal: AbortSignal },
  ): Promise<void>;
}
