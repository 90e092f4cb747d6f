import type { ServerState } from '../../../runtime/index.ts';
import { nearestNames } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { showable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

const NONE = 'There are no MCP servers. `hermes mcp add` adds one, and /reload-mcp connects to it.\n';
const HOW = '/mcp NAME shows the tools of one, /reload-mcp connects to all of them again.\n';

/** `/mcp`: all servers and how they are; with a name, one of them with its tools. */
export function mcpCommand({ runtime, print, columns }: SlashContext, argument: string): void {
  const states = runtime.servers.states();
  if (states.length === 0) return print(NONE);
  if (argument === '') return print(formatPairs(states.map(rowOf), columns) + HOW);
  const state = states.find(({ name }) => name === argument);
  if (state === undefined) return print(unknown(argument, states));
  const { tools = [], leftOut = [] } = state.report ?? {};
  const lines = tools.map((tool) => `    ${showable(tool)}\n`);
  const without = leftOut.map(({ name, reason }) => [`- ${showable(name)}`, reason] as const);
  print(
    formatPairs([rowOf(state)], columns) + lines.join('') + (without.length > 0 ? formatPairs(without, columns) : ''),
  );
}

/** `/reload-mcp`: the servers as the settings name them now. The session is opened anew, so that it has their tools. */
export async function reloadMcpCommand({ runtime, session, print, columns }: SlashContext): Promise<void> {
  const before = toolsOf(runtime.servers.states());
  await runtime.servers.reload();
  await session.reopen();
  const states = runtime.servers.states();
  if (states.length === 0) return print(NONE);
  print(formatPairs(states.map(rowOf), columns));
  if (toolsOf(states) !== before)
    print('The provider reads the conversation anew once, because the tools stand before it.\n');
}

function rowOf(state: ServerState): [name: string, about: string] {
  return [showable(state.name), describe(state)];
}

function describe({ report }: ServerState): string {
  if (report === undefined) return 'switched off';
  const { state, list, tools, failure, serverVersion } = report;
  const has =
    list === 'none' ? '' : `, ${counted(tools.length, 'tool')}${list === 'cache' ? ' as of the last time' : ''}`;
  switch (state) {
    case 'ready':
      return `connected${serverVersion === undefined ? '' : ` (version ${serverVersion})`}${has}`;
    case 'connecting':
      return `connecting${has}`;
    case 'failed':
      return `failed${has}: ${[failure?.message, failure?.hint].filter(Boolean).join(' ')}`;
    case 'idle':
      return `not connected${has}`;
  }
}

function unknown(name: string, states: readonly ServerState[]): string {
  const names = states.map((state) => state.name);
  const [near] = nearestNames(name, names, 1);
  const perhaps = near === undefined ? `there are ${names.join(', ')}` : `perhaps ${near}?`;
  return `There is no MCP server "${showable(name)}"; ${showable(perhaps)}\n`;
}

function toolsOf(states: readonly ServerState[]): string {
  return states.flatMap(({ report }) => report?.tools ?? []).join('\n');
}
