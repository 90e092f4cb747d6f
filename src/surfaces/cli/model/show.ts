import { loadSettings, resolveHome } from '../../../config/index.ts';
import { describeRoutes, type RouteDescription } from '../../../providers/index.ts';
import { describeFacts } from '../../../runtime/models/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { formatRouteLine } from '../status/format-status.ts';
import { showable } from '../style.ts';

/** `hermes model show`: the model that a chat would use, without asking anybody. Ends with 1 where there is none. */
export async function showModel({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const [primary, ...fallbacks] = await describeRoutes(settings);
  const { reasoningEffort, speed } = settings;
  if (json) writeJson(io.stdout, { ...primary, fallbacks, reasoningEffort, serviceTier: speed });
  else if (primary === undefined) io.stdout.write('No model is configured: run `hermes setup` or `hermes model`.\n');
  else io.stdout.write(describe(primary));
  return primary === undefined || primary.problem !== undefined ? 1 : 0;
}

function describe(primary: RouteDescription): string {
  const { problem, facts } = primary;
  const known = facts && describeFacts(facts);
  const lines = [
    formatRouteLine(primary),
    ...(known ? [known] : []),
    ...(problem ? [[problem.message, problem.hint].filter(Boolean).join(' ')] : []),
  ];
  return lines.map((line) => `${showable(line)}\n`).join('');
}
