import type { AuthScheme, Credential } from '../contracts/index.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import { readText } from './transport/read-text.ts';

export type GetTextOptions = {
  url: string;
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  credential?: Credential;
  authHeader?: AuthScheme;
  /** For the whole of it, not for a silence. */
  timeoutMs: number;
  /** Of the decompressed text; what is longer is no answer. */
  mostBytes: number;
  signal?: AbortSignal;
};

export type FetchedText = { status: number; text: string; header(name: string): string | undefined };

/** Reads a small document, with the same transport as a model call; undefined where there is none to be had. */
export async function getText(options: GetTextOptions): Promise<FetchedText | undefined> {
  const { url, credential, authHeader = 'bearer', timeoutMs } = options;
  const transport = createHttpTransport();
  const signals = [AbortSignal.timeout(timeoutMs), ...(options.signal ? [options.signal] : [])];
  const headers = { accept: 'application/json', 'user-agent': 'hermes-agent-ts', ...options.headers };
  const request = { method: 'GET', url, headers, body: '', credential, authHeader } as const;
  try {
    const response = await transport.send({ ...request, stallTimeoutMs: timeoutMs, signal: AbortSignal.any(signals) });
    const { text, cut } = await readText(response, options.mostBytes);
    return cut ? undefined : { status: response.status, text, header: (name) => response.headers[name] };
  } catch {
    // It is only ever asked for what one can do without.
    return undefined;
  } finally {
    transport.close();
  }
}
