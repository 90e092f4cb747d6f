import { type Agent, type AgentOptions, createAgent } from '../agent/index.ts';
import type { Clock } from '../base/index.ts';
import { DEFAULT_DELEGATION } from '../config/index.ts';
import {
  type AgentBrowser,
  type AuxiliaryModels,
  type AuxiliarySpending,
  type Delegation,
  type Environment,
  type Hooks,
  type Logger,
  type MediaAccount,
  type ModelPreferences,
  type Notices,
  type ProcessTable,
  type SessionApprovals,
  type SessionStore,
  SUBAGENT_SOURCE,
  type ToolSet,
} from '../contracts/index.ts';
import type { LayeredPromptSource } from '../prompt/index.ts';
import type { AllowList } from './allow-list.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTools } from './build-tools.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { SubagentOptions } from './delegation/delegation-parts.ts';
import { mediaServices } from './media-services.ts';
import type { RuntimeMemory } from './memory/open-memory.ts';
import type { RuntimeContext } from './open-context.ts';
import type { RuntimePlugins } from './plugins/open-plugins.ts';
import { personalityText, type SessionChoices } from './session-choices.ts';
import { openSkills, type SkillCheck, skillNeeds, skillService } from './skills.ts';
import type { SharedTools } from './shared-tools.ts';
import { codeService, createToolServices } from './tool-services.ts';
import type { TrajectorySaving } from './trajectories/open-saving.ts';
import { webServices } from './web-services.ts';

/** What one agent is made of, beside the options. */
export type AgentParts = RuntimeContext & {
  store: SessionStore;
  builtIn: SharedTools;
  approvals: SessionApprovals;
  logger: Logger;
  clock: Clock;
  auxiliary: AuxiliaryModels | undefined;
  auxiliarySpending: AuxiliarySpending;
  mediaAccount: MediaAccount;
  preferences: ModelPreferences;
  environment: Environment;
  processes: ProcessTable;
  /** Absent where there is none. */
  browser?: AgentBrowser | undefined;
  hooks: readonly Hooks[];
  notices: Notices;
  skillCheck: SkillCheck;
  memory: RuntimeMemory;
  choices: SessionChoices;
  plugins: RuntimePlugins;
  trajectories: TrajectorySaving;
  /** What is sent with each request and never stored; a subagent has none of it. */
  added?: Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages'>;
  /** Absent for a subagent. */
  delegation?: Delegation;
  /** Present for one. */
  subagent?: SubagentOptions;
};

/** A prompt that is built anew for another model has the memory it had: what was written since is for the next session. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => (asked ??= ask());
}

/** Each agent gets tools and approvals of its own: what one session allowed means nothing to another. */
export function buildAgent(
  options: RuntimeOptions,
  {
    environment,
    builtIn,
    browser,
    processes,
    hooks,
    memory,
    skillCheck,
    choices,
    plugins,
    trajectories,
    added,
    ...others
  }: AgentParts,
  allowList: AllowList,
  sessionId: string | undefined,
): { agent: Agent; tools: ToolSet; prompt: LayeredPromptSource } {
  const { delegation, subagent, mediaAccount, ...shared } = others;
  const { settings } = options;
  const library = openSkills(settings, options.workingDirectory);
  const services = createToolServices(shared.store, {
    memory: memory.writer,
    skills: skillService(library, () => tools.names()),
    ...{ delegation, browser, code: codeService(settings, environment) },
    web: webServices(settings, shared.auxiliary),
    media: mediaServices(settings, shared.auxiliary, mediaAccount),
  });
  const { logger } = shared;
  const memoryTools = memory.tools;
  const tools = buildTools(options, {
    ...{ builtIn, environment, logger, allowList, processes, services },
    ...{ memoryTools, plugins, choices, hooks, subagent },
  });
  const impersonal = subagent !== undefined || options.impersonal === true;
  const prompt = promptOf(options, { environment, library, memory, skillCheck, choices, impersonal });
  const agent = createAgent({
    ...shared,
    sessionId,
    routes: options.routes,
    tools,
    memory: memory.turns,
    memoryFlush: memory.flush,
    // What a subagent says is part of the work of its agent, and no conversation with anyone.
    hooks:
      subagent !== undefined
        ? plugins.turnHooks
        : trajectories.hooksFor(plugins.turnHooks, { store: shared.store, tools }),
    prompt,
    compressesByItself: settings.compression?.enabled,
    attended: options.attended,
    ...(subagent === undefined ? { ...ownLimits(options), ...added } : subagentLimits(options, subagent)),
    interactionTimeoutMs: settings.approvals.timeoutSeconds * 1000,
  });
  return { agent, tools, prompt };
}

type PromptParts = Pick<AgentParts, 'environment' | 'memory' | 'skillCheck' | 'choices'> & {
  library: ReturnType<typeof openSkills>;
  impersonal: boolean;
};

function promptOf(options: RuntimeOptions, parts: PromptParts): LayeredPromptSource {
  const { environment, library, memory, skillCheck, choices, impersonal } = parts;
  return buildPrompt({ ...options, impersonal }, environment, {
    skills(toolNames) {
      skillCheck.later(library);
      return library.index(skillNeeds(toolNames));
    },
    memory: once(memory.snapshot),
    // How the person wants to be spoken to is nothing to a subagent: a model reads what it says.
    personality: () => (impersonal ? undefined : personalityText(options.settings, choices.personality)),
  });
}

function ownLimits({ source, maxTurns, settings }: RuntimeOptions) {
  return { source, maxIterations: maxTurns ?? settings.maxTurns, limits: settings.limits };
}

/** Its time is part of the turn that it works for, and what it spends counts there. */
function subagentLimits({ settings }: RuntimeOptions, { parentSessionId }: SubagentOptions) {
  const { turnSeconds: _, ...limits } = settings.limits;
  const { maxIterations } = settings.delegation ?? DEFAULT_DELEGATION;
  return { source: SUBAGENT_SOURCE, parentSessionId, maxIterations, limits };
}
