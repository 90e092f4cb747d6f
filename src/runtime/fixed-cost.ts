import { systemClock } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createProcessTable } from '../processes/index.ts';
import type { PromptLayer } from '../prompt/index.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTools } from './build-tools.ts';
import { fileSnapshot } from './memory/open-memory.ts';
import { openSkills, skillNeeds } from './skills.ts';
import { describeToolServices } from './tool-services.ts';

/** What every call to a model carries before a word was said. */
export type FixedCost = {
  system: PromptLayer[];
  /** The definition of each tool as it is sent, without the frame that an API mode puts around it. */
  tools: PromptLayer[];
  /** What was left out, and why. */
  warnings: string[];
};

export async function measureFixedCost(
  settings: Settings,
  options: { workingDirectory: string; toolsets?: readonly string[] | undefined },
): Promise<FixedCost> {
  const { workingDirectory, toolsets } = options;
  const environment = createLocalEnvironment({ workingDirectory });
  const start = { settings, routes: [], workingDirectory, source: 'cli', attended: true };
  const allowList = { add() {}, settled: async () => undefined };
  const asked = { ...start, ...(toolsets && { toolsets }) };
  const tools = buildTools(asked, {
    ...{ environment, allowList, logger: silentLogger },
    processes: createProcessTable(),
    services: describeToolServices(settings),
  });
  const library = openSkills(settings, workingDirectory);
  const prompt = buildPrompt(start, environment, {
    skills: (toolNames) => library.index(skillNeeds(toolNames)),
    memory: fileSnapshot(settings),
  });
  const definitions = await tools.definitions();
  const { model = 'model', provider = 'provider' } = settings.model;
  const warnings: string[] = [];
  const system = await prompt.layers({
    warn: (message) => warnings.push(message),
    ...{ model, provider, systemMessage: undefined, now: systemClock.now() },
    toolNames: await tools.names(),
  });
  return { system, tools: definitions.map((tool) => ({ name: tool.name, text: JSON.stringify(tool) })), warnings };
}
