import { HermesError } from '../../../base/index.ts';
import { type EnvironmentVariables, loadSettings } from '../../../config/index.ts';
import { createEnvironment } from '../../../environments/index.ts';
import { describeError } from '../report-error.ts';
import { describeTerminal } from '../status/describe-terminal.ts';
import type { Finding } from './finding.ts';

const check = 'terminal';

/** Opens the place where commands would run, and leaves it again. A file that cannot be read is told by another check. */
export async function checkTerminal(home: string, env: EnvironmentVariables): Promise<Finding[]> {
  const settings = await loadSettings({ home, env }).catch(() => undefined);
  if (settings === undefined) return [];
  try {
    const environment = await createEnvironment({
      ...{ terminal: settings.terminal, variables: settings.variables, workingDirectory: process.cwd(), home },
    });
    await environment.close();
    return [{ check, status: 'ok', message: `Commands run ${describeTerminal(settings.terminal)}.` }];
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [{ check, status: 'wrong', ...describeError(thrown) }];
  }
}
