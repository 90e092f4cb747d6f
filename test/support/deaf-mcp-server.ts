// Starts another MCP server in a session of its own, without the environment, and never passes on the end of stdin.
// The arguments are `stubborn` (ignores all signals) or `leaving` (exits at the end of stdin), the server, and a file
// to which it writes each signal.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [how, server = '', marker = ''] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE'] as const)
  process.on(signal, () => appendFileSync(marker, `${signal}\n`));
const child = spawn(process.execPath, [server, 'stdio', marker], {
  env: {},
  detached: true,
  stdio: ['pipe', 'pipe', 'ignore'],
});
process.stdin.pipe(child.stdin, { end: false });
process.stdin.on('end', () => how === 'leaving' && process.exit(0));
process.stdout.on('error', () => undefined);
child.stdout.on('data', (chunk) => process.stdout.write(chunk));
// Keeps this process and its pipe to the server open after the end of stdin.
setInterval(() => undefined, 60_000);
