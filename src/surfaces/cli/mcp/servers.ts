import { loadSettings, resolveHome, updateConfig } from '../../../config/index.ts';
import {
  forgetServer,
  type InspectedServer,
  inspectServer,
  type ListedServer,
  listServers,
  loginAtServer,
} from '../../../runtime/mcp/index.ts';
import { redactSecrets, shorten } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { createLoginHooks } from '../auth/login-hooks.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';

export async function listMcp({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const servers = (await listServers(settings, io.workingDirectory)).map((server) => ({
    ...server,
    reachedBy: redactSecrets(server.reachedBy),
  }));
  if (json) {
    writeJson(io.stdout, { servers });
    return 0;
  }
  if (servers.length === 0) {
    io.stdout.write('There are no MCP servers. Add one with: hermes mcp add\n');
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const width = Math.max(...servers.map(({ name }) => name.length));
  for (const server of servers) io.stdout.write(describe(server, width, style));
  return 0;
}

function describe({ name, enabled, reachedBy, tools, login }: ListedServer, width: number, style: Style): string {
  const symbol = enabled ? style.green('✓') : style.dim('–');
  const known = tools === undefined ? 'not connected yet' : counted(tools.length, 'tool');
  const state = [enabled ? known : 'disabled', ...(login === undefined ? [] : [login])].join(', ');
  return `${symbol} ${printable(name).padEnd(width)}  ${printable(shorten(reachedBy, 90))}  ${style.dim(`(${state})`)}\n`;
}

export async function testMcp(
  name: string,
  { json }: { json?: boolean },
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const inspected = await inspectServer(settings, name, { workingDirectory: io.workingDirectory, signal });
  if (json) writeJson(io.stdout, toRecord(inspected));
  else io.stdout.write(formatInspected(inspected, createStyle(io.stdout, io.env)));
  return 0;
}

/** The JSON output of a tested server. */
export function toRecord({ report, tools, connectMs }: InspectedServer): object {
  const { name, serverVersion, protocolVersion, leftOut } = report;
  return {
    name,
    connectMs,
    serverVersion,
    protocolVersion,
    tools: tools.map(({ definition, readOnly, needsApproval }) => ({
      name: definition.name,
      description: definition.description,
      readOnly,
      asks: needsApproval,
    })),
    leftOut,
  };
}

const SHOWN = 80;

export function formatInspected({ report, tools, connectMs }: InspectedServer, style: Style): string {
  const version = report.serverVersion === undefined ? '' : ` (version ${printable(report.serverVersion)})`;
  const head = `${style.green('✓')} ${printable(report.name)}${version} connected in ${connectMs} ms, ${counted(tools.length, 'tool')}:\n`;
  const width = Math.max(0, ...tools.map(({ definition }) => definition.name.length));
  const lines = tools.map(({ definition, needsApproval }) => {
    const about = printable(shorten(definition.description, SHOWN));
    return `  ${definition.name.padEnd(width)}  ${about}${needsApproval ? style.yellow(' [needs approval]') : ''}\n`;
  });
  const left = report.leftOut.map(
    ({ name, reason }) => `${style.yellow('!')} ${printable(name)} is skipped: ${printable(reason)}\n`,
  );
  return [head, ...lines, ...left].join('');
}

/** Logs in and connects once, to check that the server accepts the login. */
export async function loginToServer(name: string, io: CliIo, signal: AbortSignal): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { show, askForCode } = createLoginHooks(io);
  const context = { workingDirectory: io.workingDirectory, signal };
  const hooks = { show: (address: string) => show({ address, pasted: false }), askForCode };
  await loginAtServer(settings, name, hooks, context);
  const { tools } = await inspectServer(settings, name, context);
  io.stdout.write(`Logged in to ${printable(name)}; it has ${counted(tools.length, 'tool')}.\n`);
  return 0;
}

export async function removeServer(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  await forgetServer(settings, name, io.workingDirectory);
  await updateConfig(home, async () => {
    const { mcpServers = {} } = await loadSettings({ home, env: io.env });
    const isLast = Object.keys(mcpServers).every((other) => other === name);
    return [{ path: isLast ? ['mcp_servers'] : ['mcp_servers', name], value: undefined }];
  });
  if (json) writeJson(io.stdout, { removed: name });
  else io.stdout.write(`Removed ${printable(name)}.\n`);
  return 0;
}
