import type { ActorRole } from '../../base/index.ts';
import type { SlashContext } from './slash-context.ts';

/** Where a command can be given. */
export type SlashSurface = 'terminal' | 'gateway' | 'acp';

/** Under which heading help shows it. */
export type SlashGroup = 'conversation' | 'turn' | 'model' | 'tools' | 'information' | 'chat';

/** The groups in the order of help, with their headings. */
export const GROUP_HEADINGS: Readonly<Record<SlashGroup, string>> = {
  conversation: 'Conversation',
  turn: 'Turns',
  model: 'Model',
  tools: 'Tools and knowledge',
  information: 'Looking around',
  chat: 'Chat',
};

/** While a turn runs: it is done at once, after the turn, or not at all. */
export type DuringTurn = 'at once' | 'afterwards' | 'refused';

/** A line that shows how a command is used, and what it does. */
export type SlashExample = { line: string; does: string };

/** A value that could stand for what was typed so far. */
export type Completion = { value: string; about?: string };

/** What is known of a command before it is loaded. */
export type SlashCommandInfo = {
  name: string;
  aliases?: readonly string[];
  group: SlashGroup;
  /** What it does, in a few words that go on after its name. */
  about: string;
  /** The form of its argument, as help shows it: `[N]`, `NAME`; absent for a command that takes none. */
  argument?: string;
  examples?: readonly SlashExample[];
  /** All of them, where it does not say. */
  surfaces?: readonly SlashSurface[];
  /** The lowest role that may give it; `user` where it does not say. */
  requiredRole?: ActorRole;
  duringTurn: DuringTurn;
};

/** One command. What it does is loaded when it is first wanted. */
export type SlashCommand = SlashCommandInfo & {
  run(context: SlashContext, argument: string): Promise<void> | void;
  /** What could be meant by the argument as it is typed so far. */
  complete?(context: SlashContext, typed: string): Promise<readonly Completion[]> | readonly Completion[];
};
