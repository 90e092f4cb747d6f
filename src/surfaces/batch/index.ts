export type { BatchOptions, BatchReport } from './batch-options.ts';
export { readManifest } from './folder/run-manifest.ts';
export { runPaths } from './folder/run-paths.ts';
export { runBatch } from './run-batch.ts';
export type { Progress } from './running/progress.ts';
export { chooseDistribution } from './toolsets/choose-distribution.ts';
export { type Distribution, DISTRIBUTIONS } from './toolsets/distributions.ts';
