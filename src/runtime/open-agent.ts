import type { Agent, AgentOptions } from '../agent/index.ts';
import type { Browsers } from '../browser/index.ts';
import type {
  AuxiliaryModels,
  AuxiliarySpending,
  Environment,
  MediaAccount,
  ModelPreferences,
  SessionRecord,
  SessionStore,
  ToolSet,
} from '../contracts/index.ts';
import type { AgentEnvironments, AgentPlace } from './agent-environments.ts';
import type { AllowList } from './allow-list.ts';
import { reviewerOver } from './approval-guard.ts';
import { type AgentParts, buildAgent } from './build-agent.ts';
import type { ContextReport, ReportParts } from './context-report.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { RunningDelegations } from './delegation/create-delegation.ts';
import { NO_MEMORY } from './delegation/open-subagent.ts';
import { findSession, type SessionChoice } from './find-session.ts';
import type { inspectChosenTools } from './inspect-tools.ts';
import type { RuntimeMemory } from './memory/open-memory.ts';
import type { RuntimeContext } from './open-context.ts';
import type { RuntimePlugins } from './plugins/open-plugins.ts';
import { type SessionChoices, startChoices } from './session-choices.ts';
import { createSessionModels, type SessionModels } from './session-models.ts';
import type { SkillCheck } from './skills.ts';
import type { TrajectorySaving } from './trajectories/open-saving.ts';

export type OpenedAgent = {
  agent: Agent;
  /** What the settings say about effort and speed; whoever changes it here changes it for the next request. */
  preferences: ModelPreferences;
  models: SessionModels;
  /** Where its commands run, for whoever runs one beside it. */
  environment: Environment;
  choices: SessionChoices;
  /** The stored session it goes on with; undefined for a new one. */
  resumed: SessionRecord | undefined;
  toolNames(): Promise<readonly string[]>;
  /** What models are told of its tools, and can ask about them. */
  tools: Pick<ToolSet, 'definitions' | 'describe'>;
  /** What fills the window. */
  reportContext(): Promise<ContextReport>;
  /** The tools that are built in and the sets they are in, as this session has them. */
  inspectTools(): ReturnType<typeof inspectChosenTools>;
  /** Ends what it left running and lets go of its environment, before the others are done. */
  close(): Promise<void>;
};

/** How an agent begins, where that differs from the rest of the process. */
export type AgentStart = {
  /** Someone can be asked. */
  attended?: boolean;
  /** What was chosen for the session before; it belongs to the caller. */
  choices?: SessionChoices;
  /** Only these tool sets. */
  toolsets?: readonly string[];
  place?: AgentPlace;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages'>;

/** Where a session is opened anew, what the person chose for it stays. */
export function carryOver(from: OpenedAgent, to: OpenedAgent): OpenedAgent {
  Object.assign(to.preferences, { effort: undefined, speed: undefined }, from.preferences);
  if (from.models.areChosen()) to.models.use(from.models.routes());
  return to;
}

/** What all agents of a program are opened with. */
export type Opening = {
  shared: Pick<AgentParts, 'logger' | 'clock' | 'processes' | 'approvals' | 'store' | 'hooks' | 'notices' | 'builtIn'>;
  context: RuntimeContext;
  auxiliary: AuxiliaryModels | undefined;
  spending: AuxiliarySpending;
  mediaAccount: MediaAccount;
  memory: RuntimeMemory;
  skillCheck: SkillCheck;
  /** The store without leases. */
  readsFrom: SessionStore;
  environments: AgentEnvironments;
  browsers: Browsers | undefined;
  allowList: AllowList;
  delegations: RunningDelegations;
  plugins: RuntimePlugins;
  trajectories: TrajectorySaving;
};

/** An agent for a session that is there or a new one, with the options as they are by now. */
export async function openAgent(
  choice: SessionChoice,
  { attended, choices: chosen, toolsets, place, ...added }: AgentStart,
  current: RuntimeOptions,
  opening: Opening,
): Promise<OpenedAgent> {
  const { shared, context, auxiliary, readsFrom: store, environments, plugins } = opening;
  const start = { ...current, ...(toolsets && { toolsets }), ...directoryOf(place) };
  const { settings, yolo } = start;
  const resumed = await findSession(store, choice, start.source);
  const choices = chosen ?? startChoices(settings, { yolo, systemPrompt: resumed?.systemPrompt });
  const preferences: ModelPreferences = { effort: settings.reasoningEffort, speed: settings.speed };
  const [environment] = await Promise.all([environments.open(place), plugins.whenUsable()]);
  const helpers = { auxiliary, auxiliarySpending: opening.spending, mediaAccount: opening.mediaAccount };
  const { memory, skillCheck, trajectories } = opening;
  const browser = opening.browsers?.forAgent();
  const own = { browser, preferences, environment, choices, memory, skillCheck, plugins, trajectories, added };
  const parts = { ...shared, ...context, ...helpers, ...own };
  const askReviewer = start.askReviewer ?? reviewerOver(auxiliary);
  const options = { ...start, attended: attended ?? start.attended, askReviewer };
  const delegation = delegationOf(options, parts, opening, () => models);
  const { agent, ...told } = buildAgent(options, { ...parts, delegation }, opening.allowList, resumed?.id);
  start.onSessionOpened?.(agent.sessionId);
  await shared.processes.recover(agent.sessionId, environment);
  const models = createSessionModels(agent, start.routes);
  const inspectTools = async () => (await import('./inspect-tools.ts')).inspectSessionTools(start, choices, opening);
  const reports = reportsOf(agent, { ...told, ...context, store, models });
  const close = async () => {
    await browser?.close();
    await closeAgent(agent, environment, opening);
  };
  return { agent, preferences, models, choices, environment, resumed, ...reports, inspectTools, close };
}

function directoryOf(place: AgentPlace | undefined): Partial<Pick<RuntimeOptions, 'workingDirectory'>> {
  return place?.workingDirectory === undefined ? {} : { workingDirectory: place.workingDirectory };
}

/** What it found running belongs to whoever left it; what it started goes with it. */
async function closeAgent(agent: Agent, environment: Environment, { shared, environments }: Opening): Promise<void> {
  const running = await shared.processes.forSession(agent.sessionId, environment).list();
  await Promise.all(running.filter(({ found, ending }) => !found && ending() === undefined).map(({ kill }) => kill()));
  await environments.release(environment);
}

/** Subagents have what their agent has by the time they begin, but for its memory. */
function delegationOf(
  options: RuntimeOptions,
  parts: AgentParts,
  { delegations, allowList, browsers }: Opening,
  models: () => SessionModels,
) {
  return delegations.forAgent({
    settings: options.settings,
    routes: () => models().routes(),
    build(subagent, environment) {
      // The call that hands out tasks has kept the files already: what subagents change is changed by its turn.
      const own = { memory: NO_MEMORY, environment, preferences: { ...parts.preferences }, hooks: [], subagent };
      const browser = browsers?.forAgent();
      const all = { ...parts, ...own, browser };
      const { agent } = buildAgent({ ...options, routes: subagent.routes }, all, allowList, undefined);
      return { agent, closeBrowser: async () => browser?.close() };
    },
  });
}

/** What an agent tells of itself; loaded by whoever asks. */
function reportsOf(agent: Agent, parts: ReportParts): Pick<OpenedAgent, 'toolNames' | 'tools' | 'reportContext'> {
  return {
    toolNames: async () => [...(await parts.tools.names())],
    tools: parts.tools,
    reportContext: async () => (await import('./context-report.ts')).reportContext(agent.sessionId, parts),
  };
}
