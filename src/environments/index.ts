export { childEnvironment } from './child-environment.ts';
export { createLocalEnvironment } from './local.ts';
