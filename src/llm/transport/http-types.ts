import type { AuthScheme, Credential } from '../../contracts/index.ts';

/** The environment, as far as it says how the network is reached. */
export type NetworkVariables = Readonly<Record<string, string | undefined>>;

/** Where the certificates of one server are another matter than those of all others. */
export type TlsChoices = {
  /** In PEM form; trusted besides those that always are. */
  authorities?: readonly string[];
  /** What is shown to the server, in PEM form. */
  cert?: string;
  key?: string;
  /** False: any certificate is believed. */
  rejectUnauthorized?: boolean;
};

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** Lower-case names; the credential is not among them. */
  headers: Readonly<Record<string, string>>;
  /** The text, whole or in parts. Nothing is sent where it is empty. */
  body: string | readonly string[];
  credential?: Credential;
  authHeader: AuthScheme;
  /** Silence for longer than this, before the answer or inside it, ends the request. */
  stallTimeoutMs: number;
  signal: AbortSignal;
};

export type HttpResponse = {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as they come, decompressed. Ends with an error where the connection did. */
  body: AsyncIterable<Uint8Array>;
  /** Nothing more is needed: from now on the rest may take this long, whatever comes meanwhile. */
  endWithin(milliseconds: number): void;
  /** Must be called when the reader is done. `reuse` keeps the connection where the rest comes soon; else it is closed. */
  release(reuse: boolean): Promise<void>;
};

/**
 * Sends one request and gives its response, whatever the status. Throws the signal's reason on abort, a `ModelError`
 * where it gave up itself, and the system's error where the network failed.
 */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes the connections that are kept for later. */
  close(): void;
}
