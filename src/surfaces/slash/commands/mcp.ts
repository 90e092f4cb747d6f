import type { ToolSet } from '../../../contracts/index.ts';
import type { ServerState } from '../../../runtime/index.ts';
import { nearestNames } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { printable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

const NONE = 'No MCP servers are configured. Add one with `hermes mcp add`, then use /reload-mcp to connect.\n';
const REACHABLE =
  'The tools changed. The model finds new ones with tool_search until the next compression, so the prompt cache stays valid.\n';
const HOW = '/mcp NAME lists the tools of a server, /reload-mcp reconnects all servers.\n';

/** `/mcp`: lists all MCP servers and their states; with a name, one server and its tools. */
export function mcpCommand({ runtime, print, columns }: SlashContext, argument: string): void {
  const states = runtime.servers.states();
  if (states.length === 0) return print(NONE);
  if (argument === '') return print(formatPairs(states.map(rowOf), columns) + HOW);
  const state = states.find(({ name }) => name === argument);
  if (state === undefined) return print(unknown(argument, states));
  const { tools = [], leftOut = [] } = state.report ?? {};
  const lines = tools.map((tool) => `    ${printable(tool)}\n`);
  const without = leftOut.map(({ name, reason }) => [`- ${printable(name)}`, reason] as const);
  print(
    formatPairs([rowOf(state)], columns) + lines.join('') + (without.length > 0 ? formatPairs(without, columns) : ''),
  );
}

/**
 * `/reload-mcp`: reads the server settings again and reconnects. The offered tools stay as they are, so that the prompt
 * cache stays valid; the model gets a notice about new ones.
 */
export async function reloadMcpCommand({ runtime, session, print, columns }: SlashContext): Promise<void> {
  const before = toolsOf(runtime.servers.states());
  await runtime.servers.reload();
  await session.reopen();
  const states = runtime.servers.states();
  if (states.length === 0) return print(NONE);
  print(formatPairs(states.map(rowOf), columns));
  if (toolsOf(states) !== before) print(describeChange(session.opened().tools));
}

/** A session without the tool bridge cannot find new tools, so its tools are offered again. */
function describeChange(tools: Pick<ToolSet, 'offer' | 'renewOffer'>): string {
  const offered = tools.offer?.()?.tools;
  if (offered === undefined) return 'The tools changed.\n';
  if (offered.some(({ definition }) => definition.name === 'tool_search')) return REACHABLE;
  tools.renewOffer?.();
  return 'The tools changed, so the next request misses the prompt cache.\n';
}

function rowOf(state: ServerState): [name: string, about: string] {
  return [printable(state.name), describe(state)];
}

function describe({ report }: ServerState): string {
  if (report === undefined) return 'disabled';
  const { state, list, tools, failure, serverVersion } = report;
  const has = list === 'none' ? '' : `, ${counted(tools.length, 'tool')}${list === 'cache' ? ' (cached)' : ''}`;
  const failed = () => `failed${has}: ${[failure?.message, failure?.hint].filter(Boolean).join(' ')}`;
  switch (state) {
    case 'ready':
      return `connected${serverVersion === undefined ? '' : ` (version ${serverVersion})`}${has}`;
    case 'connecting':
      // A retry does not hide why the last attempt failed.
      return failure === undefined ? `connecting${has}` : failed();
    case 'failed':
      return failed();
    case 'idle':
      return `not connected${has}`;
  }
}

function unknown(name: string, states: readonly ServerState[]): string {
  const names = states.map((state) => state.name);
  const [near] = nearestNames(name, names, 1);
  const perhaps = near === undefined ? `Configured servers: ${names.join(', ')}.` : `Did you mean ${near}?`;
  return `Unknown MCP server "${printable(name)}". ${printable(perhaps)}\n`;
}

function toolsOf(states: readonly ServerState[]): string {
  return states.flatMap(({ report }) => report?.tools ?? []).join('\n');
}
