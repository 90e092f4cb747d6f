import { systemClock } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { silentLogger, type ToolDefinition, type ToolSet } from '../contracts/index.ts';
import { createLocalEnvironment, describeSandboxSystem } from '../environments/index.ts';
import type { PromptLayer } from '../prompt/index.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTools, shareTools } from './build-tools.ts';
import { cachedSources } from './connect-servers.ts';
import { fileSnapshot } from './memory/open-memory.ts';
import { personalityText, startChoices } from './session-choices.ts';
import { openSkills, skillNeeds } from './skills.ts';
import { describeToolServices } from './tool-services.ts';

export type PreviewOptions = {
  workingDirectory: string;
  toolsets?: readonly string[] | undefined;
  model: string;
  provider: string;
  /** When the session began; now by default. */
  startedAt?: number;
  contextLength?: number | undefined;
};

/**
 * What a session started here would send to its model: the prompt layers and the tool definitions. Building the
 * preview opens nothing.
 */
export type SessionPreview = {
  layers: PromptLayer[];
  definitions: readonly ToolDefinition[];
  toolNames: readonly string[];
  /** Describes these tools, including those that are reached through the tool bridge. */
  describe: ToolSet['describe'];
  warnings: string[];
  /** Whether a prompt was built for other tools than these. */
  isForOtherTools(prompt: string): boolean;
};

export async function previewSession(settings: Settings, options: PreviewOptions): Promise<SessionPreview> {
  const { workingDirectory, toolsets, model, provider, contextLength } = options;
  const local = createLocalEnvironment({ workingDirectory });
  const { backend, sandboxNetwork: network } = settings.terminal;
  // Nothing is opened, so the sandbox is only described.
  const sandbox = { sandbox: { network, outside: local }, system: describeSandboxSystem(network) };
  const environment = backend === 'sandbox' ? { ...local, ...sandbox } : local;
  const sources = await cachedSources(settings, workingDirectory);
  const blueprint = { settings, source: 'cli', surface: 'cli', attended: true, toolsets };
  const choices = startChoices(settings, {});
  // Loaded on demand, because this module is part of every start.
  const { createProcessTable } = await import('../processes/index.ts');
  const tools = buildTools(blueprint, {
    builtIn: shareTools(),
    environment,
    logger: silentLogger,
    processes: createProcessTable(),
    services: describeToolServices(settings),
    sources,
    choices,
    dataFolder: settings.home,
  });
  const library = openSkills(settings, workingDirectory);
  const prompt = buildPrompt(blueprint, environment, {
    skills: (toolNames) => library.index(skillNeeds(toolNames)),
    memory: fileSnapshot(settings),
    personality: () => personalityText(settings, choices.personality),
  });
  const toolNames = await tools.names();
  const warnings: string[] = [];
  const layers = await prompt.layers({
    warn: (message) => warnings.push(message),
    model,
    provider,
    systemMessage: undefined,
    now: options.startedAt ?? systemClock.now(),
    toolNames,
  });
  return {
    layers,
    toolNames,
    warnings,
    describe: tools.describe,
    definitions: await tools.definitions(contextLength),
    isForOtherTools: (text) => prompt.isForOtherTools?.(text, toolNames) ?? false,
  };
}

/** The fixed part of every request, before any message. */
export type FixedCost = {
  system: PromptLayer[];
  /** The definition of each tool as JSON, without what an API mode adds around it. */
  tools: PromptLayer[];
  /** What was omitted, and why. */
  warnings: string[];
};

export async function measureFixedCost(
  settings: Settings,
  options: { workingDirectory: string; toolsets?: readonly string[] | undefined },
): Promise<FixedCost> {
  const { model = 'model', provider = 'provider' } = settings.model;
  const offer = await previewSession(settings, { ...options, model, provider });
  const tools = offer.definitions.map((tool) => ({ name: tool.name, text: JSON.stringify(tool) }));
  return { system: offer.layers, tools, warnings: offer.warnings };
}
