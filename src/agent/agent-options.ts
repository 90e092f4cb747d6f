import type { AttachedFile, Clock, JsonObject, Message, RunResult } from '../base/index.ts';
import type {
  AuxiliaryModels,
  AuxiliarySpending,
  ContextEngine,
  LearnedLimits,
  LearnedMarkers,
  Logger,
  MemoryFlush,
  ModelPreferences,
  Notices,
  PromptSource,
  QuestionLog,
  RouteSource,
  SessionApprovals,
  SessionOrigin,
  SessionSetup,
  SessionStore,
  TokenMeter,
  ToolSet,
  TurnHooks,
  TurnMemory,
} from '../contracts/index.ts';

/** Everything an agent depends on. The runtime creates these objects; the agent sees only their interfaces. */
export type AgentOptions = {
  store: SessionStore;
  /** The primary route first, then the fallbacks in order. */
  routes: readonly RouteSource[];
  tools: ToolSet;
  prompt: PromptSource;
  context: ContextEngine;
  meter: TokenMeter;
  /** `false` disables automatic compression (`compression.enabled`); `/compress` still works. */
  autoCompress?: boolean;
  /** Context limits learned from provider errors. */
  windows?: LearnedLimits;
  /**
   * Output limits learned from provider errors: the maximum of a model, and the maximum that an account can pay for.
   */
  outputLimits?: LearnedLimits;
  affordableOutput?: LearnedLimits;
  /** The cache markers that endpoints support, learned from refusals and from usage. */
  cacheMarkers?: LearnedMarkers;
  /**
   * Saves lasting facts to memory before a compression. Used only if the memory tool is offered and the session is
   * attended.
   */
  memoryFlush?: MemoryFlush;
  /** Describes attachments for a model that cannot read them. */
  auxiliary?: AuxiliaryModels;
  /** Usage and cost of the auxiliary calls made for a turn; they are added to the result of the turn. */
  auxiliarySpending?: AuxiliarySpending;
  /** Approvals for the rest of a session, shared by agents. Without it, the agent keeps its own. */
  approvals?: SessionApprovals;
  /** Notices that Hermes wants to add to the session. */
  notices?: Notices;
  /** Whether plan mode is on now. A notice tells the model whenever that differs from its history. */
  isPlanMode?(): boolean;
  /** Recalls what the memory provider knows about a message, before its turn. */
  memory?: Pick<TurnMemory, 'recall'>;
  /** Starts after-turn work such as the title. Called after the turn was stored and before its `finished` event. */
  afterTurn?: ((turn: FinishedTurn) => void) | undefined;
  /** The user's hooks around turns and model calls. */
  hooks?: TurnHooks | undefined;
  /** Owned by the caller, who may change it at any time. */
  preferences?: Readonly<ModelPreferences>;
  /** Stores the session setup. */
  setup?: SessionSetupKeeper;
  /** If the session exists it is resumed; otherwise the first turn creates it with this id. */
  sessionId?: string;
  /** Set for the session of a subagent: the session that delegated to it. */
  parentSessionId?: string | undefined;
  /** Where and how the session is used. A change of the working directory is reported to the model. */
  origin?: SessionOrigin;
  /** Folders that are treated like the working directory. A notice names those that the prompt does not. */
  addedFolders?: readonly string[] | undefined;
  /** The session source: `cli`, `telegram`, … */
  source: string;
  /** Whether a user is present to answer questions. If not, approvals are denied. */
  attended: boolean;
  /** How long a request is retried on the last route while the provider is unavailable. */
  retrySeconds: number;
  /** Maximum steps per turn. */
  maxIterations: number;
  /** Step budget per turn; defaults to `maxIterations`. Steps that only ran free calls do not use it up. */
  iterationBudget?: number;
  /** The number of identical calls with the same result after which the turn stops. */
  maxIdenticalCalls: number;
  limits?: SpendingLimits;
  /** Stores questions, so that another process can answer them. */
  questionLog?: QuestionLog | undefined;
  /** How long a question to the user stays open. */
  interactionTimeoutMs?: number;
  /** Appended to the system prompt of every request, never stored. */
  ephemeralSystemPrompt?: string;
  /** Inserted before the history of every request, never stored. */
  prefillMessages?: readonly Message[];
  clock?: Clock;
  logger?: Logger;
  /** Random source for retry jitter; tests pass their own. */
  random?: () => number;
};

/** `resumed` is the setup that the session had when it was resumed; `save` stores the current one if it differs. */
type SessionSetupKeeper = { readonly resumed: SessionSetup | undefined; save(sessionId: string): Promise<void> };

/** A finished turn and the user message that started it. */
export type FinishedTurn = { result: RunResult; userMessage: string };

export type SpendingLimits = {
  sessionUsd?: number;
  dayUsd?: number;
  sessionTokens?: number;
  turnSeconds?: number;
  /** The limit of the account that the turn belongs to, such as an API key, over all its sessions. */
  account?: AccountLimit | undefined;
};

/** `name` completes "The limit …". */
export type AccountLimit = { name: string; dayUsd: number; spentSince(time: number): Promise<number> };

/** The input of one turn. */
export type RunInput = {
  userMessage: string;
  /** Text to send to the model instead of `userMessage`, for example with the content of a skill. */
  sentMessage?: string;
  /** Images and PDF files attached to the message. */
  attachments?: readonly AttachedFile[];
  /** An extra layer of the system prompt. */
  systemMessage?: string;
  /**
   * JSON Schema passed to providers that support structured output. The loop does not validate the answer against it.
   */
  outputSchema?: JsonObject;
  /** Starts from these messages instead of the stored history. */
  history?: readonly Message[];
  /** Set if another process may have continued the session; it is then read from the store again. */
  storedChanged?: boolean;
  taskId?: string;
  signal?: AbortSignal;
};
