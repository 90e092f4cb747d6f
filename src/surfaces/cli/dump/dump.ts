import { existsSync, statSync } from 'node:fs';
import { arch, release, type } from 'node:os';
import { errorMessage } from '../../../base/index.ts';
import { homePaths, loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { listValues } from '../../../config/keys/index.ts';
import { describeRoutes, PROVIDERS } from '../../../providers/index.ts';
import { findStore, inspectChosenTools } from '../../../runtime/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatValue } from '../../text/format-value.ts';
import { openConfigFile } from '../config/config-file.ts';
import { formatEntry, readLogLine } from '../logs/log-entry.ts';
import { readLastLines } from '../logs/log-files.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { storeLocation, withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { formatRouteLine } from '../status/format-status.ts';
import { createStyle, printable } from '../style.ts';
import { VERSION } from '../version.ts';

export type DumpOptions = { json?: boolean };

const SECTIONS = {
  Program: async (io: CliIo) => [
    `hermes ${VERSION}`,
    `node ${process.version}, SQLite ${process.versions.sqlite ?? 'none'}`,
    `${type()} ${release()} ${arch()}`,
    `home ${resolveHome(io.env)}`,
    `terminal ${io.env['TERM'] ?? '–'}, shell ${io.env['SHELL'] ?? '–'}, language ${io.env['LANG'] ?? '–'}`,
  ],
  Model: modelLines,
  Configuration: configurationLines,
  Variables: variableLines,
  Tools: toolLines,
  Store: storeLines,
  'Last warnings and errors': errorLines,
};

/**
 * Prints details for a bug report. If a section fails, its error is included, because it may be the reason for the
 * report.
 */
export async function writeDump({ json }: DumpOptions, io: CliIo): Promise<number> {
  const entries = await Promise.all(
    Object.entries(SECTIONS).map(async ([title, gather]): Promise<[string, string[]]> => {
      const lines = await gather(io).catch((thrown: unknown) => [`unavailable: ${errorMessage(thrown)}`]);
      return [title, lines.map((line) => withoutUserName(printable(redactSecrets(line)), io))];
    }),
  );
  if (json) writeJson(io.stdout, { sections: entries.map(([title, lines]) => ({ title, lines })) });
  else
    io.stdout.write(
      entries.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`).join('\n'),
    );
  return 0;
}

/** Replaces the path of the user's home directory, which contains their name. */
function withoutUserName(line: string, { env }: CliIo): string {
  const folder = env['HOME'];
  return folder === undefined || folder.length < 2 ? line : line.replaceAll(folder, '~');
}

const MAX_ERRORS = 20;

function settingsOf(io: CliIo): Promise<Settings> {
  return loadSettings({ home: resolveHome(io.env), env: io.env });
}

async function modelLines(io: CliIo): Promise<string[]> {
  const routes = await describeRoutes(await settingsOf(io), {});
  if (routes.length === 0) return ['no model is configured'];
  return routes.map((route) => {
    const problem = route.problem === undefined ? '' : `: ${route.problem.message}`;
    return `${formatRouteLine(route)}${problem}`;
  });
}

/** Only configured values, since the defaults follow from the version. */
async function configurationLines(io: CliIo): Promise<string[]> {
  const { file, content } = await openConfigFile(io);
  const set = listValues(file, content).filter(({ source }) => source === 'file');
  const lines = set.map(({ key, value, known }) => `${key} = ${formatValue(value)}${known ? '' : '  (unknown key)'}`);
  return lines.length === 0 ? ['nothing is set'] : lines;
}

/** Names only, because the values may be secret. */
async function variableLines(io: CliIo): Promise<string[]> {
  const { variables, savedVariables } = await settingsOf(io);
  const ours = PROVIDERS.flatMap(({ keyVariables }) => keyVariables ?? []);
  const names = Object.keys(variables).filter(
    (name) => /^(?:HERMES|TERMINAL)_|_PROXY$|^SSL_CERT/i.test(name) || ours.includes(name),
  );
  const set = [...new Set([...names, ...(savedVariables ?? [])])].filter((name) => variables[name]).toSorted();
  return set.length === 0 ? ['none'] : set.map((name) => `${name}${savedVariables?.has(name) ? ' (in .env)' : ''}`);
}

async function toolLines(io: CliIo): Promise<string[]> {
  const { tools } = await inspectChosenTools(await settingsOf(io));
  const on = tools.filter(({ state }) => state === 'on').map(({ name }) => name);
  const others = tools
    .filter(({ state }) => state !== 'on')
    .map(({ name, state, reason }) => `${name}: ${reason ?? state}`);
  return [`on: ${on.join(', ')}`, ...others];
}

async function storeLines(io: CliIo): Promise<string[]> {
  const location = await findStore(await storeLocation(io));
  if ('file' in location && !existsSync(location.file)) return [`${location.file} does not exist yet`];
  const { sessions, messages } = await withStore(io, (store) => store.statistics());
  return [
    'file' in location ? `${location.file}, ${formatBytes(statSync(location.file).size)}` : location.database,
    `${sessions} sessions, ${messages.user + messages.assistant + messages.tool} messages`,
  ];
}

async function errorLines(io: CliIo): Promise<string[]> {
  const { logFile } = homePaths(resolveHome(io.env));
  const { lines } = await readLastLines(logFile, MAX_ERRORS, { level: 'warn' });
  const style = createStyle(io.stdout, { NO_COLOR: '1' });
  return lines.length === 0 ? ['none'] : lines.map((line) => formatEntry(readLogLine(line), style).trimEnd());
}
