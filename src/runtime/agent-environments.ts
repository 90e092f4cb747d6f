import { homePaths } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createEnvironment, createExitTasks } from '../environments/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { hiddenPaths } from './hidden-paths.ts';

/** The execution environments of the agents of a process. */
export type AgentEnvironments = {
  /** Each agent has its own shell, which keeps its state between commands. */
  open(
    blueprint: Pick<
      AgentBlueprint,
      'settings' | 'workingDirectory' | 'sharedFolders' | 'addedFolders' | 'wrapEnvironment'
    >,
  ): Promise<Environment>;
  /** Closes one environment; `close` closes the rest. */
  release(environment: Environment): Promise<void>;
  /** Kills all running commands now, without a grace period. Their calls get a result as usual. */
  killCommands(): void;
  close(): Promise<void>;
};

export function createAgentEnvironments(dataFolder: string): AgentEnvironments {
  const { spillFolder } = homePaths(dataFolder);
  const opened = new Set<Environment>();
  const exitTasks = createExitTasks();
  return {
    async open({ settings, workingDirectory, sharedFolders, addedFolders, wrapEnvironment }) {
      const { terminal, home, variables } = settings;
      const hidden = () => [dataFolder, ...hiddenPaths(home)];
      const folders = { workingDirectory, home, spillFolder, sharedFolders, addedFolders };
      const created = await createEnvironment({ terminal, hidden, variables, exitTasks, ...folders });
      const environment = wrapEnvironment?.(created) ?? created;
      opened.add(environment);
      return environment;
    },
    async release(environment) {
      opened.delete(environment);
      await environment.close();
    },
    killCommands: exitTasks.killCommands,
    async close() {
      await Promise.all([...opened].map((environment) => environment.close()));
    },
  };
}
