import { ConfigurationError } from '../base/index.ts';
import type { ModelQuirks } from './model-quirks.ts';
import type { WireFormat } from './wire-format.ts';

export type EndpointUrl = { url: string; origin: string; host: string };

/** The URL of a path at an endpoint. A query string (`?api-version=…`) stays at the end. */
export function endpointUrl(baseUrl: string, format: WireFormat, path: string): EndpointUrl {
  const parsed = URL.parse(baseUrl);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    // The part before an @ may be a password.
    throw new ConfigurationError(
      `The base URL "${baseUrl.replace(/[^/\s]*@/, '…@')}" is not a valid http or https URL.`,
      {
        hint: 'Set base_url to a URL such as https://api.example.com/v1.',
      },
    );
  }
  const whole = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
  const base =
    format.foreignSuffix && whole.endsWith(format.foreignSuffix) ? whole.slice(0, -format.foreignSuffix.length) : whole;
  const version = format.version === undefined || base.endsWith(format.version) ? '' : format.version;
  return { url: `${base}${version}${path}${parsed.search}`, origin: parsed.origin, host: parsed.host };
}

/** The URL of model calls, streamed or not. */
export function callUrl(
  baseUrl: string,
  format: WireFormat,
  { model, quirks = {}, streamed }: { model: string; quirks?: ModelQuirks; streamed: boolean },
): EndpointUrl {
  const { callPath } = quirks;
  const own = streamed ? format.path : (format.wholePath ?? format.path);
  const path = callPath === undefined ? own : streamed ? callPath.streamed : callPath.whole;
  // A path of the endpoint is complete, without the version of the API mode.
  const plain = callPath === undefined ? format : { ...format, version: undefined };
  return endpointUrl(baseUrl, plain, path.replace('{model}', encodeURIComponent(model).replaceAll('%40', '@')));
}

/** Headers of every request. */
export function commonHeaders(format: WireFormat, accept: string): Record<string, string> {
  return {
    accept,
    // Compression would delay the chunks of a stream until a block is full.
    'accept-encoding': 'identity',
    'user-agent': 'hermes-agent-ts',
    ...format.headers,
  };
}
