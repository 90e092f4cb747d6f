import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { looksLikeKey, rememberSecrets } from '../util/index.ts';
import { formatPath } from './format-path.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { RequestOptions } from './request-settings.ts';

type RequestEntry = {
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  extra_body?: Readonly<Record<string, unknown>>;
};

/** The variables, the location of keys, and collected warnings. */
export type RequestContext = {
  variables: EnvironmentVariables;
  location: (path: readonly PropertyKey[]) => string;
  warnings: string[];
};

/** Collects what is found while the values of one entry are read. */
type Reading = RequestContext & { path: readonly PropertyKey[]; secrets: Set<string>; problem?: string };

/** Fields of the body that Hermes writes itself, in all API modes. */
const PROTECTED_FIELDS = /^(?:messages|input|model|modelId|stream|tools|toolConfig|system|instructions)$/;

/** Headers that belong to the connection or to the framing of the body. */
const PROTECTED_HEADERS =
  /^(?:host|connection|keep-alive|upgrade|te|trailer|expect|proxy-\w+|accept(?:-encoding)?|transfer-encoding|content-(?:length|type|encoding))$/;

/** Variables whose values occur in ordinary text. */
const PUBLIC_VARIABLES: readonly string[] = ['USER', 'LOGNAME', 'HOSTNAME', 'HOME', 'PWD'];

/**
 * Reads `headers`, `query` and `extra_body` of an entry; undefined if it has none of them. A missing variable or an
 * invalid value does not prevent other endpoints from being used: it is an error when this one is.
 */
export function readRequestOptions(
  context: RequestContext,
  entry: RequestEntry,
  path: readonly PropertyKey[],
): RequestOptions | undefined {
  const { headers, query, extra_body: body } = entry;
  if (![headers, query, body].some((part) => Object.keys(part ?? {}).length > 0)) return undefined;
  const reading: Reading = { ...context, path, secrets: new Set() };
  const options = {
    headers: headers && readHeaders(reading, headers),
    query: query && readQuery(reading, query),
    extraBody: body && readBody(reading, body),
  };
  const secrets = [...reading.secrets];
  rememberSecrets(secrets);
  const first = headers ? 'headers' : query ? 'query' : 'extra_body';
  return { ...options, secrets, problem: reading.problem, location: locationOf(reading, [first]) };
}

function readHeaders(reading: Reading, headers: Readonly<Record<string, string>>): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    const where = ['headers', written];
    if (PROTECTED_HEADERS.test(name)) {
      reading.warnings.push(`${locationOf(reading, where)} is ignored, because Hermes sets this header itself.`);
      continue;
    }
    const expanded = expandSecret(reading, value, where);
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) reportProblem(reading, where, 'is not a valid header name');
    if (!/^[\x20-\x7e]*$/.test(expanded)) reportProblem(reading, where, 'has a value with invalid characters');
    read[name] = expanded;
  }
  return read;
}

function readQuery(reading: Reading, query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, expandSecret(reading, value, ['query', name])]),
  );
}

function readBody(reading: Reading, body: Readonly<Record<string, unknown>>): JsonObject {
  const read: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const where = ['extra_body', name];
    if (PROTECTED_FIELDS.test(name)) {
      const why = 'because Hermes writes this field itself';
      reading.warnings.push(`${locationOf(reading, where)} is ignored, ${why}.`);
    } else if (name !== '__proto__') read[name] = expandAll(reading, value as JsonValue, where);
  }
  return read;
}

function expandAll(reading: Reading, value: JsonValue, where: readonly PropertyKey[]): JsonValue {
  if (typeof value === 'string') return expandSecret(reading, value, where);
  if (Array.isArray(value)) return value.map((entry, index) => expandAll(reading, entry, [...where, index]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, expandAll(reading, inner, [...where, name])]),
  );
}

/** Replaces `${NAME}` and remembers what must not be shown: values of variables, and texts that look like keys. */
function expandSecret(reading: Reading, value: string, where: readonly PropertyKey[]): string {
  const expanded = value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const found = reading.variables[name];
    if (found && !PUBLIC_VARIABLES.includes(name)) reading.secrets.add(found);
    if (found) return found;
    reportProblem(reading, where, `uses the variable ${name}, which is not set`);
    return '';
  });
  const isSecret = /(?:auth|authorization|cookie|key|token|secret|password)$/i.test(String(where.at(-1)));
  // `Bearer KEY`: the key is a secret with and without the scheme.
  for (const word of value === expanded ? expanded.split(/\s+/) : [])
    if (looksLikeKey(word) || (isSecret && word.length >= 8)) reading.secrets.add(word);
  return expanded;
}

/** The first problem is the one that is reported. */
function reportProblem(reading: Reading, where: readonly PropertyKey[], problem: string): void {
  reading.problem ??= `${locationOf(reading, where)} ${problem}.`;
}

function locationOf({ location, path }: Reading, where: readonly PropertyKey[]): string {
  const whole = [...path, ...where];
  return `${location(whole)}: ${formatPath(whole)}`;
}
