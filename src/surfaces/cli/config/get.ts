import { HermesError } from '../../../base/index.ts';
import { placeOfVariable } from '../../../config/index.ts';
import { findKey, findValue, readKeyText, suggestKeys } from '../../../config/keys/index.ts';
import { maskSecret } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { isVariableName, openConfigFile, savedVariables } from './config-file.ts';
import { formatValue } from './format-value.ts';
import { keyHint } from './key-hint.ts';

export type GetOptions = { reveal?: boolean; json?: boolean };

export async function getConfigValue(key: string, options: GetOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  if (isVariableName(key)) return getVariable(key, home, options, io);
  const path = readKeyText(key);
  const found = findValue(file, content, path, options);
  if (found === undefined) throw findKey(path) === undefined ? unknown(key, suggestKeys(path)) : notSet(key);
  if (options.json) writeJson(io.stdout, { key, ...found });
  else io.stdout.write(`${showable(formatValue(found.value))}\n`);
  return 0;
}

async function getVariable(name: string, home: string, options: GetOptions, io: CliIo): Promise<number> {
  const saved = new Map(await savedVariables(home));
  const value = saved.get(name) ?? (io.env[name] || undefined);
  if (value === undefined) throw notSet(name);
  const shown = options.reveal ? value : maskSecret(value);
  const place = placeOfVariable({ home, savedVariables: new Set(saved.keys()) }, name);
  if (options.json) writeJson(io.stdout, { key: name, value: shown, place });
  else io.stdout.write(`${showable(shown)}\n`);
  return 0;
}

function notSet(key: string): HermesError {
  return new HermesError(`${key} is not set.`, { hint: `Set it with: hermes config set ${key} VALUE` });
}

function unknown(key: string, near: readonly string[]): HermesError {
  return new HermesError(`${key} is not set, and is no key that is known here.`, { hint: keyHint(near) });
}
