import type { AgentOptions } from '../agent/index.ts';
import type { Actor } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import type { SessionChoice } from './stored-sessions.ts';
import type { AfterTurnWork } from './after-turn.ts';
import type { SessionChoices } from './session-choices.ts';

/**
 * The data that one agent is created from. A surface keeps a blueprint and changes it: after another model was saved, new
 * agents start with it.
 */
export type AgentBlueprint = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
  /** The source of a new session: the surface, or a tag that the person chose. */
  source: string;
  /** The surface it runs on, such as `cli`. The prompt and the session lease name it. */
  surface: string;
  /** Who the agent works for. */
  actor: Actor;
  workingDirectory: string;
  /** Someone can be asked for approval. */
  attended: boolean;
  /** The stored session to continue; a new one without it. */
  session?: SessionChoice;
  /** Earlier choices for the session. The agent uses this object itself, so the caller can change it later. */
  choices?: SessionChoices;
  /** Only these tool sets. Overrides the settings. */
  toolsets?: readonly string[];
  /** The maximum number of steps in a turn. Overrides the settings. */
  maxTurns?: number;
  /** Skips every approval prompt for dangerous commands; what is blocked stays blocked. */
  yolo?: boolean;
  /** Plan mode: only tools that read may run. */
  plan?: boolean;
  /** Takes a checkpoint before a turn changes files. Overrides the settings. */
  checkpoints?: boolean;
  /** Keeps the person out of the prompt: no memory, no context files, no personality. */
  impersonal?: boolean;
  /** Puts the id of the session into its prompt. */
  passSessionId?: boolean;
  /** Called with the id of the session, as soon as it is known. */
  onSessionOpened?(sessionId: string): void;
  /** The after-turn work; by default it depends on `attended`. */
  afterTurn?: readonly AfterTurnWork[];
  /** Set for a subagent. */
  subagent?: SubagentBlueprint;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages' | 'questionLog'>;

/** What only a subagent has. */
export type SubagentBlueprint = {
  parentSessionId: string;
  /** Restricts it to these tool sets of its parent. */
  toolsets: readonly string[] | undefined;
};
