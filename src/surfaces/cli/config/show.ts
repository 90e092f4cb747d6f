import { ConfigurationError, HermesError, type JsonValue } from '../../../base/index.ts';
import { homePaths, variableLocation, resolveHome } from '../../../config/index.ts';
import {
  type ConfigValue,
  describeKey,
  describeKeys,
  findKey,
  findDeprecatedKey,
  findValue,
  type KeyDescription,
  type KeyPath,
  knownVariables,
  listKeys,
  listValues,
  readKeyText,
  suggestKeys,
} from '../../../config/keys/index.ts';
import { PLATFORMS, platformVariables } from '../../../platforms/index.ts';
import { PROVIDERS } from '../../../providers/index.ts';
import { isSecretName, maskSecret, nearestNames, redactSecrets } from '../../../util/index.ts';
import { formatValue } from '../../text/format-value.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';
import { isVariableName, keyHint, openConfigFile, savedVariables } from './config-file.ts';
import { padWidth, textWidth } from '../../../util/text-width.ts';

export type ShowOptions = { json?: boolean };

/** Shows the configured values with their location, and the defaults of the others. */
export async function showConfig(section: string | undefined, { json }: ShowOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const all = listValues(file, content);
  const values = section === undefined ? all : inSection(all, section);
  const { envFile } = homePaths(home);
  const saved = section === undefined ? (await savedVariables(home)).map(hideVariable) : [];
  if (json) {
    writeJson(io.stdout, { file, values, envFile, variables: saved.map(([name, value]) => ({ name, value })) });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const variables = saved.map(([name, value]) => `${name}=${printable(value)}\n`).join('');
  io.stdout.write(`${style.bold(printable(file))}${content === '' ? style.dim('  (nothing is set)') : ''}\n`);
  io.stdout.write(formatValues(values, style));
  if (variables !== '') io.stdout.write(`\n${style.bold(printable(envFile))}\n${variables}`);
  return 0;
}

function inSection(values: readonly ConfigValue[], section: string): ConfigValue[] {
  const found = values.filter(
    ({ key }) => key === section || key.startsWith(`${section}.`) || key.startsWith(`${section}[`),
  );
  const sections = [...new Set([...listKeys().map(({ path }) => String(path[0])), ...values.map(({ key }) => key)])];
  if (found.length > 0 || sections.includes(section)) return found;
  const [near] = nearestNames(section, sections, 1);
  throw new ConfigurationError(`Unknown section "${section}".`, {
    hint: near === undefined ? '`hermes config show` lists all sections.' : `Did you mean ${near}?`,
  });
}

/** A name does not always reveal that the value is a secret, so only booleans and URLs are shown in full. */
function hideVariable([name, value]: [string, string]): [string, string] {
  const looksHarmless = /^(?:true|false|https?:\/\/\S+)$/i.test(value) && !isSecretName(name);
  return [name, looksHarmless ? redactSecrets(value) : maskSecret(value)];
}

function formatValues(values: readonly ConfigValue[], style: Style): string {
  const width = Math.max(0, ...values.map(({ key }) => textWidth(printable(key))));
  const shown = values.map((entry) => ({ ...entry, text: printable(formatValue(entry.value)) }));
  const valueWidth = Math.min(32, Math.max(0, ...shown.map(({ text }) => textWidth(text))));
  return shown
    .map(({ key, text, source, line, known }) => {
      const note = known
        ? ''
        : findDeprecatedKey(readKeyText(key)) === undefined
          ? ', unknown key'
          : ', deprecated key';
      const location = source === 'default' ? 'default' : `line ${line}${note}`;
      return `${padWidth(printable(key), width)}  ${padWidth(text, valueWidth)}  ${style.dim(location)}\n`;
    })
    .join('');
}

export type GetOptions = { reveal?: boolean; json?: boolean };

export async function getConfigValue(key: string, options: GetOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  if (isVariableName(key)) return getVariable(key, home, options, io);
  const path = readKeyText(key);
  const found = findValue(file, content, path, options);
  if (found === undefined)
    throw findKey(path) === undefined ? unknown(key, suggestKeys(path)) : notSet(key, isSection(path));
  if (options.json) writeJson(io.stdout, { key, ...found });
  else io.stdout.write(`${printable(formatValue(found.value))}\n`);
  return 0;
}

async function getVariable(name: string, home: string, options: GetOptions, io: CliIo): Promise<number> {
  const saved = new Map(await savedVariables(home));
  const value = saved.get(name) ?? (io.env[name] || undefined);
  if (value === undefined) throw notSet(name);
  const shown = options.reveal ? value : maskSecret(value);
  const place = variableLocation({ home, savedVariables: new Set(saved.keys()) }, name);
  if (options.json) writeJson(io.stdout, { key: name, value: shown, place });
  else io.stdout.write(`${printable(shown)}\n`);
  return 0;
}

function isSection(path: KeyPath): boolean {
  return findKey(path)?.kind === 'mapping';
}

function notSet(key: string, section = false): HermesError {
  return new HermesError(`${key} is not set${section ? ' in config.yaml' : ''}.`, {
    hint: section ? `\`hermes config show ${key}\` lists its keys.` : `Set it with: hermes config set ${key} VALUE`,
  });
}

function unknown(key: string, near: readonly string[]): HermesError {
  return new HermesError(`Unknown key "${key}".`, { hint: keyHint(near) });
}

export type ExplainOptions = { json?: boolean };

/** Explains a key, a section or a variable. */
export async function explainKey(name: string, { json }: ExplainOptions, io: CliIo): Promise<number> {
  const style = createStyle(io.stdout, io.env);
  if (isVariableName(name)) {
    const about = aboutVariable(name);
    if (json) writeJson(io.stdout, { variable: name, about });
    else io.stdout.write(`${style.bold(name)}\n  ${about}.\n`);
    return 0;
  }
  const section = describeKeys().find((candidate) => candidate.name === name);
  if (section !== undefined && section.keys[0]?.key !== name) {
    if (json) writeJson(io.stdout, section);
    else io.stdout.write(`${style.bold(name)}\n  ${section.about}.\n${formatKeys(section.keys, style)}`);
    return 0;
  }
  const path = readKeyText(name);
  const described = describeKey(path);
  if (described === undefined) throw unknownKey(name, suggestKeys(path));
  const { file, content } = await openConfigFile(io);
  const set = findValue(file, content, path, {});
  const now = set === undefined ? 'not set' : formatValue(set.value);
  if (json) writeJson(io.stdout, { ...described, key: name, ...(set !== undefined && { now: set.value }) });
  else io.stdout.write(`${style.bold(name)}\n${formatKey(described, printable(now))}`);
  return 0;
}

function formatKey({ about, kind, expected, default: usual, variable }: KeyDescription, now: string): string {
  const lines = [
    ['takes', kind === 'text' ? 'text' : expected],
    ['default', usual === undefined ? '(no default)' : formatValue(usual as JsonValue)],
    ['now', now],
    ...(variable === undefined ? [] : [['variable', `${variable}, used if the key is not set`]]),
  ];
  return `  ${about}.\n${lines.map(([label = '', text = '']) => `  ${label.padEnd(9)} ${text}\n`).join('')}`;
}

function formatKeys(keys: readonly KeyDescription[], style: Style): string {
  return keys.map(({ key, about }) => `\n${key}\n  ${style.dim(`${about}.`)}`).join('') + '\n';
}

function aboutVariable(name: string): string {
  const known = knownVariables().find((variable) => variable.name === name);
  const ofPlatform = PLATFORMS.flatMap(platformVariables).find((variable) => variable.name === name);
  if (known !== undefined || ofPlatform !== undefined) return known?.about ?? ofPlatform?.about ?? '';
  const owner = PROVIDERS.find(({ keyVariables }) => keyVariables.includes(name));
  if (owner !== undefined) return `API key of ${owner.name} (${owner.id}); it is sent only to that provider`;
  throw unknownKey(name, []);
}

function unknownKey(name: string, near: readonly string[]): ConfigurationError {
  return new ConfigurationError(`${name} is not a known key or variable.`, { hint: keyHint(near) });
}

export type PathOptions = { env?: boolean };

export async function showConfigPath({ env }: PathOptions, io: CliIo): Promise<number> {
  const { configFile, envFile } = homePaths(resolveHome(io.env));
  io.stdout.write(`${env ? envFile : configFile}\n`);
  return 0;
}
