import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, updateConfig, updateEnvFile } from '../../../config/index.ts';
import {
  findKey,
  findOldName,
  findValue,
  hideSecrets,
  type KeyPath,
  type KnownKey,
  readKeyText,
  readValue,
  suggestKeys,
  writeKeyText,
} from '../../../config/keys/index.ts';
import type { CliIo } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { showable } from '../style.ts';
import { isVariableName, openConfigFile } from './config-file.ts';
import { formatValue } from './format-value.ts';
import { keyHint } from './key-hint.ts';

export type SetOptions = { force?: boolean };

export async function setConfigValue(key: string, given: string, options: SetOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const text = given === '-' ? (await readInput(io)).trim() : given;
  if (isVariableName(key)) return setVariable(key, text, home, io);
  // The short form that the file has too.
  const path = key === 'model' ? ['model', 'default'] : readKeyText(key);
  const value = readValue(requireKey(path, key, options), text);
  const before = findValue(file, content, path);
  requireEntry(file, content, path);
  await updateConfig(home, [{ path, value }]);
  const now = hideSecrets(value as string, path.at(-1));
  const was = before === undefined ? 'not set before' : `before: ${formatValue(before.value)}`;
  const note = before?.source === 'default' ? `${was}, the default` : was;
  io.stdout.write(showable(`${writeKeyText(path)} = ${formatValue(now)}  (${note})\n`));
  return 0;
}

async function setVariable(name: string, value: string, home: string, io: CliIo): Promise<number> {
  if (value === '') {
    throw new ConfigurationError(`There is no value for ${name}.`, { hint: `Run: hermes config unset ${name}` });
  }
  await updateEnvFile(home, { [name]: value });
  io.stdout.write(showable(`Saved ${name} in ${homePaths(home).envFile}.\n`));
  return 0;
}

/** A key that we read, or any other where that is wanted. */
function requireKey(path: KeyPath, key: string, { force }: SetOptions): KnownKey {
  const known = findKey(path);
  if (known !== undefined) return known;
  if (force) return { path, kind: 'any', wanted: 'a plain value or a list', choices: [], faultOf: () => undefined };
  const renamed = findOldName(path);
  const near = renamed === undefined ? suggestKeys(path) : [writeKeyText(renamed.to)];
  throw new ConfigurationError(`There is no key "${key}".`, {
    hint: `${keyHint(near)} With --force it is written all the same.`,
  });
}

/** An entry of a list can be changed where it is there; new ones are added by the commands that know them. */
function requireEntry(file: string, content: string, path: KeyPath): void {
  const at = path.findIndex((part) => typeof part === 'number');
  if (at < 0 || findValue(file, content, path.slice(0, at + 1)) !== undefined) return;
  throw new ConfigurationError(`There is no ${writeKeyText(path.slice(0, at + 1))} in ${file}.`, {
    hint: 'Add it with: hermes config edit (for fallbacks: hermes fallback add)',
  });
}
