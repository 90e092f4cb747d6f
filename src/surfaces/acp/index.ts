export { checkAcp } from './check.ts';
export { runAcp } from './run-acp.ts';
