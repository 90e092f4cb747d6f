import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { errorMessage, HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import { shorten } from '../../util/index.ts';
import { runTool, type ToolRun } from './run-tool.ts';
import type { SkillSource } from './source.ts';

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
const BLOCK = 512;
const MOST_UNPACKED = 64 * 1024 * 1024;
const MOST_FILES = 5_000;

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

/** Extracts an npm tarball. Only regular files are extracted, and none outside the folder. */
export function unpack(tarball: Uint8Array, folder: string): void {
  const bytes = inflate(tarball);
  let longName: string | undefined;
  let files = 0;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const size = readSize(header);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw damaged('it ends too early');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') longName = paxPath(content) ?? longName;
    else if (type === 'L') longName = textIn(content);
    else if (type === '0' || type === '\0') {
      files += 1;
      if (files > MOST_FILES) throw damaged(`it has more than ${MOST_FILES} files`);
      writePlain(folder, longName ?? nameIn(header), content);
      longName = undefined;
    } else if (type === '1' || type === '2') throw damaged('it has links in it');
    else longName = undefined;
  }
}

function inflate(tarball: Uint8Array): Uint8Array {
  try {
    return gunzipSync(tarball, { maxOutputLength: MOST_UNPACKED });
  } catch (thrown) {
    throw damaged(errorMessage(thrown));
  }
}

/** Strips the first path component, the top folder of every npm package. */
function writePlain(folder: string, name: string, content: Uint8Array): void {
  const parts = name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .slice(1);
  if (parts.length === 0 || parts.includes('..') || name.startsWith('/') || /[\\\0]/.test(name))
    throw damaged(`it has a file with the path ${JSON.stringify(name)}`);
  const target = join(folder, ...parts);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, content, { mode: 0o600 });
  } catch (thrown) {
    // The name is both a file and a folder, or too long.
    throw damaged(
      `${JSON.stringify(shorten(name, 100))} cannot be written (${(thrown as NodeJS.ErrnoException).code})`,
    );
  }
}

function nameIn(header: Uint8Array): string {
  const prefix = textIn(header.subarray(345, 500));
  const name = textIn(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function readSize(header: Uint8Array): number {
  const text = textIn(header.subarray(124, 136)).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw damaged('a size in it cannot be read');
  return Number.parseInt(text, 8);
}

/** PAX records of the form `LENGTH path=NAME`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(textIn(content))?.[1];
}

function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function damaged(reason: string): HermesError {
  return new HermesError(`The package cannot be unpacked: ${reason}.`);
}
