export {
  defineTool,
  requireAgent,
  type Tool,
} from './define-tool.ts';
export { createToolSet } from './tool-set.ts';
export { ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from './tool-stop.ts';
