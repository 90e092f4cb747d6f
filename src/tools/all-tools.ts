import { errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import type { Tool, ToolSource } from './tool.ts';

export type AllToolsOptions = {
  builtIn: readonly Tool[];
  sources: readonly ToolSource[];
  /** Names of built-in tools that third-party tools may replace. */
  replaceable: readonly string[];
  logger: Logger;
};

/** All tools by name: built-in ones, then those of MCP servers, then those of plugins. */
export interface AllTools {
  /** The order is stable, because definitions are sent in this order and providers cache them. */
  current(): ReadonlyMap<string, Tool>;
  isBuiltIn(tool: Tool): boolean;
}

export function createAllTools({ builtIn, sources, replaceable, logger }: AllToolsOptions): AllTools {
  // Each warning is logged once, not with every request.
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

  /** Third-party code: a source that throws has no tools, and the others still work. */
  function toolsOf(source: ToolSource): readonly Tool[] {
    try {
      return source.tools();
    } catch (thrown) {
      warn('could not list the tools of a source; the source is skipped', {
        source: source.name,
        error: errorMessage(thrown),
      });
      return [];
    }
  }

  return {
    isBuiltIn: (tool) => own.get(tool.name) === tool,
    current() {
      const found = inOrder.map((source) => ({ source, added: toolsOf(source) }));
      if (found.every(({ added }) => added.length === 0)) return own;
      const tools = new Map(own);
      for (const { source, added } of found) {
        for (const tool of added) {
          const fields = { tool: tool.name, source: source.name };
          if (own.has(tool.name) && !replaceable.includes(tool.name)) {
            warn('a third-party tool has the name of a built-in tool and is ignored', fields);
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
