import { timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { errorMessage, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { Interaction, ToolContext, ToolOutcome } from '../../contracts/index.ts';
import { sectionHeading } from '../reading/sections.ts';

/** Limit of one call, which is one line. The largest calls write files. */
const MAX_LINE_LENGTH = 16_000_000;

type ToolAnswer = { ok: boolean; text: string };

export type ToolServerOptions = {
  /** Path of the Unix socket, in a private folder. */
  path: string;
  /** The first line of a client must be this token. It is accepted once. */
  token: string;
  answer(tool: string, args: JsonObject): Promise<ToolAnswer>;
};

interface ToolServer {
  close(): void;
}

/** Lets one script call tools with JSON lines over a Unix socket. */
export async function openToolServer({ path, token, answer }: ToolServerOptions): Promise<ToolServer> {
  const sockets = new Set<Socket>();
  let used = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A disconnect is not an error.
    socket.on('error', () => undefined);
    let entered = false;
    readLines(socket, (line) => {
      if (entered) return void reply(socket, line, answer);
      if (used || !isSame(line, token)) return void socket.destroy();
      entered = true;
      used = true;
      // Stop listening: no second client may connect.
      server.close();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function readLines(socket: Socket, take: (line: string) => void): void {
  // Joined only when a line is complete, so that a long line is not copied with every chunk.
  let pieces: string[] = [];
  let length = 0;
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!socket.destroyed) take(pieces.join('') + line);
      [pieces, length] = [[], 0];
    }
    pieces.push(rest);
    length += rest.length;
    if (length > MAX_LINE_LENGTH) socket.destroy();
  });
}

async function reply(socket: Socket, line: string, answer: ToolServerOptions['answer']): Promise<void> {
  const call = parseJson(line);
  const { id, tool, args = {} } = isJsonObject(call) ? call : {};
  const understood = typeof tool === 'string' && isJsonObject(args);
  const answered = understood ? await answer(tool, args).catch(failed) : INVALID_CALL;
  if (!socket.destroyed) socket.write(`${JSON.stringify({ id: id ?? null, ...answered })}\n`);
}

const INVALID_CALL: ToolAnswer = {
  ok: false,
  text: 'Call tools as tools.NAME({ … }), with one object of arguments.',
};

/** The script waits for an answer even if the call throws. */
function failed(thrown: unknown): ToolAnswer {
  return { ok: false, text: errorMessage(thrown) };
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Tools that a script may call, if the agent has them. */
const SCRIPT_TOOLS: readonly string[] = [
  'read_file',
  'write_file',
  'patch',
  'search_files',
  'terminal',
  'web_search',
  'web_extract',
];

/** Arguments of `terminal` that are rejected, because the command could outlive the script. */
const BACKGROUND = ['background', 'pty', 'notify_on_complete', 'watch_patterns'];

type ScriptCallsOptions = {
  tools: ToolContext['tools'];
  maxCalls: number;
  signal: AbortSignal;
  interaction: Interaction;
};

/** Runs the tool calls of one script through the usual path, with approvals, hooks and redaction. */
export function createScriptCalls({ tools, maxCalls, signal, interaction }: ScriptCallsOptions) {
  let count = 0;
  const running = new Set<Promise<unknown>>();

  async function answer(name: string, args: JsonObject): Promise<ToolAnswer> {
    const there = (await tools.names()).filter((each) => SCRIPT_TOOLS.includes(each));
    if (!there.includes(name)) return refuse(`Scripts cannot call ${name}. Available tools: ${there.join(', ')}.`);
    const unavailable = name === 'terminal' ? BACKGROUND.find((each) => args[each]) : undefined;
    if (unavailable !== undefined)
      return refuse(`${unavailable} is not available in scripts; commands in scripts run in the foreground.`);
    if (count >= maxCalls) return refuse(`The script has reached the limit of ${maxCalls} tool calls.`);
    count += 1;
    const call = tools.call(name, args, { signal, interaction });
    running.add(call);
    const outcome = await call.finally(() => running.delete(call));
    return toAnswer(name === 'read_file' ? { ...outcome, content: withoutNumbers(outcome.content, args) } : outcome);
  }

  return {
    answer,
    count: () => count,
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

function refuse(text: string): ToolAnswer {
  return { ok: false, text };
}

/** Removes the line numbers of `read_file`, which are not part of the file. */
function withoutNumbers(text: string, { path, offset }: JsonObject): string {
  const first = Math.max(typeof offset === 'number' ? offset : 1, 1);
  const headings = new Set([path ?? []].flat().map((each) => (typeof each === 'string' ? sectionHeading(each) : '')));
  let number = first;
  return text
    .split('\n')
    .map((line) => {
      if (headings.has(line)) number = first;
      if (!line.startsWith(`${number}|`)) return line;
      number += 1;
      return line.slice(`${number - 1}|`.length);
    })
    .join('\n');
}

/** A failed command still returns its output with its exit code; every other failure returns its error message. */
function toAnswer({ status, content }: ToolOutcome): ToolAnswer {
  if (status === 'ok') return { ok: true, text: content };
  const parsed = parseJson(content);
  const reason = isJsonObject(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : undefined;
  return reason === undefined ? { ok: status === 'error', text: content } : { ok: false, text: reason };
}
