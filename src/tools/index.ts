export {
  defineTool,
  requireAgent,
  type Tool,
  type ToolAnswer,
  type ToolRunContext,
  type ToolSpecification,
} from './define-tool.ts';
export { type AgentlessToolSet, createToolSet, type ToolSetOptions } from './tool-set.ts';
export { ToolDenied, ToolFailure, ToolInterrupted } from './tool-stop.ts';
