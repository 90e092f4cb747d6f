import type { Logger, MemoryWriter, SessionReader, ToolSet } from '../../contracts/index.ts';
import { builtInTools } from '../../toolbox/index.ts';
import { createToolSet, selectTools } from '../../tools/index.ts';
import type { AgentEnvironments } from '../agent-environments.ts';
import { buildApprovalGuard } from '../approval-guard.ts';
import { chosenTools } from '../build-tools.ts';
import type { RuntimeOptions } from '../create-runtime.ts';
import { openSkills, skillService } from '../skills.ts';
import { createToolServices } from '../tool-services.ts';

/** By what they keep, with those that have to be read for that. */
export const KEEPING_TOOLS = { skills: ['skill_manage', 'skill_view', 'skills_list'], memory: ['memory'] };

type Parts = {
  environments: AgentEnvironments;
  logger: Logger;
  store: SessionReader;
  memory: MemoryWriter | undefined;
};

/** What a review may use: of these the ones that the agent has too. */
export async function openReviewTools(options: RuntimeOptions, parts: Parts): Promise<ToolSet> {
  const { settings, toolsets, workingDirectory } = options;
  const all = builtInTools();
  const keeping = Object.values(KEEPING_TOOLS).flat();
  const skills = skillService(openSkills(settings, workingDirectory), () => tools.names());
  const tools = createToolSet({
    environment: await parts.environments.open(),
    logger: parts.logger,
    services: createToolServices(parts.store, { memory: parts.memory, skills }),
    tools: all.filter(({ name }) => keeping.includes(name)),
    selection: selectTools(chosenTools(settings, toolsets), all),
    variables: settings.variables,
    // Nobody is asked in the background.
    approvals: buildApprovalGuard({ ...options, attended: false }),
  });
  return tools;
}
