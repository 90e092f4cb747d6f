import { errorMessage, HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';
import { isRemote, parseRemote } from '../installing/source.ts';
import { readLock } from '../lock-file.ts';
import { type CatalogueAnswer, isUnreachable, type SkillCatalogue, type SkillListing } from './catalogue.ts';

/** A listing for display. Nobody has reviewed the skills, so all have the same trust level. */
export type FoundListing = SkillListing & {
  catalogue: string;
  trust: 'community';
  installed: boolean;
  /** Why the description is withheld. */
  withheld?: string;
};

export type HubFailure = { catalogue: string; reason: string; hint: string | undefined; unreachable: boolean };

export type HubAnswer = {
  listings: FoundListing[];
  notes: { catalogue: string; text: string }[];
  failures: HubFailure[];
};

export type HubSearch = { home: string; signal: AbortSignal; timeoutMs?: number };

const TIMEOUT_MS = 20_000;

/** Searches all catalogues in parallel. A failing one is reported and does not affect the others. */
export async function searchHub(
  catalogues: readonly SkillCatalogue[],
  words: readonly string[],
  { home, signal, timeoutMs = TIMEOUT_MS }: HubSearch,
): Promise<HubAnswer> {
  signal.throwIfAborted();
  const asked = catalogues.map((catalogue) => searchWithTimeout(catalogue, words, signal, timeoutMs));
  const settled = await Promise.allSettled(asked);
  signal.throwIfAborted();
  const answer: HubAnswer = { listings: [], notes: [], failures: [] };
  const isInstalled = installedSkills(home);
  const seen = new Set<string>();
  for (const [index, result] of settled.entries()) {
    const catalogue = catalogues[index]?.name ?? '';
    if (result.status === 'rejected') {
      answer.failures.push(describeFailure(catalogue, result.reason));
      continue;
    }
    answer.notes.push(...result.value.notes.map((text) => ({ catalogue, text })));
    for (const listing of result.value.listings) {
      const key = JSON.stringify([listing.source, listing.path]);
      if (seen.has(key)) continue;
      seen.add(key);
      answer.listings.push({ ...(await scanListing(listing)), catalogue, installed: isInstalled(listing) });
    }
  }
  return answer;
}

/** Enforces the timeout even if a catalogue ignores the signal. */
async function searchWithTimeout(
  catalogue: SkillCatalogue,
  words: readonly string[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<CatalogueAnswer> {
  const limit = new AbortController();
  const late = new HermesError(`timed out after ${Math.ceil(timeoutMs / 1_000)} s`, {
    hint: 'Try again later.',
  });
  const timer = setTimeout(() => limit.abort(late), timeoutMs);
  const either = AbortSignal.any([signal, limit.signal]);
  const stopped = new Promise<never>((_, reject) => {
    either.addEventListener('abort', () => reject(either.reason as Error), { once: true });
  });
  try {
    return await Promise.race([catalogue.search(words, either), stopped]);
  } finally {
    clearTimeout(timer);
  }
}

function describeFailure(catalogue: string, thrown: unknown): HubFailure {
  const known = thrown instanceof HermesError ? thrown : undefined;
  const cause = known?.cause === undefined ? '' : errorMessage(known.cause);
  const reason = errorMessage(thrown).replace(/\.$/, '');
  return { catalogue, reason, hint: known?.hint, unreachable: isUnreachable(`${reason} ${cause}`) };
}

/** Scans the description, because users read it, and with `--json` models too. */
async function scanListing(listing: SkillListing): Promise<SkillListing & Pick<FoundListing, 'trust' | 'withheld'>> {
  const findings = await scanText(listing.description, 'context');
  if (findings.length === 0) return { ...listing, trust: 'community' };
  return { ...listing, trust: 'community', description: '', withheld: describeFindings(findings) };
}

function installedSkills(home: string): (listing: SkillListing) => boolean {
  const entries = Object.values(readLock(homePaths(home).skillsFolder));
  return (listing) => {
    const label = labelOf(listing.source);
    // A listing without a path refers to the only skill of its source, whatever folder that skill is in.
    return entries.some(({ source, path }) => source === label && (listing.path ?? path) === path);
  };
}

/** The label of a source in the lock file; for a folder it is the path. */
function labelOf(source: string): string {
  return isRemote(source) ? parseRemote(source).label : source;
}

/** The command that installs a listing. It needs no quoting, because listings contain no shell metacharacters. */
export function installCommand({ source, path }: SkillListing): string {
  return `hermes skills install ${source}${path === undefined ? '' : ` --path ${path}`}`;
}
