import { homePaths, type Settings, type TerminalSettings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createEnvironment, createExitTasks } from '../environments/index.ts';

/** Where one agent works, as far as that differs from the others. */
export type AgentPlace = { workingDirectory?: string; terminal?: TerminalSettings };

/** Where the agents of a process run their commands. */
export type AgentEnvironments = {
  /** Each agent has a shell of its own that goes on from command to command. */
  open(place?: AgentPlace): Promise<Environment>;
  /** Closes one before the others. */
  release(environment: Environment): Promise<void>;
  close(): Promise<void>;
};

export function createAgentEnvironments(
  { terminal, home, variables }: Pick<Settings, 'terminal' | 'home' | 'variables'>,
  workingDirectory: string,
  dataFolder: string,
): AgentEnvironments {
  const { spillFolder } = homePaths(dataFolder);
  const opened = new Set<Environment>();
  const exitTasks = createExitTasks();
  return {
    async open(place) {
      const usual = { terminal, workingDirectory, home, variables, spillFolder, exitTasks };
      const environment = await createEnvironment({ ...usual, ...place });
      opened.add(environment);
      return environment;
    },
    async release(environment) {
      opened.delete(environment);
      await environment.close();
    },
    async close() {
      await Promise.all([...opened].map((environment) => environment.close()));
    },
  };
}
