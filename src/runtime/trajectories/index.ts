export { templateOf } from './turn-saving.ts';
export { openSummaries } from './summaries.ts';
export { createTrajectoryReader } from './stored-trajectories.ts';
