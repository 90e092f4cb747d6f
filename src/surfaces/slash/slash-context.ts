import type { CompressOptions, UndoneTurns } from '../../agent/index.ts';
import type { Actor, AgentEvent, AttachedFile, CompressionReport } from '../../base/index.ts';
import type { SessionRecord } from '../../contracts/index.ts';
import type { OpenedAgent, Runtime } from '../../runtime/index.ts';
import type { Style } from '../text/style.ts';
import type { BackgroundRuns } from './background-runs.ts';
import type { SlashSurface } from './slash-command.ts';
import type { SlashRegistry } from './slash-registry.ts';

/** What the last call of a session took, as its event said. */
export type LastCall = Extract<AgentEvent, { type: 'usage' }>;

/** What a compression came to; `held` where another process works on the session and the person wants no other. */
export type Compressed = CompressionReport | 'stopped' | 'held' | undefined;

/** What a command works on: one chat on one surface. */
export interface SlashContext {
  readonly surface: SlashSurface;
  /** Who gives the command. */
  readonly actor: Actor;
  readonly registry: SlashRegistry;
  readonly runtime: Runtime;
  readonly style: Style;
  readonly workingDirectory: string;
  /** Of the program. */
  readonly version: string;
  /** How wide a line may be, where that is known. */
  readonly columns?: number | undefined;
  print(text: string): void;
  readonly session: SlashSession;
  readonly turns: SlashTurns;
  /** Where prompts can be worked on beside the chat. */
  readonly background?: BackgroundRuns;
  /** Only where a person sits at a terminal. */
  readonly terminal?: SlashTerminal;
}

/** The session that a chat is about, and how it becomes another. */
export interface SlashSession {
  id(): string;
  opened(): OpenedAgent;
  /** Makes the conversation smaller, or says what that would save. */
  compress(request: Pick<CompressOptions, 'topic' | 'previewOnly'>): Promise<Compressed>;
  /** Takes the newest turns out of it. */
  undo(turns: number): Promise<UndoneTurns | 'compressed' | 'held' | undefined>;
  /** Puts back what was taken out last; how many messages. */
  redo(): Promise<number | 'held'>;
  /** Goes on in a copy of it; undefined where nothing was said yet. */
  branch(): Promise<SessionRecord | undefined>;
  /** Goes on with another one, by id, beginning of an id, or title; says what it was about. */
  goTo(reference: string): Promise<'same' | 'other'>;
  /** Opens it anew with the choices as they are now. */
  reopen(): Promise<void>;
  /** Ends it and begins another, with the models that are saved. */
  startNew(): Promise<OpenedAgent['models']>;
}

/** What runs in a chat, and what is said in it. */
export interface SlashTurns {
  isRunning(): boolean;
  /** Takes a turn; `sent` goes to the model in the place of the text. */
  send(text: string, sent?: string): Promise<void>;
  /** Puts a text where the person types, to be changed and sent. */
  giveBack(text: string): void;
  /** These go with the next message. */
  attach(files: readonly AttachedFile[]): void;
  interrupt(): void;
  /** Hands a text to the turn that runs; false where none takes it. */
  steer(text: string): boolean;
  /** Keeps a line until the turn is over. */
  queue(line: string): void;
  waiting(): readonly string[];
  lastCall(): LastCall | undefined;
}

/** What only a terminal has. */
export interface SlashTerminal {
  /** Shows what is attached to the next message, or attaches a file; what is to be said about it. */
  attach(argument: string): Promise<string>;
  /** Puts a text on the clipboard; the ways that worked. */
  copy(text: string): Promise<readonly string[]>;
  /** Writes a session into a new file, in the form that its name asks for; the whole path. */
  save(sessionId: string, file: string): Promise<string>;
  /** What the person types next, at this prompt; undefined where they do not answer. */
  ask(prompt: string): Promise<string | undefined>;
  readonly display: { verbosity: Verbosity };
  clearScreen(): void;
  leave(): void;
}

/** How much is shown of a turn: answers alone, a line for each call as well, or also what was thought and found. */
export const VERBOSITIES = ['quiet', 'normal', 'full'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];
