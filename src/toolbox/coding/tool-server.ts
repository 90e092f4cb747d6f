import { timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { errorMessage, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { Interaction, ToolContext, ToolOutcome } from '../../contracts/index.ts';

/** One line is one call, and no call needs more: a file that is written is the largest there is. */
const LONGEST_LINE = 16_000_000;

type ToolAnswer = { ok: boolean; text: string };

export type ToolServerOptions = {
  /** Where it listens: a path in a private folder. */
  path: string;
  /** Who says this first is let in, once; nobody else ever is. */
  token: string;
  answer(tool: string, args: JsonObject): Promise<ToolAnswer>;
};

interface ToolServer {
  close(): void;
}

/** Lets one program call tools: lines of JSON over a socket, each answered when it is done. */
export async function openToolServer({ path, token, answer }: ToolServerOptions): Promise<ToolServer> {
  const sockets = new Set<Socket>();
  let used = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A program that goes away is no fault of ours.
    socket.on('error', () => undefined);
    let entered = false;
    readLines(socket, (line) => {
      if (entered) return void reply(socket, line, answer);
      if (used || !isSame(line, token)) return void socket.destroy();
      entered = true;
      used = true;
      // From here on there is no door at all.
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
  // Put together only when a line is whole: otherwise a long one would be copied with each of its pieces.
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
    if (length > LONGEST_LINE) socket.destroy();
  });
}

async function reply(socket: Socket, line: string, answer: ToolServerOptions['answer']): Promise<void> {
  const call = parseJson(line);
  const { id, tool, args = {} } = isJsonObject(call) ? call : {};
  const understood = typeof tool === 'string' && isJsonObject(args);
  const answered = understood ? await answer(tool, args).catch(failed) : NO_CALL;
  if (!socket.destroyed) socket.write(`${JSON.stringify({ id: id ?? null, ...answered })}\n`);
}

const NO_CALL: ToolAnswer = {
  ok: false,
  text: 'A call has the form tools.NAME({ … }), with one object of arguments.',
};

/** Nobody waits for this promise, and the script waits for an answer. */
function failed(thrown: unknown): ToolAnswer {
  return { ok: false, text: errorMessage(thrown) };
}

/** Takes as long for one that is nearly right as for any other. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What a script can call, where its agent has it. */
const REACHABLE: readonly string[] = [
  'read_file',
  'write_file',
  'patch',
  'search_files',
  'terminal',
  'web_search',
  'web_extract',
];

/** Arguments of `terminal` for what goes on when the script is over. */
const BACKGROUND = ['background', 'pty', 'notify_on_complete', 'watch_patterns'];

type ScriptCallsOptions = {
  tools: ToolContext['tools'];
  maxCalls: number;
  signal: AbortSignal;
  interaction: Interaction;
};

/** Answers the calls of one script: each goes the way of any other call, with its approvals, hooks and redaction. */
export function createScriptCalls({ tools, maxCalls, signal, interaction }: ScriptCallsOptions) {
  let count = 0;
  const running = new Set<Promise<unknown>>();

  async function answer(name: string, args: JsonObject): Promise<ToolAnswer> {
    const there = (await tools.names()).filter((each) => REACHABLE.includes(each));
    if (!there.includes(name)) return refuse(`A script has no tool ${name}. It has: ${there.join(', ')}.`);
    const beyond = name === 'terminal' ? BACKGROUND.find((each) => args[each]) : undefined;
    if (beyond !== undefined) return refuse(`${beyond} is not for scripts: their commands run in the foreground.`);
    if (count >= maxCalls) return refuse(`A script may call tools ${maxCalls} times, and has.`);
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

/** A program works on what stands in a file, and the numbers of its lines do not. */
function withoutNumbers(text: string, { offset }: JsonObject): string {
  let number = Math.max(typeof offset === 'number' ? offset : 1, 1);
  return text
    .split('\n')
    .map((line) => {
      if (!line.startsWith(`${number}|`)) return line;
      number += 1;
      return line.slice(`${number - 1}|`.length);
    })
    .join('\n');
}

/** A command that failed still has its output, and says how it ended; everything else that failed has a reason. */
function toAnswer({ status, content }: ToolOutcome): ToolAnswer {
  if (status === 'ok') return { ok: true, text: content };
  const parsed = parseJson(content);
  const reason = isJsonObject(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : undefined;
  return reason === undefined ? { ok: status === 'error', text: content } : { ok: false, text: reason };
}
