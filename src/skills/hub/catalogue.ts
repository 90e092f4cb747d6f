import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder } from '../../util/index.ts';

const CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ETIMEDOUT'];
/** Messages of npm in offline mode, and of git. */
const WORDS = ['ENOTCACHED', 'EIDLETIMEOUT', 'Could not resolve host', 'Failed to connect', 'Network is unreachable'];
const PATTERN = new RegExp([...CODES, ...WORDS].join('|'));

/** What a catalogue says of one skill, before anything of it was fetched. All of it was written by others. */
export type SkillListing = {
  name: string;
  /** In one line. Empty where it was withheld. */
  description: string;
  version?: string;
  /** What `hermes skills install` takes. */
  source: string;
  /** The folder of the skill inside of the source. */
  path?: string;
};

export type CatalogueAnswer = {
  listings: SkillListing[];
  /** What the person should know about the answer: that there is more, that some of it was left out. */
  notes: string[];
};

/** One place that is asked for skills which are not here. */
export type SkillCatalogue = {
  /** What reports call it; has no secret. */
  name: string;
  /** Words are small letters; a listing has to have all of them. */
  search(words: readonly string[], signal: AbortSignal): Promise<CatalogueAnswer>;
};

/** Whether an error means that the network is unreachable. */
export function isUnreachable(message: string): boolean {
  return PATTERN.test(message);
}

export type HubPlace = { home: string; env: Readonly<Record<string, string | undefined>> };

/**
 * Runs a task in a temporary folder next to the quarantine. Programs run there and not in the working directory,
 * because a project must not decide which registry npm uses.
 */
export async function inSearchFolder<Result>(
  { home }: HubPlace,
  task: (folder: string) => Promise<Result>,
): Promise<Result> {
  const { quarantineFolder } = homePaths(home);
  await ensurePrivateFolder(quarantineFolder);
  const folder = mkdtempSync(join(quarantineFolder, '.searching-'));
  try {
    return await task(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
