import type { ActorRole } from '../../base/index.ts';
import type { SlashContext } from './slash-context.ts';

/** The surfaces on which a command is available. */
export type SlashSurface = 'terminal' | 'gateway' | 'acp';

/** An editor knows each session by its id, opens sessions itself, and sends nothing while a turn runs. */
export const NOT_IN_EDITORS: readonly SlashSurface[] = ['terminal', 'gateway'];

/** The group under which help lists a command. */
export type SlashGroup = 'conversation' | 'turn' | 'model' | 'tools' | 'information' | 'chat';

/** The groups in the order of help, with their headings. */
export const GROUP_HEADINGS: Readonly<Record<SlashGroup, string>> = {
  conversation: 'Conversation',
  turn: 'Turns',
  model: 'Model',
  tools: 'Tools and knowledge',
  information: 'Information',
  chat: 'Chat',
};

/** What happens to a command during a turn: it runs immediately, runs after the turn, or is refused. */
export type DuringTurn = 'immediately' | 'afterwards' | 'refused';

/** An example line, and what it does. */
export type SlashExample = { line: string; does: string };

/** A proposal for the word that is being typed. */
export type Completion = { value: string; about?: string };

/** The description of a command, known without loading it. */
export type SlashCommandInfo = {
  name: string;
  aliases?: readonly string[];
  group: SlashGroup;
  /** What the command does, as a short imperative phrase in lower case. */
  about: string;
  /** The form of the argument as help shows it: `[N]`, `NAME`. Absent for a command without an argument. */
  argument?: string;
  examples?: readonly SlashExample[];
  /** Defaults to all surfaces. */
  surfaces?: readonly SlashSurface[];
  /** The lowest role that may run the command; defaults to `user`. */
  requiredRole?: ActorRole;
  /** The command changes nothing, or only passes a message on, so it may run again after a crash. */
  onlyReads?: true;
  duringTurn: DuringTurn;
};

/** A command. Its implementation is loaded on first use. */
export type SlashCommand = SlashCommandInfo & {
  run(context: SlashContext, argument: string): Promise<void> | void;
  /** Returns completions for the argument as typed so far. */
  complete?(context: SlashContext, typed: string): Promise<readonly Completion[]> | readonly Completion[];
};
