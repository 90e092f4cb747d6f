import { operatingSystem } from '../../../util/index.ts';
import { type ClipboardCommand, clipboardCommands } from '../../../util/operating-system/clipboard-commands.ts';
import type { CliIo } from '../cli-io.ts';

type Variables = CliIo['env'];

const TIMEOUT_MS = 2_000;
/** The maximum length of base64 text that terminals accept in an OSC 52 sequence. */
const MAX_ENCODED_LENGTH = 74_000;

/**
 * Copies text to the clipboard and returns the methods that worked. Both are tried, because the escape sequence also
 * reaches the clipboard of the local machine in an SSH session.
 */
export async function copyText(text: string, { env, stdout }: CliIo): Promise<string[]> {
  const ways: string[] = [];
  for (const clipboard of clipboardCommands(env, operatingSystem())) {
    if (!(await pipeToCommand(clipboard, text, env))) continue;
    ways.push(clipboard[0]);
    break;
  }
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MAX_ENCODED_LENGTH || env['TERM'] === 'dumb') return ways;
  stdout.write(`\u001b]52;c;${encoded}\u0007`);
  return [...ways, 'terminal'];
}

/**
 * Returns whether the program exited with code 0. A program that keeps serving the clipboard does so in a child
 * process.
 */
async function pipeToCommand([command, ...args]: ClipboardCommand, text: string, env: Variables): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env, timeout: TIMEOUT_MS });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
