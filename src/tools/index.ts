export { defineTool, requireAgent } from './define-tool.ts';
export { createLazyTool, type ToolEntry } from './lazy-tool.ts';
export type { Tool, ToolSource } from './tool.ts';
export { createToolSet } from './tool-set.ts';
export { ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from './tool-stop.ts';
export { describeSets } from './selection/describe-sets.ts';
export { type NameList, selectTools } from './selection/select-tools.ts';
