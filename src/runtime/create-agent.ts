import { type Agent, createAgent as createLoopAgent } from '../agent/index.ts';
import { withSandbox } from '../config/index.ts';
import {
  type AgentBrowser,
  type Delegation,
  type Environment,
  type ModelPreferences,
  type PlanMode,
  type RouteSource,
  type SessionRecord,
  type SessionSetup,
  SUBAGENT_SOURCE,
  type ToolSet,
} from '../contracts/index.ts';
import type { LayeredPromptSource } from '../prompt/index.ts';
import type { PassageReview } from '../scanning/index.ts';
import { createAfterTurn } from './after-turn.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTools } from './build-tools.ts';
import type { AgentCheckpoints } from './checkpoints/open-checkpoints.ts';
import type { ContextReport } from './context-report.ts';
import {
  announceTools,
  createSetupKeeper,
  offerToRestore,
  restoreToolsets,
  type SetupKeeper,
  startPreferences,
  toolSetChoice,
} from './session-setup.ts';
import { findSession } from './stored-sessions.ts';
import type { inspectChosenTools } from './inspect-tools.ts';
import { type AgentDiagnostics, openDiagnostics } from './open-diagnostics.ts';
import { codeService, createPaidCallLog, createToolServices, mediaServices, webServices } from './tool-services.ts';
import { NO_MEMORY, type SessionMemory } from './memory/open-memory.ts';
import type { Services } from './services.ts';
import { sessionSummaries, unimportedSessions } from './session-recall.ts';
import {
  createSessionModels,
  personalityText,
  type SessionChoices,
  type SessionModels,
  startChoices,
} from './session-choices.ts';
import { openSkills, skillNeeds, skillService } from './skills.ts';

export type OpenedAgent = {
  agent: Agent;
  /** The blueprint that the agent was created from. */
  blueprint: AgentBlueprint;
  /** Reasoning effort and speed. Changes apply from the next request on. */
  preferences: ModelPreferences;
  models: SessionModels;
  /** The execution environment of its commands. */
  environment: Environment;
  choices: SessionChoices;
  /** The stored session that the agent continues; undefined for a new one. */
  resumed: SessionRecord | undefined;
  /** The checkpoints of its working directory. */
  checkpoints: AgentCheckpoints;
  toolNames(): Promise<readonly string[]>;
  /** The tool definitions as sent to models. */
  tools: Pick<ToolSet, 'definitions' | 'describe' | 'offer' | 'renewOffer'>;
  /** Stores changed preferences and tool sets with the session, unless it is new: then the first turn does that. */
  saveSetup(): Promise<void>;
  /** Reports what fills the context window. */
  reportContext(): Promise<ContextReport>;
  /** The built-in tools and tool sets as this session has them. */
  inspectTools(): ReturnType<typeof inspectChosenTools>;
  /**
   * Kills the background processes that the agent started (those of a subagent pass to its parent), ends its
   * language servers, closes its browser and its environment, and releases the session state unless another agent has the session open. The
   * session can be resumed later.
   */
  close(): Promise<void>;
};

/** Creates an agent for a stored session or a new one. */
export async function createAgent(services: Services, given: AgentBlueprint): Promise<OpenedAgent> {
  const resumed = await findSession(services.store, given.session ?? {}, given);
  const setup = resumed && (await services.store.getSessionSetup(resumed.id));
  const blueprint = restoreToolsets(given, setup);
  // Tools are created before the agent, so they get functions: the routes and the session root are known when tools
  // run.
  const routes = () => models.routes();
  const onRoot = (rootId: string) => session.setRoot(rootId);
  const parts = await openParts(services, blueprint, { resumed, setup, given, routes, onRoot });
  const { environment, browser, checkpoints, choices, preferences, diagnostics } = parts;
  const release = () => Promise.all([services.environments.release(environment), checkpoints.close()]);
  const { agent, tools, prompt, keeper } = await assemble(services, blueprint, parts).catch(async (thrown: unknown) => {
    await release();
    throw thrown;
  });
  const session = services.sessions.open(agent.sessionId);
  blueprint.onSessionOpened?.(agent.sessionId);
  if (blueprint.subagent === undefined) await services.processes.recover(agent.sessionId, environment);
  const models = createSessionModels(agent, blueprint.routes, services.auxiliary);
  const { context, meter } = services.context;
  const autoCompress = blueprint.settings.compression?.enabled ?? true;
  const reported = { store: services.store, meter, context, autoCompress, tools, prompt, models };
  return {
    agent,
    blueprint: given,
    preferences,
    models,
    environment,
    choices,
    resumed,
    checkpoints,
    toolNames: async () => [...(await tools.names())],
    tools,
    async saveSetup() {
      if ((await services.store.getSession(agent.sessionId)) !== undefined) await keeper.save(agent.sessionId);
    },
    reportContext: async () => (await import('./context-report.ts')).reportContext(agent.sessionId, reported),
    inspectTools: async () =>
      (await import('./inspect-tools.ts')).inspectSessionTools(services, blueprint, choices.toolsets),
    close: once(async () => {
      await Promise.all([browser?.close(), diagnostics.close()]);
      await killStartedProcesses(services, { agent, environment, blueprint });
      await release();
      session.close();
    }),
  };
}

/** Copies what the user chose for a session to the agent that replaces the current one. */
export function copyChoices(from: OpenedAgent, to: OpenedAgent): OpenedAgent {
  Object.assign(to.preferences, { effort: undefined, speed: undefined }, from.preferences);
  if (from.models.areChosen()) to.models.use(from.models.routes(), from.models.auxiliaryRoutes());
  return to;
}

/** What belongs to one agent; everything else is shared through the services. */
type AgentParts = {
  resumed: SessionRecord | undefined;
  /** The stored setup of the resumed session. */
  setup: SessionSetup | undefined;
  /** The blueprint as this start gave it, without what was restored from the session. */
  given: AgentBlueprint;
  /** Called with the session root once the session is loaded. */
  onRoot(rootId: string): void;
  environment: Environment;
  browser: AgentBrowser | undefined;
  memory: SessionMemory;
  checkpoints: AgentCheckpoints;
  diagnostics: AgentDiagnostics;
  choices: SessionChoices;
  preferences: ModelPreferences;
  /** Undefined for a subagent. */
  delegation: Delegation | undefined;
  skills: ReturnType<typeof openSkills>;
};

async function openParts(
  services: Services,
  blueprint: AgentBlueprint,
  {
    routes,
    ...given
  }: Pick<AgentParts, 'resumed' | 'setup' | 'given' | 'onRoot'> & { routes(): readonly RouteSource[] },
): Promise<AgentParts> {
  const { settings, yolo, plan, promptAdditions: additions, subagent } = blueprint;
  const systemPrompt = given.resumed?.isPromptImported ? undefined : given.resumed?.systemPrompt;
  const choices =
    blueprint.choices ?? startChoices(settings, { yolo, plan, additions, systemPrompt, setup: given.setup });
  const preferences = startPreferences(settings, given.setup);
  const hasMemory = !isImpersonal(blueprint) && blueprint.ownSessionOnly !== true;
  const memory = hasMemory ? await services.memory.open(blueprint) : NO_MEMORY;
  const terminal = withSandbox(settings.terminal, choices.sandbox);
  const [environment] = await Promise.all([
    services.environments.open({ ...blueprint, settings: { ...settings, terminal } }),
    services.plugins.whenUsable(),
  ]);
  return {
    ...given,
    environment,
    browser: services.browsers?.forAgent(),
    memory,
    checkpoints: services.checkpoints.forAgent(blueprint),
    diagnostics: openDiagnostics(blueprint, { environment, logger: services.logger }),
    choices,
    preferences,
    delegation: subagent ? undefined : services.delegations.forAgent({ blueprint, choices, preferences, routes }),
    skills: openSkills(settings, blueprint.workingDirectory),
  };
}

/** How long a request is retried while the last provider is unavailable, with and without a user who could stop it. */
const RETRY_SECONDS = { attended: 300, unattended: 900 };

/** Whether the prompt omits everything personal. A subagent works for a model, so its prompt is impersonal too. */
function isImpersonal({ impersonal, subagent }: AgentBlueprint): boolean {
  return impersonal === true || subagent !== undefined;
}

type FixedText = Pick<AgentBlueprint, 'ephemeralSystemPrompt' | 'prefillMessages'>;

/** Connects the agent loop to the services and to the agent's own parts. */
async function assemble(services: Services, blueprint: AgentBlueprint, parts: AgentParts) {
  const { settings, subagent } = blueprint;
  const { memory, preferences } = parts;
  const tools = createTools(services, blueprint, parts);
  const prompt = createPrompt(services, blueprint, parts);
  const keeper = createKeeper(services, blueprint, { ...parts, tools });
  const agent = createLoopAgent({
    sessionId: parts.resumed?.id ?? blueprint.newSessionId,
    routes: blueprint.routes,
    origin: { workingDirectory: blueprint.workingDirectory, kind: blueprint.kind ?? 'interactive' },
    addedFolders: blueprint.addedFolders,
    source: subagent === undefined ? blueprint.source : SUBAGENT_SOURCE,
    ...(subagent && { parentSessionId: subagent.parentSessionId }),
    store: services.leasedStore,
    clock: services.clock,
    logger: services.logger,
    approvals: {
      rulesOf(rootId) {
        parts.onRoot(rootId);
        return services.approvals.rulesOf(rootId);
      },
    },
    context: services.context.context,
    meter: services.context.meter,
    windows: services.context.windows,
    outputLimits: services.context.outputLimits,
    affordableOutput: services.context.affordableOutput,
    cacheMarkers: services.context.cacheMarkers,
    auxiliary: services.auxiliary,
    auxiliarySpending: services.spending,
    preferences,
    notices: announceTools(services.notices, tools),
    isPlanMode: () => parts.choices.plan,
    setup: keeper,
    tools,
    prompt,
    memory: memory.turns,
    memoryFlush: memory.flush,
    hooks: services.plugins.turnHooks,
    afterTurn: createAfterTurn(services, blueprint, { memory: memory.turns, tools }),
    autoCompress: settings.compression?.enabled,
    attended: blueprint.attended,
    retrySeconds: settings.retrySeconds ?? RETRY_SECONDS[blueprint.attended ? 'attended' : 'unattended'],
    maxIterations: blueprint.maxTurns ?? settings.maxTurns,
    maxIdenticalCalls: settings.maxIdenticalCalls,
    limits: { ...settings.limits, account: blueprint.accountLimit },
    questionLog: blueprint.questionLog,
    interactionTimeoutMs: settings.approvals.timeoutSeconds * 1000,
    ...(await readFixedText(blueprint)),
  });
  return { agent, tools, prompt, keeper };
}

/**
 * What is sent with every request and not stored: the text of the surface and that of the user. Subagents and agents
 * without anything personal get no text of the user.
 */
async function readFixedText(blueprint: AgentBlueprint): Promise<FixedText> {
  const { settings, ephemeralSystemPrompt, prefillMessages } = blueprint;
  if (isImpersonal(blueprint)) return { ephemeralSystemPrompt, prefillMessages };
  const { prefillFile, ephemeralSystemPrompt: own } = settings;
  const texts = [ephemeralSystemPrompt, own].filter((text) => text !== undefined);
  const readMessages = async (file: string) =>
    (await import('./prefill-messages.ts')).readPrefill(file, 'prefill_messages_file');
  return {
    ephemeralSystemPrompt: texts.length === 0 ? undefined : texts.join('\n\n'),
    prefillMessages: prefillMessages ?? (prefillFile === undefined ? undefined : await readMessages(prefillFile)),
  };
}

function createKeeper(
  { leasedStore: store }: Services,
  blueprint: AgentBlueprint,
  { setup: resumed, preferences, choices, environment, tools }: AgentParts & { tools: ToolSet },
): SetupKeeper {
  const toolSets = () => toolSetChoice(blueprint, choices, environment);
  return createSetupKeeper({ store, resumed, preferences, tools, toolSets });
}

function createTools(services: Services, blueprint: AgentBlueprint, parts: AgentParts): ToolSet {
  const { settings } = blueprint;
  const { environment, memory, delegation, browser, checkpoints, diagnostics, choices, skills } = parts;
  const { auxiliary } = services;
  const account = createPaidCallLog(settings, services);
  const tools: ToolSet = buildTools(blueprint, {
    builtIn: services.builtIn,
    environment,
    logger: services.logger,
    processes: services.processes,
    services: createToolServices(services.leasedStore, {
      ownSessionOnly: blueprint.ownSessionOnly,
      recall: {
        unimportedSessions: unimportedSessions(settings),
        summariseSession: sessionSummaries(settings, auxiliary),
      },
      memory: memory.writer,
      skills: skillService(skills, () => tools.names()),
      delegation,
      browser,
      messaging: blueprint.messaging,
      jobs: blueprint.jobs,
      planMode: planModeOf(blueprint, choices),
      code: codeService(settings, environment),
      web: webServices(settings, auxiliary),
      media: mediaServices(settings, auxiliary, account),
    }),
    sources: [
      ...services.toolSources(),
      ...(blueprint.toolSources ?? []),
      ...memory.tools,
      ...services.plugins.toolSources(),
      ...(blueprint.subagent === undefined ? (blueprint.ownToolSources ?? []) : []),
    ],
    pluginHooks: services.plugins.toolHooks(),
    hooks: [...checkpoints.hooks, ...diagnostics.hooks],
    choices,
    storedOffer: offerToRestore(parts.setup, parts.given, toolSetChoice(blueprint, choices, environment)),
    dataFolder: services.dataFolder,
    askReviewer: services.askReviewer,
    reviewPassages: passageReviewFor(blueprint, services),
    onAlways: services.allowList.add,
  });
  return tools;
}

/** Subagents work for a model, and nobody answers the questions of unattended agents. */
function planModeOf({ attended, subagent }: AgentBlueprint, choices: SessionChoices): PlanMode | undefined {
  if (!attended || subagent !== undefined) return undefined;
  return {
    isOn: () => choices.plan,
    end() {
      choices.plan = false;
    },
  };
}

function createPrompt(services: Services, blueprint: AgentBlueprint, parts: AgentParts): LayeredPromptSource {
  const { settings } = blueprint;
  const { memory, choices, skills: library } = parts;
  const impersonal = isImpersonal(blueprint);
  return buildPrompt({ ...blueprint, impersonal }, parts.environment, {
    skills(toolNames) {
      services.skillCheck.schedule(library);
      return library.index(skillNeeds(toolNames));
    },
    // A subagent works for a model, not for the user.
    additions: () => (blueprint.subagent === undefined ? choices.additions : undefined),
    // A prompt that is rebuilt for another model keeps its memory snapshot; later memory changes apply to the next
    // session.
    memory: once(memory.snapshot),
    reviewPassages: passageReviewFor(blueprint, services),
    personality: () => (impersonal ? undefined : personalityText(settings, choices.personality)),
  });
}

/**
 * The review of doubtful passages. By default only sessions with a user have one, like other optional requests; a
 * configured `auxiliary.injection_scan` applies to all sessions.
 */
function passageReviewFor(
  { settings, attended }: AgentBlueprint,
  { auxiliary, logger }: Services,
): PassageReview | undefined {
  const isEnabled = settings.auxiliary.injection_scan?.enabled ?? attended;
  if (!isEnabled || auxiliary === undefined) return undefined;
  return async (passages) => (await import('./passage-review.ts')).reviewPassages(passages, { auxiliary, logger });
}

/** Kills the processes that the agent started. Recovered processes belong to another Hermes process. */
async function killStartedProcesses(
  { processes }: Services,
  { agent, environment, blueprint }: Pick<OpenedAgent, 'agent' | 'environment' | 'blueprint'>,
): Promise<void> {
  if (blueprint.subagent !== undefined) {
    processes.continueSession(agent.sessionId, blueprint.subagent.parentSessionId);
    return;
  }
  const running = await processes.forSession(agent.sessionId, environment).list();
  await Promise.all(
    running.filter(({ recovered, ending }) => !recovered && ending() === undefined).map(({ kill }) => kill()),
  );
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => (asked ??= ask());
}
