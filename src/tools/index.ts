export { createAllTools } from './all-tools.ts';
export { approveCall } from './approve-call.ts';
export { createLazyTool, defineTool, requireAgent, type ToolEntry, type ToolSpecification } from './define-tool.ts';
export type { ParameterSchema } from './json-schema.ts';
export { createPassageResolver } from './conditional-passages.ts';
export { removeUnknownTypes } from './known-types.ts';
export { createRegisteredTool, createSchemaTool } from './schema-tool.ts';
export {
  inspectTools,
  type NameList,
  findUnknownNames,
  resolveNames,
  selectTools,
  type SetReport,
  type ToolChoice,
  type ToolReport,
  type ToolSelection,
  whyNotChosen,
} from './selection/select-tools.ts';
export { saveFullText, describeFullText } from './result-budget.ts';
export type { ToolCatalogOptions } from './tool-catalog.ts';
export { AnswerWithImages, type Tool, type ToolAnswer, type ToolSource } from './tool.ts';
export { createToolSet } from './tool-set.ts';
export {
  isToolStop,
  OwnText,
  QuotingFailure,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
  ToolInterrupted,
} from './tool-stop.ts';
export { createWorkTime, type WorkTime } from './work-time.ts';
