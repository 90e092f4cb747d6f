import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';

/** How a test reaches a server: a program to start, or a URL with a key. */
export type McpTarget = { args: string[]; env: Record<string, string> } | { url: string; key: string };

/** The official clients: that of version 1, and that of version 2 with the older and the newer protocol. */
export const GENERATIONS = ['v1', 'v2 legacy', 'v2'] as const;
export type Generation = (typeof GENERATIONS)[number];

type Form = { message: string; requestedSchema: JsonObject };
type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

export type ClientOptions = {
  /** Answers the forms of the server; without it, the client does not support them. */
  onForm?: (form: Form) => Answer | Promise<Answer>;
};

export type CallOptions = { signal?: AbortSignal; onProgress?: (message: string) => void };

export type CallResult = {
  text: string;
  structured: JsonObject | undefined;
  isError: boolean;
  images: { mimeType: string; data: string }[];
};

/** An official client, with the same methods for all generations. */
export interface TestClient {
  readonly protocolVersion: string | undefined;
  toolNames(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  resources(): Promise<string[]>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

const IDENTITY = { name: 'test', version: '1.0.0' };

/** Connects a client, and closes it after the test. */
export async function connectClient(
  generation: Generation,
  target: McpTarget,
  options: ClientOptions = {},
): Promise<TestClient> {
  const client = await (generation === 'v1'
    ? connectFirst(target, options)
    : connectSecond(target, generation === 'v2', options));
  onTestFinished(() => client.close());
  return client;
}

const headersOf = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function connectFirst(target: McpTarget, { onForm }: ClientOptions): Promise<TestClient> {
  const client = new FirstClient(IDENTITY, { capabilities: { ...(onForm && { elicitation: {} }) } });
  if (onForm) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => onForm(params as unknown as Form));
  const transport =
    'url' in target
      ? new FirstHttpTransport(new URL(target.url), headersOf(target.key))
      : new FirstStdioTransport({ command: process.execPath, ...target });
  await client.connect(transport);
  return {
    protocolVersion: undefined,
    // Also lets the client validate structured results.
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args, { signal, onProgress } = {}) {
      const result = await client.callTool({ name, arguments: args }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message = '' }) => onProgress(message) }),
      });
      return readResult(result);
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    async close() {
      if (transport instanceof FirstHttpTransport) await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
}

async function connectSecond(target: McpTarget, isModern: boolean, { onForm }: ClientOptions): Promise<TestClient> {
  const client = new Client(IDENTITY, {
    capabilities: { ...(onForm && { elicitation: { form: {} } }) },
    versionNegotiation: { mode: isModern ? 'auto' : 'legacy' },
  });
  if (onForm)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      return onForm(params as unknown as Form);
    });
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url), headersOf(target.key))
      : new StdioClientTransport({ command: process.execPath, ...target });
  await client.connect(transport);
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args, { signal, onProgress } = {}) {
      const result = await client.callTool(
        { name, arguments: args },
        { ...(signal && { signal }), ...(onProgress && { onprogress: ({ message = '' }) => onProgress(message) }) },
      );
      return readResult(result);
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    async close() {
      if (transport instanceof StreamableHTTPClientTransport && !isModern)
        await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
}

function readResult(result: object): CallResult {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string; mimeType?: string; data?: string }[];
    structuredContent?: JsonObject;
    isError?: boolean;
  };
  return {
    text: content.map(({ text = '' }) => text).join(''),
    structured: structuredContent,
    isError: isError === true,
    images: content.flatMap(({ type, mimeType = '', data = '' }) => (type === 'image' ? [{ mimeType, data }] : [])),
  };
}

function textOf(contents: readonly object[]): string {
  return contents.map((content) => ('text' in content ? String(content.text) : '')).join('');
}
