import { errorMessage, HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';
import { isRemote, parseRemote } from '../installing/source.ts';
import { readLock } from '../lock-file.ts';
import { type CatalogueAnswer, isUnreachable, type SkillCatalogue, type SkillListing } from './catalogue.ts';

/** A listing that is shown. Nobody here has looked at the skill, so all have the same trust. */
export type FoundListing = SkillListing & {
  catalogue: string;
  trust: 'community';
  installed: boolean;
  /** Why its description is not shown. */
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

/** Asks all catalogues at once. One that fails is told, and hides none of the others. */
export async function searchHub(
  catalogues: readonly SkillCatalogue[],
  words: readonly string[],
  { home, signal, timeoutMs = TIMEOUT_MS }: HubSearch,
): Promise<HubAnswer> {
  signal.throwIfAborted();
  const asked = catalogues.map((catalogue) => ask(catalogue, words, signal, timeoutMs));
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
      answer.listings.push({ ...(await judged(listing)), catalogue, installed: isInstalled(listing) });
    }
  }
  return answer;
}

/** Also one that does not listen to the signal is waited for no longer than that. */
async function ask(
  catalogue: SkillCatalogue,
  words: readonly string[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<CatalogueAnswer> {
  const limit = new AbortController();
  const late = new HermesError(`it did not answer within ${Math.ceil(timeoutMs / 1_000)} s`, {
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

/** A description goes before people, and with `--json` before models too. */
async function judged(listing: SkillListing): Promise<SkillListing & Pick<FoundListing, 'trust' | 'withheld'>> {
  const findings = await scanText(listing.description, 'context');
  if (findings.length === 0) return { ...listing, trust: 'community' };
  return { ...listing, trust: 'community', description: '', withheld: describeFindings(findings) };
}

function installedSkills(home: string): (listing: SkillListing) => boolean {
  const entries = Object.values(readLock(homePaths(home).skillsFolder));
  return (listing) => {
    const label = labelOf(listing.source);
    // Without a path it is the only skill of its source, wherever it lies in there.
    return entries.some(({ source, path }) => source === label && (listing.path ?? path) === path);
  };
}

/** A folder is its own label. */
function labelOf(source: string): string {
  return isRemote(source) ? parseRemote(source).label : source;
}

/** The command that installs it. Listings contain no shell metacharacters. */
export function installLine({ source, path }: SkillListing): string {
  return `hermes skills install ${source}${path === undefined ? '' : ` --path ${path}`}`;
}
