// Starts an MCP server and keeps running, so that a test can kill this process.
import { startServerProcess } from './server-process.ts';

const [command = '', ...args] = process.argv.slice(2);
await startServerProcess(
  {
    serverName: 'it',
    command,
    args,
    env: { PATH: process.env['PATH'] ?? '' },
    directory: process.cwd(),
    hideSecrets: (text) => text,
  },
  { onOutput() {}, onExit() {} },
);
process.stdout.write('started\n');
