export { createAllTools } from './all-tools.ts';
export { createLazyTool, defineTool, requireAgent, type ToolEntry } from './define-tool.ts';
export { rememberCompanies } from './for-company.ts';
export { knownTypesOnly } from './known-types.ts';
export { createSchemaTool } from './schema-tool.ts';
export { inspectTools, type SetReport, type ToolReport } from './selection/select-tools.ts';
export {
  type NameList,
  resolveNames,
  selectTools,
  type ToolChoice,
  type ToolSelection,
  whyNotChosen,
} from './selection/select-tools.ts';
export { keepWhole, whereWhole } from './result-budget.ts';
export type { StockOptions } from './stock.ts';
export type { Tool, ToolSource } from './tool.ts';
export { createToolSet } from './tool-set.ts';
export { ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from './tool-stop.ts';
export { createWorkTime, type WorkTime } from './work-time.ts';
