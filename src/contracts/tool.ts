import type {
  ApprovalAnswer,
  ApprovalRequest,
  ChangedFile,
  ClarifyRequest,
  JsonObject,
  ToolCall,
  ToolStatus,
} from '../base/index.ts';
import type { ApprovalGuard } from './approvals.ts';
import type { SubagentNews } from './delegation.ts';
import type { Environment } from './environment.ts';
import type { Logger } from './logger.ts';
import type { SessionProcesses } from './process-table.ts';
import type { ToolServices } from './tool-services.ts';

/** A JSON Schema, as sent to a model. */
export type JsonSchema = JsonObject;

/** What a model is told about a tool. */
export type ToolDefinition = {
  name: string;
  description: string;
  parameters: JsonSchema;
};

/** How a call may run beside others of its batch. */
export type Concurrency =
  /** Beside anything that is not a barrier. */
  | { mode: 'parallel' }
  /** Beside calls that touch other paths; readers do not disturb each other. */
  | { mode: 'paths'; access: 'read' | 'write'; paths: string[] }
  /** Alone: what came before is finished, what comes after has not begun. */
  | { mode: 'barrier' };

/** A call after its name and arguments were looked at, before anything ran. */
export type PreparedCall = { call: ToolCall } & (
  | {
      status: 'ready';
      /** The tool that runs, which a near miss in `call.name` may not be. */
      toolName: string;
      /** Parsed, repaired and coerced; only for running, never stored. */
      args: JsonObject;
      /** What counts as the same call again. */
      repeatKey: string;
      /** Only reads: the same call again gives the same answer. */
      readOnly: boolean;
      /** Costs no iteration when it is all a step did. */
      freeIteration: boolean;
    }
  | { status: 'unknown_tool'; message: string }
  /** Not JSON, and not repairable beyond doubt. `truncated`: it simply stops too early. */
  | { status: 'unparsable'; truncated: boolean; message: string }
  /** JSON, but not what the tool takes. */
  | { status: 'invalid'; message: string }
  /** Held back by the agent before it ran. */
  | { status: 'refused'; message: string }
);

/** What came of a call. */
export type ToolOutcome = {
  /**
   * `error` also where a tool did its work and what it ran failed, as a command with a non-zero exit code. The content
   * need not show the status: a command's output stays as it came.
   */
  status: ToolStatus;
  /** What the model reads: always well-formed text. */
  content: string;
};

/** What a batch needs from the agent that runs it. */
export type BatchContext = {
  sessionId: string;
  taskId: string;
  signal: AbortSignal;
  /** The window of the model that will read the results, in tokens; a small one gets shorter results. */
  contextLength: number | undefined;
  interaction: Interaction;
  state: AgentToolState;
  onStarted(prepared: PreparedCall): void;
  onProgress(prepared: PreparedCall, text: string): void;
  /** Absent where nobody looks at what became of files. */
  onFileChanged?(prepared: PreparedCall, change: ChangedFile): void;
  /** Told of what subagents do that a call started. */
  onSubagent?(prepared: PreparedCall, news: SubagentNews): void;
  /** Called once per call, in call order, as soon as a result and all before it are there; awaited. */
  onResult(prepared: PreparedCall, outcome: ToolOutcome, durationMs: number): Promise<void>;
};

/** The tools of one agent, as the loop sees them. */
export interface ToolSet {
  /** The tools that can be called now. */
  names(): Promise<readonly string[]>;
  /**
   * What models are told: decided by the first question, for a window of so many tokens, and the same for ever after,
   * whatever comes and goes. Providers keep what they have read only while its bytes stay the same.
   */
  definitions(contextLength?: number): Promise<readonly ToolDefinition[]>;
  /** What these say of themselves, told or to be found; those that are not there are left out. */
  describe?(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  prepare(calls: readonly ToolCall[]): Promise<PreparedCall[]>;
  /** Runs a batch. Never rejects because of a tool. */
  run(prepared: readonly PreparedCall[], context: BatchContext): Promise<void>;
}

/** Asks the person. Where nobody can be asked, approval is denied and clarify has no answer. */
export interface Interaction {
  approve(request: Omit<ApprovalRequest, 'kind'>): Promise<ApprovalAnswer>;
  clarify(request: Omit<ClarifyRequest, 'kind'>): Promise<string | undefined>;
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';
export type TodoItem = { id: string; content: string; status: TodoStatus };

/** What a model has seen of a file in this session. */
export type SeenFile = {
  /** The file as it was when it was last read or written; undefined where it cannot be told. */
  version: string | undefined;
  /** What was shown, by range, as a digest. Emptied when the results that showed it leave the context. */
  shown: Map<string, string>;
};

/** State of the agent that some tools work on; nothing else of the agent is reachable from a tool. */
export interface AgentToolState {
  todos: TodoItem[];
  /** Rules the person allowed for the rest of this session, over every split of it. */
  approvedRules: Set<string>;
  /** By absolute path; made by the first tool that reads or writes a file. */
  seenFiles?: Map<string, SeenFile>;
  /** How often there was no room in a memory in the turn with this task. */
  memoryRefusals?: { taskId: string; count: number };
  /** How many tasks were handed to subagents in the turn with this task. */
  delegated?: { taskId: string; count: number };
}

/** What a running tool may touch. */
export type ToolContext = {
  callId: string;
  sessionId: string;
  taskId: string;
  signal: AbortSignal;
  environment: Environment;
  interaction: Interaction;
  approvals: ApprovalGuard;
  /** Absent where a tool is dispatched without an agent. */
  agent: AgentToolState | undefined;
  logger: Logger;
  /** Absent where nothing may run in the background. */
  processes: SessionProcesses | undefined;
  services: ToolServices;
  /** A result longer than this is cut; a tool that can page keeps below it. */
  maxResultCharacters: number;
  /** A new place for output that is too long for a result; undefined where nothing is kept. */
  spillFile(): string | undefined;
  progress(text: string): void;
  /** Tells those who watch what became of a file. */
  fileChanged(change: ChangedFile): void;
  tellOfSubagent(news: SubagentNews): void;
  /** Other tools of the same agent, for a tool that runs a program which calls them. */
  tools: InnerTools;
};

/** Tools as a tool may call them: by the same way that a model's calls go, and with the results that a model would read. */
export interface InnerTools {
  names(): Promise<readonly string[]>;
  /** Never rejects because of a tool. What is said to have been shown to the model is not, so nothing of it is noted. */
  call(name: string, args: JsonObject, options: InnerCallOptions): Promise<ToolOutcome>;
}

export type InnerCallOptions = { signal: AbortSignal; interaction?: Interaction };
