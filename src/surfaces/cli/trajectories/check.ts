import { type CheckTotals, checkLines } from '../../../trajectories/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { jsonText, toSnakeCase } from '../output/json-lines.ts';
import { writeStream } from '../sessions/export/write-target.ts';
import { showable } from '../style.ts';
import { openInput } from './open-input.ts';

export type CheckOptions = { json?: boolean };

/** Every deviation of every file, as it is found. */
export async function checkFiles(files: readonly string[], { json }: CheckOptions, io: CliIo): Promise<number> {
  let isClean = true;
  async function* findings(): AsyncGenerator<string> {
    for (const file of files) {
      const totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0, failures: 0 };
      for await (const { line, message } of checkLines(await openInput(file, io), totals)) {
        yield json ? jsonLine({ file, line, message }) : `${showable(file)}:${line}: ${showable(message)}\n`;
      }
      yield json ? jsonLine({ file, ...totals }) : describe(file, totals);
      if (totals.deviations > 0) isClean = false;
    }
  }
  await writeStream(io.stdout, findings());
  return isClean ? 0 : 1;
}

function jsonLine(value: Parameters<typeof toSnakeCase>[0]): string {
  return `${jsonText(toSnakeCase(value))}\n`;
}

function describe(file: string, { lines, deviations, badLines, failures }: CheckTotals): string {
  if (failures > 0 && failures === lines) {
    return `${showable(file)}: no trajectories, but ${counted(failures, 'prompt')} of a batch that failed, with the reasons.\n`;
  }
  const found = `${counted(deviations, 'deviation')} on ${counted(badLines, 'line')}`;
  return `${showable(file)}: ${counted(lines, 'line')}, ${deviations === 0 ? 'all in order' : found}.\n`;
}
