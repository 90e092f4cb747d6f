// An MCP server written with the official server package, which is not ours and speaks the newest protocol version.
// Over stdio, or over HTTP with `--http`: it then prints its URL to stderr.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const text = (content: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(content) }] });

/** A schema as Zod writes it for its output: a parameter with a default is required. */
const SEARCH = fromJsonSchema<{ query: string; limit: number; order: { by: string } }>({
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer', default: 10 },
    order: {
      type: 'object',
      properties: { by: { type: 'string', enum: ['name', 'date'], default: 'name' } },
      required: ['by'],
      default: { by: 'date' },
    },
  },
  required: ['query', 'limit', 'order'],
  additionalProperties: false,
});

function createServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '2.4.0' });
  server.registerTool('search', { description: 'Searches.', inputSchema: SEARCH }, async (args) => text(args));
  server.registerTool('roots', { description: 'Lists the roots of the client.' }, async (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'roots');
    if (answer.kind === 'missing') return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    return text(answer);
  });
  return server;
}

if (process.argv.includes('--http')) serveHttp();
else serveStdio(createServer);

function serveHttp(): void {
  const handler = createMcpHandler(createServer);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = method === 'POST' ? await readText(request) : null;
    const address = new URL(url, `http://${headers.host}`);
    const answered = await handler.fetch(new Request(address, { method, headers: headers as HeadersInit, body }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  };
  const server = createHttpServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1', () => {
    process.stderr.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}
