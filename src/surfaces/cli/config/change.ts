import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import { homePaths, replaceConfig, updateConfig, updateEnvFile } from '../../../config/index.ts';
import {
  checkFile,
  findKey,
  findDeprecatedKey,
  findValue,
  maskSecrets,
  type KeyPath,
  type KnownKey,
  readKeyText,
  readValue,
  suggestKeys,
  writeKeyText,
} from '../../../config/keys/index.ts';
import { formatValue } from '../../text/format-value.ts';
import type { CliIo } from '../cli-io.ts';
import { findEditor, runEditor } from '../memory/run-editor.ts';
import { readInput } from '../read-input.ts';
import { writeNotice } from '../report-error.ts';
import { printable } from '../style.ts';
import { isVariableName, keyHint, openConfigFile, savedVariables } from './config-file.ts';

export type SetOptions = { force?: boolean };

export async function setConfigValue(key: string, given: string, options: SetOptions, io: CliIo): Promise<number> {
  const { home, file } = await openConfigFile(io);
  const text = given === '-' ? (await readInput(io)).trim() : given;
  if (isVariableName(key)) return setVariable(key, text, home, io);
  // `model` is a short form of `model.default`, as in the file.
  const path = key === 'model' ? ['model', 'default'] : readKeyText(key);
  const value = readValue(requireKey(path, key, options), text);
  let before: ReturnType<typeof findValue>;
  await updateConfig(home, (content) => {
    before = findValue(file, content, path);
    requireEntry(file, content, path);
    return [{ path, value }];
  });
  const now = maskSecrets(value as string, path.at(-1));
  const was = before === undefined ? 'previously not set' : `before: ${formatValue(before.value)}`;
  const note = before?.source === 'default' ? `${was}, the default` : was;
  io.stdout.write(printable(`${writeKeyText(path)} = ${formatValue(now)}  (${note})\n`));
  return 0;
}

async function setVariable(name: string, value: string, home: string, io: CliIo): Promise<number> {
  if (value === '') {
    throw new ConfigurationError(`The value of ${name} is empty.`, {
      hint: `To remove it, run: hermes config unset ${name}`,
    });
  }
  await updateEnvFile(home, { [name]: value });
  io.stdout.write(printable(`Saved ${name} in ${homePaths(home).envFile}.\n`));
  return 0;
}

/** Returns a known key, or with --force any key. */
function requireKey(path: KeyPath, key: string, { force }: SetOptions): KnownKey {
  const known = findKey(path);
  if (known !== undefined) return known;
  if (force) return { path, kind: 'any', expected: 'a scalar or a list', choices: [], findProblem: () => undefined };
  const renamed = findDeprecatedKey(path);
  const near = renamed === undefined ? suggestKeys(path) : [writeKeyText(renamed.to)];
  throw new ConfigurationError(`Unknown key "${key}".`, {
    hint: `${keyHint(near)} Use --force to set it anyway.`,
  });
}

/** Only existing list items can be changed; use the specific commands to add new ones. */
function requireEntry(file: string, content: string, path: KeyPath): void {
  const at = path.findIndex((part) => typeof part === 'number');
  if (at < 0 || findValue(file, content, path.slice(0, at + 1)) !== undefined) return;
  throw new ConfigurationError(`${writeKeyText(path.slice(0, at + 1))} does not exist in ${file}.`, {
    hint: 'Add it with: hermes config edit (for fallbacks: hermes fallback add)',
  });
}

const NOTHING_CHANGED = 'Nothing was changed; `hermes config show` lists the configured values.';

export async function unsetConfigValue(key: string, io: CliIo): Promise<number> {
  const { home, file } = await openConfigFile(io);
  if (isVariableName(key)) return unsetVariable(key, home, io);
  const path = readKeyText(key);
  await updateConfig(home, (content) => {
    if (findValue(file, content, path)?.source === 'file') return [{ path, value: undefined }];
    const near = findKey(path) === undefined ? suggestKeys(path) : [];
    throw new HermesError(`${key} is not set in ${file}.`, { hint: keyHint(near, NOTHING_CHANGED) });
  });
  const left = findValue(file, (await openConfigFile(io)).content, path);
  const now = left === undefined ? 'is no longer set' : `is ${formatValue(left.value)} again, the default`;
  io.stdout.write(printable(`${key} ${now}.\n`));
  return 0;
}

async function unsetVariable(name: string, home: string, io: CliIo): Promise<number> {
  const { envFile } = homePaths(home);
  if (!(await savedVariables(home)).some(([saved]) => saved === name)) {
    throw new HermesError(`${name} is not set in ${envFile}.`, {
      hint: NOTHING_CHANGED,
    });
  }
  await updateEnvFile(home, { [name]: undefined });
  const stays = io.env[name] ? ' It is still set in the environment.' : '';
  io.stdout.write(printable(`Removed ${name} from ${envFile}.${stays}\n`));
  return 0;
}

/**
 * Opens a copy in the editor, and replaces the file if the copy is valid and the file has not changed since.
 * Otherwise the copy is kept and its path is printed, so the user's text is never lost.
 */
export async function editConfigFile(io: CliIo, signal: AbortSignal): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const editor = findEditor(io, 'hermes config edit');
  const folder = await mkdtemp(join(tmpdir(), 'hermes-config-'));
  const copy = join(folder, 'config.yaml');
  await writeFile(copy, content, { mode: 0o600 });
  await runEditor(editor, copy, io, signal);
  const written = await readFile(copy, 'utf8');
  if (written === content) {
    io.stdout.write('Nothing was changed.\n');
  } else {
    await requireValid(copy, written, file);
    if (!(await saveEdited(home, content, written, copy))) {
      throw editNotSaved(`${file} was changed by another program while you were editing.`, copy, file);
    }
    io.stdout.write(printable(`Saved ${file}.\n`));
    for (const { line, message, hint } of checkFile(file, written)) {
      writeNotice(io, `line ${line}: ${[message, hint].filter(Boolean).join(' ')}`);
    }
  }
  await rm(folder, { recursive: true, force: true });
  return 0;
}

/** Returns false if the file was changed in the meantime. An error names the copy, because it has the user's text. */
async function saveEdited(home: string, before: string, written: string, copy: string): Promise<boolean> {
  try {
    return await replaceConfig(home, before, written);
  } catch (thrown) {
    throw editNotSaved(errorMessage(thrown), copy, homePaths(home).configFile);
  }
}

async function requireValid(copy: string, written: string, file: string): Promise<void> {
  const fault = checkFile(copy, written).find(({ status }) => status === 'wrong');
  if (fault === undefined) return;
  const location = fault.line === undefined ? '' : `line ${fault.line}: `;
  throw editNotSaved(`Not saved: ${location}${fault.message}`, copy, file);
}

function editNotSaved(message: string, copy: string, file: string): HermesError {
  return new HermesError(message, { hint: `Your text is in ${copy}; ${file} was not changed.` });
}
