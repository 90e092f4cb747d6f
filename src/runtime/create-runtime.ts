import { type Agent, createAgent } from '../agent/index.ts';
import type { AskReviewer } from '../approvals/index.ts';
import { type Clock, systemClock } from '../base/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import { createPruningEngine } from '../context/index.ts';
import type {
  AuxiliaryModels,
  AuxiliaryRoutes,
  Environment,
  Logger,
  ModelPreferences,
  ProcessTable,
  RouteSource,
  SessionApprovals,
  SessionRecord,
  SessionStore,
} from '../contracts/index.ts';
import { createPromptSource } from '../prompt/index.ts';
import type { ToolSource } from '../tools/index.ts';
import { createAgentEnvironments } from './agent-environments.ts';
import { type AllowList, createAllowList } from './allow-list.ts';
import { reviewerOver } from './approval-guard.ts';
import { buildTools } from './build-tools.ts';
import { createFileLogger } from './file-logger.ts';
import { createFencedStore } from './fenced-store.ts';
import { findSession, type SessionChoice } from './find-session.ts';
import { openStore } from './open-store.ts';
import { createRuntimeTable } from './process-table.ts';
import { createSessionApprovals } from './session-approvals.ts';
import { createSessionLease } from './session-lease.ts';
import { createSessionModels, type SessionModels } from './session-models.ts';
import { openAuxiliary } from './auxiliary/open-auxiliary.ts';
import { createToolServices } from './tool-services.ts';
import { openTitles } from './titles/open-titles.ts';
import type { TitleMaker } from './titles/title-maker.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

export type RuntimeOptions = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
  /** The chains of the tasks beside the chat; without them those tasks are not done. */
  auxiliaryRoutes?: AuxiliaryRoutes;
  workingDirectory: string;
  /** Which surface this is: `cli`, … */
  source: string;
  /** Someone can be asked. */
  attended: boolean;
  /** Steps of a turn, where that is to differ from the settings. */
  maxTurns?: number;
  /** Only these tool sets, where that is to differ from the settings. */
  toolsets?: readonly string[];
  /** Where tools besides the built-in ones come from. */
  toolSources?: readonly ToolSource[];
  /** Lifts every question about dangerous commands; the hard block stays. */
  yolo?: boolean;
  /** Plan mode: only what reads may run. */
  plan?: boolean;
  /** Reaches the second model of the approval mode `smart`; left out, it is the one for the task `approval`. */
  askReviewer?: AskReviewer;
  verbose?: boolean;
  clock?: Clock;
};

export type OpenedAgent = {
  agent: Agent;
  /** What the settings say about effort and speed; whoever changes it here changes it for the next request. */
  preferences: ModelPreferences;
  models: SessionModels;
  /** The stored session it goes on with; undefined for a new one. */
  resumed: SessionRecord | undefined;
};

/** Where a session is opened anew, what the person chose for it stays. */
export function carryOver(from: OpenedAgent, to: OpenedAgent): OpenedAgent {
  Object.assign(to.preferences, { effort: undefined, speed: undefined }, from.preferences);
  if (from.models.areChosen()) to.models.use(from.models.routes());
  return to;
}

/** Everything that is shared by the sessions of one process. */
export interface Runtime {
  readonly settings: Settings;
  readonly store: SessionStore;
  readonly logger: Logger;
  readonly logFile: string;
  /** One turn at a time per session, over all processes. */
  readonly turns: TurnQueue;
  /** Models for the tasks beside the chat; undefined where there are none. */
  readonly auxiliary: AuxiliaryModels | undefined;
  readonly titles: TitleMaker;
  /** Another choice was saved: sessions that are opened from now on begin with it. */
  startWith(start: Partial<Pick<RuntimeOptions, 'settings' | 'routes'>>): void;
  openAgent(choice?: SessionChoice): Promise<OpenedAgent>;
  close(): Promise<void>;
}

/** Puts the parts together. This is the one place that knows them all. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { settings, source, clock = systemClock } = options;
  const { logFile } = homePaths(settings.home);
  const logger = createFileLogger({ file: logFile, clock, verbose: options.verbose });
  const store = await openStore({ home: settings.home, clock, logger });
  const allowList = createAllowList(settings.home, logger);
  const processes = createRuntimeTable({
    folder: homePaths(settings.home).processesFolder,
    keepsRunning: settings.terminal.keepsBackground,
    ...{ clock, logger },
  });
  // What a session has started goes on with it.
  const fenced = createFencedStore(store, processes.continueSession);
  const shared = { store: fenced.store, logger, clock, processes, approvals: createSessionApprovals() };
  // What is done beside a turn is not written under its lease.
  const auxiliary = openAuxiliary(options, { ...shared, store });
  const titles = openTitles(options, auxiliary, { ...shared, store });
  const environments = createAgentEnvironments(settings, options.workingDirectory);
  let start = options;
  return {
    get settings() {
      return start.settings;
    },
    store,
    logger,
    logFile,
    turns: createTurnQueue(createSessionLease({ store, surface: source, clock, logger, onHeld: fenced.hold })),
    auxiliary,
    titles,
    startWith(others) {
      start = { ...start, ...others };
    },
    async openAgent(choice = {}) {
      const resumed = await findSession(store, choice, source);
      const { reasoningEffort: effort, speed } = start.settings;
      const preferences: ModelPreferences = { effort, speed };
      const environment = await environments.open();
      const parts = { ...shared, auxiliary, preferences, environment };
      const reviewed = { ...start, askReviewer: start.askReviewer ?? reviewerOver(auxiliary) };
      const agent = buildAgent(reviewed, parts, allowList, resumed?.id);
      await processes.recover(agent.sessionId, environment);
      return { agent, preferences, models: createSessionModels(agent, start.routes), resumed };
    },
    async close() {
      await titles.stop();
      await processes.close();
      await environments.close();
      await allowList.settled();
      await store.close();
      logger.close();
    },
  };
}

type Shared = {
  store: SessionStore;
  approvals: SessionApprovals;
  logger: Logger;
  clock: Clock;
  auxiliary: AuxiliaryModels | undefined;
  preferences: ModelPreferences;
  environment: Environment;
  processes: ProcessTable;
};

/** Each agent gets tools and approvals of its own: what one session allowed means nothing to another. */
function buildAgent(
  options: RuntimeOptions,
  { environment, processes, ...shared }: Shared,
  allowList: AllowList,
  sessionId: string | undefined,
): Agent {
  const { settings } = options;
  const { timeoutSeconds } = settings.approvals;
  return createAgent({
    ...shared,
    sessionId,
    routes: options.routes,
    tools: buildTools(options, environment, shared.logger, allowList, processes, createToolServices(shared.store)),
    notices: processes.notices,
    prompt: createPromptSource({
      home: settings.home,
      workingDirectory: environment.workingDirectory,
      platform: environment.system,
      shell: environment.shell,
    }),
    context: createPruningEngine(),
    source: options.source,
    attended: options.attended,
    maxIterations: options.maxTurns ?? settings.maxTurns,
    limits: settings.limits,
    interactionTimeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
  });
}
