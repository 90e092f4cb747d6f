import { ConfigurationError } from '../../../base/index.ts';
import type { Runtime, ServerState } from '../../../runtime/index.ts';
import { counted } from '../../text/counted.ts';
import type { EventView } from '../output/event-view.ts';

type Servers = Runtime['servers'];

/** The state of a server in the `started` record. */
type ServerRecord = {
  name: string;
  state: 'ready' | 'idle' | 'connecting' | 'failed' | 'disabled';
  /** The number of its tools. */
  tools: number;
  error?: { message: string; hint?: string | undefined };
};

/**
 * Adds the states of all MCP servers to the `started` event, and warns about each server that cannot be used, also if
 * it fails later in the turn.
 */
export function withServerReports(view: EventView, servers: Servers, warn: (message: string) => void): EventView {
  const said = new Set<string>();
  function warnAboutNew(): void {
    for (const message of servers.states().flatMap(describeProblem)) {
      if (!said.has(message)) warn(message);
      said.add(message);
    }
  }
  return {
    ...view,
    show(event) {
      const { type } = event;
      const states = type === 'started' ? { mcpServers: servers.states().map(toRecord) } : {};
      view.show({ ...event, ...states });
      // A call may connect to a server whose tools were cached.
      if (type === 'started' || type === 'tool-finished' || type === 'finished') warnAboutNew();
    },
  };
}

/** Connects to all servers, and fails if one of them cannot be used. */
export async function assertServersUsable(servers: Servers): Promise<void> {
  const states = (await servers.connect()).filter(({ report }) => report !== undefined);
  const records = states.map(toRecord).filter(({ state }) => state !== 'ready');
  if (records.length === 0) return;
  const problems = records.map(({ name, error }) => `${name}: ${error?.message ?? 'it did not connect.'}`);
  const [only, ...others] = records;
  const hint = others.length === 0 ? only?.error?.hint : undefined;
  throw new ConfigurationError(
    `--strict-mcp: ${records.length} of ${counted(states.length, 'MCP server')} cannot be used. ${problems.join(' ')}`,
    { hint: hint ?? 'Check a server with `hermes mcp test NAME`, or set mcp_servers.NAME.enabled to false.' },
  );
}

function toRecord({ name, report }: ServerState): ServerRecord {
  if (report === undefined) return { name, state: 'disabled', tools: 0 };
  const { state, failure, tools } = report;
  if (failure === undefined || state === 'ready') return { name, state, tools: tools.length };
  const { message, hint } = failure;
  // Hermes may be reconnecting already; its tools cannot be used either way.
  return { name, state: 'failed', tools: tools.length, error: { message, hint } };
}

function describeProblem(server: ServerState): string[] {
  const { command, url } = server.settings;
  // Already reported when the configuration was read.
  if (command === undefined && url === undefined) return [];
  const { name, state, error } = toRecord(server);
  if (error !== undefined)
    return [`The MCP server ${name} cannot be used: ${[error.message, error.hint].filter(Boolean).join(' ')}`];
  if (server.report?.isLate !== true || state === 'ready') return [];
  return [`The MCP server ${name} is still connecting. The model finds its tools with tool_search when it is ready.`];
}
