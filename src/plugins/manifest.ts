import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import { HOOK_EVENTS, type HookEvent } from '../contracts/index.ts';
import { isInside, withoutUndefined } from '../util/index.ts';
import { BadPlugin } from './plugin-fault.ts';

declare const HERMES_VERSION: string | undefined;
/** Set by the build; a source checkout has no version and accepts every plugin. */
export const HOST_VERSION = typeof HERMES_VERSION === 'string' ? HERMES_VERSION : undefined;
const VERSION_RANGE = /^(?:>=\s*)?v?(\d{1,9}(?:\.\d{1,9}){0,2})$/;

/** What a plugin declares before any of its code runs. */
export type PluginManifest = {
  name: string;
  version: string;
  description: string;
  /** The minimum version of Hermes. */
  minimumHostVersion: string | undefined;
  /** Environment variables that it requires and may read. */
  variables: readonly string[];
  /** What it may register; everything else is rejected. */
  provides: Provisions;
  /** The path of its module. */
  module: string;
};

export type Provisions = {
  tools: readonly string[];
  hooks: readonly HookEvent[];
  commands: readonly string[];
  contextEngines: readonly string[];
  memoryProviders: readonly string[];
  platforms: readonly string[];
};

const MANIFEST_FILE = 'plugin.yaml';
/** The key of `package.json` that replaces `plugin.yaml`. */
const PACKAGE_KEY = 'hermes';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MODULE_FILES = ['index.js', 'index.mjs', 'index.ts'];
const MAX_BYTES = 256 * 1024;

/** The manifest of a folder: `plugin.yaml`, or else the key `hermes` of `package.json`. Throws `BadPlugin`. */
export async function readManifest(folder: string, usualName = basename(folder)): Promise<PluginManifest> {
  const file = join(folder, MANIFEST_FILE);
  const described = readPackage(folder);
  // The manifest need not repeat fields of `package.json`.
  const { version, description, main } = described ?? {};
  const known = withoutUndefined({ name: usualName, version, description, main }) as JsonObject;
  if (existsSync(file)) return checkManifest(folder, MANIFEST_FILE, { ...known, ...(await readYaml(file)) });
  const own = described?.[PACKAGE_KEY];
  if (!isJsonObject(own))
    throw new BadPlugin(`it has neither a ${MANIFEST_FILE} nor a key "${PACKAGE_KEY}" in package.json`, {
      hint: 'See docs/plugins.md for the parts of a plugin.',
    });
  return checkManifest(folder, 'package.json', { ...known, ...own });
}

async function readYaml(file: string): Promise<JsonObject> {
  const { explainYamlError, parse } = await import('../util/yaml.ts');
  try {
    const values: unknown = parse(readManifestFile(file), { maxAliasCount: 20, logLevel: 'error' });
    if (isJsonObject(values)) return values;
  } catch (thrown) {
    const { code = '' } = thrown as { code?: string };
    const reason = explainYamlError({ code, message: errorMessage(thrown) });
    throw new BadPlugin(`${MANIFEST_FILE} is not valid YAML: ${reason}`, { hint: 'Correct the file and try again.' });
  }
  throw new BadPlugin(`${MANIFEST_FILE} is not a mapping of keys to values`);
}

function readPackage(folder: string): JsonObject | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const values = parseJson(readManifestFile(file));
  if (isJsonObject(values)) return values;
  throw new BadPlugin('its package.json is not valid JSON');
}

function readManifestFile(file: string): string {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new BadPlugin(`${basename(file)} is too large for a manifest (${size} bytes)`);
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

function checkManifest(folder: string, file: string, values: JsonObject): PluginManifest {
  const wrong = (key: string, wanted: string) => new BadPlugin(`${file}: ${key} must be ${wanted}`);
  const { name, version = '0.0.0', description = '' } = values;
  if (typeof name !== 'string' || !NAME.test(name))
    throw wrong('name', '1 to 64 lower-case letters, digits, dots, hyphens or underscores');
  // YAML reads 1.0 as a number.
  if (typeof version !== 'string' && typeof version !== 'number') throw wrong('version', 'a version');
  if (typeof description !== 'string') throw wrong('description', 'text');
  const names = (key: string) => readNames(values[key], () => wrong(key, 'a list of names'));
  return {
    name,
    description,
    version: String(version),
    minimumHostVersion: readHost(values['requires_hermes'], wrong),
    variables: names('requires_env'),
    provides: {
      tools: names('provides_tools'),
      hooks: readEvents(names('provides_hooks'), wrong),
      commands: names('provides_commands'),
      contextEngines: names('provides_context_engines'),
      memoryProviders: names('provides_memory_providers'),
      platforms: names('provides_platforms'),
    },
    module: findModule(folder, file, values),
  };
}

type Wrong = (key: string, wanted: string) => BadPlugin;

function readHost(wanted: JsonValue | undefined, wrong: Wrong): string | undefined {
  if (wanted === undefined || wanted === null) return undefined;
  const isText = typeof wanted === 'string' || typeof wanted === 'number';
  const least = isText ? parseMinimumVersion(String(wanted)) : undefined;
  if (least === undefined) throw wrong('requires_hermes', 'a version such as ">=0.2.0"');
  return least;
}

function readEvents(names: readonly string[], wrong: Wrong): HookEvent[] {
  const unknown = names.find((name) => !Object.hasOwn(HOOK_EVENTS, name));
  if (unknown === undefined) return names as HookEvent[];
  throw wrong(
    'provides_hooks',
    `a list of hook events (${Object.keys(HOOK_EVENTS).join(', ')}); ${unknown} is unknown`,
  );
}

function readNames(value: unknown, fault: () => BadPlugin): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string' && name !== '')) throw fault();
  return value as string[];
}

/** The module from the manifest, or else `main` of the package, or else an index file. It must be inside the folder. */
function findModule(folder: string, manifest: string, { module, main }: JsonObject): string {
  const asked = module ?? main ?? MODULE_FILES.find((name) => existsSync(join(folder, name)));
  if (asked === undefined) throw new BadPlugin(`it has no module (${MODULE_FILES.join(', ')})`);
  if (typeof asked !== 'string') throw new BadPlugin(`${manifest}: module must be a file name`);
  const path = join(folder, asked);
  if (!isInside(folder, path)) throw new BadPlugin(`${manifest}: its module ${asked} is outside its folder`);
  if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false))
    throw new BadPlugin(`its module ${path} does not exist`);
  return path;
}

/** The minimum version in a range such as `>=0.2.0`; undefined if the range is invalid. */
export function parseMinimumVersion(wanted: string): string | undefined {
  return VERSION_RANGE.exec(wanted.trim())?.[1];
}

/** Whether a version is at least another; pre-release suffixes are ignored. */
export function isAtLeast(version: string, least: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(least)];
  for (const [index, number] of own.entries()) {
    const difference = number - (other[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  const [plain = ''] = version.split(/[-+]/, 1);
  const numbers = plain.split('.').map(Number);
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}
