import type { CliIo } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import type { SetOptions } from './model/model.ts';

/** Options that few chats have, so that their code is loaded only then. */
export type SessionFlags = {
  /** Offer only these of the enabled tools and tool sets. */
  allowedTools?: readonly string[];
  /** Do not offer these tools and tool sets. */
  disallowedTools?: readonly string[];
  /** Paths of folders in which files can be changed as in the working directory. */
  addDir?: readonly string[];
  /** Text that is appended to the system prompt of a new session. */
  appendSystemPrompt?: string;
  /** The file that replaces the system prompt of a new session. */
  systemPromptFile?: string;
};

/** The command-line options of a chat, interactive or not. */
export type ChatOptions = {
  /** The prompt: the value of -q or -z, or the positional arguments. */
  prompt?: string;
  /** The file that contains the prompt; `-` means standard input. */
  queryFile?: string;
  /** The file with the JSON Schema of the final answer. */
  outputSchema?: string;
  /**
   * The output format: `text` streams the answer, `final` prints only the final text, `json` prints one JSON object
   * per event.
   */
  output: 'text' | 'final' | 'json';
  /** The format of standard input: `text` is the prompt or its context, `stream-json` are records of another program. */
  inputFormat?: InputFormat;
  /** Exit after one answer, even in a terminal. */
  once: boolean;
  resume?: string;
  /** The user selects the session to resume from a list. */
  selectsSession?: boolean;
  continueLatest: boolean;
  /** What to do if another process holds the session. Default: ask in a terminal, otherwise fail. */
  ifBusy?: IfBusy;
  model?: string;
  provider?: string;
  maxTurns?: number;
  /** Enable only these tool sets. */
  toolsets?: readonly string[];
  flags?: SessionFlags;
  /** Skills to load with the first message. */
  skills?: readonly string[];
  /** The session source of a new session; default `cli`. */
  source?: string;
  yolo: boolean;
  /** Run commands in the sandbox, or not; undefined for what the settings say. */
  sandbox?: boolean;
  /** Fail before the first turn if an MCP server cannot be used. */
  strictMcp?: boolean;
  /** Plan mode: only read-only tools run. */
  plan?: boolean;
  /** Take a checkpoint before files are changed. */
  checkpoints?: boolean;
  /** Save a trajectory after each turn. */
  saveTrajectories?: boolean;
  trajectoryFile?: string;
  /** Work in a new Git worktree. */
  worktree?: boolean;
  /** Include the session id in the system prompt. */
  passSessionId?: boolean;
  /** Use plain mode instead of the screen. */
  plain?: boolean;
  quiet: boolean;
  verbose: boolean;
  usageFile?: string;
  /** Paths of the files to attach to the first message. */
  images: readonly string[];
};

/** The options of a chat that was started without any. */
export const DEFAULT_CHAT_OPTIONS: ChatOptions = {
  output: 'text',
  once: false,
  continueLatest: false,
  yolo: false,
  quiet: false,
  verbose: false,
  images: [],
};

export const INPUT_FORMATS = ['text', 'stream-json'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export const IF_BUSY = ['wait', 'branch', 'fail'] as const;
export type IfBusy = (typeof IF_BUSY)[number];

export type SetupOptions = SetOptions & { provider?: string; model?: string };

/** What the command line requests: a chat or a command. */
export type CliRequest = { kind: 'chat'; options: ChatOptions } | { kind: 'command'; run: CommandRun };

/**
 * Runs a command and returns its exit code. A command that listens to the signal stops by itself and throws the
 * signal's reason; any other is abandoned when a signal arrives.
 */
export type CommandRun = (io: CliIo, signal: AbortSignal, run: CliRun) => Promise<number>;
