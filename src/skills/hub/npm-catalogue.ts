import { errorMessage, HermesError, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { runTool, type ToolRun } from '../installing/run-tool.ts';
import {
  type CatalogueAnswer,
  type HubPlace,
  inSearchFolder,
  isUnreachable,
  type SkillCatalogue,
} from './catalogue.ts';
import { cutAnswer, type RawListing, readListings } from './read-listing.ts';

/** By which people mark packages that are skills; the first is ours, the others are in use for any agent. */
const KEYWORDS: readonly string[] = ['hermes-skill', 'agent-skill', 'claude-skill'];
/** Whoever searches waits for it, so nothing is tried twice. */
const FLAGS = ['--json', '--searchlimit=50', '--fetch-retries=0', '--loglevel=error', '--no-update-notifier'];

/** The registry that the person's npm is set to, with its keys and proxies. */
export function createNpmCatalogue(place: HubPlace): SkillCatalogue {
  return {
    name: 'npm',
    search: (words, signal) => inSearchFolder(place, (folder) => searchNpm(words, { folder, env: place.env, signal })),
  };
}

async function searchNpm(words: readonly string[], run: ToolRun): Promise<CatalogueAnswer> {
  // One question for each: registries do not agree on what several keywords in one mean.
  const asked = KEYWORDS.map(async (keyword) =>
    runTool('npm', ['search', ...FLAGS, '--', `keywords:${keyword}`, ...words], run),
  );
  const settled = await Promise.allSettled(asked);
  const outputs = settled.flatMap((one) => (one.status === 'fulfilled' ? [readPackages(one.value)] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined && outputs.length === 0) throw explained(failed.reason);
  const packages = new Map(outputs.flat().map((found) => [JSON.stringify(found['name']), found]));
  const { listings, notes } = readListings([...packages.values()].map(toRaw));
  const partly = failed === undefined ? [] : [`a part of it could not be searched: ${errorMessage(failed.reason)}`];
  return cutAnswer({ listings, notes: [...notes, ...partly] });
}

function toRaw({ name, description, version }: JsonObject): RawListing {
  return { name, description, version, source: typeof name === 'string' ? `npm:${name}` : undefined };
}

/** A registry that does not know keywords answers with anything that has the words; those are no skills. */
function readPackages(output: string): JsonObject[] {
  const found = parseJson(output);
  if (!Array.isArray(found)) throw new HermesError('npm search answered with something that is no list.');
  return found.filter(isJsonObject).filter(({ keywords }) => {
    const own = Array.isArray(keywords) ? keywords : [];
    return own.some((keyword) => typeof keyword === 'string' && KEYWORDS.includes(keyword.toLowerCase()));
  });
}

/** What npm says about a failure is for those who run npm. */
function explained(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  const { message } = thrown;
  if (isUnreachable(message))
    return new HermesError('its registry was not reached', {
      hint: 'Check the connection; `npm ping` says more.',
      cause: thrown,
    });
  if (/\bE404\b/.test(message))
    return new HermesError('the registry that npm is set to cannot be searched', {
      hint: 'Set another one with `npm config set registry`, or skills.search_npm: false in config.yaml.',
    });
  if (/\bE40[13]\b/.test(message))
    return new HermesError('the registry that npm is set to wants a login', { hint: 'Log in with `npm login`.' });
  return thrown;
}
