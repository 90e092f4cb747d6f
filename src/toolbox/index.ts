import { createLazyTool, type Tool } from '../tools/index.ts';
import { TOOL_MANIFEST } from './manifest.ts';

/** The tools that come with the program, always in the same order: it is part of the cached prefix. */
export function builtInTools(): Tool[] {
  return TOOL_MANIFEST.map(createLazyTool);
}
