import { HermesError } from '../../../base/index.ts';
import { type EnvironmentVariables, homePaths, loadSettings } from '../../../config/index.ts';
import { describeError } from '../report-error.ts';
import type { Finding } from './finding.ts';

const check = 'configuration';

export async function checkConfiguration(home: string, env: EnvironmentVariables): Promise<Finding[]> {
  const { configFile } = homePaths(home);
  try {
    const { warnings } = await loadSettings({ home, env });
    const found = warnings.map((message): Finding => ({ check, status: 'warning', message }));
    return [{ check, status: 'ok', message: `The configuration in ${configFile} can be read.` }, ...found];
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [{ check, status: 'wrong', ...describeError(thrown) }];
  }
}
