import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type ChatMessage = { role: string; content: unknown };

/** A model that calls `echo step-1`, `echo step-2`, … and then says DONE, without any latency. */
export type ScriptedServer = {
  baseUrl: string;
  /** Starts a new run with this many tool calls. */
  begin(steps: number): void;
  /** The requests since `begin`. */
  seen(): RunTrace;
  close(): Promise<void>;
};

export type RunTrace = {
  requests: number;
  /** Times of `performance.now()`. */
  firstRequestAt: number | undefined;
  firstRequestBytes: number;
  /** Errors of a run; its measurements are then discarded. */
  faults: string[];
};

export async function startScriptedServer(): Promise<ScriptedServer> {
  let steps = 0;
  let trace = emptyTrace();
  const server = createServer((request, response) => {
    // A window probe is sent next to the first call and is not counted.
    if (request.method !== 'POST') return void response.writeHead(404).end();
    trace.firstRequestAt ??= performance.now();
    trace.requests++;
    void answer(request, response, steps, trace).catch((error: unknown) => {
      trace.faults.push(String(error));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    begin(count) {
      steps = count;
      trace = emptyTrace();
    },
    seen: () => trace,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function emptyTrace(): RunTrace {
  return { requests: 0, firstRequestAt: undefined, firstRequestBytes: 0, faults: [] };
}

async function answer(request: IncomingMessage, response: ServerResponse, steps: number, trace: RunTrace) {
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part as Buffer);
  const body = Buffer.concat(chunks);
  trace.firstRequestBytes ||= body.length;
  const { messages } = JSON.parse(body.toString()) as { messages: ChatMessage[] };
  // The position in the script is derived from the request, so that a retried request gets the same answer.
  const done = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(messages.length - done).filter(({ role }) => role === 'tool');
  const last = results.at(-1);
  if (last && !JSON.stringify(last.content).includes(`step-${results.length}`)) {
    trace.faults.push(`the result of step ${results.length} does not match the output of its command`);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const data of results.length < steps ? toolCall(results.length + 1) : finalText()) {
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  }
  response.write(`data: ${JSON.stringify(countTokens(body))}\n\n`);
  response.end('data: [DONE]\n\n');
}

function toolCall(step: number) {
  const call = { index: 0, id: `call_${step}`, type: 'function' };
  return [
    chunk({ role: 'assistant', tool_calls: [{ ...call, function: { name: 'terminal', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify({ command: `echo step-${step}` }) } }] }),
    chunk({}, 'tool_calls'),
  ];
}

function finalText() {
  return [chunk({ role: 'assistant', content: 'DO' }), chunk({ content: 'NE' }), chunk({}, 'stop')];
}

/** Usage at the end of the stream; a rough figure is enough. */
function countTokens(body: Buffer) {
  const prompt = Math.ceil(body.length / 4);
  const usage = { prompt_tokens: prompt, completion_tokens: 10, total_tokens: prompt + 10 };
  return { ...chunk({}), choices: [], usage };
}

function chunk(delta: object, finishReason: string | null = null) {
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'bench-model',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}
