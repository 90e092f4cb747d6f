import { listKeys, writeKeyText } from '../../../config/keys/index.ts';
import { listProfiles, loadSettings, profileRoot, resolveHome } from '../../../config/index.ts';
import { choosePrimary, listCatalogue, PROVIDERS } from '../../../providers/index.ts';
import { silentLogger } from '../../../contracts/index.ts';
import { findStore, openStore } from '../../../runtime/open-store.ts';
import { existsSync } from 'node:fs';
import type { CliIo } from '../cli-io.ts';
import { storeLocation } from '../sessions/with-store.ts';
import { printable } from '../style.ts';
import type { DynamicKind } from '../commands/groups/config-commands.ts';

const MAX_SESSIONS = 50;
const CONNECT_TIMEOUT_SECONDS = 2;

type Line = readonly [value: string, description: string];

/**
 * Prints completions, one `VALUE<TAB>DESCRIPTION` per line. It uses no network, and on any error it prints nothing,
 * because a message would appear in the middle of the user's command line.
 */
export async function writeDynamicValues(kind: DynamicKind, io: CliIo): Promise<number> {
  const lines = await DYNAMIC_VALUES[kind](io).catch((): Line[] => []);
  const text = lines.map(([value, description]) => `${oneLine(value)}\t${oneLine(description)}\n`);
  io.stdout.write(text.join(''));
  return 0;
}

const DYNAMIC_VALUES: Readonly<Record<DynamicKind, (io: CliIo) => Promise<Line[]>>> = {
  sessions: lookUpSessions,
  models: lookUpModels,
  providers: async (io) => [
    ...PROVIDERS.map(({ id, name }): Line => [id, name]),
    ...(await settingsOf(io)).customProviders.map(({ name, baseUrl }): Line => [name, baseUrl]),
  ],
  'config-keys': async () => listKeys().map(({ path, expected }): Line => [writeKeyText(path), expected]),
  'config-sections': async () =>
    [...new Set(listKeys().map(({ path }) => String(path[0])))].map((name): Line => [name, '']),
  servers: async (io) => {
    const servers = Object.entries((await settingsOf(io)).mcpServers ?? {});
    return servers.map(([name, { url, command }]): Line => [name, url ?? command ?? '']);
  },
  profiles: async (io) => (await listProfiles(profileRoot(io.env))).map((name): Line => [name, '']),
};

async function lookUpSessions(io: CliIo): Promise<Line[]> {
  const { home, storage } = await storeLocation(io);
  const location = await findStore({ home, storage });
  if ('file' in location && !existsSync(location.file)) return [];
  // The user is waiting for the completion, so a slow database server is not waited for.
  const quick = storage && { ...storage, connectSeconds: CONNECT_TIMEOUT_SECONDS };
  const store = await openStore({ home, storage: quick, logger: silentLogger, openBudgetMs: 0 });
  try {
    const sessions = await store.listSessions({ limit: MAX_SESSIONS });
    const titles = sessions.flatMap(({ id, title }): Line[] => (title ? [[title, id]] : []));
    return [...sessions.map(({ id, title }): Line => [id, title ?? '']), ...titles];
  } finally {
    await store.close();
  }
}

async function lookUpModels(io: CliIo): Promise<Line[]> {
  const settings = await settingsOf(io);
  const { model } = settings;
  const provider = choosePrimary(settings, {})?.provider;
  const written = [model, ...settings.fallbacks].flatMap(({ model: name }): Line[] =>
    name ? [[name, 'configured']] : [],
  );
  const known = provider === undefined ? [] : await listCatalogue({ provider, home: settings.home });
  return [...written, ...known.map(({ id }): Line => [id, provider ?? ''])];
}

function settingsOf(io: CliIo) {
  return loadSettings({ home: resolveHome(io.env), env: io.env });
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, ' ').trim();
}
