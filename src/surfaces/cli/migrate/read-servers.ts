import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type ConfigChange, findUrlProblem } from '../../../config/index.ts';
import { isSecretName, looksLikeKey } from '../../../util/index.ts';
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

function translate(name: string, entry: JsonObject): { changes: ConfigChange[]; secrets: Record<string, string> } {
  const { command, args, url, type, transport = type, env, headers } = entry;
  const secrets: Record<string, string> = {};
  const base = ['mcp_servers', name];
  const texts = Array.isArray(args) ? args.flatMap((arg) => (typeof arg === 'string' ? [arg] : [])) : [];
  const given = {
    command: typeof command === 'string' ? command : undefined,
    args: texts.length > 0 ? texts : undefined,
    url: typeof url === 'string' ? url : undefined,
    transport: transport === 'sse' ? 'sse' : undefined,
  };
  const changes: ConfigChange[] = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [{ path: [...base, key], value }],
  );
  const keep = (variable: string, value: string): string => {
    if (value.includes('${') || !(isSecretName(variable) || looksLikeKey(value))) return value;
    secrets[variable] = value;
    return `\${${variable}}`;
  };
  for (const [key, value] of textsIn(env)) changes.push({ path: [...base, 'env', key], value: keep(key, value) });
  for (const [key, value] of textsIn(headers)) {
    const [, scheme = '', secret = value] = /^(Bearer |Basic )(.+)$/i.exec(value) ?? [];
    const variable = `${name}_${key}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    const isSecret = scheme !== '' || isSecretName(key) || looksLikeKey(secret);
    if (isSecret && !secret.includes('${')) secrets[variable] = secret;
    const written = isSecret && !secret.includes('${') ? `${scheme}\${${variable}}` : value;
    changes.push({ path: [...base, 'headers', key], value: written });
  }
  return { changes, secrets };
}

function textsIn(values: JsonValue | undefined): [string, string][] {
  if (!isJsonObject(values)) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)]] : [],
  );
}
