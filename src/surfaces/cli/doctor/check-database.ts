import { HermesError } from '../../../base/index.ts';
import { checkIntegrity, chooseDatabaseFile } from '../../../store/sqlite/index.ts';
import { describeError } from '../report-error.ts';
import type { Finding } from './finding.ts';

const check = 'database';
const REPAIR = 'Run: hermes sessions repair';

export async function checkDatabase(home: string, signal: AbortSignal): Promise<Finding[]> {
  try {
    const { file, state, problems } = await checkIntegrity(await chooseDatabaseFile(home), { signal });
    const [first] = problems;
    const found = first === undefined ? '' : ` (${first})`;
    switch (state) {
      case 'missing':
        return [{ check, status: 'ok', message: `There is no session database ${file} yet.` }];
      case 'sound':
        return [{ check, status: 'ok', message: `The session database ${file} is sound.` }];
      case 'search':
        return [
          {
            ...{ check, status: 'wrong', message: `The search index of ${file} is damaged${found}.`, hint: REPAIR },
            fix: { action: 'rebuild-search-index', path: file },
          },
        ];
      case 'damaged':
        return [{ check, status: 'wrong', message: `The session database ${file} is damaged${found}.`, hint: REPAIR }];
    }
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof HermesError)) throw thrown;
    return [{ check, status: 'wrong', ...describeError(thrown) }];
  }
}
