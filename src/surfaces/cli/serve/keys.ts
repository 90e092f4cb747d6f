import { ConfigurationError, systemClock } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { loadModels } from '../../../runtime/index.ts';
import { builtInTools } from '../../../toolbox/index.ts';
import { resolveNames } from '../../../tools/index.ts';
import { addKey, KEY_NAME, keyFile, priceHint, readKeys, revokeKey, unpricedRoute } from '../../api-server/index.ts';
import { formatTable } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import type { Json } from '../commands/command-row.ts';
import { jsonText } from '../output/json-lines.ts';

export type AddKeyOptions = Json & { toolsets?: string[]; models?: string[]; limitUsdDay?: number; owner?: boolean };

/** Prints the secret, which is not stored, to stdout. */
export async function addApiKey(name: string, options: AddKeyOptions, io: CliIo): Promise<number> {
  if (!KEY_NAME.test(name))
    throw new ConfigurationError(`"${name}" is not a name for a key.`, {
      hint: 'Use at most 64 letters, digits, dots, dashes and underscores, starting with a letter or a digit.',
    });
  const { toolsets, models, limitUsdDay: dayUsd, owner } = options;
  if (toolsets !== undefined) resolveNames({ names: toolsets, location: '--toolsets' }, builtInTools());
  const rights = {
    ...(toolsets !== undefined && { toolsets }),
    ...(models !== undefined && { models }),
    ...(dayUsd !== undefined && { dayUsd }),
    ...(owner === true && { isOwner: true }),
  };
  const secret = await addKey(resolveHome(io.env), name, rights, systemClock.now());
  if (options.json === true) io.stdout.write(`${jsonText({ name, key: secret }, 2)}\n`);
  else {
    io.stdout.write(`${secret}\n`);
    io.stderr.write('Copy the key now: Hermes stores only its hash. A running server accepts it immediately.\n');
  }
  if (dayUsd !== undefined) await warnAboutPrice(io);
  return 0;
}

/** Requests of a key with a spending limit are refused as long as the price of the model is unknown. */
async function warnAboutPrice({ env, stderr }: CliIo): Promise<void> {
  // The server reports a configuration that cannot be loaded.
  const loaded = await loadModels({ home: resolveHome(env), env }).catch(() => undefined);
  const unpriced = unpricedRoute(loaded?.models?.routes ?? []);
  if (unpriced === undefined) return;
  const { provider, model } = unpriced;
  const problem = `The price of ${provider}/${model} is unknown, so the server refuses requests with this key.`;
  stderr.write(`Warning: ${problem} ${priceHint(model)}\n`);
}

export async function listApiKeys({ json = false }: Json, io: CliIo): Promise<number> {
  const keys = readKeys(resolveHome(io.env));
  if (json) {
    const rows = keys.map(({ name, createdAt, toolsets, models, dayUsd, isOwner = false }) => ({
      name,
      created_at: new Date(createdAt).toISOString(),
      toolsets: toolsets ?? null,
      models: models ?? null,
      limit_usd_day: dayUsd ?? null,
      owner: isOwner,
    }));
    io.stdout.write(`${jsonText(rows, 2)}\n`);
    return 0;
  }
  if (keys.length === 0) {
    io.stdout.write('There are no named keys. `hermes api key add NAME` creates one.\n');
    return 0;
  }
  const rows = keys.map(({ name, createdAt, toolsets, models, dayUsd, isOwner }) => [
    name,
    new Date(createdAt).toISOString().slice(0, 10),
    isOwner === true ? 'owner' : 'user',
    toolsets?.join(',') ?? 'configured',
    models?.join(',') ?? 'configured',
    dayUsd === undefined ? '-' : `${dayUsd} USD`,
  ]);
  io.stdout.write(formatTable([['NAME', 'CREATED', 'ROLE', 'TOOL SETS', 'MODELS', 'PER DAY'], ...rows]));
  return 0;
}

export async function revokeApiKey(name: string, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  if (!(await revokeKey(home, name)))
    throw new ConfigurationError(`There is no key "${name}" in ${keyFile(home)}.`, {
      hint: '`hermes api key list` shows all.',
    });
  io.stdout.write(`Revoked ${name}. A running server no longer accepts it.\n`);
  return 0;
}
