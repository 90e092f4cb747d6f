import type { Transport } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../base/index.ts';
import type { ServerFetch } from './server-fetch.ts';

/** A connected server. Its responses are not validated yet. */
export interface McpSession {
  readonly serverVersion: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Whether the session uses the handshake of protocol versions before 2026-07-28. */
  readonly legacy: boolean;
  /** The server's capabilities, such as `tools`, `resources` and `prompts`. */
  readonly capabilities: ReadonlySet<string>;
  /** Whether tool calls can run as tasks, which return a task id first and the result later. */
  readonly supportsTasks: boolean;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue>;
  close(): Promise<void>;
}

export type RequestOptions = {
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  onProgress?: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined;
};

/** Handlers for requests and notifications of a connected server. */
export type SessionHandlers = {
  onToolsChanged(): void;
  onClosed(): void;
  /** The directories that the server should work in, as absolute paths; undefined if Hermes names none. */
  listRoots?: (() => Promise<readonly string[]>) | undefined;
  /** `sample` and `elicit` are undefined if the server is not allowed to use them. */
  sample?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  elicit?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
};

/** How to reach a server: a transport, or a URL. `login` is an OAuth provider of the protocol package. */
export type SessionTarget =
  | { transport: Transport }
  | {
      url: string;
      sse: boolean;
      headers: Readonly<Record<string, string>>;
      fetch: ServerFetch;
      login?: object | undefined;
    };

export type SessionOptions = {
  target: SessionTarget;
  handlers: SessionHandlers;
  timeoutMs: number;
  signal: AbortSignal;
  /** Whether the server is known not to support version 2026-07-28 or later, so that negotiation is skipped. */
  legacy: boolean;
};

/**
 * A classified error of a request. Plain data, because the error classes of the protocol package exist only in its
 * own bundle file.
 */
export type SessionFault = {
  /** `negotiation`: version negotiation failed. */
  kind: 'login' | 'negotiation' | 'timeout' | 'closed' | 'http' | 'refused' | 'other';
  message: string;
  status?: number;
};
