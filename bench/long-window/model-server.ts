import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type ChatMessage = { role: string; content: unknown };
type ChatRequest = { messages: ChatMessage[]; tools?: unknown[] };

/**
 * A model in a separate process, so that its memory is not counted. For each user message it reads one file and
 * answers; a request without tools asks for a summary. Prints its URL as the first line.
 */
const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.writeHead(404).end();
  void answer(request, response);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const { messages, tools = [] } = JSON.parse(body) as ChatRequest;
  const usage = { prompt_tokens: Math.round(body.length / 4), completion_tokens: 40 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const data of tools.length === 0 ? spoken(SUMMARY) : nextStep(messages)) {
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  }
  response.end(`data: ${JSON.stringify({ ...chunk({}), choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
});

const SUMMARY = [
  '## Active task\nRead the files one after another and say what each is about.',
  '## Goal\nKnow what all files say.',
  '## Done\nThe files so far were read; each holds figures of one day.',
  '## Next steps\nRead the next file.',
].join('\n\n');

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function nextStep(messages: ChatMessage[]) {
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const turn = /file (\d+)\b(?!.*file \d)/s.exec(JSON.stringify(messages[said]?.content))?.[1] ?? '0';
  return messages.length - 1 > said ? spoken(`File ${turn} holds the figures of day ${turn}.`) : reading(turn);
}

function reading(turn: string) {
  const call = { index: 0, id: `call_${turn}`, type: 'function' };
  const arguments_ = JSON.stringify({ path: `file-${turn}.txt` });
  return [
    chunk({ role: 'assistant', tool_calls: [{ ...call, function: { name: 'read_file', arguments: arguments_ } }] }),
    chunk({}, 'tool_calls'),
  ];
}

function spoken(content: string) {
  return [chunk({ role: 'assistant', content }), chunk({}, 'stop')];
}

function chunk(delta: object, finishReason: string | null = null) {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench-model', choices };
}
