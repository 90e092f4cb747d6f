import { errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import type { Tool, ToolSource } from './tool.ts';

export type AllToolsOptions = {
  builtIn: readonly Tool[];
  sources: readonly ToolSource[];
  /** Built-in tools that others may replace. */
  replaceable: readonly string[];
  logger: Logger;
};

/** The tools by name: built-in, then those of servers, then those of plugins. */
export interface AllTools {
  /** Keeps the order in which tools came: it is the order of the definitions, which providers cache. */
  current(): ReadonlyMap<string, Tool>;
  isBuiltIn(tool: Tool): boolean;
}

export function createAllTools({ builtIn, sources, replaceable, logger }: AllToolsOptions): AllTools {
  // What was said once about two tools is not said again at every request.
  const said = new Set<string>();
  const warn = (message: string, fields: Record<string, string>) => {
    const key = JSON.stringify([message, fields]);
    if (!said.has(key)) logger.warn(message, fields);
    said.add(key);
  };
  const own = new Map<string, Tool>();
  for (const tool of builtIn) {
    if (own.has(tool.name)) warn('two tools have the same name; the later one is used', { tool: tool.name });
    own.set(tool.name, tool);
  }
  const inOrder = [...sources].sort((a, b) => a.kind.localeCompare(b.kind));

  /** Code of others: one that fails has no tools, and the rest goes on. */
  function toolsOf(source: ToolSource): readonly Tool[] {
    try {
      return source.tools();
    } catch (thrown) {
      warn('the tools of a source could not be listed; it is left out', {
        source: source.name,
        error: errorMessage(thrown),
      });
      return [];
    }
  }

  return {
    isBuiltIn: (tool) => own.get(tool.name) === tool,
    current() {
      if (inOrder.length === 0) return own;
      const tools = new Map(own);
      for (const source of inOrder) {
        for (const tool of toolsOf(source)) {
          const fields = { tool: tool.name, source: source.name };
          if (own.has(tool.name) && !replaceable.includes(tool.name)) {
            warn('a tool of others has the name of a built-in one and is not used', fields);
            continue;
          }
          if (tools.has(tool.name)) warn('two tools have the same name; the later one is used', fields);
          tools.set(tool.name, tool);
        }
      }
      return tools;
    },
  };
}
