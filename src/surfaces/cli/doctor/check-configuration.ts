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
    const readable: Finding = { check, status: 'ok', message: `The configuration in ${configFile} can be read.` };
    return { settings, findings: [readable, ...found] };
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { findings: [{ check, status: 'wrong', ...describeError(thrown) }] };
  }
}
