import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { errorMessage, HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import { shorten } from '../../util/index.ts';
import { collect, readTar } from '../../util/tar/index.ts';
import { runTool, type ToolRun } from './run-tool.ts';
import type { SkillSource } from './source.ts';

/** No scripts, no prompts, and short retries for a host that does not respond. */
const FLAGS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];
const MAX_TARBALL_BYTES = 32 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 5_000;

/**
 * Downloads the content of a package into an empty folder. npm does it, so that the user's registries, credentials
 * and proxies apply. `npm pack` runs no code of the package, and the result is compared with the registry's checksum.
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
  if (bytes.length > MAX_TARBALL_BYTES)
    throw new HermesError(`The package ${name} is too large (maximum ${MAX_TARBALL_BYTES / 1024 / 1024} MB).`);
  assertIntegrity(bytes, integrity, `${name}@${version}`);
  rmSync(file);
  await extractTarball(bytes, run.folder);
  return { version };
}

/** npm lists all matching versions; the last one is the newest. */
function readFacts(name: string, output: string): { version: string; integrity: string } {
  const parsed = parseJson(output);
  const facts = Array.isArray(parsed) ? parsed.at(-1) : parsed;
  const version = isJsonObject(facts) ? facts['version'] : undefined;
  const integrity = isJsonObject(facts) ? facts['dist.integrity'] : undefined;
  if (typeof version !== 'string' || !/^[\w.+-]+$/.test(version))
    throw new HermesError(`npm returned no information about the package ${name}.`);
  if (typeof integrity !== 'string') {
    throw new HermesError(`The registry has no checksum for ${name}@${version}, so it cannot be verified.`, {
      hint: 'Try a newer version.',
    });
  }
  return { version, integrity };
}

/** Accepts only `sha512-…`, because weaker hashes prove nothing. */
export function assertIntegrity(bytes: Uint8Array, integrity: string, what: string): void {
  const expected = integrity.split(/\s+/).find((one) => one.startsWith('sha512-'));
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (expected !== found) {
    throw new HermesError(`The download of ${what} does not match the checksum of the registry and was discarded.`, {
      hint: 'Try again later or over another network.',
    });
  }
}

/** Extracts an npm tarball. Only regular files are extracted, and none outside the folder. */
export async function extractTarball(tarball: Uint8Array, folder: string): Promise<void> {
  const bytes = inflate(tarball);
  let files = 0;
  try {
    for await (const { path, type, content } of readTar(singleChunk(bytes))) {
      if (type === 'link') throw new HermesError('it contains links.');
      if (type !== 'file') continue;
      files += 1;
      if (files > MAX_FILES) throw new HermesError(`it has more than ${MAX_FILES} files.`);
      writeTarFile(folder, path, await collect(content));
    }
  } catch (thrown) {
    throw extractionFailure(errorMessage(thrown));
  }
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function inflate(tarball: Uint8Array): Uint8Array {
  try {
    return gunzipSync(tarball, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (thrown) {
    throw extractionFailure(errorMessage(thrown));
  }
}

/** Drops the first path segment: every package is packed inside one folder. */
function writeTarFile(folder: string, name: string, content: Uint8Array): void {
  const parts = name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .slice(1);
  if (parts.length === 0 || parts.includes('..') || name.startsWith('/') || /[\\\0]/.test(name))
    throw new HermesError(`it contains a file with the invalid path ${JSON.stringify(name)}.`);
  const target = join(folder, ...parts);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, content, { mode: 0o600 });
  } catch (thrown) {
    // The same path is used for a file and a folder, or the name is too long.
    const { code } = thrown as NodeJS.ErrnoException;
    throw new HermesError(`${JSON.stringify(shorten(name, 100))} cannot be written (${code}).`);
  }
}

function extractionFailure(reason: string): HermesError {
  return new HermesError(`The package cannot be extracted: ${reason.replace(/\.$/, '')}.`);
}
