import { HermesError } from '../../../base/index.ts';
import { homePaths, updateConfig, updateEnvFile } from '../../../config/index.ts';
import { findKey, findValue, readKeyText, suggestKeys } from '../../../config/keys/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { isVariableName, openConfigFile, savedVariables } from './config-file.ts';
import { formatValue } from './format-value.ts';
import { keyHint } from './key-hint.ts';

const NOTHING_CHANGED = 'Nothing was changed; `hermes config show` shows what is set.';

export async function unsetConfigValue(key: string, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  if (isVariableName(key)) return unsetVariable(key, home, io);
  const path = readKeyText(key);
  if (findValue(file, content, path)?.source !== 'file') {
    const near = findKey(path) === undefined ? suggestKeys(path) : [];
    throw new HermesError(`${key} is not set in ${file}.`, {
      hint: keyHint(near, NOTHING_CHANGED),
    });
  }
  await updateConfig(home, [{ path, value: undefined }]);
  const left = findValue(file, (await openConfigFile(io)).content, path);
  const now = left === undefined ? 'is not set any more' : `is ${formatValue(left.value)} again, the default`;
  io.stdout.write(showable(`${key} ${now}.\n`));
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
  io.stdout.write(showable(`Took ${name} out of ${envFile}.${stays}\n`));
  return 0;
}
