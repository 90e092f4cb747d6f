import type { JsonObject, Message } from '../base/index.ts';
import type { ToolDefinition } from './tool.ts';

/** The agent's notes, and what it knows about the user. */
export const MEMORY_TARGETS = ['memory', 'user'] as const;
export type MemoryTarget = (typeof MEMORY_TARGETS)[number];
export const MEMORY_FILE_NAMES: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };

/** `oldText` is a part of exactly one entry. */
export type MemoryOperation =
  | { action: 'add'; content: string }
  | { action: 'replace'; oldText: string; content: string }
  | { action: 'remove'; oldText: string };

/** Characters used, and the limit. */
export type MemoryUsage = { used: number; limit: number };

export type MemoryOutcome =
  | { status: 'changed' | 'unchanged'; usage: MemoryUsage; entries: number }
  /** Nothing was written. `entries` lists the current entries if they help to retry with a smaller change. */
  | { status: 'refused'; kind: MemoryRefusal; reason: string; usage?: MemoryUsage; entries?: readonly string[] };

/** `entry_too_long`: one entry alone exceeds the limit, so removing others would not help. */
export type MemoryRefusal =
  | 'over_limit'
  | 'entry_too_long'
  | 'no_match'
  | 'several_matches'
  | 'unsafe'
  | 'unusable'
  | 'empty';

/** Changes the memory files. */
export interface MemoryWriter {
  /** The enabled memories. */
  readonly targets: readonly MemoryTarget[];
  /** Whether the user must approve changes. */
  readonly requiresApproval: boolean;
  /**
   * The outcome of `change` without writing anything, so that the user is not asked to approve an impossible change.
   */
  check(target: MemoryTarget, operations: readonly MemoryOperation[]): Promise<MemoryOutcome>;
  /** Applies all operations in order, or none; concurrent writers wait. Does not reject because of file errors. */
  change(target: MemoryTarget, operations: readonly MemoryOperation[], signal?: AbortSignal): Promise<MemoryOutcome>;
}

/** The memory snapshot for the prompt of a new session: texts with their own headings, absent if empty. */
export type MemorySnapshot = { memory?: string; user?: string; external?: string };
export type MemorySnapshotSource = () => Promise<MemorySnapshot>;

/** Memory before and after a turn. It never fails: errors are logged. */
export interface TurnMemory {
  /** What the memory provider knows about a message; undefined if there is nothing or the recall timed out. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<string | undefined>;
  /** Learns from a finished turn, in the background. */
  learn(turn: LearnedTurn): void;
}

export type RecallQuery = { text: string; sessionId: string };
export type LearnedTurn = { sessionId: string; userMessage: string; answer: string; completed: boolean };

/** An external service that remembers in addition to the files, selected by `memory.provider`. All methods may fail. */
export interface MemoryProvider {
  readonly name: string;
  /** True, or what is missing and how to fix it. */
  isAvailable(): Promise<true | { reason: string }>;
  /** Text for the prompt of a new session. It does not change during that session. */
  staticBlock?(signal: AbortSignal): Promise<string | undefined>;
  /** One text per known fact, best first; the caller drops what does not fit. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<readonly string[]>;
  /** Called for one turn at a time, in order. */
  learnTurn?(turn: LearnedTurn, signal: AbortSignal): Promise<void>;
  sessionEnded?(sessionId: string, signal: AbortSignal): Promise<void>;
  tools?(): readonly MemoryProviderTool[];
  close?(): Promise<void>;
}

export type MemoryProviderTool = ToolDefinition & {
  readOnly?: boolean;
  run(args: JsonObject, context: { sessionId: string; signal: AbortSignal }): Promise<string>;
};

/** Saves lasting facts before a compression. */
export interface MemoryFlush {
  /** Takes at most 30 s. Failures are logged; throws only the signal's reason. */
  beforeCompression(
    messages: readonly Message[],
    context: { sessionId: string; taskId?: string; signal: AbortSignal },
  ): Promise<void>;
}
