import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A model in a separate process that calls a tool four times and then answers. Prints its URL as the first line.
 * `/control` configures it and returns its statistics: the time from the first request to the last answer.
 */
type Settings = { latencyMs: number; tool: 'todo' | 'terminal'; hold: boolean };
type Seen = { requests: number; open: number; firstAt: number | undefined; lastAt: number };

const CALLS = 4;
let settings: Settings = { latencyMs: 0, tool: 'todo', hold: false };
let seen: Seen = { requests: 0, open: 0, firstAt: undefined, lastAt: 0 };
let released = Promise.withResolvers<void>();

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === '/control') void control(request, response);
  else if (request.method === 'POST') void answer(request, response);
  else response.writeHead(404).end();
});

async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  response.end(JSON.stringify(seen));
  if (body === '') return;
  settings = { ...settings, ...(JSON.parse(body) as Partial<Settings>) };
  if (!settings.hold) {
    released.resolve();
    released = Promise.withResolvers();
  }
  seen = { requests: 0, open: 0, firstAt: undefined, lastAt: 0 };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  seen.firstAt ??= performance.now();
  seen.requests += 1;
  seen.open += 1;
  const { latencyMs, tool, hold } = settings;
  const { messages } = JSON.parse(await bodyOf(request)) as { messages: { role: string }[] };
  const done = messages.filter(({ role }) => role === 'tool').length;
  if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
  if (hold && done === CALLS) await released.promise;
  const call =
    tool === 'todo' ? '{"todos":[{"id":"1","content":"count","status":"pending"}]}' : '{"command":"echo step"}';
  const functionCall = {
    index: 0,
    id: `call_${done + 1}`,
    type: 'function',
    function: { name: tool, arguments: call },
  };
  const spoken = { role: 'assistant', reasoning_content: 'One step after the other, as it was asked for.' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (done < CALLS) response.write(chunk({ ...spoken, tool_calls: [functionCall] }) + chunk({}, 'tool_calls'));
  else response.write(chunk({ ...spoken, content: 'All steps are done.' }) + chunk({}, 'stop'));
  response.end(`${chunk({}, null, { prompt_tokens: 3000, completion_tokens: 40 })}data: [DONE]\n\n`);
  seen.open -= 1;
  seen.lastAt = performance.now();
}

function chunk(delta: object, finish: string | null = null, usage?: object): string {
  const choices = usage === undefined ? [{ index: 0, delta, finish_reason: finish }] : [];
  const base = { id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench-model', choices };
  return `data: ${JSON.stringify({ ...base, ...(usage && { usage }) })}\n\n`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
