import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { describeRoutes, type RouteDescription } from '../../../providers/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeWarnings } from '../model/set.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';

export async function listFallbacks({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  await writeFallbacks(await loadSettings({ home: resolveHome(io.env), env: io.env }), json, io);
  return 0;
}

/** The list as it is now; what of it is ignored is said beside it. */
export async function writeFallbacks(settings: Settings, json: boolean | undefined, io: CliIo): Promise<void> {
  const fallbacks = await describeFallbacks(settings);
  if (json) return writeJson(io.stdout, fallbacks);
  writeWarnings(io, settings.warnings);
  const lines = fallbacks.map((fallback, index) => `${index + 1}. ${describe(fallback)}\n`);
  const none = 'There are no fallbacks. Add one with `hermes fallback add PROVIDER MODEL`.\n';
  io.stdout.write(lines.length === 0 ? none : lines.join(''));
}

async function describeFallbacks(settings: Settings): Promise<RouteDescription[]> {
  const described = await describeRoutes(settings);
  if (described.length > 0) return described.slice(1);
  // Without a first model nothing is resolved, and the list is there all the same.
  return settings.fallbacks.map(({ provider, model }) => ({ origin: 'fallback', provider, model, places: {} }));
}

function describe({ provider, model, baseUrl, problem }: RouteDescription): string {
  const at = baseUrl === undefined ? '' : ` at ${redactSecrets(baseUrl)}`;
  const fault = problem === undefined ? '' : `: ${[problem.message, problem.hint].filter(Boolean).join(' ')}`;
  return showable(`${provider}/${model}${at}${fault}`);
}
