import { loadSettings, resolveHome } from '../../../config/index.ts';
import { inspectServer, loginAtServer } from '../../../runtime/mcp/index.ts';
import { createLoginHooks } from '../auth/login-hooks.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

/** Logs in, and connects once: a login that the server does not take is better known now. */
export async function loginToServer(name: string, io: CliIo, signal: AbortSignal): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { show, askForCode } = createLoginHooks(io);
  const surroundings = { workingDirectory: io.workingDirectory, signal };
  const hooks = { show: (address: string) => show({ address, pasted: false }), askForCode };
  await loginAtServer(settings, name, hooks, surroundings);
  const { tools } = await inspectServer(settings, name, surroundings);
  io.stdout.write(`Logged in at ${showable(name)}; it has ${counted(tools.length, 'tool')}.\n`);
  return 0;
}
