import type {
  ApprovalAnswer,
  ApprovalRequest,
  AttachedFile,
  ChangedFile,
  ClarifyRequest,
  JsonObject,
  NarrowedApproval,
  ReasonedDenial,
  ToolCall,
  ToolStatus,
} from '../base/index.ts';
import type { ApprovalGuard } from './approvals.ts';
import type { SubagentUpdate } from './delegation.ts';
import type { Environment } from './environment.ts';
import type { Logger } from './logger.ts';
import type { SessionSetup } from './session-setup.ts';
import type { SessionProcesses } from './process-table.ts';
import type { ToolServices } from './tool-services.ts';

/** A JSON Schema, as sent to models. */
export type JsonSchema = JsonObject;

/** What the model receives about a tool. */
export type ToolDefinition = {
  name: string;
  description: string;
  parameters: JsonSchema;
};

/** How a call may run concurrently with others of its batch. */
export type Concurrency =
  /** In parallel with anything except a barrier. */
  | { mode: 'parallel' }
  /** In parallel with calls on other paths; readers of the same path do not conflict. */
  | { mode: 'paths'; access: 'read' | 'write'; paths: string[] }
  /** Runs alone: after all earlier calls have finished and before any later call starts. */
  | { mode: 'barrier' };

/** A call whose name and arguments were validated, before it runs. */
export type PreparedCall = { call: ToolCall } & (
  | {
      status: 'ready';
      /** The tool that runs; it may differ from a misspelt `call.name`. */
      toolName: string;
      /** Parsed, repaired and coerced arguments; used for running only, never stored. */
      args: JsonObject;
      /** Identifies repeated calls: calls with the same key are the same call. */
      repeatKey: string;
      /** The call only reads, so repeating it gives the same result. */
      readOnly: boolean;
      /** Whether this is a free call: a step with free calls only does not use the iteration budget. */
      freeIteration: boolean;
    }
  | { status: 'unknown_tool'; message: string }
  /** The arguments are not JSON and cannot be repaired safely. `truncated`: they end too early. */
  | { status: 'unparsable'; truncated: boolean; message: string }
  /** The arguments are valid JSON, but not valid for the tool. */
  | { status: 'invalid'; message: string }
  /** The agent refused the call before it ran. */
  | { status: 'refused'; message: string }
);

/** The result of a call. */
export type ToolOutcome = {
  /**
   * `error` includes the case that the tool worked but what it ran failed, such as a command with a non-zero exit
   * code. The content need not mention the status.
   */
  status: ToolStatus;
  /** The text for the model; always well-formed. */
  content: string;
  /** Images that the model sees together with the text. */
  attachments?: readonly AttachedFile[];
};

/** What a batch needs from the agent that runs it. */
export type BatchContext = {
  sessionId: string;
  taskId: string;
  signal: AbortSignal;
  /** Context window of the model that reads the results, in tokens; small windows get shorter results. */
  contextLength: number | undefined;
  interaction: Interaction;
  state: AgentToolState;
  onStarted(prepared: PreparedCall): void;
  onProgress(prepared: PreparedCall, text: string): void;
  /** Absent if nobody displays file changes. */
  onFileChanged?(prepared: PreparedCall, change: ChangedFile): void;
  /** Called with the events of subagents that a call started. */
  onSubagent?(prepared: PreparedCall, news: SubagentUpdate): void;
  /** Called and awaited once per call, in call order, as soon as its result and all earlier ones are available. */
  onResult(prepared: PreparedCall, outcome: ToolOutcome, durationMs: number): Promise<void>;
};

/** The tools of one agent, as the loop uses them. */
export interface ToolSet {
  /** The tools that can be called now. */
  names(): Promise<readonly string[]>;
  /**
   * The offered tools. The first call decides them, for a context window of `contextLength` tokens, or restores those of
   * the session setup. They do not change before `renewOffer`, because provider caches require identical bytes.
   */
  definitions(contextLength?: number): Promise<readonly ToolDefinition[]>;
  /** Definitions of the named tools, offered or reachable through the tool bridge; unknown names are omitted. */
  describe?(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  /** The offered tools for the session setup; undefined before the first call of `definitions`. */
  offer?(): Pick<SessionSetup, 'tools' | 'knownTools'> | undefined;
  /** Whether the offered tools are those of the session setup, so that the stored system prompt fits them. */
  isOfferRestored?(): Promise<boolean>;
  /** The next call of `definitions` decides again, because a compression changes the request anyway. */
  renewOffer?(): void;
  /** Tools behind the tool bridge that appeared after the offer was made; undefined if there are none. */
  findNewTools?(): Promise<NewTools | undefined>;
  prepare(calls: readonly ToolCall[]): Promise<PreparedCall[]>;
  /** Runs a batch. Never rejects because of a tool. */
  run(prepared: readonly PreparedCall[], context: BatchContext): Promise<void>;
}

/** Tools that the model does not know yet. `markKnown` is called when a notice has named them. */
export type NewTools = { names: readonly string[]; markKnown(): void };

/** Asks the user. If unattended, approvals are denied and clarify requests have no answer. */
export interface Interaction {
  approve(request: Omit<ApprovalRequest, 'kind'>): Promise<ApprovalAnswer | NarrowedApproval | ReasonedDenial>;
  clarify(request: Omit<ClarifyRequest, 'kind'>): Promise<string | undefined>;
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';
export type TodoItem = { id: string; content: string; status: TodoStatus };

/** What the model has seen of a file in this session. */
export type SeenFile = {
  /** The version that was last read or written; undefined if unknown. */
  version: string | undefined;
  /** The text that was shown, by line range, as long as the results that show it are in the context. */
  shown: Map<string, ShownText>;
};

/** A part of a file that the model has seen. */
export type ShownText = {
  digest: string;
  /** The calls whose results show it: the text, or an earlier text and a difference to it. */
  callIds: readonly string[];
  /** The path above the text in the first of these results, if that shows several files. */
  heading: string | undefined;
  /** How many lines the first of these results shows, if they are a whole file. */
  wholeLines: number | undefined;
};

/** Agent state that tools can access; nothing else of the agent is reachable from a tool. */
export interface AgentToolState {
  todos: TodoItem[];
  /** Rules that the user approved for the rest of the session, across splits. */
  approvedRules: Set<string>;
  /** Files that the model has seen, by absolute path; created by the first tool that reads or writes a file. */
  seenFiles?: Map<string, SeenFile>;
  /** The result of a call as the conversation has it now; undefined if it was removed. */
  resultOf?(callId: string): string | undefined;
  /** How many changes were refused because a memory was full, in the turn with this task id. */
  memoryRefusals?: { taskId: string; count: number };
  /** How many tasks were delegated in the turn with this task id. */
  delegated?: { taskId: string; count: number };
}

/** What a running tool can access. */
export type ToolContext = {
  callId: string;
  sessionId: string;
  taskId: string;
  signal: AbortSignal;
  environment: Environment;
  interaction: Interaction;
  approvals: ApprovalGuard;
  /** Absent if a tool runs without an agent. */
  agent: AgentToolState | undefined;
  logger: Logger;
  /** Absent if background processes are not available. */
  processes: SessionProcesses | undefined;
  services: ToolServices;
  /** Longer results are truncated; a tool with paging stays below this. */
  maxResultCharacters: number;
  /** Whether a model reads the result, so that images can be attached; false for calls from a program. */
  canAttach: boolean;
  /** A new path for output that is too long for a result; undefined if nothing is saved. */
  spillFile(): string | undefined;
  progress(text: string): void;
  /** Reports a changed file to the readers of the turn's events. */
  fileChanged(change: ChangedFile): void;
  reportSubagent(news: SubagentUpdate): void;
  /** The other tools of the same agent, for tools that run a program which calls them. */
  tools: NestedTools;
};

/** Tools for nested calls: they go through the same steps as a model's calls and return the same results. */
export interface NestedTools {
  names(): Promise<readonly string[]>;
  /** Never rejects because of a tool. The model does not see these results, so files are not recorded as seen. */
  call(name: string, args: JsonObject, options: NestedCallOptions): Promise<ToolOutcome>;
}

export type NestedCallOptions = { signal: AbortSignal; interaction?: Interaction };
