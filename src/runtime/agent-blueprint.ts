import type { AgentOptions } from '../agent/index.ts';
import type { Actor } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import type { SessionChoice } from './stored-sessions.ts';
import type { AfterTurnWork } from './after-turn.ts';
import type { SessionChoices } from './session-choices.ts';

/**
 * Everything that one agent may have of its own. Whoever creates agents keeps a blueprint and changes it: where another
 * model is saved, the agents created afterwards start with it.
 */
export type AgentBlueprint = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
  /** What a new session is stored as: the surface, or a tag that the person gave. */
  source: string;
  /** The surface it is shown on, such as `cli`. The prompt and the lease of a session name it. */
  surface: string;
  /** Who the agent works for. */
  actor: Actor;
  workingDirectory: string;
  /** Someone can be asked for approval. */
  attended: boolean;
  /** The stored session to continue; a new one without it. */
  session?: SessionChoice;
  /** What was chosen for the session before. The agent uses this very object, so the caller can change it later. */
  choices?: SessionChoices;
  /** Only these tool sets, instead of those of the settings. */
  toolsets?: readonly string[];
  /** The maximum number of steps in a turn, instead of that of the settings. */
  maxTurns?: number;
  /** Skips every approval prompt for dangerous commands; what is blocked stays blocked. */
  yolo?: boolean;
  /** Plan mode: only tools that read may run. */
  plan?: boolean;
  /** Takes a checkpoint before a turn changes files, instead of what the settings say. */
  checkpoints?: boolean;
  /** Keeps the person out of the prompt: no memory, no context files, no personality. */
  impersonal?: boolean;
  /** Puts the id of the session into its prompt. */
  passSessionId?: boolean;
  /** Called with the id of the session, as soon as it is known. */
  onSessionOpened?(sessionId: string): void;
  /** What follows its turns, instead of what follows from `attended`. */
  afterTurn?: readonly AfterTurnWork[];
  /** Set for a subagent. */
  subagent?: SubagentBlueprint;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages' | 'questionLog'>;

/** What only a subagent has. */
export type SubagentBlueprint = {
  parentSessionId: string;
  /** Of the tools that its parent has, only these. */
  toolsets: readonly string[] | undefined;
};
