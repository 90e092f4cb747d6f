import type { AttachedFile, Clock, JsonObject, Message, RunResult } from '../base/index.ts';
import type {
  AuxiliaryModels,
  AuxiliarySpending,
  ContextEngine,
  LearntWindows,
  Logger,
  MemoryFlush,
  ModelPreferences,
  Notices,
  PromptSource,
  QuestionLog,
  RouteSource,
  SessionApprovals,
  SessionStore,
  TokenMeter,
  ToolSet,
  TurnHooks,
  TurnMemory,
} from '../contracts/index.ts';

/** Everything an agent is made of. The runtime puts it together; the agent knows only these interfaces. */
export type AgentOptions = {
  store: SessionStore;
  /** The primary route first, then the fallbacks in order. */
  routes: readonly RouteSource[];
  tools: ToolSet;
  prompt: PromptSource;
  context: ContextEngine;
  meter: TokenMeter;
  /** False leaves compression to the person: `compression.enabled`. */
  compressesByItself?: boolean;
  /** Limits that providers named. */
  windows?: LearntWindows;
  /** Where the memory tool is offered and someone is there, what should last is saved before compression. */
  memoryFlush?: MemoryFlush;
  /** Describes attachments for a model that cannot read them. */
  auxiliary?: AuxiliaryModels;
  /** What auxiliary calls for a turn cost, whoever made them; the result of the turn has it. */
  auxiliarySpending?: AuxiliarySpending;
  /** What was allowed for the rest of a session; without it an agent keeps that to itself. */
  approvals?: SessionApprovals;
  /** What the program itself has to tell the session. */
  notices?: Notices;
  /** Recalls what a memory provider knows about a message, before its turn. */
  memory?: Pick<TurnMemory, 'recall'>;
  /** Starts what follows a turn, such as a title; called once the turn is stored and before it is announced as finished. */
  afterTurn?: ((turn: FinishedTurn) => void) | undefined;
  /** Code and commands of the person that are called around turns and model calls. */
  hooks?: TurnHooks | undefined;
  /** Belongs to the caller, who may change it at any time. */
  preferences?: Readonly<ModelPreferences>;
  /** An existing session is resumed, a new id is created with the first turn. */
  sessionId?: string;
  /** A new session is that of a subagent, which works for this one. */
  parentSessionId?: string | undefined;
  /** Which surface the session belongs to: `cli`, `telegram`, … */
  source: string;
  /** Someone can be asked. Where nobody can, approval is denied. */
  attended: boolean;
  /** Calls to the model per turn. */
  maxIterations: number;
  /** Steps per turn, where that is to differ from `maxIterations`. */
  iterationBudget?: number;
  limits?: SpendingLimits;
  /** Records questions, so that another process can answer them. */
  questionLog?: QuestionLog | undefined;
  /** How long a question to the person stays open. */
  interactionTimeoutMs?: number;
  /** Added to the system prompt of each request, never stored. */
  ephemeralSystemPrompt?: string;
  /** Put before the history of each request, never stored. */
  prefillMessages?: readonly Message[];
  clock?: Clock;
  logger?: Logger;
  /** Chance for the jitter of waits; tests bring their own. */
  random?: () => number;
};

/** A turn that has ended, and the message it began with. */
export type FinishedTurn = { result: RunResult; userMessage: string };

export type SpendingLimits = {
  sessionUsd?: number;
  dayUsd?: number;
  sessionTokens?: number;
  turnSeconds?: number;
};

/** What a turn starts from. */
export type RunInput = {
  userMessage: string;
  /** What the model is sent in the place of the message, where that differs: with the text of a skill. */
  sentMessage?: string;
  /** Images and PDF files that go with the message. */
  attachments?: readonly AttachedFile[];
  /** One layer of the system prompt. */
  systemMessage?: string;
  /** What providers are asked to keep to in the final answer, where they can be; nothing is checked here. */
  outputSchema?: JsonObject;
  /** Goes on from these messages instead of the stored ones. */
  history?: readonly Message[];
  /** Another process may have gone on with the session: it is read anew. */
  storedChanged?: boolean;
  taskId?: string;
  signal?: AbortSignal;
};
