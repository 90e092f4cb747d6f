export { createCheckpoints } from './checkpoints.ts';
export { listDirectories, removeDirectory } from './limits.ts';
