import type { ToolSet } from '../../contracts/index.ts';
import { createToolSet, selectTools } from '../../tools/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import { buildApprovalGuard } from '../approval-guard.ts';
import { chosenTools } from '../build-tools.ts';
import { NO_MEMORY } from '../memory/open-memory.ts';
import type { Services } from '../services.ts';
import { openSkills, skillService } from '../skills.ts';
import { createToolServices } from '../tool-services.ts';

/** By what they keep, with those that have to be read for that. */
export const KEEPING_TOOLS = { skills: ['skill_manage', 'skill_view', 'skills_list'], memory: ['memory'] };

export type ReviewTools = { tools: ToolSet; close(): Promise<void> };

/** What a review may use: of these tools the ones that the agent has too. Nobody is asked in the background. */
export async function openReviewTools(services: Services, reviewed: AgentBlueprint): Promise<ReviewTools> {
  const blueprint: AgentBlueprint = { ...reviewed, attended: false };
  const { settings, toolsets, workingDirectory } = blueprint;
  const all = services.builtIn.tools;
  const keeping = Object.values(KEEPING_TOOLS).flat();
  const skills = skillService(openSkills(settings, workingDirectory), () => tools.names());
  const { writer } = blueprint.impersonal ? NO_MEMORY : await services.memory.open(blueprint);
  const environment = await services.environments.open(blueprint);
  const tools = createToolSet({
    environment,
    logger: services.logger,
    services: createToolServices(services.store, { memory: writer, skills }),
    tools: all.filter(({ name }) => keeping.includes(name)),
    selection: selectTools(chosenTools(settings, toolsets), all),
    variables: settings.variables,
    approvals: buildApprovalGuard(blueprint),
  });
  return { tools, close: () => services.environments.release(environment) };
}
