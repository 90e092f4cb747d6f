export { describeEnding } from './describe-process.ts';
export { createProcessTable } from './process-table.ts';
export { findPatternFault } from './watched-lines.ts';
