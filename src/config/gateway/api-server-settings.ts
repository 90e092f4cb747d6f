import { ConfigurationError } from '../../base/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { splitList, toBoolean, toNumber } from './values.ts';

/** The settings of the API server. */
export type ApiServerSettings = {
  /** Whether the gateway starts it, too. */
  isEnabled: boolean;
  host: string;
  port: number;
  /** The key that the user has set. */
  key: string | undefined;
  /** Origins of web pages that may call the API. */
  corsOrigins: readonly string[];
  /** The id under which the configured model is offered; undefined for the usual one. */
  modelName: string | undefined;
  /** Host names under which a proxy makes the server reachable. */
  hosts: readonly string[];
  /** Whether clients may bring tools of their own. */
  clientTools: boolean;
  /** How many runs may be active at the same time. */
  maxRuns: number;
};

export const DEFAULT_API_PORT = 8642;
const DEFAULT_MAX_RUNS = 10;

/** The variables take precedence, as in the original. A key enables the server. */
export function readApiServer(values: ConfigFile, variables: EnvironmentVariables): ApiServerSettings {
  const { enabled, extra = {} } = values.platforms?.['api_server'] ?? {};
  const { public_url: publicUrl, extra_hosts: extraHosts = [], ...own } = values.api_server ?? {};
  const key = variables['API_SERVER_KEY']?.trim() || extra.key?.trim() || undefined;
  const origins = variables['API_SERVER_CORS_ORIGINS'];
  return {
    isEnabled: toBoolean(variables['API_SERVER_ENABLED']) ?? enabled ?? key !== undefined,
    host: variables['API_SERVER_HOST']?.trim() || extra.host || '127.0.0.1',
    port: readPort(variables['API_SERVER_PORT']) ?? extra.port ?? DEFAULT_API_PORT,
    key,
    corsOrigins: origins === undefined ? (extra.cors_origins ?? []) : splitList(origins),
    modelName: variables['API_SERVER_MODEL_NAME']?.trim() || extra.model_name?.trim() || undefined,
    hosts: [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...extraHosts],
    clientTools: own.client_tools ?? false,
    maxRuns: own.max_runs ?? DEFAULT_MAX_RUNS,
  };
}

function readPort(text: string | undefined): number | undefined {
  const port = toNumber(text, { min: 0, max: 65_535 });
  if (port === undefined && text?.trim()) throw new ConfigurationError(`API_SERVER_PORT is not a port: ${text}`);
  return port;
}
