import { join } from 'node:path';
import type { AskReviewer } from '../approvals/index.ts';
import { type Clock, systemClock } from '../base/index.ts';
import type { Browsers } from '../browser/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import {
  type AuxiliaryRoutes,
  type Logger,
  type Notices,
  type ProcessTable,
  type SessionApprovals,
  type SessionStore,
  SUBAGENT_SOURCE,
} from '../contracts/index.ts';
import type { MemoryProviderFactories } from '../memory/index.ts';
import type { ToolSource } from '../tools/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { type AgentEnvironments, createAgentEnvironments } from './agent-environments.ts';
import { type AllowList, createAllowList, createApprovalReviewer } from './approval-guard.ts';
import {
  createSpendingTracker,
  openAuxiliary,
  type SessionAuxiliary,
  type SpendingTracker,
} from './auxiliary/open-auxiliary.ts';
import { openBrowsers } from './browser-service.ts';
import { createPendingNotices } from './checkpoints/pending-notices.ts';
import { openCheckpoints, type RuntimeCheckpoints } from './checkpoints/open-checkpoints.ts';
import { connectServers, type RuntimeServers } from './connect-servers.ts';
import { createRunningDelegations, type RunningDelegations } from './delegation/create-delegation.ts';
import { createFencedStore } from './fenced-store.ts';
import { createFileLogger } from './file-logger.ts';
import { type ContextEngineFactories, openContext, type RuntimeContext } from './open-context.ts';
import { openMemory, type RuntimeMemory } from './memory/open-memory.ts';
import { openStore } from './open-store.ts';
import { openPlugins, type RuntimePlugins } from './plugins/open-plugins.ts';
import { createLazyProcessTable } from './process-table.ts';
import { openReviews, type Reviewer } from './review/open-review.ts';
import { createSessionApprovals, createSessionStates, type SessionStates } from './session-states.ts';
import { createSessionLease } from './session-lease.ts';
import { type SharedTools, shareTools, warnOfUnknownTools } from './build-tools.ts';
import { createSkillCheck, type SkillCheck } from './skills.ts';
import { openTitles, type Titles } from './titles/open-titles.ts';
import { openSaving, type TrajectorySaving } from './trajectories/open-saving.ts';
import { createRecoveringStore } from './recovery-file.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

export type ServicesOptions = {
  settings: Settings;
  /** The route chains for auxiliary tasks; without them those tasks are skipped. */
  auxiliaryRoutes?: AuxiliaryRoutes;
  /** Where MCP servers and hooks run and project plugins are searched. Shared by all agents. */
  workingDirectory: string;
  /** Directory for sessions, spill files, the log and the process table; the home directory by default. */
  dataFolder?: string;
  /** Whether a user is waiting; the first request then waits less long for MCP servers. */
  interactive?: boolean;
  /** Tool sources besides the built-in tools. */
  toolSources?: readonly ToolSource[];
  /** Memory providers besides the built-in ones, by name. */
  memoryProviders?: MemoryProviderFactories;
  /** Context engines that `context.engine` may name besides the built-in ones and those in the home directory. */
  contextEngines?: ContextEngineFactories;
  /** Writes each turn to a trajectory file. Overrides the settings. A `trajectoryFile` implies it. */
  saveTrajectories?: boolean;
  /** One file for all turns, instead of one for completed and one for failed turns. */
  trajectoryFile?: string;
  /** The folder of the trajectory files, instead of the working directory of each agent. */
  trajectoryFolder?: string;
  /** Called with a session that got a title in the background. */
  onTitle?: (sessionId: string, title: string) => void;
  /** Calls the approval reviewer of the mode `smart`; by default the auxiliary task `approval`. */
  askReviewer?: AskReviewer;
  verbose?: boolean;
  clock?: Clock;
};

/** Everything that the agents of one process share. Opened once with `openServices` and passed to `createAgent`. */
export interface Services {
  /** For surfaces and background work. Ending a session here also notifies memory providers and hooks. */
  readonly store: SessionStore;
  /** For agents: writes to a session are rejected once another process has its lease. */
  readonly leasedStore: SessionStore;
  readonly dataFolder: string;
  readonly logger: Logger;
  readonly logFile: string;
  readonly clock: Clock;
  /** The turn queue: one turn at a time per session, across all processes. */
  readonly turns: TurnQueue;
  readonly processes: ProcessTable;
  readonly approvals: SessionApprovals;
  readonly allowList: AllowList;
  /** Notices for a session about its processes and files. */
  readonly notices: Notices;
  /** Models for auxiliary tasks; undefined if there are none. */
  readonly auxiliary: SessionAuxiliary | undefined;
  /** The approval reviewer of the mode `smart`; undefined if there is none. */
  readonly askReviewer: AskReviewer | undefined;
  readonly spending: SpendingTracker;
  readonly context: RuntimeContext;
  readonly memory: RuntimeMemory;
  readonly plugins: RuntimePlugins;
  readonly servers: RuntimeServers;
  readonly browsers: Browsers | undefined;
  readonly environments: AgentEnvironments;
  readonly checkpoints: RuntimeCheckpoints;
  readonly trajectories: TrajectorySaving;
  readonly titles: Titles;
  readonly reviews: Reviewer;
  readonly skillCheck: SkillCheck;
  readonly delegations: RunningDelegations;
  readonly builtIn: SharedTools;
  /** The tools of the caller and of the connected MCP servers. */
  toolSources(): readonly ToolSource[];
  /** All in-memory state per session. Closing the last agent of a session releases it. */
  readonly sessions: SessionStates;
  /** Warnings for the user about settings that cannot be applied. */
  warningsFor(blueprint: AgentBlueprint): string[];
  /** Waits for background work and closes everything. Agents cannot be used afterwards. */
  close(): Promise<void>;
}

/** Opens the services in the order of their dependencies. This is the only function that wires all of them together. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const base = await openBase(options);
  const { settings, workingDirectory, interactive = false } = options;
  const { store, processes, auxiliary, plugins, spending, logger, clock, dataFolder } = base;
  const fromPlugins = await plugins.factoriesFor(settings);
  const engines = { ...fromPlugins.contextEngines, ...options.contextEngines };
  const { parts: context, warnings } = await openContext(settings, { auxiliary, logger, clock }, engines);
  const memoryProviders = { ...fromPlugins.memoryProviders, ...options.memoryProviders };
  const memory = openMemory({ settings, memoryProviders }, { sessions: store, logger, auxiliary });
  const servers = await connectServers({ settings, workingDirectory, interactive }, { auxiliary, logger, clock });
  const sessions = createSessionStates();
  const fenced = createFencedStore(store, sessions.continueSession);
  const turns = createTurnQueue(createSessionLease({ store, clock, logger, onHeld: fenced.hold }));
  const board = createPendingNotices();
  const approvals = createSessionApprovals();
  const titles = openTitles(auxiliary, { store, logger, onTitle: options.onTitle });
  const reviews = openReviews(auxiliary, {
    logger,
    openTools: async (blueprint) => (await import('./review/review.ts')).openReviewTools(services, blueprint),
  });
  const engine = { forget: (lineageId: string) => context.context.forget?.(lineageId) };
  sessions.register(
    fenced,
    turns,
    processes,
    board,
    approvals,
    engine,
    titles,
    reviews,
    ...(auxiliary ? [auxiliary] : []),
  );
  const checkpoints = openCheckpoints({ logger, board, clock });
  const services: Services = {
    store: watchEnds(store, memory, plugins),
    leasedStore: createRecoveringStore(fenced.store, { folder: join(dataFolder, 'recovered'), clock, logger }),
    dataFolder,
    logger,
    logFile: base.logFile,
    clock,
    turns,
    processes,
    approvals,
    allowList: createAllowList(settings.home, logger),
    notices: board.mergeWith(processes.notices),
    auxiliary,
    askReviewer: options.askReviewer ?? createApprovalReviewer(auxiliary),
    spending,
    context,
    memory,
    plugins,
    servers,
    browsers: openBrowsers(settings, { clock, logger }),
    environments: createAgentEnvironments(dataFolder),
    checkpoints,
    trajectories: base.trajectories,
    titles,
    reviews,
    skillCheck: createSkillCheck(),
    delegations: createRunningDelegations(() => services),
    builtIn: shareTools(),
    toolSources: () => [...(options.toolSources ?? []), ...servers.sources()],
    sessions,
    warningsFor: (blueprint) => [
      ...warnings,
      ...warnOfUnknownTools(blueprint),
      ...checkpoints.warningsFor(blueprint),
      ...plugins.warnings(),
    ],
    close: () => closeServices(services, logger),
  };
  return services;
}

/** The services that all others are built on. */
async function openBase(options: ServicesOptions) {
  const { settings, workingDirectory, clock = systemClock } = options;
  const dataFolder = options.dataFolder ?? settings.home;
  const { logFile, processesFolder } = homePaths(dataFolder);
  const logger = createFileLogger({ file: logFile, clock, verbose: options.verbose });
  // Plugin modules load while the rest starts.
  const plugins = await openPlugins({ settings, workingDirectory, logger });
  // Throws if the template is invalid, before anything is open.
  const trajectories = await openSaving(options, logger);
  // A program with its own data directory stores its sessions there, even if the settings name an external store.
  const storage = options.dataFolder === undefined ? { storage: settings.storage } : { forMany: true };
  const store = await openStore({ home: dataFolder, ...storage, clock, logger });
  const keepsRunning = settings.terminal.keepsBackground;
  const processes = createLazyProcessTable({ folder: processesFolder, keepsRunning, clock, logger });
  const spending = createSpendingTracker();
  // Uses the store without fencing, because auxiliary calls are not stored under the lease of a turn.
  const auxiliary = openAuxiliary(options, { store, spending, logger, clock });
  return { dataFolder, logFile, logger, clock, plugins, trajectories, store, processes, spending, auxiliary };
}

/** Notifies memory providers and hooks when a surface ends a session in the store. */
function watchEnds(store: SessionStore, memory: RuntimeMemory, { turnHooks }: RuntimePlugins): SessionStore {
  return {
    ...store,
    async endSession(id, reason) {
      await store.endSession(id, reason);
      const source = (await store.getSession(id))?.source ?? '';
      // The work of a subagent is part of the session it works for, so memory providers are not notified.
      if (source !== SUBAGENT_SOURCE) memory.sessionEnded(id);
      turnHooks?.sessionEnded({ sessionId: id, source, reason });
    },
  };
}

async function closeServices(services: Services, log: { close(): void }): Promise<void> {
  const { skillCheck, titles, reviews, trajectories, plugins, servers, browsers, checkpoints, memory } = services;
  await services.delegations.settled();
  skillCheck.stop();
  await Promise.all([titles.stop(), reviews.stop(), trajectories.settled()]);
  await Promise.all([plugins.close(), servers.close(), browsers?.close(), checkpoints.close(), memory.close()]);
  await services.processes.close();
  await services.environments.close();
  const { windows, outputLimits, cacheMarkers } = services.context;
  const learned = [windows, outputLimits, cacheMarkers].map((values) => values.settled());
  await Promise.all([services.allowList.settled(), ...learned]);
  await services.store.close();
  log.close();
}
