import type { Tool } from '../tools/index.ts';
import { clarifyTool } from './clarify.ts';
import { patchTool } from './patch.ts';
import { processTool } from './process.ts';
import { readFileTool } from './read-file.ts';
import { searchFilesTool } from './search-files.ts';
import { terminalTool } from './terminal.ts';
import { todoTool } from './todo.ts';
import { writeFileTool } from './write-file.ts';

/** The tools that come with the program, always in the same order: it is part of the cached prefix. */
export function builtInTools(): Tool[] {
  return [clarifyTool, patchTool, processTool, readFileTool, searchFilesTool, terminalTool, todoTool, writeFileTool];
}
