import { DISTRIBUTIONS } from '../../batch/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createStyle } from '../style.ts';

/** `hermes batch distributions` */
export async function showDistributions({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  if (json) {
    // Not `writeJson`, which would rename the keys: they are names of tool sets.
    io.stdout.write(`${JSON.stringify(DISTRIBUTIONS, undefined, 2)}\n`);
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  for (const [name, { description, toolsets }] of Object.entries(DISTRIBUTIONS)) {
    const sets = Object.entries(toolsets).map(([set, percent]) => `${set} ${percent} %`);
    io.stdout.write(`${style.bold(name)}  ${description}\n    ${sets.join(', ')}\n`);
  }
  return 0;
}
