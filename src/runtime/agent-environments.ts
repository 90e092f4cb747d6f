import { homePaths, type Settings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createEnvironment, createExitTasks } from '../environments/index.ts';

/** Where the agents of a process run their commands. */
export type AgentEnvironments = {
  /** Each agent has a shell of its own that goes on from command to command. */
  open(): Promise<Environment>;
  /** Closes one before the others. */
  release(environment: Environment): Promise<void>;
  close(): Promise<void>;
};

export function createAgentEnvironments(
  { terminal, home, variables }: Pick<Settings, 'terminal' | 'home' | 'variables'>,
  workingDirectory: string,
): AgentEnvironments {
  const { spillFolder } = homePaths(home);
  const opened = new Set<Environment>();
  const exitTasks = createExitTasks();
  return {
    async open() {
      const options = { terminal, workingDirectory, home, variables, spillFolder, exitTasks };
      const environment = await createEnvironment(options);
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
