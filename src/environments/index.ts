export { createExitTasks, type ExitTasks } from './exit-tasks.ts';
export { createLocalEnvironment } from './local.ts';
