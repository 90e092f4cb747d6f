import type { JsonObject } from '../base/index.ts';
import type { CachingMode } from '../contracts/index.ts';

/** What the user adds to the requests to an endpoint. Values of headers and query parameters may be secrets. */
export type RequestOptions = {
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** Merged into the body. */
  extraBody?: JsonObject;
  /** The values that must not be shown. */
  secrets: readonly string[];
  /** Why the endpoint cannot be used: a variable is missing or a value is invalid. */
  problem?: string;
  /** The config location, for messages. */
  location: string;
};

/** `providers.NAME` */
export type ProviderSettings = {
  request?: RequestOptions;
  cachingMode?: CachingMode;
  /** For cloud services, which have a host for each account or region. */
  profile?: string;
  region?: string;
  project?: string;
  resource?: string;
};
