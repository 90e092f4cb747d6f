import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder } from '../../util/index.ts';

const CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ETIMEDOUT'];
/** Messages of npm (in offline mode) and git that mean that the network is unreachable. */
const UNREACHABLE_MESSAGES = [
  'ENOTCACHED',
  'EIDLETIMEOUT',
  'Could not resolve host',
  'Failed to connect',
  'Network is unreachable',
];
const PATTERN = new RegExp([...CODES, ...UNREACHABLE_MESSAGES].join('|'));

/** What a catalogue says about a skill before it is downloaded. All of it is untrusted text. */
export type SkillListing = {
  name: string;
  /** One line; empty if it was withheld. */
  description: string;
  version?: string;
  /** The argument of `hermes skills install`. */
  source: string;
  /** The folder of the skill inside the source. */
  path?: string;
};

export type CatalogueAnswer = {
  listings: SkillListing[];
  /** Notes for the user about the answer, such as omitted or skipped listings. */
  notes: string[];
};

/** A searchable source of skills that are not installed. */
export type SkillCatalogue = {
  /** The name in messages; contains no secrets. */
  name: string;
  /** The words are lower case; a listing must contain all of them. */
  search(words: readonly string[], signal: AbortSignal): Promise<CatalogueAnswer>;
};

/** Whether an error means that the network is unreachable. */
export function isUnreachable(message: string): boolean {
  return PATTERN.test(message);
}

export type HubContext = { home: string; env: Readonly<Record<string, string | undefined>> };

/**
 * Runs a task in a temporary folder next to the quarantine. Programs run there and not in the working directory,
 * because a project must not decide which registry npm uses.
 */
export async function inSearchFolder<Result>(
  { home }: HubContext,
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
