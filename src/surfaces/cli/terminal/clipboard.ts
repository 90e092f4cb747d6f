import type { CliIo } from '../cli-io.ts';

type Variables = CliIo['env'];

/** A program that takes the clipboard's new content on its standard input. */
type Clipboard = readonly [command: string, ...args: string[]];

const PATIENCE_MS = 2_000;
/** Terminals take no more than this by way of an escape sequence, in base64. */
const MAX_ENCODED = 74_000;

/**
 * Puts a text on the clipboard; the ways that worked. Both are tried: through the terminal it also reaches a clipboard on
 * the other end of a connection.
 */
export async function copyText(text: string, { env, stdout }: CliIo): Promise<string[]> {
  const ways: string[] = [];
  for (const clipboard of clipboardsFor(env, process.platform)) {
    if (!(await feed(clipboard, text, env))) continue;
    ways.push(clipboard[0]);
    break;
  }
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MAX_ENCODED || env['TERM'] === 'dumb') return ways;
  stdout.write(`\u001b]52;c;${encoded}\u0007`);
  return [...ways, 'terminal'];
}

/** Which programs to try, in order. On a machine one is connected to, its own clipboard is nobody's. */
export function clipboardsFor(env: Variables, platform: NodeJS.Platform): Clipboard[] {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return [];
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32' || env['WSL_DISTRO_NAME']) return [['clip.exe']];
  const wayland: Clipboard[] = env['WAYLAND_DISPLAY'] ? [['wl-copy']] : [];
  const x: Clipboard[] = env['DISPLAY']
    ? [
        ['xclip', '-selection', 'clipboard'],
        ['xsel', '--clipboard', '--input'],
      ]
    : [];
  return [...wayland, ...x];
}

/** Whether the program took it. One that stays to serve the clipboard has closed its input by then. */
async function feed([command, ...args]: Clipboard, text: string, env: Variables): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env, timeout: PATIENCE_MS });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
