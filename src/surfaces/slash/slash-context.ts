import type { CompressOptions, UndoneTurns } from '../../agent/index.ts';
import type { Actor, AgentEvent, AttachedFile, CompressionReport } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { SessionRecord, StoredMessage } from '../../contracts/index.ts';
import type { OpenedAgent, Runtime } from '../../runtime/index.ts';
import type { Style } from '../text/style.ts';
import type { BackgroundRuns } from './background-runs.ts';
import type { PickRequest } from './pick-request.ts';
import type { SlashSurface } from './slash-command.ts';
import type { SlashRegistry } from './slash-registry.ts';

/** The usage event of the last model call in a session. */
export type LastCall = Extract<AgentEvent, { type: 'usage' }>;

/** The outcome of a compression; `held` if another process holds the session and the user chose not to branch. */
export type Compressed = CompressionReport | 'stopped' | 'held' | undefined;

/** Everything that a slash command may use: one chat on one surface. */
export interface SlashContext {
  readonly surface: SlashSurface;
  /** The sender of the command. */
  readonly actor: Actor;
  readonly registry: SlashRegistry;
  readonly runtime: Runtime;
  readonly style: Style;
  readonly workingDirectory: string;
  /** The version of Hermes. */
  readonly version: string;
  /** The width of a line, if it is known. */
  readonly columns?: number | undefined;
  print(text: string): void;
  readonly session: SlashSession;
  readonly turns: SlashTurns;
  /** Set if background turns are possible. */
  readonly background?: BackgroundRuns;
  /** Set if a user is at a terminal. */
  readonly terminal?: SlashTerminal;
  /** Set in a chat of the messaging gateway. */
  readonly chat?: SlashChat;
}

/** The session of a chat, and the changes to it. */
export interface SlashSession {
  id(): string;
  opened(): OpenedAgent;
  /** Compresses the conversation, or previews what that would save. */
  compress(request: Pick<CompressOptions, 'topic' | 'previewOnly'>): Promise<Compressed>;
  /** Removes the newest turns. */
  undo(turns: number): Promise<UndoneTurns | 'compressed' | 'held' | undefined>;
  /** Restores the messages that were undone last, and returns how many. */
  redo(): Promise<number | 'held'>;
  /** Continues in a copy of the session; undefined if it has no messages yet. */
  branch(): Promise<SessionRecord | undefined>;
  /** Continues with another session, by id, unique prefix of an id, or title, and prints its recap. */
  switchTo(reference: string): Promise<'same' | 'other'>;
  /** Opens the agent again with the current choices. */
  reopen(): Promise<void>;
  /** Ends the session and starts a new one with the saved models. */
  startNew(): Promise<OpenedAgent['models']>;
}

/** The turns and messages of a chat. */
export interface SlashTurns {
  isRunning(): boolean;
  /** Runs a turn. `sent` is sent to the model instead of the text. */
  send(text: string, sent?: string): Promise<void>;
  /** Puts a text into the input line, to be edited and sent. */
  restoreInput(text: string): void;
  /** Attaches files to the next message. */
  attach(files: readonly AttachedFile[]): void;
  interrupt(): void;
  /** Passes a text to the running turn; false if no turn accepts it. */
  steer(text: string): boolean;
  /** Queues a line until the turn has ended. */
  queue(line: string): void;
  queued(): readonly string[];
  lastCall(): LastCall | undefined;
}

/** Features that only a terminal has. */
export interface SlashTerminal {
  /** Lists the attachments of the next message, or attaches a file. Returns the text to print. */
  attach(argument: string): Promise<string>;
  /** Copies a text to the clipboard. Returns the methods that worked. */
  copy(text: string): Promise<readonly string[]>;
  /** Writes a session to a new file, in the format of its extension. Returns the full path. */
  save(sessionId: string, file: string): Promise<string>;
  /** Asks for a line; undefined if the user does not answer. */
  ask(prompt: string): Promise<string | undefined>;
  /** Changes the theme of everything that is drawn from now on. Absent in plain mode. */
  setTheme?(name: Settings['display']['theme']): void;
  /** Lets the user select from a list; undefined if the user cancelled. Absent in plain mode. */
  pick?(request: PickRequest): Promise<string | undefined>;
  /** Prints stored messages like the turns in which they were written. */
  printConversation(messages: readonly StoredMessage[]): Promise<void>;
  /** Runs a task that shows something, until it ends or the user presses Esc. */
  follow(task: (signal: AbortSignal) => Promise<void>): Promise<'ended' | 'stopped'>;
  readonly display: { verbosity: Verbosity };
  clearScreen(): void;
  leave(): void;
}

/** Features that only a chat of the messaging gateway has. */
export interface SlashChat {
  /** Where the command comes from, by label: the platform, the ids of the chat and of the sender. */
  describe(): readonly (readonly [label: string, value: string])[];
  /** The platforms of the gateway and their states. */
  platforms(): readonly (readonly [name: string, state: string])[];
  /** Makes the chat the one that receives messages without another target. Returns its id. */
  makeHome(): Promise<string>;
}

/**
 * How much of a turn is shown: answers only; answers and one line per tool call; or everything, including reasoning
 * and results.
 */
export const VERBOSITIES = ['quiet', 'normal', 'full'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];
