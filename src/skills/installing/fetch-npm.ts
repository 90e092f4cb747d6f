import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import { unpack } from './unpack.ts';
import type { SkillSource } from './source.ts';
import { runTool, type ToolRun } from './run-tool.ts';

/** Nothing runs, nothing is asked, and a host that does not answer is not waited for minutes. */
const FLAGS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];
const MOST_TARBALL = 32 * 1024 * 1024;

/**
 * The content of a package in an empty folder. npm fetches it, so that registries, keys and proxies are those of the
 * person; it is packed and not installed, so nothing of it runs, and what came is compared with what the registry says.
 */
export async function fetchNpm(
  { name, version: asked }: Extract<SkillSource, { kind: 'npm' }>,
  run: ToolRun,
): Promise<{ version: string }> {
  const npm = (...args: string[]) => runTool('npm', [...args, ...FLAGS], run);
  const { version, integrity } = readFacts(
    name,
    await npm('view', `${name}@${asked}`, 'version', 'dist.integrity', '--json'),
  );
  await npm('pack', `${name}@${version}`, '--loglevel=error', '--pack-destination', run.folder);
  const file = join(run.folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const bytes = readFileSync(file);
  if (bytes.length > MOST_TARBALL) throw new HermesError(`The package ${name} is too large to be taken.`);
  assertIntegrity(bytes, integrity, `${name}@${version}`);
  rmSync(file);
  unpack(bytes, run.folder);
  return { version };
}

/** Of several versions that fit, npm lists all; the last one is the newest. */
function readFacts(name: string, output: string): { version: string; integrity: string } {
  const parsed = parseJson(output);
  const facts = Array.isArray(parsed) ? parsed.at(-1) : parsed;
  const version = isJsonObject(facts) ? facts['version'] : undefined;
  const integrity = isJsonObject(facts) ? facts['dist.integrity'] : undefined;
  if (typeof version !== 'string' || !/^[\w.+-]+$/.test(version))
    throw new HermesError(`npm says nothing about the package ${name}.`);
  if (typeof integrity !== 'string') {
    throw new HermesError(`The registry has no checksum for ${name}@${version}; it is not taken.`, {
      hint: 'Ask for a newer version.',
    });
  }
  return { version, integrity };
}

/** `sha512-…`; weaker ones are no proof. */
export function assertIntegrity(bytes: Uint8Array, integrity: string, what: string): void {
  const expected = integrity.split(/\s+/).find((one) => one.startsWith('sha512-'));
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (expected !== found) {
    throw new HermesError(`What came for ${what} is not what the registry announced; it was thrown away.`, {
      hint: 'Try again later, and over another network.',
    });
  }
}
