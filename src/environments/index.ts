export { childEnvironment, isSecretVariable } from './child-environment.ts';
export { createEnvironment, type EnvironmentOptions } from './create-environment.ts';
export { createExitTasks } from './exit-tasks.ts';
export { createLocalEnvironment } from './local/local.ts';
export { createOutputCollector } from './output-collector.ts';
export { terminateTree, killProcessGroup, killTree, type ProcessTree } from './process-tree.ts';
