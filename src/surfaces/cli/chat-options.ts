import type { CliIo } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import type { SetOptions } from './model/model.ts';

/** What was asked for on the command line, for a chat of any form. */
export type ChatOptions = {
  /** The prompt, from -q, -z or the words after the options. */
  prompt?: string;
  /** The file that holds the prompt; `-` is standard input. */
  queryFile?: string;
  /** The file with the JSON Schema of the final answer. */
  outputSchema?: string;
  /** How the answer is given: `text` streams it, `final` prints nothing but the last text, `json` event lines. */
  output: 'text' | 'final' | 'json';
  /** Ends after one answer even in a terminal. */
  once: boolean;
  resume?: string;
  continueLatest: boolean;
  /** What to do where another process holds the session; left out, the person is asked, or it fails. */
  ifBusy?: IfBusy;
  model?: string;
  provider?: string;
  maxTurns?: number;
  /** Only these tool sets. */
  toolsets?: readonly string[];
  /** Skills that the first message brings along. */
  skills?: readonly string[];
  /** What a new session counts as, instead of `cli`. */
  source?: string;
  yolo: boolean;
  /** Only what reads may run. */
  plan?: boolean;
  /** Files are kept before they are changed. */
  checkpoints?: boolean;
  /** Each turn is written down for training. */
  saveTrajectories?: boolean;
  trajectoryFile?: string;
  /** In a worktree of its own. */
  worktree?: boolean;
  /** The prompt names the session. */
  passSessionId?: boolean;
  /** Plain lines instead of the screen. */
  plain?: boolean;
  quiet: boolean;
  verbose: boolean;
  usageFile?: string;
  /** Paths of files to attach to the first message. */
  images: readonly string[];
};

/** A chat for which nothing was asked on the command line. */
export const PLAIN_CHAT: ChatOptions = {
  output: 'text',
  once: false,
  continueLatest: false,
  yolo: false,
  quiet: false,
  verbose: false,
  images: [],
};

export const IF_BUSY = ['wait', 'branch', 'fail'] as const;
export type IfBusy = (typeof IF_BUSY)[number];

export type SetupOptions = SetOptions & { provider?: string; model?: string };

/** What the command line asks for. */
export type CliRequest = { kind: 'chat'; options: ChatOptions } | { kind: 'command'; run: CommandRun };

/**
 * A command of its own, which loads what it needs when it runs and returns the exit code. One that listens to the signal
 * ends its work itself and throws the signal's reason; any other is simply left.
 */
export type CommandRun = (io: CliIo, signal: AbortSignal, run: CliRun) => Promise<number>;
