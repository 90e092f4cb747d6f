import type { AuthScheme, BoundOptions, Credential } from '../../contracts/index.ts';

export type { NetworkVariables } from '../../util/network/index.ts';

/** TLS settings for a single server. */
export type TlsOptions = {
  /** Additional trusted authorities, in PEM format. */
  authorities?: readonly string[];
  /** The client certificate, in PEM format. */
  cert?: string;
  key?: string;
  /** The password of an encrypted key. */
  passphrase?: string;
  /** `false` disables certificate verification. */
  rejectUnauthorized?: boolean;
};

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  /** Lower-case names, without the credential. */
  headers: Readonly<Record<string, string>>;
  /** The text, as a whole or in parts. An empty body is not sent. */
  body: string | readonly string[];
  credential?: Credential;
  authHeader: AuthScheme;
  /** Headers and query parameters of the user. */
  bound?: BoundOptions;
  /** The request fails after this long without data, before or during the response. */
  stallTimeoutMs: number;
  /** The request also fails after this long without `touchContent`, even if data arrives. */
  contentTimeoutMs?: number;
  signal: AbortSignal;
  /** Called when the whole request was passed to the system, while the response is awaited. */
  onSent?(): void;
};

export type HttpResponse = {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** The decompressed bytes as they arrive; throws if the connection fails. */
  body: AsyncIterable<Uint8Array>;
  /** Called by the reader when a part of the answer has arrived. */
  touchContent(): void;
  /** Limits the time for the rest of the response, whether or not data arrives. */
  endWithin(milliseconds: number): void;
  /**
   * Must be called when the reader is done. `reuse` keeps the connection if the rest arrives soon; otherwise it is
   * closed.
   */
  release(reuse: boolean): Promise<void>;
};

/**
 * Sends one request and returns its response, whatever the status. Throws the signal's reason on abort, a
 * `ModelError` on a stall, and the system's error if the network failed.
 */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections. */
  close(): void;
}
