import { createLazyTool, type Tool } from '../tools/index.ts';
import { TOOL_MANIFEST } from './manifest.ts';

/** The built-in tools in a fixed order, because their definitions are part of the cached request prefix. */
export function builtInTools(): Tool[] {
  return TOOL_MANIFEST.map(createLazyTool);
}
