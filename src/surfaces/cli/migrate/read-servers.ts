import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type ConfigChange, findUrlProblem } from '../../../config/index.ts';
import { isSecretName, isSecretVariableName, looksLikeKey, redactSecrets } from '../../../util/index.ts';
import { type MigrationStep, type ServerOptions, skipped } from './migration.ts';

/** MCP servers in the format that Claude Code, OpenClaw and others share. */
export function readServers(servers: JsonValue | undefined, from: string, options: ServerOptions): MigrationStep[] {
  if (!isJsonObject(servers)) return [];
  return Object.entries(servers).map(([name, entry]) => readServer(name, entry, from, options));
}

function readServer(name: string, entry: JsonValue, from: string, options: ServerOptions): MigrationStep {
  const label = `MCP server ${name} in ${from}`;
  const to = `mcp_servers.${name}`;
  if (!isJsonObject(entry)) return skipped('server', label, 'its entry is not a mapping');
  const { command, url } = entry;
  if (typeof command !== 'string' && typeof url !== 'string')
    return skipped('server', label, 'it has neither a command nor a URL');
  if (typeof url === 'string' && findUrlProblem(url) !== undefined)
    return skipped('server', label, 'its URL is not valid');
  if (holdsSecret(entry))
    return skipped('server', label, 'its arguments or its URL contain a secret; add it with `hermes mcp add`');
  if (options.present.includes(name)) return { kind: 'server', from: label, to, outcome: 'present' };
  const { changes, secrets } = translate(name, entry);
  const variables = Object.keys(secrets);
  const done = options.copiesSecrets ? 'copied to .env' : 'not copied; set it in .env, or add --secrets';
  return {
    kind: 'server',
    from: label,
    to,
    outcome: 'ready',
    changes,
    ...(variables.length > 0 && { reason: `${variables.join(', ')} ${done}` }),
    ...(options.copiesSecrets && variables.length > 0 && { secrets }),
  };
}

/** Whether a secret is where it cannot be replaced by a variable. */
function holdsSecret({ args, url }: JsonObject): boolean {
  const texts = stringsIn(args);
  const isNamed = texts.some(
    (text, at) => text.startsWith('-') && at + 1 < texts.length && isSecretName(text.replace(/^-+/, '')),
  );
  return isNamed || [...texts, ...stringsIn([url ?? ''])].some((text) => redactSecrets(text) !== text);
}

function translate(name: string, entry: JsonObject): { changes: ConfigChange[]; secrets: Record<string, string> } {
  const { command, args, url, type, transport = type, env, headers } = entry;
  const secrets: Record<string, string> = {};
  const base = ['mcp_servers', name];
  const texts = stringsIn(args);
  const given = {
    command: typeof command === 'string' ? command : undefined,
    args: texts.length > 0 ? texts : undefined,
    url: typeof url === 'string' ? url : undefined,
    transport: transport === 'sse' ? 'sse' : undefined,
  };
  const changes: ConfigChange[] = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [{ path: [...base, key], value }],
  );
  // With the name of the server, because servers and the user may have other values for the same name.
  const variableOf = (key: string) => toVariable(`${name}_${key}`);
  const keep = (key: string, value: string): string => {
    const isSecret = isSecretName(key) || isSecretVariableName(key) || redactSecrets(value) !== value;
    if (value.includes('${') || !isSecret) return value;
    secrets[variableOf(key)] = value;
    return `\${${variableOf(key)}}`;
  };
  for (const [key, value] of stringEntries(env)) changes.push({ path: [...base, 'env', key], value: keep(key, value) });
  for (const [key, value] of stringEntries(headers)) {
    const [, scheme = '', secret = value] = /^(Bearer |Basic )(.+)$/i.exec(value) ?? [];
    const variable = variableOf(key);
    const isSecret = scheme !== '' || isSecretName(key) || looksLikeKey(secret);
    if (isSecret && !secret.includes('${')) secrets[variable] = secret;
    const written = isSecret && !secret.includes('${') ? `${scheme}\${${variable}}` : value;
    changes.push({ path: [...base, 'headers', key], value: written });
  }
  return { changes, secrets };
}

function toVariable(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function stringEntries(values: JsonValue | undefined): [string, string][] {
  if (!isJsonObject(values)) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)]] : [],
  );
}

function stringsIn(values: JsonValue | undefined): string[] {
  return Array.isArray(values) ? values.flatMap((value) => (typeof value === 'string' ? [value] : [])) : [];
}
