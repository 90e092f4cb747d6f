import { type Agent, createAgent } from '../agent/index.ts';
import type { Clock } from '../base/index.ts';
import type {
  AuxiliaryModels,
  AuxiliarySpending,
  Environment,
  Hooks,
  Logger,
  ModelPreferences,
  Notices,
  ProcessTable,
  SessionApprovals,
  SessionStore,
  ToolSet,
} from '../contracts/index.ts';
import type { LayeredPromptSource } from '../prompt/index.ts';
import type { AllowList } from './allow-list.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTools } from './build-tools.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { RuntimeMemory } from './memory/open-memory.ts';
import type { RuntimeContext } from './open-context.ts';
import { personalityText, type SessionChoices } from './session-choices.ts';
import { openSkills, type SkillCheck, skillNeeds, skillService } from './skills.ts';
import { createToolServices } from './tool-services.ts';

type Shared = RuntimeContext & {
  store: SessionStore;
  approvals: SessionApprovals;
  logger: Logger;
  clock: Clock;
  auxiliary: AuxiliaryModels | undefined;
  auxiliarySpending: AuxiliarySpending | undefined;
  preferences: ModelPreferences;
  environment: Environment;
  processes: ProcessTable;
  hooks: readonly Hooks[];
  notices: Notices;
  skillCheck: SkillCheck;
  memory: RuntimeMemory;
  choices: SessionChoices;
};

/** A prompt that is built anew for another model has the memory it had: what was written since is for the next session. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => (asked ??= ask());
}

/** Each agent gets tools and approvals of its own: what one session allowed means nothing to another. */
export function buildAgent(
  options: RuntimeOptions,
  { environment, processes, hooks, memory, skillCheck, choices, ...shared }: Shared,
  allowList: AllowList,
  sessionId: string | undefined,
): { agent: Agent; tools: ToolSet; prompt: LayeredPromptSource } {
  const { settings } = options;
  const library = openSkills(settings, options.workingDirectory);
  const services = createToolServices(shared.store, {
    memory: memory.writer,
    skills: skillService(library, () => tools.names()),
  });
  const { logger } = shared;
  const memoryTools = memory.tools;
  const tools = buildTools(options, {
    environment,
    logger,
    allowList,
    processes,
    services,
    memoryTools,
    choices,
    hooks,
  });
  const prompt = buildPrompt(options, environment, {
    skills(toolNames) {
      skillCheck.later(library);
      return library.index(skillNeeds(toolNames));
    },
    memory: once(memory.snapshot),
    personality: () => personalityText(settings, choices.personality),
  });
  const agent = createAgent({
    ...shared,
    sessionId,
    routes: options.routes,
    tools,
    memory: memory.turns,
    memoryFlush: memory.flush,
    prompt,
    compressesByItself: settings.compression?.enabled,
    source: options.source,
    attended: options.attended,
    maxIterations: options.maxTurns ?? settings.maxTurns,
    limits: settings.limits,
    interactionTimeoutMs: settings.approvals.timeoutSeconds * 1000,
  });
  options.onSessionOpened?.(agent.sessionId);
  return { agent, tools, prompt };
}
