export { createLocalEnvironment } from './local.ts';
