import { existsSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * A program of the tests as one JavaScript file, which starts in half the time or less: Node would strip the types and
 * load each package anew for every process. It is compiled once in a test run.
 */
export function compiledProgram(file: string): string {
  const folder = process.env['HERMES_TEST_PROGRAMS'];
  if (folder === undefined) return file;
  const compiled = join(folder, `${basename(file, '.ts')}.mjs`);
  if (existsSync(compiled)) return compiled;
  const own = `${compiled}.${process.pid}`;
  buildSync({ entryPoints: [file], outfile: own, bundle: true, platform: 'node', format: 'esm', target: 'node22' });
  renameSync(own, compiled);
  return compiled;
}
