import type { AskReviewer } from '../approvals/index.ts';
import { type Clock, systemClock } from '../base/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import {
  type AuxiliaryModels,
  type AuxiliaryRoutes,
  type Logger,
  type RouteSource,
  type SessionStore,
  SUBAGENT_SOURCE,
} from '../contracts/index.ts';
import type { ToolSource } from '../tools/index.ts';
import type { MemoryProviderFactories } from '../memory/index.ts';
import { createAgentEnvironments } from './agent-environments.ts';
import { createAllowList } from './allow-list.ts';
import { openAuxiliary } from './auxiliary/open-auxiliary.ts';
import { createSpendingWatch } from './auxiliary/spending-watch.ts';
import { openBrowsers } from './browser-service.ts';
import { openBeside } from './beside.ts';
import type { RuntimeCheckpoints } from './checkpoints/open-checkpoints.ts';
import { connectServers, type RuntimeServers } from './connect-servers.ts';
import { createRunningDelegations } from './delegation/create-delegation.ts';
import { NO_MEMORY } from './delegation/open-subagent.ts';
import { createFileLogger } from './file-logger.ts';
import type { ContextEngineFactories } from './find-context-engine.ts';
import type { SessionChoice } from './find-session.ts';
import { createMediaAccount } from './media-account.ts';
import { openMemory, type RuntimeMemory } from './memory/open-memory.ts';
import { type AgentStart, openAgent, type OpenedAgent, type Opening } from './open-agent.ts';
import { openContext } from './open-context.ts';
import { openStore } from './open-store.ts';
import { openPlugins, type RuntimePlugins } from './plugins/open-plugins.ts';
import { createRuntimeTable } from './process-table.ts';
import { shareTools } from './shared-tools.ts';
import { createSessionApprovals } from './session-approvals.ts';
import { openTurns } from './session-turns.ts';
import { openSkills } from './skills.ts';
import type { Reviewer } from './review/open-review.ts';
import { openSaving, type TrajectorySaving } from './trajectories/open-saving.ts';
import type { TitleMaker } from './titles/title-maker.ts';
import type { TurnQueue } from './turn-queue.ts';

export type RuntimeOptions = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
  /** The chains of the tasks beside the chat; without them those tasks are not done. */
  auxiliaryRoutes?: AuxiliaryRoutes;
  workingDirectory: string;
  /** Sessions, spill files, the log and the table of processes lie here, as they otherwise lie in the home. */
  dataFolder?: string;
  /** Nothing of the person goes into prompts: no memory, no context files, no personality. */
  impersonal?: boolean;
  /** What new sessions count as: the surface, or a tag that the person gave. */
  source: string;
  /** Which surface this is: `cli`, …; left out, the source names it. */
  surface?: string;
  /** Someone can be asked. */
  attended: boolean;
  /** Steps of a turn, where that is to differ from the settings. */
  maxTurns?: number;
  /** Only these tool sets, where that is to differ from the settings. */
  toolsets?: readonly string[];
  /** Where tools besides the built-in ones come from. */
  toolSources?: readonly ToolSource[];
  /** Memory providers besides the built-in ones, by name. */
  memoryProviders?: MemoryProviderFactories;
  /** Context engines that `context.engine` may name besides the built-in ones and those of the home. */
  contextEngines?: ContextEngineFactories;
  /** Lifts every question about dangerous commands; the hard block stays. */
  yolo?: boolean;
  /** Plan mode: only what reads may run. */
  plan?: boolean;
  /** The files of the working directory are kept before a turn changes them; left out, the settings say. */
  checkpoints?: boolean;
  /** Each turn is written down for training at its end; left out, a file for it or the settings say. */
  saveTrajectories?: boolean;
  /** Where, instead of the usual two files. */
  trajectoryFile?: string;
  /** Where those files are, where that is not the working directory. */
  trajectoryFolder?: string;
  /** Told of every session that is opened. */
  onSessionOpened?(sessionId: string): void;
  /** The id of the session goes into its prompt. */
  passSessionId?: boolean;
  /** Reaches the second model of the approval mode `smart`; left out, it is the one for the task `approval`. */
  askReviewer?: AskReviewer;
  verbose?: boolean;
  clock?: Clock;
};

/** Everything that is shared by the sessions of one process. */
export interface Runtime {
  readonly settings: Settings;
  readonly store: SessionStore;
  /** Where its agents work. */
  readonly workingDirectory: string;
  readonly logger: Logger;
  readonly logFile: string;
  /** One turn at a time per session, over all processes. */
  readonly turns: TurnQueue;
  /** Models for the tasks beside the chat; undefined where there are none. */
  readonly auxiliary: AuxiliaryModels | undefined;
  readonly titles: TitleMaker;
  readonly reviews: Reviewer;
  /** The skills of the home and of the project, for whoever asks for them by name. */
  skills(): ReturnType<typeof openSkills>;
  /** What plugins bring, and what became of them. */
  readonly plugins: RuntimePlugins;
  readonly checkpoints: RuntimeCheckpoints;
  readonly trajectories: Pick<TrajectorySaving, 'news' | 'settled'>;
  /** The MCP servers, and how they are. */
  readonly servers: RuntimeServers;
  /** What of the settings could not be followed, for the person. */
  readonly warnings: readonly string[];
  /** Another choice was saved: sessions that are opened from now on begin with it. */
  startWith(start: Partial<Pick<RuntimeOptions, 'settings' | 'routes'>>): void;
  openAgent(choice?: SessionChoice, start?: AgentStart): Promise<OpenedAgent>;
  close(): Promise<void>;
}

/** Puts the parts together. This is the one place that knows them all. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { settings, source, surface = source, clock = systemClock, workingDirectory } = options;
  const dataFolder = options.dataFolder ?? settings.home;
  const { logFile } = homePaths(dataFolder);
  const logger = createFileLogger({ file: logFile, clock, verbose: options.verbose });
  // Modules of plugins are loaded beside the rest of the start.
  const plugins = await openPlugins({ settings, workingDirectory, logger });
  // A template that cannot be used ends the start before anything is open.
  const trajectories = await openSaving(options, logger);
  // A program with a folder of its own keeps its sessions there, wherever those of the person are.
  const own = options.dataFolder === undefined ? { storage: settings.storage } : { forMany: true };
  const store = await openStore({ home: dataFolder, ...own, clock, logger });
  const allowList = createAllowList(settings.home, logger);
  const processes = openProcesses(settings, dataFolder, { clock, logger });
  const { turns, checkpoints, ...inTurns } = openTurns(options, { store, processes, surface, clock, logger });
  const shared = { logger, clock, processes, approvals: createSessionApprovals(), builtIn: shareTools(), ...inTurns };
  // What is done beside a turn is not written under its lease.
  const spending = createSpendingWatch();
  const auxiliary = openAuxiliary(options, { ...shared, store, spending });
  const mediaAccount = createMediaAccount(() => start.settings, { store, spending, clock });
  const { context, memory } = await openMind(options, plugins, { store, auxiliary, logger, clock });
  const environments = createAgentEnvironments(settings, workingDirectory, dataFolder);
  const heard = watchEnds(store, SUBAGENT_SOURCE, NO_MEMORY, plugins);
  const delegations = createRunningDelegations({ environments, store: heard, processes, turns, clock, logger });
  const browsers = openBrowsers(settings, { clock, logger });
  const servers = await connectServers(options, { auxiliary, logger, clock });
  let start = options;
  const withServers = () => ({ ...start, toolSources: [...(start.toolSources ?? []), ...servers.sources()] });
  const parts = { auxiliary, environments, store, memory: memory.writer, logger };
  const { skillCheck, stop, ...beside } = openBeside(options, () => start, parts);
  const opening: Opening = {
    ...{ shared, context: context.parts, auxiliary, spending, mediaAccount, memory, skillCheck },
    ...{ environments, browsers, allowList, delegations, plugins, trajectories, readsFrom: store },
  };
  return {
    get settings() {
      return start.settings;
    },
    store: watchEnds(store, source, memory, plugins),
    ...{ workingDirectory, logger, logFile, turns, auxiliary, checkpoints, trajectories, servers, plugins, ...beside },
    get warnings() {
      return [...context.warnings, ...checkpoints.warnings, ...plugins.warnings()];
    },
    skills: () => openSkills(start.settings, start.workingDirectory),
    startWith(others) {
      start = { ...start, ...others };
    },
    openAgent: (choice = {}, wish = {}) => openAgent(choice, wish, withServers(), opening),
    async close() {
      await delegations.settled();
      await Promise.all([stop(), trajectories.settled()]);
      await Promise.all([plugins.close(), servers.close(), browsers?.close(), checkpoints.close(), memory.close()]);
      await processes.close();
      await environments.close();
      await Promise.all([allowList.settled(), context.parts.windows.settled()]);
      await store.close();
      logger.close();
    },
  };
}

function openProcesses({ terminal }: Settings, dataFolder: string, parts: { clock: Clock; logger: Logger }) {
  return createRuntimeTable({
    folder: homePaths(dataFolder).processesFolder,
    keepsRunning: terminal.keepsBackground,
    ...parts,
  });
}

/** What conversations are kept small with and what outlives them, with what plugins bring of either. */
async function openMind(
  options: RuntimeOptions,
  plugins: RuntimePlugins,
  {
    store,
    auxiliary,
    logger,
    clock,
  }: { store: SessionStore; auxiliary: AuxiliaryModels | undefined; logger: Logger; clock: Clock },
) {
  const brought = await plugins.factoriesFor(options.settings);
  const engines = { ...brought.contextEngines, ...options.contextEngines };
  const memoryProviders = { ...brought.memoryProviders, ...options.memoryProviders };
  return {
    context: await openContext(options.settings, { auxiliary, logger, clock }, engines),
    memory: options.impersonal
      ? NO_MEMORY
      : await openMemory({ ...options, memoryProviders }, { sessions: store, logger, auxiliary }),
  };
}

/** A surface ends a session in the store; a memory provider and hooks may want to know. */
function watchEnds(
  store: SessionStore,
  source: string,
  memory: RuntimeMemory,
  { turnHooks }: RuntimePlugins,
): SessionStore {
  return {
    ...store,
    async endSession(id, reason) {
      await store.endSession(id, reason);
      memory.sessionEnded(id);
      turnHooks?.sessionEnded({ sessionId: id, source, reason });
    },
  };
}
