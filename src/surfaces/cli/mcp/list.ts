import { loadSettings, resolveHome } from '../../../config/index.ts';
import { type ListedServer, listServers } from '../../../runtime/mcp/index.ts';
import { redactSecrets, shorten } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable, type Style } from '../style.ts';

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
  const mark = enabled ? style.green('✓') : style.dim('–');
  const known = tools === undefined ? 'not connected to yet' : counted(tools.length, 'tool');
  const state = [enabled ? known : 'switched off', ...(login === undefined ? [] : [login])].join(', ');
  return `${mark} ${showable(name).padEnd(width)}  ${showable(shorten(reachedBy, 90))}  ${style.dim(`(${state})`)}\n`;
}
