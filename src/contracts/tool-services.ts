import type { Message } from '../base/index.ts';
import type { AgentBrowser } from './browser.ts';
import type { Delegation } from './delegation.ts';
import type { PrivateFolder } from './environment.ts';
import type {
  ImageServiceConfig,
  ImageDescriber,
  ImageSources,
  PaidCallLog,
  SpeechServiceConfig,
} from './media-service.ts';
import type { MemoryWriter } from './memory.ts';
import type { Messaging } from './messaging.ts';
import type { ScheduledJobs } from './scheduled-jobs.ts';
import type { SessionStore } from './session-store.ts';
import type { SkillLibrary, SkillNeeds } from './skills.ts';
import type { SummaryOptions, WebPages, WebSearchService } from './web-service.ts';

/** Services that tools use besides the environment. A tool whose service is absent is not offered. */
export type ToolServices = {
  /** Past sessions, read-only. */
  sessions?: SessionReader;
  /** Finds sessions of the original Hermes that are not imported, and so not searched. */
  unimportedSessions?: (() => Promise<UnimportedSessions | undefined>) | undefined;
  /** Summarises a found session with the auxiliary model; absent if none is configured for it. */
  summariseSession?:
    | ((found: { transcript: string; query: string }, options: SummaryOptions) => Promise<string>)
    | undefined;
  /** Messages that compression removed from the conversation. */
  removedMessages?: RemovedMessages;
  skills?: SkillService;
  /** The memory files; absent if memory is disabled. */
  memory?: MemoryWriter;
  /** Absent for subagents. */
  delegation?: Delegation;
  /** Absent if commands run on another machine. */
  code?: CodeService;
  /** Absent if no search service is available. */
  webSearch?: WebSearchService;
  webPages?: WebPages;
  /** Absent if no browser was found. */
  browser?: AgentBrowser;
  /** Absent if there are no auxiliary models. */
  imageDescriber?: ImageDescriber;
  /** Absent if no vision model is configured, so that the tool's definition costs nothing. */
  imageSources?: ImageSources;
  /** Absent if no image service is configured. The same applies to the speech service below. */
  imageService?: ImageServiceConfig;
  speechService?: SpeechServiceConfig;
  /** Absent if no messaging platform is configured. */
  messaging?: Messaging;
  /** Absent if jobs cannot be scheduled. */
  jobs?: ScheduledJobs;
  /** Absent if no user is present to approve a plan. */
  planMode?: PlanMode;
  /** Records the cost of paid services. */
  paidCallLog?: PaidCallLog;
};

/** The plan mode of a session. */
export interface PlanMode {
  isOn(): boolean;
  /** Ends it, because the user has approved a plan. */
  end(): void;
}

/** The skill library, and the tools of the agent that skills may require. */
export type SkillService = SkillLibrary & { needs(): Promise<SkillNeeds> };

/** How many sessions are missing, and the file that has them. */
export type UnimportedSessions = { file: string; missing: number };

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

/** A hit of a search in a conversation; `partial` means that it has only some of the words. */
export type RemovedHit = { number: number; snippet: string; partial: boolean };

/** Reads back messages of a conversation that are no longer in its context. They are addressed by message number. */
export interface RemovedMessages {
  /** Messages with all words first, best first, then those with some of them. */
  search(sessionId: string, query: string, limit: number): Promise<RemovedHit[]>;
  /** Messages from `first` to `last`, as far as they exist. */
  read(sessionId: string, first: number, last: number): Promise<{ number: number; message: Message }[]>;
}

/** What tool scripts need from their environment. Available on this machine only. */
export interface CodeService {
  /** How long a script may run, not counting the time it waits for the user. */
  readonly timeoutSeconds: number;
  /** Maximum number of tool calls of a script. */
  readonly maxCalls: number;
  newFolder(): PrivateFolder;
}
