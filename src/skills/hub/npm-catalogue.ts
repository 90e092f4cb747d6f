import { errorMessage, HermesError, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { runTool, type ToolRun } from '../installing/run-tool.ts';
import {
  type CatalogueAnswer,
  type HubContext,
  inSearchFolder,
  isUnreachable,
  type SkillCatalogue,
} from './catalogue.ts';
import { limitAnswer, type RawListing, readListings } from './read-listing.ts';

/** Keywords that mark skill packages; the first is ours, the others are common for any agent. */
const KEYWORDS: readonly string[] = ['hermes-skill', 'agent-skill', 'claude-skill'];
/** No retries, because the user is waiting. */
const FLAGS = ['--json', '--searchlimit=50', '--fetch-retries=0', '--loglevel=error', '--no-update-notifier'];

/** The registry that the user's npm is configured for, with its credentials and proxies. */
export function createNpmCatalogue(hub: HubContext): SkillCatalogue {
  return {
    name: 'npm',
    search: (words, signal) => inSearchFolder(hub, (folder) => searchNpm(words, { folder, env: hub.env, signal })),
  };
}

async function searchNpm(words: readonly string[], run: ToolRun): Promise<CatalogueAnswer> {
  // One request per keyword, because registries interpret several keywords differently.
  const asked = KEYWORDS.map(async (keyword) =>
    runTool('npm', ['search', ...FLAGS, '--', `keywords:${keyword}`, ...words], run),
  );
  const settled = await Promise.allSettled(asked);
  const outputs = settled.flatMap((one) => (one.status === 'fulfilled' ? [readPackages(one.value)] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined && outputs.length === 0) throw translateNpmError(failed.reason);
  const packages = new Map(outputs.flat().map((found) => [JSON.stringify(found['name']), found]));
  const { listings, notes } = readListings([...packages.values()].map(toRaw));
  const partly = failed === undefined ? [] : [`it was searched only partially: ${errorMessage(failed.reason)}`];
  return limitAnswer({ listings, notes: [...notes, ...partly] });
}

function toRaw({ name, description, version }: JsonObject): RawListing {
  return { name, description, version, source: typeof name === 'string' ? `npm:${name}` : undefined };
}

/** Registries without keyword search return any matching package, so packages without the keyword are dropped. */
function readPackages(output: string): JsonObject[] {
  const found = parseJson(output);
  if (!Array.isArray(found)) throw new HermesError('npm search did not return a list.');
  return found.filter(isJsonObject).filter(({ keywords }) => {
    const own = Array.isArray(keywords) ? keywords : [];
    return own.some((keyword) => typeof keyword === 'string' && KEYWORDS.includes(keyword.toLowerCase()));
  });
}

/** Replaces error messages of npm, which are written for npm users. */
function translateNpmError(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  const { message } = thrown;
  if (isUnreachable(message))
    return new HermesError('its registry is unreachable', {
      hint: 'Check the network connection, for example with `npm ping`.',
      cause: thrown,
    });
  if (/\bE404\b/.test(message))
    return new HermesError('the configured npm registry does not support searching', {
      hint: 'Configure another one with `npm config set registry`, or set skills.search_npm: false in config.yaml.',
    });
  if (/\bE40[13]\b/.test(message))
    return new HermesError('the configured npm registry requires a login', { hint: 'Log in with `npm login`.' });
  return thrown;
}
