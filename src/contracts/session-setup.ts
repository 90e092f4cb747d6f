import type { ReasoningEffort, SpeedTier } from './model-client.ts';
import type { ToolDefinition } from './tool.ts';

/** A tool as it was offered to a model: the exact definition, and the tool set that it belongs to. */
export type OfferedTool = { definition: ToolDefinition; toolset: string };

/** Which tools a session may have, as far as that was chosen for the session and not in the configuration file. */
export type ToolSetChoice = {
  /** `--toolsets`, or what the surface gives its sessions. */
  toolsets?: readonly string[];
  allowed?: readonly string[];
  disallowed?: readonly string[];
  /** Tool sets that the user switched on or off in the session. */
  on: readonly string[];
  off: readonly string[];
  /** What conditional passages of tool definitions depend on besides tools, such as `sandbox`. */
  features: readonly string[];
};

/**
 * The session setup: what a session sends with every request besides its messages and its system prompt. It is stored
 * with the session, so that a resumed session sends the same bytes and finds the cache of the provider. An absent
 * effort or speed is a choice, too: the default of the provider.
 */
export type SessionSetup = {
  effort?: ReasoningEffort;
  speed?: SpeedTier;
  toolSets?: ToolSetChoice;
  /** The offered tools in order; absent before the first request. */
  tools?: readonly OfferedTool[];
  /** Names of tools behind the tool bridge that existed at the first request or were announced since. */
  knownTools?: readonly string[];
};

/** Session setups in the store. */
export interface SessionSetups {
  setSessionSetup(id: string, setup: SessionSetup): Promise<void>;
  /** Undefined for sessions of other programs and of earlier versions. */
  getSessionSetup(id: string): Promise<SessionSetup | undefined>;
}
