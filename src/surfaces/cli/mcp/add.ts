import { ConfigurationError, HermesError } from '../../../base/index.ts';
import {
  type ConfigChange,
  findUrlProblem,
  loadSettings,
  resolveHome,
  updateConfig,
  updateEnvFile,
} from '../../../config/index.ts';
import { inspectServer, type InspectedServer } from '../../../runtime/mcp/index.ts';
import { isSecretName, looksLikeKey } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';
import { formatInspected, toRecord } from './servers.ts';

export type AddOptions = {
  url?: string;
  transport?: string;
  env?: string[];
  header?: string[];
  auth?: string;
  include?: readonly string[];
  exclude?: readonly string[];
  trust?: string;
  force?: boolean;
  test: boolean;
  json?: boolean;
};

/** `hermes mcp add`. The server is saved first, because one that needs a login cannot be connected to yet. */
export async function addServer(
  name: string,
  command: readonly string[],
  options: AddOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const home = resolveHome(io.env);
  const names = async () => Object.keys((await loadSettings({ home, env: io.env })).mcpServers ?? {});
  validateServer(name, command, options, await names());
  const { changes, secrets } = changesFor(name, command, options);
  await updateConfig(home, async () => {
    const present = await names();
    // Checked again under the lock: another process may have added a server with this name.
    validateServer(name, command, options, present);
    // Saved first, so that config.yaml never refers to a variable that is missing.
    if (Object.keys(secrets).length > 0) await updateEnvFile(home, secrets);
    return [...(present.includes(name) ? [{ path: ['mcp_servers', name], value: undefined }] : []), ...changes];
  });
  for (const variable of Object.keys(secrets))
    io.stderr.write(`The value of ${variable} was saved in .env, not in config.yaml.\n`);
  const tried = options.test ? await testServer(name, io, signal) : undefined;
  return reportAdded(name, tried, options, io);
}

async function testServer(name: string, io: CliIo, signal: AbortSignal): Promise<InspectedServer | HermesError> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  try {
    return await inspectServer(settings, name, { workingDirectory: io.workingDirectory, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HermesError) return thrown;
    throw thrown;
  }
}

function reportAdded(
  name: string,
  tried: InspectedServer | HermesError | undefined,
  { json }: AddOptions,
  io: CliIo,
): number {
  const failed = tried instanceof HermesError ? tried : undefined;
  if (json) {
    const about = tried === undefined || failed ? {} : toRecord(tried as InspectedServer);
    writeJson(io.stdout, { added: name, ...about, error: failed?.message, hint: failed?.hint });
    return failed === undefined ? 0 : 1;
  }
  io.stdout.write(`Added ${printable(name)}.\n`);
  if (failed)
    writeReport(io, { message: `The connection test failed. ${failed.message}`, hint: hintAfterTest(name, failed) });
  else if (tried !== undefined)
    io.stdout.write(formatInspected(tried as InspectedServer, createStyle(io.stdout, io.env)));
  return failed === undefined ? 0 : 1;
}

function hintAfterTest(name: string, { hint }: HermesError): string {
  const next = `Then run \`hermes mcp test ${name}\`, or remove the server with \`hermes mcp remove ${name}\`.`;
  return hint === undefined ? `Correct its settings in config.yaml. ${next}` : `${hint} ${next}`;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

function validateServer(name: string, command: readonly string[], options: AddOptions, names: readonly string[]): void {
  const refuse = (message: string, hint: string): never => {
    throw new ConfigurationError(message, { hint });
  };
  if (!NAME.test(name)) refuse(`${JSON.stringify(name)} is not a valid server name.`, 'Use letters, digits, - and _.');
  if (names.includes(name) && !options.force)
    refuse(`The MCP server "${name}" already exists.`, 'Choose another name, or replace it with --force.');
  const example = `For example: hermes mcp add ${name} -- npx -y SERVER`;
  if (command.length === 0 && options.url === undefined) refuse('A command or --url is required.', example);
  if (command.length > 0 && options.url !== undefined) refuse('A command and --url cannot be combined.', example);
  const fault = options.url === undefined || options.url.includes('${') ? undefined : findUrlProblem(options.url);
  if (fault !== undefined) refuse(`--url must be ${fault.expected}.`, 'Correct the URL; nothing was changed.');
  if (options.auth !== undefined && options.url === undefined)
    refuse('--auth requires --url.', 'Pass credentials to a program with --env NAME=VALUE.');
}

/** Secrets are saved in `.env` and referenced in config.yaml, because people share their config.yaml. */
function changesFor(name: string, [command, ...args]: readonly string[], options: AddOptions) {
  const secrets: Record<string, string> = {};
  const base = ['mcp_servers', name];
  const keep = (variable: string, value: string): string => {
    if (/\$\{\w+/.test(value) || !(isSecretName(variable) || looksLikeKey(value))) return value;
    secrets[variable] = value;
    return `\${${variable}}`;
  };
  const env = readPairs(options.env, '--env').map(([key, value]) => [key, keep(key, value)] as const);
  const headers = readPairs(options.header, '--header').map(([key, value]) => {
    return [key, moveHeaderSecret(name, key, value, keep)] as const;
  });
  const given = {
    command,
    args: args.length > 0 ? args : undefined,
    url: options.url,
    transport: options.transport,
    auth: options.auth,
    trust: options.trust,
  };
  const changes: ConfigChange[] = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [{ path: [...base, key], value }],
  );
  for (const [key, value] of env) changes.push({ path: [...base, 'env', key], value });
  for (const [key, value] of headers) changes.push({ path: [...base, 'headers', key], value });
  const { include, exclude } = options;
  if (include) changes.push({ path: [...base, 'tools', 'include'], value: [...include] });
  if (exclude) changes.push({ path: [...base, 'tools', 'exclude'], value: [...exclude] });
  return { changes, secrets };
}

/** Only the secret of `Bearer abc` is moved to `.env`. */
function moveHeaderSecret(
  name: string,
  key: string,
  value: string,
  keep: (variable: string, value: string) => string,
): string {
  if (!/authorization|key|token|secret/i.test(key)) return value;
  const [, scheme = '', secret = value] = /^(Bearer |Basic |Token )?(.*)$/is.exec(value) ?? [];
  return `${scheme}${keep(`MCP_${name}_TOKEN`.toUpperCase().replace(/\W/g, '_'), secret)}`;
}

function readPairs(pairs: readonly string[] = [], option: string): [string, string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1)];
    throw new ConfigurationError(`${option} expects NAME=VALUE, not ${JSON.stringify(pair)}.`, {
      hint: `For example: ${option} NAME=value`,
    });
  });
}
