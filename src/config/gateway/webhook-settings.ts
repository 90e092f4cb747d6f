import { ConfigurationError } from '../../base/index.ts';
import type { EnvironmentVariables } from '../paths.ts';

export type WebhookSettings = {
  /** The public URL to which the platform sends events. */
  url: string;
  /** The address and the port on which the gateway waits for them. */
  host: string;
  port: number;
  secret: string | undefined;
};

const DEFAULT_PORT = 8443;

/** The webhook of a platform from its variables, such as `TELEGRAM_WEBHOOK_URL`; undefined without a URL. */
export function readWebhook(prefix: string, variables: EnvironmentVariables): WebhookSettings | undefined {
  const read = (name: string) => variables[`${prefix}_WEBHOOK_${name}`]?.trim() || undefined;
  const url = read('URL');
  if (url === undefined) return undefined;
  const port = read('PORT') ?? String(DEFAULT_PORT);
  if (!/^\d+$/.test(port) || Number(port) > 65_535)
    throw new ConfigurationError(`${prefix}_WEBHOOK_PORT is not a port: ${port}`);
  return { url, host: read('HOST') ?? '127.0.0.1', port: Number(port), secret: read('SECRET') };
}
