import type { SandboxProblem } from './local/sandbox-program.ts';

export { childEnvironment, isSecretVariable } from './child-environment.ts';
export { createEnvironment, type EnvironmentOptions } from './create-environment.ts';
export { createExitTasks } from './exit-tasks.ts';
export { describeSandboxSystem } from './local/describe-sandbox.ts';
export { createLocalEnvironment } from './local/local.ts';
/** Why the sandbox does not work on this machine; undefined if it does. */
export async function findSandboxProblem(path: string | undefined): Promise<SandboxProblem | undefined> {
  return (await import('./local/find-sandbox.ts')).checkSandbox(path);
}
export { createOutputCollector } from './output-collector.ts';
export { terminateTree, killProcessGroup, killTree, listTree, type ProcessTree } from './process-tree.ts';
