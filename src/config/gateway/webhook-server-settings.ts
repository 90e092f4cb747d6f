import { ConfigurationError, type JsonValue } from '../../base/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { toBoolean, toNumber } from './values.ts';
import { readWebhookRoute, type WebhookRoute } from './webhook-routes.ts';

/** The server that receives the requests of other programs. */
export type WebhookServerSettings = {
  isEnabled: boolean;
  host: string;
  port: number;
  /** The URL under which a proxy makes the server reachable. */
  publicUrl: string | undefined;
  /** The secret of routes that have none of their own. */
  secret: string | undefined;
  /** How many requests a route accepts in a minute. */
  ratePerMinute: number;
  maxBodyBytes: number;
  /** The routes in `config.yaml`; those of subscriptions are read while the server runs. */
  routes: readonly WebhookRoute[];
};

const DEFAULT_PORT = 8644;
const DEFAULT_RATE = 30;
const DEFAULT_BODY = 1024 * 1024;

/** The settings of webhooks, which are enabled by a route in the configuration, or explicitly. */
export function readWebhookServer(
  values: ConfigFile,
  variables: EnvironmentVariables,
  onProblem: (problem: string) => void,
): WebhookServerSettings {
  const { enabled, extra = {} } = values.platforms?.['webhook'] ?? {};
  const secret = variables['WEBHOOK_SECRET']?.trim() || extra.secret;
  const routes: WebhookRoute[] = [];
  for (const [name, value] of Object.entries(extra.routes ?? {})) {
    const route = readWebhookRoute(name, value as JsonValue, { origin: 'config', globalSecret: secret });
    if ('problem' in route) onProblem(route.problem);
    else routes.push(route);
  }
  return {
    isEnabled: toBoolean(variables['WEBHOOK_ENABLED']) ?? enabled ?? routes.length > 0,
    host: variables['WEBHOOK_HOST']?.trim() || extra.host || '127.0.0.1',
    port: readPort(variables['WEBHOOK_PORT']) ?? extra.port ?? DEFAULT_PORT,
    publicUrl: variables['WEBHOOK_PUBLIC_URL']?.trim() || extra.public_url,
    secret,
    ratePerMinute: extra.rate_limit ?? DEFAULT_RATE,
    maxBodyBytes: extra.max_body_bytes ?? DEFAULT_BODY,
    routes,
  };
}

/** The URL of a route. Without `isLocal`, it is the one that other machines use. */
export function webhookUrl(settings: WebhookServerSettings, route: string, isLocal = false): string {
  const { publicUrl, host, port } = settings;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const server = isLocal || publicUrl === undefined ? `http://${name}:${port}` : publicUrl.replace(/\/+$/, '');
  return `${server}/webhooks/${route}`;
}

function readPort(text: string | undefined): number | undefined {
  const port = toNumber(text, { min: 0, max: 65_535 });
  if (port === undefined && text?.trim()) throw new ConfigurationError(`WEBHOOK_PORT is not a port: ${text}`);
  return port;
}
