import type { MemoryWriter } from './memory.ts';
import type { SessionStore } from './session-store.ts';

/** What some tools work on besides the environment. A tool whose service is not there is not offered. */
export type ToolServices = {
  /** Earlier conversations, to be read only. */
  sessions?: SessionReader;
  /** The memory files; absent where memory is switched off. */
  memory?: MemoryWriter;
};

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
