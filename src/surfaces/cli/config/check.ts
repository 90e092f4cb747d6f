import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import { checkFile, type FileFinding } from '../../../config/keys/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable, type Style } from '../style.ts';
import { openConfigFile } from './config-file.ts';

export type CheckOptions = { json?: boolean };
type Finding = Omit<FileFinding, 'kind'> & { kind: FileFinding['kind'] | 'ignored' };

/** Looks through the whole file; a warning is worth knowing and stops nothing. */
export async function checkConfig({ json }: CheckOptions, io: CliIo): Promise<number> {
  const { file, content } = await openConfigFile(io);
  const inFile = checkFile(file, content);
  const ok = inFile.every(({ status }) => status !== 'wrong');
  const findings: Finding[] = ok ? [...inFile, ...(await findIgnored(io))] : inFile;
  const sound = findings.every(({ status }) => status !== 'wrong');
  if (json) writeJson(io.stdout, { file, ok: sound, findings });
  else io.stdout.write(format(file, findings, sound, createStyle(io.stdout, io.env)));
  return sound ? 0 : 1;
}

/** What is fine by itself and still of no use, such as a reference to a variable that is not set. */
async function findIgnored(io: CliIo): Promise<Finding[]> {
  try {
    const { warnings } = await loadSettings({ home: resolveHome(io.env), env: io.env });
    return warnings.map((message) => ({ status: 'warning', kind: 'ignored', message }));
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [{ status: 'wrong', kind: 'value', message: thrown.message, hint: thrown.hint }];
  }
}

function format(file: string, findings: readonly Finding[], sound: boolean, style: Style): string {
  const lines = findings.map(({ status, line, message, hint }) => {
    const mark = status === 'wrong' ? style.red('✗') : style.yellow('!');
    const place = line === undefined ? '' : `line ${line}: `;
    return `${mark} ${place}${showable(redactSecrets(message))}\n${hint === undefined ? '' : `  ${showable(hint)}\n`}`;
  });
  const end = sound ? `${style.green('✓')} ${showable(file)} can be used.\n` : 'Correct it with: hermes config edit\n';
  return lines.join('') + end;
}
