import { isJsonObject, parseJson } from '../../base/index.ts';
import { toConfigValues } from '../read-config.ts';
import { type ConfigFile, schemaFor } from '../schema.ts';

/** The keys of `gateway.json` that are in `config.yaml` too, by their names there. */
const KEYS: Readonly<Record<string, keyof ConfigFile>> = {
  platforms: 'platforms',
  default_reset_policy: 'session_reset',
  reset_by_type: 'reset_by_type',
  reset_by_platform: 'reset_by_platform',
  quick_commands: 'quick_commands',
  group_sessions_per_user: 'group_sessions_per_user',
  thread_sessions_per_user: 'thread_sessions_per_user',
  unauthorized_dm_behavior: 'unauthorized_dm_behavior',
};

/**
 * Reads `gateway.json`, which older versions of the original wrote. A key that is not valid is reported and ignored,
 * because the file is not maintained by hand.
 */
export function readGatewayFile(file: string, text: string, onProblem: (problem: string) => void): ConfigFile {
  const content = parseJson(text);
  if (!isJsonObject(content)) {
    onProblem(`${file} is not a JSON object, so it is ignored.`);
    return {};
  }
  let values: ConfigFile = {};
  for (const [name, key] of Object.entries(KEYS)) {
    if (content[name] === undefined || content[name] === null) continue;
    const value = toConfigValues({ [key]: content[name] });
    const parsed = schemaFor(value).safeParse(value);
    if (parsed.success) values = { ...values, ...parsed.data };
    else onProblem(`${file}: ${name} must be ${parsed.error.issues[0]?.message ?? 'different'}, so it is ignored.`);
  }
  return values;
}
