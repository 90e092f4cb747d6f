import { existsSync } from 'node:fs';
import { HermesError } from '../../../base/index.ts';
import { type EnvironmentVariables, homePaths, loadSettings, type Settings } from '../../../config/index.ts';
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
    return { settings, findings: [readable, ...found] };
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { findings: [{ check, status: 'wrong', ...describeError(thrown) }] };
  }
}
