export { describeEnding } from './describe-process.ts';
export { validateWatchPatterns } from './output-watch.ts';
export { createProcessTable } from './process-table.ts';
