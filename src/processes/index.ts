export { describeEnding } from './describe-process.ts';
export { findPatternFault } from './output-watch.ts';
export { createProcessTable } from './process-table.ts';
