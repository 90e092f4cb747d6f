import { ATTACHMENT_LIMITS } from '../../../base/index.ts';
import { operatingSystem } from '../../../util/index.ts';
import {
  type ClipboardCommand,
  clipboardCommands,
  type ClipboardImageCommand,
  clipboardImageCommands,
} from '../../../util/operating-system/clipboard-commands.ts';
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

const IMAGE_TIMEOUT_MS = 5_000;

/** The image in the clipboard of the system; undefined if there is none, or no program that can read it. */
export async function readClipboardImage(env: Variables): Promise<Uint8Array | undefined> {
  for (const { command, encoding } of clipboardImageCommands(env, operatingSystem())) {
    const output = await readFromCommand(command, env);
    const bytes = output && decodeImage(output, encoding);
    if (bytes !== undefined && bytes.byteLength > 0) return bytes;
  }
  return undefined;
}

async function readFromCommand([command, ...args]: ClipboardCommand, env: Variables): Promise<Buffer | undefined> {
  const { execFile } = await import('node:child_process');
  // Hexadecimal output has two characters per byte.
  const limits = { timeout: IMAGE_TIMEOUT_MS, maxBuffer: ATTACHMENT_LIMITS.bytes * 2 + 1000 };
  return new Promise((resolve) => {
    execFile(command, args, { env, encoding: 'buffer', ...limits }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

function decodeImage(output: Buffer, encoding: ClipboardImageCommand['encoding']): Uint8Array {
  if (encoding === 'binary') return output;
  const text = output.toString('latin1');
  // AppleScript prints «data PNGf89504E47…».
  if (encoding === 'hex') return Buffer.from(/PNGf([\dA-F]+)/i.exec(text)?.[1] ?? '', 'hex');
  return Buffer.from(text.trim(), 'base64');
}
