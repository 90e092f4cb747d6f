import type { MemoryWriter } from './memory.ts';
import type { SessionStore } from './session-store.ts';
import type { SkillLibrary, SkillNeeds } from './skills.ts';

/** What some tools work on besides the environment. A tool whose service is not there is not offered. */
export type ToolServices = {
  /** Earlier conversations, to be read only. */
  sessions?: SessionReader;
  skills?: SkillService;
  /** The memory files; absent where memory is switched off. */
  memory?: MemoryWriter;
};

/** The skills, and what the agent has that they may need. */
export type SkillService = SkillLibrary & { needs(): Promise<SkillNeeds> };

export type SessionReader = Pick<
  SessionStore,
  | 'getSession'
  | 'resolveSession'
  | 'listSessions'
  | 'getMessages'
  | 'searchMessages'
  | 'getAncestors'
  | 'getDescendants'
>;
