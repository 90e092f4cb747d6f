import type { Message } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';

type Variables = CliIo['env'];

/** A program that takes the clipboard's new content on its standard input. */
type Clipboard = readonly [command: string, ...args: string[]];

const PATIENCE_MS = 2_000;
/** Terminals take no more than this by way of an escape sequence, in base64. */
const MOST_ENCODED = 74_000;

/** `/copy` and `/copy N`: the last answer, or the one N answers ago, to the clipboard; what is to be said about it. */
export async function copyAnswer(argument: string, messages: readonly Message[], io: CliIo): Promise<string> {
  const back = argument === '' ? 1 : Number(argument);
  if (!Number.isSafeInteger(back) || back < 1)
    return '/copy takes the last answer, /copy 2 the one before it, and so on.\n';
  const answers = messages.filter((message) => message.role === 'assistant' && message.content.trim() !== '');
  const text = answers.at(-back)?.content.trim();
  if (text === undefined)
    return answers.length === 0 ? 'There is no answer yet.\n' : 'There are not so many answers.\n';
  const ways = await copyText(text, io);
  if (ways.length === 0)
    return 'There is no clipboard here: no program for it, and the answer is too long for the terminal.\n';
  return `Copied ${text.length} characters (${ways.join(', ')}).\n`;
}

/** Both ways: through the terminal it also reaches a clipboard on the other end of a connection. */
async function copyText(text: string, { env, stdout }: CliIo): Promise<string[]> {
  const ways: string[] = [];
  for (const clipboard of clipboardsFor(env, process.platform)) {
    if (!(await feed(clipboard, text, env))) continue;
    ways.push(clipboard[0]);
    break;
  }
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MOST_ENCODED || env['TERM'] === 'dumb') return ways;
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
