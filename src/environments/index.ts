export { childEnvironment } from './child-environment.ts';
export { createLocalEnvironment, type LocalEnvironmentOptions } from './local.ts';
