import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, parseJson } from '../../../base/index.ts';
import { fileErrorReason, nearestNames } from '../../../util/index.ts';
import { DEFAULT_DISTRIBUTION, type Distribution, DISTRIBUTIONS } from './distributions.ts';

/** A distribution by its name, or one of the person's own from a JSON file such as `{"terminal": 100, "web": 40}`. */
export async function chooseDistribution(asked: string | undefined, workingDirectory: string): Promise<Distribution> {
  const name = asked ?? DEFAULT_DISTRIBUTION;
  if (Object.hasOwn(DISTRIBUTIONS, name)) return DISTRIBUTIONS[name]?.toolsets ?? {};
  if (/[/\\]|\.json$/.test(name)) return readDistribution(resolve(workingDirectory, name));
  const near = nearestNames(name, Object.keys(DISTRIBUTIONS), 3);
  throw new ConfigurationError(`There is no distribution "${name}".`, {
    hint: `${near.length === 0 ? '' : `Near it: ${near.join(', ')}. `}\`hermes batch distributions\` shows them all.`,
  });
}

async function readDistribution(file: string): Promise<Distribution> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`The distribution ${file} cannot be read: ${fileErrorReason(thrown)}.`, {
      cause: thrown,
    });
  });
  const value = parseJson(text);
  if (!isJsonObject(value) || Object.keys(value).length === 0) throw wrong(file, 'it is no JSON object with tool sets');
  for (const [name, percent] of Object.entries(value)) {
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100))
      throw wrong(file, `${name} must be a number from 0 to 100`);
  }
  return value as Record<string, number>;
}

function wrong(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`The distribution ${file} cannot be used: ${what}.`, {
    hint: 'It says for each tool set how likely it is in percent: {"terminal": 100, "web": 40}.',
  });
}

/** What this installation can do of a distribution; sets of which no tool is there are left out. */
export function availablePart(
  distribution: Distribution,
  sets: readonly { name: string; state: string }[],
): { distribution: Distribution; missing: string[] } {
  const stateOf = new Map(sets.map(({ name, state }) => [name, state]));
  const names = Object.keys(distribution).filter((name) => (distribution[name] ?? 0) > 0);
  const isThere = (name: string) => ['on', 'partly on'].includes(stateOf.get(name) ?? 'unavailable');
  const there = names.filter(isThere).map((name) => [name, distribution[name] ?? 0]);
  if (there.length === 0) {
    throw new ConfigurationError('No tool set of the distribution can be used here.', {
      hint: '`hermes tools` says what each of them needs, and whether the configuration switches it off.',
    });
  }
  return { distribution: Object.fromEntries(there), missing: names.filter((name) => !isThere(name)) };
}
