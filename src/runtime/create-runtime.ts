import { type Agent, createAgent } from '../agent/index.ts';
import { type Clock, systemClock } from '../base/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import { createPruningEngine } from '../context/index.ts';
import type { Logger, RouteSource, SessionRecord, SessionStore } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createPromptSource } from '../prompt/index.ts';
import type { ToolSource } from '../tools/index.ts';
import { type AllowList, createAllowList } from './allow-list.ts';
import { buildTools } from './build-tools.ts';
import { createFileLogger } from './file-logger.ts';
import { createFencedStore } from './fenced-store.ts';
import { findSession, type SessionChoice } from './find-session.ts';
import { openStore } from './open-store.ts';
import { createSessionLease } from './session-lease.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

export type RuntimeOptions = {
  settings: Settings;
  /** The primary route first, then the fallbacks. */
  routes: readonly RouteSource[];
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
  verbose?: boolean;
  clock?: Clock;
};

export type OpenedAgent = {
  agent: Agent;
  /** The stored session it goes on with; undefined for a new one. */
  resumed: SessionRecord | undefined;
};

/** Everything that is shared by the sessions of one process. */
export interface Runtime {
  readonly settings: Settings;
  readonly store: SessionStore;
  readonly logger: Logger;
  readonly logFile: string;
  /** One turn at a time per session, over all processes. */
  readonly turns: TurnQueue;
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
  const fenced = createFencedStore(store);
  const shared = { store: fenced.store, logger, clock };
  return {
    settings,
    store,
    logger,
    logFile,
    turns: createTurnQueue(createSessionLease({ store, surface: source, clock, logger, onHeld: fenced.hold })),
    async openAgent(choice = {}) {
      const resumed = await findSession(store, choice, source);
      return { agent: buildAgent(options, shared, allowList, resumed?.id), resumed };
    },
    async close() {
      await allowList.settled();
      await store.close();
      logger.close();
    },
  };
}

type Shared = { store: SessionStore; logger: Logger; clock: Clock };

/** Each agent gets tools and approvals of its own: what one session allowed means nothing to another. */
function buildAgent(
  options: RuntimeOptions,
  shared: Shared,
  allowList: AllowList,
  sessionId: string | undefined,
): Agent {
  const { settings, workingDirectory } = options;
  const { timeoutSeconds } = settings.approvals;
  const environment = createLocalEnvironment({ workingDirectory });
  return createAgent({
    ...shared,
    sessionId,
    routes: options.routes,
    tools: buildTools(options, environment, shared.logger, allowList),
    prompt: createPromptSource({
      home: settings.home,
      workingDirectory,
      platform: process.platform,
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
