import type { Transport } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../base/index.ts';
import type { ServerFetch } from './server-fetch.ts';

/** What is asked of a server, and what it answers, before anything is believed of it. */
export interface McpSession {
  readonly serverVersion: string | undefined;
  readonly protocolVersion: string | undefined;
  /** It greets in the way of the versions before 2026-07-28. */
  readonly legacy: boolean;
  /** Which of `tools`, `resources`, `prompts` it has. */
  readonly offers: ReadonlySet<string>;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue>;
  close(): Promise<void>;
}

export type RequestOptions = {
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  onProgress?: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined;
};

/** What a server may ask of us while it is connected. */
export type SessionHandlers = {
  onToolsChanged(): void;
  onClosed(): void;
  /** Left out where it may not. */
  sample?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  elicit?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
};

/** How it is reached: a transport of ours, or an address. `login` is what the protocol package calls an OAuth provider. */
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
  /** It is known to have no version of 2026-07-28 or later, and is not asked for one. */
  legacy: boolean;
};

/** What went wrong with a request, told from the package's own errors, whose classes are not shared between files. */
export type SessionFault = {
  /** `negotiation`: it could not be found out which versions it has. */
  kind: 'login' | 'negotiation' | 'timeout' | 'closed' | 'http' | 'refused' | 'other';
  message: string;
  status?: number;
};
