export { templateOf } from './place.ts';
export { openSummaries } from './summaries.ts';
export { createTrajectoryReader } from './stored-trajectories.ts';
