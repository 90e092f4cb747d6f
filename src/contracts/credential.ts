/** A secret and the hosts it may be sent to. The transport checks every request, redirects included. */
export type Credential = {
  secret: string;
  /** Host names with port where one is not the default, e.g. `api.openai.com`, `127.0.0.1:11434`. */
  hosts: readonly string[];
};
