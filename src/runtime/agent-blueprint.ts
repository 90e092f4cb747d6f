import type { AgentOptions } from '../agent/index.ts';
import type { Actor } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { Messaging, RouteSource, SessionKind } from '../contracts/index.ts';
import type { SessionChoice } from './stored-sessions.ts';
import type { AfterTurnWork } from './after-turn.ts';
import type { GuardOptions } from './approval-guard.ts';
import type { SessionChoices } from './session-choices.ts';

/**
 * The data that an agent is created from. A surface keeps a blueprint and updates it, for example when the user saves
 * another model; new agents use the updated one.
 */
export type AgentBlueprint = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
  /** The source of a new session: the surface, or a tag that the user chose. */
  source: string;
  /** The surface the agent runs on, such as `cli`. It appears in the prompt and in the session lease. */
  surface: string;
  /** Who the agent works for. */
  actor: Actor;
  workingDirectory: string;
  /** Whether a user is present to answer approval prompts. */
  attended: boolean;
  /** How the session is used (default: interactively). */
  kind?: SessionKind;
  /** The stored session to continue; a new one is created if omitted. */
  session?: SessionChoice;
  /** Existing choices of the session. The agent uses this object itself, so the caller can change it later. */
  choices?: SessionChoices;
  /** Only these tool sets. Overrides the settings. */
  toolsets?: readonly string[];
  /** The maximum number of steps in a turn. Overrides the settings. */
  maxTurns?: number;
  /** Skips all approval prompts for dangerous commands; hard-blocked commands stay blocked. */
  yolo?: boolean;
  /** Plan mode: only read-only tools run. */
  plan?: boolean;
  /** Takes a checkpoint before a turn changes files. Overrides the settings. */
  checkpoints?: boolean;
  /** Omits everything personal from the prompt: memory, context files, personality. */
  impersonal?: boolean;
  /** Includes the session id in the prompt. */
  passSessionId?: boolean;
  /** Adds questions to the approval guard of the agent, such as those about text of others. */
  restrictGuard?: GuardOptions['restrictGuard'];
  /** Local folders that commands and file tools can read in every environment, for example with received files. */
  sharedFolders?: readonly string[];
  /** Called with the session id as soon as it is known. */
  onSessionOpened?(sessionId: string): void;
  /** The after-turn work; by default it depends on `attended`. */
  afterTurn?: readonly AfterTurnWork[];
  /** Sends messages to chats; absent if no messaging platform is configured. */
  messaging?: Messaging;
  /** Set for a subagent. */
  subagent?: SubagentBlueprint;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages' | 'questionLog'>;

/** The part of a blueprint that only subagents have. */
export type SubagentBlueprint = {
  parentSessionId: string;
  /** Restricts the subagent to these tool sets of its parent. */
  toolsets: readonly string[] | undefined;
};
