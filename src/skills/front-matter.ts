import { errorMessage, isJsonObject, type JsonObject } from '../base/index.ts';
import type { SkillFacts } from '../contracts/index.ts';
import { takeStart, withoutUndefined } from '../util/index.ts';

export const BODY_CHARACTERS = 100_000;
const FRONT_MATTER_CHARACTERS = 16_000;
const DESCRIPTION_CHARACTERS = 1_024;
/** Skills of others often exceed the limit a little; up to this length the description is truncated. */
const TRUNCATED_CHARACTERS = 2 * DESCRIPTION_CHARACTERS;
const COMPATIBILITY_CHARACTERS = 500;
const PLATFORMS = ['macos', 'linux', 'windows'];
/** Also used as a folder and command name, so it must be portable and must not contain a path. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const NAME_RULE =
  '1 to 64 lower-case letters, digits, hyphens, dots or underscores, starting with a letter or digit';
export const CATEGORY_HINT = 'A category is a name such as research, or two names separated by a slash.';

export type ParsedSkill = { facts: SkillFacts; body: string };

/** Why a SKILL.md is invalid, phrased as the end of a sentence. */
export class BadSkill extends Error {}

/** Parses the text of a SKILL.md. Throws `BadSkill` if it is invalid. */
export async function parseSkill(text: string): Promise<ParsedSkill> {
  const { head, body } = splitFrontMatter(text);
  if (body.trim() === '') throw new BadSkill('there is no text after its front matter');
  if (body.length > BODY_CHARACTERS)
    throw new BadSkill(`its text has ${body.length} characters (maximum ${BODY_CHARACTERS})`);
  return { facts: readFacts(await readYaml(head)), body: body.trim() };
}

function splitFrontMatter(text: string): { head: string; body: string } {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (!/^---[ \t]*\n/.test(plain))
    throw new BadSkill('SKILL.md must start with front matter, enclosed by two lines that contain only ---');
  const start = plain.indexOf('\n') + 1;
  const end = /^---[ \t]*$/m.exec(plain.slice(start));
  if (end === null) throw new BadSkill('its front matter is not closed by a line ---');
  const head = plain.slice(start, start + end.index);
  if (head.length > FRONT_MATTER_CHARACTERS)
    throw new BadSkill(`its front matter is longer than ${FRONT_MATTER_CHARACTERS} characters`);
  return { head, body: plain.slice(start + end.index + end[0].length) };
}

/** The YAML parser is slow to load, so it is imported only when needed. */
async function readYaml(head: string): Promise<JsonObject> {
  const { parse } = await import('../util/yaml.ts');
  let values: unknown;
  try {
    // Aliases could expand to a huge value, and no skill needs them.
    values = parse(head, { maxAliasCount: 0, logLevel: 'error', prettyErrors: false });
  } catch (thrown) {
    throw new BadSkill(`its front matter is not valid YAML: ${errorMessage(thrown).split('\n', 1)[0]}`);
  }
  if (!isJsonObject(values)) throw new BadSkill('its front matter is not a mapping of keys to values');
  return values;
}

function readFacts(values: JsonObject): SkillFacts {
  const metadata = values['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw new BadSkill('metadata must be a mapping');
  const hermes = metadata['hermes'] ?? {};
  if (!isJsonObject(hermes)) throw new BadSkill('metadata.hermes must be a mapping');
  const name = readText(values, 'name', 64);
  if (name === undefined || !isSkillName(name)) throw new BadSkill(`name must be ${NAME_RULE}`);
  const whole = readText(values, 'description', TRUNCATED_CHARACTERS, DESCRIPTION_CHARACTERS);
  if (whole === undefined) throw new BadSkill('it has no description');
  const isLong = whole.length > DESCRIPTION_CHARACTERS;
  return withoutUndefined<SkillFacts>({
    name,
    description: isLong ? `${takeStart(whole, DESCRIPTION_CHARACTERS - 1)}…` : whole,
    warnings: isLong
      ? [`its description has ${whole.length} characters and was truncated to ${DESCRIPTION_CHARACTERS}`]
      : undefined,
    version: readText(values, 'version', 100) ?? readText(metadata, 'version', 100),
    license: readText(values, 'license', 200),
    compatibility: readText(values, 'compatibility', COMPATIBILITY_CHARACTERS),
    allowedTools: readNames(values, 'allowed-tools'),
    platforms: readPlatforms(values),
    tags: readNames(hermes, 'tags'),
    relatedSkills: readNames(hermes, 'related_skills'),
    requiresTools: readNames(hermes, 'requires_tools'),
    requiresToolsets: readNames(hermes, 'requires_toolsets'),
    fallbackForTools: readNames(hermes, 'fallback_for_tools'),
    fallbackForToolsets: readNames(hermes, 'fallback_for_toolsets'),
    variables: readNames(hermes, 'env'),
    config: readConfig(hermes),
    pinned: hermes['pinned'] === true ? true : undefined,
  });
}

/**
 * Reads a text field as one line for use in lists. A number is accepted as unquoted text: `version: 1.0`. The error
 * message names the documented limit.
 */
function readText(values: JsonObject, key: string, limit: number, documented = limit): string | undefined {
  const value = values[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new BadSkill(`${key} must be text`);
  const text = String(value).replace(/\s+/g, ' ').trim();
  if (text.length > limit) throw new BadSkill(`${key} has ${text.length} characters (maximum ${documented})`);
  return text === '' ? undefined : text;
}

/** Accepts a list of names, a list of mappings with a name, or one string with names separated by spaces or commas. */
function readNames(values: JsonObject, key: string): readonly string[] | undefined {
  const value = values[key];
  if (value === undefined || value === null) return undefined;
  const list = typeof value === 'string' ? value.split(/[\s,]+/) : value;
  if (!Array.isArray(list)) throw new BadSkill(`${key} must be a list of names`);
  const names = list.map((entry) => (isJsonObject(entry) ? entry['name'] : entry));
  if (!names.every((name) => typeof name === 'string')) throw new BadSkill(`${key} must be a list of names`);
  const given = names.map((name) => name.trim()).filter((name) => name !== '');
  return given.length === 0 ? undefined : given;
}

function readPlatforms(values: JsonObject): readonly string[] | undefined {
  const names = readNames(values, 'platforms')?.map((name) => name.toLowerCase());
  const unknown = names?.find((name) => !PLATFORMS.includes(name));
  if (unknown !== undefined) throw new BadSkill(`platforms: ${unknown} is unknown (use ${PLATFORMS.join(', ')})`);
  return names;
}

/** Reads the default settings, for example `config: [{ key: wiki.path, default: ~/wiki }]`. */
function readConfig(hermes: JsonObject): Readonly<Record<string, string>> | undefined {
  const list = hermes['config'];
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw new BadSkill('config must be a list of mappings with a key `key`');
  const entries = list.map((entry): [string, string] => {
    const key = isJsonObject(entry) ? entry['key'] : undefined;
    if (!isJsonObject(entry) || typeof key !== 'string')
      throw new BadSkill('config must be a list of mappings with a key `key`');
    const fallback = entry['default'];
    return [key, typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : ''];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function isSkillName(name: string): boolean {
  return NAME.test(name) && !name.includes('..') && !name.endsWith('.');
}

/** The path between a skill directory and its skills: `research`, `research/papers`. */
export function isCategory(category: string): boolean {
  const parts = category.split('/');
  return parts.length <= 2 && parts.every(isSkillName);
}
