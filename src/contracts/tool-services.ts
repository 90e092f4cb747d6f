import type { Message } from '../base/index.ts';
import type { AgentBrowser } from './browser.ts';
import type { Delegation } from './delegation.ts';
import type { PrivateFolder } from './environment.ts';
import type { ImageMaker, ImageReader, ImageSources, MediaAccount, SpeechMaker } from './media-service.ts';
import type { MemoryWriter } from './memory.ts';
import type { SessionStore } from './session-store.ts';
import type { SkillLibrary, SkillNeeds } from './skills.ts';
import type { WebPages, WebSearchService } from './web-service.ts';

/** What some tools work on besides the environment. A tool whose service is not there is not offered. */
export type ToolServices = {
  /** Earlier conversations, to be read only. */
  sessions?: SessionReader;
  /** What the context engine took out of the conversation. */
  removedMessages?: RemovedMessages;
  skills?: SkillService;
  /** The memory files; absent where memory is switched off. */
  memory?: MemoryWriter;
  /** Absent for a subagent, which works itself. */
  delegation?: Delegation;
  /** Absent where commands run on another machine. */
  code?: CodeService;
  /** Absent where no search service can be used. */
  webSearch?: WebSearchService;
  webPages?: WebPages;
  /** Absent where no browser was found. */
  browser?: AgentBrowser;
  /** Absent where no model beside the chat can be asked. */
  imageReader?: ImageReader;
  /** Absent where no model for images was chosen: what is seldom needed costs nothing then. */
  imageSources?: ImageSources;
  /** Absent where no service for it is configured, as the next. */
  imageMaker?: ImageMaker;
  speechMaker?: SpeechMaker;
  /** Where what services take is written down. */
  mediaAccount?: MediaAccount;
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

/**
 * Messages of a conversation that are no longer in its window, read back from the store. They are known by their
 * number: all messages of a lineage, its copies left out, counted from 1.
 */
export interface RemovedMessages {
  /** Best first. */
  search(sessionId: string, query: string, limit: number): Promise<{ number: number; snippet: string }[]>;
  /** From the first to the last number, as far as there are so many. */
  read(sessionId: string, first: number, last: number): Promise<{ number: number; message: Message }[]>;
}

/** What scripts that call tools need of the place where they run. Only this machine has it. */
export interface CodeService {
  /** How long a script may run, without the time in which the person is asked. */
  readonly timeoutSeconds: number;
  /** How often it may call a tool. */
  readonly maxCalls: number;
  newFolder(): PrivateFolder;
}
