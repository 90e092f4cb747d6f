import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, parseJson } from '../../../base/index.ts';
import { fileErrorReason, nearestNames } from '../../../util/index.ts';

/** The probability of each toolset, in percent. Each is drawn independently. */
export type Distribution = Readonly<Record<string, number>>;

type NamedDistribution = { description: string; toolsets: Distribution };

export const DEFAULT_DISTRIBUTION = 'default';

/**
 * The built-in distributions. They exclude toolsets for memory, skills, questions and messages, because prompts of a
 * batch are independent and unattended.
 */
export const DISTRIBUTIONS: Readonly<Record<string, NamedDistribution>> = {
  default: {
    description: 'everything, for every prompt',
    toolsets: {
      terminal: 100,
      file: 100,
      web: 100,
      code_execution: 100,
      todo: 100,
      browser: 100,
      vision: 100,
      image_gen: 100,
      delegation: 100,
    },
  },
  balanced: {
    description: 'each with an even chance, so that models learn to do without',
    toolsets: {
      terminal: 50,
      file: 50,
      web: 50,
      code_execution: 50,
      todo: 50,
      browser: 50,
      vision: 50,
      image_gen: 50,
      delegation: 50,
    },
  },
  minimal: { description: 'the web alone', toolsets: { web: 100 } },
  terminal_only: { description: 'commands and files', toolsets: { terminal: 100, file: 100 } },
  terminal_web: { description: 'commands, files and the web', toolsets: { terminal: 100, file: 100, web: 100 } },
  development: {
    description: 'work on code',
    toolsets: { terminal: 95, file: 95, code_execution: 60, todo: 60, web: 40, delegation: 20 },
  },
  research: {
    description: 'find things out',
    toolsets: { web: 95, browser: 70, vision: 50, file: 40, code_execution: 25, delegation: 20, terminal: 15 },
  },
  science: {
    description: 'compute and look things up',
    toolsets: { web: 90, terminal: 90, file: 90, code_execution: 80, vision: 50, browser: 40, image_gen: 10 },
  },
  image_gen: { description: 'make images', toolsets: { image_gen: 90, vision: 90, web: 50, terminal: 40, file: 40 } },
  creative: { description: 'images, and text about them', toolsets: { image_gen: 90, vision: 90, web: 30 } },
  reasoning: {
    description: 'thinking with a little help',
    toolsets: { code_execution: 80, todo: 60, web: 30, terminal: 20, file: 20 },
  },
  browser_use: { description: 'pages that have to be used', toolsets: { browser: 100, web: 80, vision: 70 } },
  safe: {
    description: 'nothing that touches this machine',
    toolsets: { web: 80, browser: 70, vision: 60, image_gen: 60 },
  },
};

/** A distribution by name, or from a JSON file such as `{"terminal": 100, "web": 40}`. */
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

/** The part of a distribution that is available here, without toolsets that have no tools. */
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

const DRAWN_BYTES = 6;

/**
 * Draws the toolsets of one prompt. They depend only on the seed and the prompt, so a resumed run draws the same. If
 * none is drawn, the most likely one is used.
 */
export function sampleToolsets(distribution: Distribution, { seed, key }: { seed: number; key: string }): string[] {
  const sets = Object.entries(distribution).filter(([, percent]) => percent > 0);
  const drawn = sets.filter(([name, percent]) => chance(`${seed}\n${key}\n${name}`) * 100 < percent);
  const [likeliest] = sets.toSorted(([, first], [, second]) => second - first);
  return (drawn.length === 0 && likeliest ? [likeliest] : drawn).map(([name]) => name);
}

/** A number in [0, 1). */
function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, DRAWN_BYTES) / 2 ** (DRAWN_BYTES * 8);
}
