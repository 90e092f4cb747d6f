import { loadSettings, resolveHome, updateConfig } from '../../../config/index.ts';
import { forgetServer } from '../../../runtime/mcp/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';

export async function removeServer(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  await forgetServer(settings, name, io.workingDirectory);
  const isLast = Object.keys(settings.mcpServers ?? {}).length === 1;
  await updateConfig(home, [{ path: isLast ? ['mcp_servers'] : ['mcp_servers', name], value: undefined }]);
  if (json) writeJson(io.stdout, { removed: name });
  else io.stdout.write(`Removed ${showable(name)}.\n`);
  return 0;
}
