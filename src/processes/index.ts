export { describeEnding } from './describe-process.ts';
export { findPatternFault } from './line-matcher.ts';
export { createProcessTable } from './process-table.ts';
