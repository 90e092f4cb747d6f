import { existsSync, statSync } from 'node:fs';
import { homePaths, loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { listValues } from '../../../config/keys/index.ts';
import { describeRoutes, PROVIDERS } from '../../../providers/index.ts';
import { findStore, inspectChosenTools } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { openConfigFile } from '../config/config-file.ts';
import { formatValue } from '../config/format-value.ts';
import { formatEntry } from '../logs/format-entry.ts';
import { readLogLine } from '../logs/log-entry.ts';
import { readLastLines } from '../logs/read-last-lines.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { placeOf, withStore } from '../sessions/with-store.ts';
import { formatRouteLine } from '../status/format-status.ts';
import { createStyle } from '../style.ts';

const MOST_ERRORS = 20;

function settingsOf(io: CliIo): Promise<Settings> {
  return loadSettings({ home: resolveHome(io.env), env: io.env });
}

export async function modelLines(io: CliIo): Promise<string[]> {
  const routes = await describeRoutes(await settingsOf(io), {});
  if (routes.length === 0) return ['none is configured'];
  return routes.map((route) => {
    const problem = route.problem === undefined ? '' : `: ${route.problem.message}`;
    return `${formatRouteLine(route)}${problem}`;
  });
}

/** Only what is set: the defaults are those of the version. */
export async function configurationLines(io: CliIo): Promise<string[]> {
  const { file, content } = await openConfigFile(io);
  const set = listValues(file, content).filter(({ source }) => source === 'file');
  const lines = set.map(({ key, value, known }) => `${key} = ${formatValue(value)}${known ? '' : '  (not known)'}`);
  return lines.length === 0 ? ['nothing is set'] : lines;
}

/** Names only: what they hold is nobody's business. */
export async function variableLines(io: CliIo): Promise<string[]> {
  const { variables, savedVariables } = await settingsOf(io);
  const ours = PROVIDERS.flatMap(({ keyVariables }) => keyVariables ?? []);
  const names = Object.keys(variables).filter(
    (name) => /^(?:HERMES|TERMINAL)_|_PROXY$|^SSL_CERT/i.test(name) || ours.includes(name),
  );
  const set = [...new Set([...names, ...(savedVariables ?? [])])].filter((name) => variables[name]).toSorted();
  return set.length === 0 ? ['none'] : set.map((name) => `${name}${savedVariables?.has(name) ? ' (in .env)' : ''}`);
}

export async function toolLines(io: CliIo): Promise<string[]> {
  const { tools } = await inspectChosenTools(await settingsOf(io));
  const on = tools.filter(({ state }) => state === 'on').map(({ name }) => name);
  const others = tools
    .filter(({ state }) => state !== 'on')
    .map(({ name, state, reason }) => `${name}: ${reason ?? state}`);
  return [`on: ${on.join(', ')}`, ...others];
}

export async function storeLines(io: CliIo): Promise<string[]> {
  const place = await findStore(await placeOf(io));
  if ('file' in place && !existsSync(place.file)) return [`${place.file} is not there yet`];
  const { sessions, messages } = await withStore(io, (store) => store.statistics());
  return [
    'file' in place ? `${place.file}, ${formatBytes(statSync(place.file).size)}` : place.database,
    `${sessions} sessions, ${messages.user + messages.assistant + messages.tool} messages`,
  ];
}

export async function errorLines(io: CliIo): Promise<string[]> {
  const { logFile } = homePaths(resolveHome(io.env));
  const { lines } = await readLastLines(logFile, MOST_ERRORS, { level: 'warn' });
  const style = createStyle(io.stdout, { NO_COLOR: '1' });
  return lines.length === 0 ? ['none'] : lines.map((line) => formatEntry(readLogLine(line), style).trimEnd());
}
