import { ConfigurationError } from '../../../base/index.ts';
import type { SkillLibrary } from '../../../contracts/index.ts';
import { type FoundListing, type HubAnswer, installCommand, openHub, searchHub } from '../../../skills/hub/index.ts';
import { findUnmetRequirement } from '../../../skills/index.ts';
import { safeFetch } from '../../../tools/safe-fetch/index.ts';
import { operatingSystem } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';
import { availableNeeds, formatSkills, type ListedSkill, openLibrary, type OpenLibrary, toRecord } from './list.ts';

export type SearchOptions = { here?: boolean; hub?: boolean; json?: boolean };

/**
 * Finds skills that contain all words, both installed ones and those in the skill hub. The exit code is 1 if there is
 * none.
 */
export async function searchSkills(
  words: readonly string[],
  { here, hub, json }: SearchOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  if (here && hub)
    throw new ConfigurationError('--here and --hub cannot be combined.', {
      hint: 'Without them, both are searched.',
    });
  const opened = await openLibrary(io);
  if (hub) rejectEmptyHub(opened);
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== '');
  const elsewhere = here ? undefined : searchCatalogues(opened, wanted, io, signal);
  // Prevents an unhandled rejection while the installed skills are still being read.
  elsewhere?.catch(() => undefined);
  const found = hub ? [] : await searchInstalled(opened, wanted);
  const answer = await elsewhere;
  if (json) writeJson(io.stdout, { ...(!hub && { skills: found.map(toRecord) }), ...(answer && toHubRecord(answer)) });
  else write(found, answer, io);
  return found.length + (answer?.listings.length ?? 0) === 0 ? 1 : 0;
}

/** The text is only read if name and description do not contain all words. */
async function searchInstalled({ settings, library }: OpenLibrary, wanted: readonly string[]): Promise<ListedSkill[]> {
  const needs = await availableNeeds(settings);
  const machine = { platform: operatingSystem(), variables: settings.variables };
  const found: ListedSkill[] = [];
  for (const skill of (await library.inventory()).skills) {
    const head = [skill.name, skill.category, skill.description, ...(skill.tags ?? [])].join(' ').toLowerCase();
    const text = hasAll(head, wanted) ? head : `${head} ${await textOf(library, skill.name)}`;
    if (hasAll(text, wanted)) found.push({ ...skill, reason: findUnmetRequirement(skill, needs, machine) });
  }
  return found;
}

function rejectEmptyHub({ settings: { skills } }: OpenLibrary): void {
  if (skills.searchNpm || skills.indexes.length > 0) return;
  throw new ConfigurationError('The skill hub is empty: skills.search_npm is false and skills.indexes is empty.', {
    hint: 'Change one of them in config.yaml.',
  });
}

async function searchCatalogues(
  { settings }: OpenLibrary,
  wanted: readonly string[],
  io: CliIo,
  signal: AbortSignal,
): Promise<HubAnswer> {
  const { home, allowPrivateUrls } = settings;
  const catalogues = openHub({
    home,
    env: io.env,
    settings: settings.skills,
    fetchIndex: (url, options) => safeFetch(url, { ...options, allowPrivate: allowPrivateUrls }),
  });
  return searchHub(catalogues, wanted, { home, signal });
}

function toHubRecord({ listings, notes, failures }: HubAnswer): object {
  return { listings: listings.map(toListingRecord), notes, failures };
}

function write(found: readonly ListedSkill[], answer: HubAnswer | undefined, io: CliIo): void {
  const style = createStyle(io.stdout, io.env);
  const listings = answer?.listings ?? [];
  if (found.length > 0) io.stdout.write(formatSkills(found, style));
  if (listings.length > 0) io.stdout.write(`${found.length > 0 ? '\n' : ''}${formatListings(listings, style)}`);
  if (found.length + listings.length === 0) io.stdout.write('No skill matches.\n');
  if (answer !== undefined) io.stderr.write(formatProblems(answer, createStyle(io.stderr, io.env)));
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** Returns the text to search; empty if the skill is blocked or was deleted. */
async function textOf(library: SkillLibrary, name: string): Promise<string> {
  return library.view(name).then(
    ({ text }) => text.toLowerCase(),
    () => '',
  );
}

const HEADING = 'Available to install (community skills, not reviewed; each is scanned before it is installed)';

/** Skills that are not installed, each with the command to install it. */
function formatListings(listings: readonly FoundListing[], style: Style): string {
  const blocks = listings.map((listing) => {
    const { name, version, description, withheld, catalogue, installed } = listing;
    const about =
      withheld === undefined ? printable(description) : style.yellow(`[withheld: its description ${withheld}]`);
    const head = `${style.bold(name)}${version === undefined ? '' : ` ${version}`}  ${about}`;
    const tail = installed ? style.green('installed') : installCommand(listing);
    return `${head.trimEnd()} ${style.dim(`(${inOneLine(catalogue)})`)}\n    ${tail}\n`;
  });
  return `${style.bold(HEADING)}\n${blocks.join('')}`;
}

/** The catalogues that were not searched completely, with what to do about it. */
function formatProblems({ notes, failures }: HubAnswer, style: Style): string {
  const printed = notes.map(({ catalogue, text }) => `${style.dim('·')} ${inOneLine(catalogue)}: ${inOneLine(text)}\n`);
  const failed = failures.map(({ catalogue, reason, hint }) => {
    const help = hint === undefined ? '' : ` ${hint}`;
    return `${style.yellow('!')} ${inOneLine(catalogue)} was not searched: ${inOneLine(`${reason}.${help}`)}\n`;
  });
  const isOffline = failures.length > 0 && failures.every(({ unreachable }) => unreachable);
  const offline = isOffline ? ['This machine seems to be offline; --here searches only installed skills.\n'] : [];
  return [...printed, ...failed, ...offline].join('');
}

/** The JSON output of a skill listing. */
function toListingRecord(listing: FoundListing): object {
  return { ...listing, install: installCommand(listing) };
}

function inOneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ');
}
