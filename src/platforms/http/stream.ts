import type { IncomingMessage } from 'node:http';
import { errorMessage } from '../../base/index.ts';
import { HttpFailure, waitForResponse } from './exchange.ts';
import type { Connector } from './http-client.ts';

export type StreamRequest = {
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The stream fails after this long without a complete line. */
  silenceMs: number;
  maxLineBytes: number;
  signal: AbortSignal;
};

/** A response that is read while it arrives. */
export type HttpStream = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Ends when the server ends the response. Throws `HttpFailure`. */
  lines: AsyncGenerator<string, void>;
};

/** Requests a response that does not end. `signal` must be aborted if its lines are not read to the end. */
export async function openStream(connector: Connector, request: StreamRequest): Promise<HttpStream> {
  const { url, headers, silenceMs, signal } = request;
  if (signal.aborted) throw failure('the request was aborted');
  let reason: string | undefined;
  const outgoing = connector.request(url, { method: 'GET', agent: connector.agent, headers });
  const end = (why: string) => {
    reason ??= why;
    outgoing.destroy();
  };
  const silence = setTimeout(() => end(`no data for ${silenceMs / 1000} s`), silenceMs);
  const onAbort = () => end('the request was aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  const stop = () => {
    clearTimeout(silence);
    signal.removeEventListener('abort', onAbort);
    outgoing.destroy();
  };
  const fail = (error: unknown) => failure(reason ?? errorMessage(error));
  try {
    const answered = waitForResponse(outgoing);
    outgoing.end();
    const incoming = await answered;
    const lines = readLines(incoming, { maxBytes: request.maxLineBytes, onLine: () => silence.refresh(), stop, fail });
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, lines };
  } catch (error) {
    stop();
    throw fail(error);
  }
}

type LineReading = { maxBytes: number; onLine(): void; stop(): void; fail(error: unknown): unknown };

async function* readLines(incoming: IncomingMessage, { maxBytes, onLine, stop, fail }: LineReading) {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of incoming) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        const line = rest.toString('utf8', 0, at);
        rest = rest.subarray(at + 1);
        onLine();
        yield line;
      }
      if (rest.length > maxBytes) throw new Error(`a line is longer than ${maxBytes} bytes`);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } catch (error) {
    throw fail(error);
  } finally {
    stop();
  }
}

const failure = (message: string) => new HttpFailure(message, { mayHaveArrived: true });
