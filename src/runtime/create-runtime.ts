import { OWNER } from '../base/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { createAgent, type OpenedAgent } from './create-agent.ts';
import { openServices, type Services, type ServicesOptions } from './services.ts';
import { openSkills } from './skills.ts';

/** The services and one blueprint, for programs whose agents are mostly alike. */
export interface Runtime extends Services {
  /** The blueprint for new agents. Replace it to change agents that are opened later. */
  blueprint: AgentBlueprint;
  openAgent(changes?: Partial<AgentBlueprint>): Promise<OpenedAgent>;
  /** The skills of the home directory and of the project in the working directory. */
  skills(): ReturnType<typeof openSkills>;
  warnings(): string[];
}

export type RuntimeOptions = Omit<ServicesOptions, 'interactive'> &
  Omit<AgentBlueprint, 'surface' | 'actor'> &
  Partial<Pick<AgentBlueprint, 'surface' | 'actor'>>;

export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const services = await openServices({ ...options, interactive: options.attended });
  const { source, surface = source, actor = OWNER } = options;
  return withBlueprint(services, { ...options, surface, actor });
}

/** A runtime of services that are open already, for processes with one blueprint per session. */
export function withBlueprint(services: Services, blueprint: AgentBlueprint): Runtime {
  const runtime: Runtime = {
    ...services,
    blueprint,
    openAgent: (changes) => createAgent(services, { ...runtime.blueprint, ...changes }),
    skills: () => openSkills(runtime.blueprint.settings, runtime.blueprint.workingDirectory),
    warnings: () => services.warningsFor(runtime.blueprint),
  };
  return runtime;
}
