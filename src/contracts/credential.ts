/** A secret and the hosts it may be sent to. The transport checks every request, redirects included. */
export type Credential = {
  secret: string;
  /** Host names with port where one is not the default, e.g. `api.openai.com`, `127.0.0.1:11434`. */
  hosts: readonly string[];
  /** How it is sent, where that is not what the endpoint takes a key in: a login may go in another header. */
  scheme?: AuthScheme;
  /** Go with the secret and, like it, only to its hosts: an account's id, the mark of a login. */
  headers?: Readonly<Record<string, string>>;
};

export type AuthScheme = 'bearer' | 'x-api-key';

/** Gives the credential of the next call: a pool may have changed it since the last one, a login may have to be renewed. */
export interface CredentialSource {
  take(signal: AbortSignal): Promise<Credential | undefined>;
}
