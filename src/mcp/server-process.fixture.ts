// A program that starts a server and can be killed: what the server says of itself is what it says.
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
