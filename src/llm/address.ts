import { ConfigurationError } from '../base/index.ts';
import type { WireFormat } from './wire-format.ts';

export type Address = { url: string; origin: string; host: string };

/** The address of one path of an endpoint. A query (`?api-version=…`) stays at the end of it. */
export function addressOf(baseUrl: string, format: WireFormat, path: string): Address {
  const parsed = URL.parse(baseUrl);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    // What stands before an @ may be a password.
    throw new ConfigurationError(
      `The base URL "${baseUrl.replace(/[^/\s]*@/, '…@')}" is not an http or https address.`,
      {
        hint: 'Set base_url to something like https://api.example.com/v1.',
      },
    );
  }
  const whole = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
  const base =
    format.foreignEnd && whole.endsWith(format.foreignEnd) ? whole.slice(0, -format.foreignEnd.length) : whole;
  const version = format.version === undefined || base.endsWith(format.version) ? '' : format.version;
  return { url: `${base}${version}${path}${parsed.search}`, origin: parsed.origin, host: parsed.host };
}

/** What every request says about itself, whatever it asks for. */
export function commonHeaders(format: WireFormat, accept: string): Record<string, string> {
  return {
    accept,
    // Compression holds back the pieces of a stream until a block is full.
    'accept-encoding': 'identity',
    'user-agent': 'hermes-agent-ts',
    ...format.headers,
  };
}
