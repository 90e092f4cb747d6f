import { HermesError } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { counted } from '../../text/counted.ts';
import type { Finding } from './finding.ts';

const check = 'servers';

type Options = { offline: boolean; workingDirectory: string; signal: AbortSignal };

/** Connects to each MCP server, and lets it go. One that is broken costs its tools and no start, so it is a warning. */
export async function checkServers(
  settings: Settings,
  { offline, workingDirectory, signal }: Options,
): Promise<Finding[]> {
  const names = Object.entries(settings.mcpServers ?? {}).flatMap(([name, { enabled }]) => (enabled ? [name] : []));
  if (names.length === 0) return [];
  if (offline) return [{ check, status: 'ok', message: `MCP servers: ${names.join(', ')} (not connected to).` }];
  const { inspectServer } = await import('../../../runtime/mcp/index.ts');
  return Promise.all(
    names.map(async (name): Promise<Finding> => {
      try {
        const { tools, connectMs } = await inspectServer(settings, name, { workingDirectory, signal });
        return {
          check,
          status: 'ok',
          message: `The MCP server ${name} has ${counted(tools.length, 'tool')} (${connectMs} ms).`,
        };
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof HermesError)) throw thrown;
        const { message, hint = `Look at it with: hermes mcp test ${name}` } = thrown;
        return { check, status: 'warning', message: `The MCP server ${name} cannot be used: ${message}`, hint };
      }
    }),
  );
}
