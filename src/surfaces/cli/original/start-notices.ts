import { fingerprintOf } from '../../../base/index.ts';
import {
  type EnvironmentVariables,
  homePaths,
  loadSettings,
  readIfPresent,
  resolveHome,
  type Settings,
} from '../../../config/index.ts';
import { findOriginal, type OriginalDatabase } from '../../../store/sqlite/index.ts';
import { quoteShellWord } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { readShownNotices, recordShown, type ShownNotices } from './shown-notices.ts';

/** The number of ignored keys that are named. */
const MAX_NAMED = 4;

/**
 * What a start says once: which settings have no effect, and that sessions of the original are not imported. The
 * notices are recorded as shown.
 */
export async function startNotices(settings: Settings, database: OriginalDatabase | undefined): Promise<string[]> {
  const shown = await readShownNotices(settings.home);
  const [ignored, sessions] = [await ignoredSettings(settings, shown), unimportedSessions(database, shown)];
  const found = [ignored, sessions].filter((notice) => notice !== undefined);
  const record = Object.assign({}, ...found.map(({ record: one }) => one)) as ShownNotices;
  if (found.length > 0) await recordShown(settings.home, record);
  return found.flatMap(({ message }) => message ?? []);
}

type Notice = { message?: string; record: ShownNotices };

/** The file is only examined if it changed, because the schemas of all keys take long to build. */
async function ignoredSettings({ home, display }: Settings, shown: ShownNotices): Promise<Notice | undefined> {
  const { configFile } = homePaths(home);
  const content = display.ignoredSettings ? await readIfPresent(configFile) : undefined;
  if (content === undefined) return undefined;
  const fingerprint = fingerprintOf(content);
  if (shown.ignoredSettings === fingerprint) return undefined;
  const { listIgnoredKeys } = await import('../../../config/keys/index.ts');
  const keys = listIgnoredKeys(configFile, content);
  const record = { ignoredSettings: fingerprint };
  if (keys.length === 0) return { record };
  const named = keys.slice(0, MAX_NAMED).join(', ');
  const more = keys.length > MAX_NAMED ? `, and ${keys.length - MAX_NAMED} more` : '';
  const message =
    `${configFile} has ${counted(keys.length, 'setting')} without effect: ${named}${more}. ` +
    '`hermes config check` lists them. This is shown once per change; `display.ignored_settings: false` disables it.';
  return { message, record };
}

function unimportedSessions(database: OriginalDatabase | undefined, shown: ShownNotices): Notice | undefined {
  if (database === undefined || database.missing === 0) return undefined;
  const schema = String(database.schema);
  if (shown.sessionsMentioned === schema) return undefined;
  return {
    message: `${describeDatabase(database)} Import them with: ${importCommand(database)}`,
    record: { sessionsMentioned: schema },
  };
}

/** The same for a program that has not loaded its settings yet. */
export async function noticesFor(env: EnvironmentVariables): Promise<string[]> {
  const home = resolveHome(env);
  const settings = await loadSettings({ home, env });
  return startNotices(settings, settings.storage === undefined ? await findOriginal(home) : undefined);
}

/** What was found, as one sentence. */
export function describeDatabase({ file, schema, sessions, missing }: OriginalDatabase): string {
  const part =
    missing === sessions ? 'are' : `include ${counted(missing, 'session')} that ${missing === 1 ? 'is' : 'are'}`;
  return `The ${counted(sessions, 'session')} of the original Hermes in ${file} (schema ${schema}) ${part} not imported.`;
}

export function importCommand({ file }: Pick<OriginalDatabase, 'file'>): string {
  return `hermes sessions import ${quoteShellWord(file)}`;
}
