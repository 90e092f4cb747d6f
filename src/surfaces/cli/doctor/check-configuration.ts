import { existsSync } from 'node:fs';
import { HermesError } from '../../../base/index.ts';
import {
  type EnvironmentVariables,
  homePaths,
  loadSettings,
  readIfPresent,
  type Settings,
} from '../../../config/index.ts';
import { checkFile } from '../../../config/keys/index.ts';
import { describeError } from '../report-error.ts';
import type { Finding } from './finding.ts';

const check = 'configuration';

/** The settings too, where they can be read, for all that depends on them. */
export async function checkConfiguration(
  home: string,
  env: EnvironmentVariables,
): Promise<{ findings: Finding[]; settings?: Settings }> {
  const { configFile } = homePaths(home);
  try {
    const settings = await loadSettings({ home, env });
    const found = settings.warnings.map((message): Finding => ({ check, status: 'warning', message }));
    const message = existsSync(configFile)
      ? `The configuration in ${configFile} can be read.`
      : `There is no configuration file ${configFile} yet; what is not set has its default.`;
    const readable: Finding = { check, status: 'ok', message };
    return { settings, findings: [readable, ...(await unknownKeys(configFile)), ...found] };
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { findings: [{ check, status: 'wrong', ...describeError(thrown) }] };
  }
}

/** Keys of the file that nobody reads. A start passes over them, because a file may have some of other programs. */
async function unknownKeys(configFile: string): Promise<Finding[]> {
  return checkFile(configFile, (await readIfPresent(configFile)) ?? '')
    .filter(({ kind }) => kind === 'unknown')
    .map(({ line, message, hint }) => {
      const place = line === undefined ? configFile : `${configFile}, line ${line}`;
      return { check, status: 'warning', message: `${place}: ${message}`, ...(hint !== undefined && { hint }) };
    });
}
