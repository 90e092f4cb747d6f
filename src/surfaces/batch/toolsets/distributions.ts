import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, parseJson } from '../../../base/index.ts';
import { fileErrorReason, nearestNames } from '../../../util/index.ts';

/** The probability of each tool set, in percent. Each is drawn independently. */
export type Distribution = Readonly<Record<string, number>>;

type NamedDistribution = { description: string; toolsets: Distribution };

export const DEFAULT_DISTRIBUTION = 'default';

/**
 * The built-in distributions. They exclude tool sets for memory, skills, questions and messages, because batch
 * prompts are independent and unattended.
 */
export const DISTRIBUTIONS: Readonly<Record<string, NamedDistribution>> = {
  default: {
    description: 'all tool sets for every prompt',
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
    description: 'each tool set with a probability of 50 %, so that models learn to work without it',
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
  minimal: { description: 'only the web', toolsets: { web: 100 } },
  terminal_only: { description: 'shell commands and files', toolsets: { terminal: 100, file: 100 } },
  terminal_web: { description: 'shell commands, files and the web', toolsets: { terminal: 100, file: 100, web: 100 } },
  development: {
    description: 'software development',
    toolsets: { terminal: 95, file: 95, code_execution: 60, todo: 60, web: 40, delegation: 20 },
  },
  research: {
    description: 'research on the web',
    toolsets: { web: 95, browser: 70, vision: 50, file: 40, code_execution: 25, delegation: 20, terminal: 15 },
  },
  science: {
    description: 'computation and research',
    toolsets: { web: 90, terminal: 90, file: 90, code_execution: 80, vision: 50, browser: 40, image_gen: 10 },
  },
  image_gen: {
    description: 'image generation',
    toolsets: { image_gen: 90, vision: 90, web: 50, terminal: 40, file: 40 },
  },
  creative: { description: 'images and text about them', toolsets: { image_gen: 90, vision: 90, web: 30 } },
  reasoning: {
    description: 'reasoning with few tools',
    toolsets: { code_execution: 80, todo: 60, web: 30, terminal: 20, file: 20 },
  },
  browser_use: { description: 'interactive web pages', toolsets: { browser: 100, web: 80, vision: 70 } },
  safe: {
    description: 'no access to this machine',
    toolsets: { web: 80, browser: 70, vision: 60, image_gen: 60 },
  },
};

/** Returns a distribution by name, or from a JSON file such as `{"terminal": 100, "web": 40}`. */
export async function chooseDistribution(asked: string | undefined, workingDirectory: string): Promise<Distribution> {
  const name = asked ?? DEFAULT_DISTRIBUTION;
  if (Object.hasOwn(DISTRIBUTIONS, name)) return DISTRIBUTIONS[name]?.toolsets ?? {};
  if (/[/\\]|\.json$/.test(name)) return readDistribution(resolve(workingDirectory, name));
  const near = nearestNames(name, Object.keys(DISTRIBUTIONS), 3);
  throw new ConfigurationError(`Unknown distribution "${name}".`, {
    hint: `${near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `}Run \`hermes batch distributions\` to list all.`,
  });
}

async function readDistribution(file: string): Promise<Distribution> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`Cannot read the distribution ${file}: ${fileErrorReason(thrown)}.`, {
      hint: 'Pass a JSON file, or a name from `hermes batch distributions`.',
      cause: thrown,
    });
  });
  const value = parseJson(text);
  if (!isJsonObject(value) || Object.keys(value).length === 0)
    throw invalidDistribution(file, 'it is not a JSON object of tool sets');
  for (const [name, percent] of Object.entries(value)) {
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100))
      throw invalidDistribution(file, `${name} must be a number from 0 to 100`);
  }
  return value as Record<string, number>;
}

function invalidDistribution(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`The distribution ${file} is invalid: ${what}.`, {
    hint: 'Give the probability of each tool set in percent: {"terminal": 100, "web": 40}.',
  });
}

/** Returns the tool sets of a distribution that are available here. */
export function availablePart(
  distribution: Distribution,
  sets: readonly { name: string; state: string }[],
): { distribution: Distribution; missing: string[] } {
  const stateOf = new Map(sets.map(({ name, state }) => [name, state]));
  const names = Object.keys(distribution).filter((name) => (distribution[name] ?? 0) > 0);
  const isThere = (name: string) => ['on', 'partly on'].includes(stateOf.get(name) ?? 'unavailable');
  const there = names.filter(isThere).map((name) => [name, distribution[name] ?? 0]);
  if (there.length === 0) {
    throw new ConfigurationError(`None of the tool sets in the distribution is available: ${names.join(', ')}.`, {
      hint: '`hermes tools list` shows all tool sets, what each of them requires, and whether it is disabled.',
    });
  }
  return { distribution: Object.fromEntries(there), missing: names.filter((name) => !isThere(name)) };
}

const DRAWN_BYTES = 6;

/**
 * Draws the tool sets of one prompt. They depend only on the seed and the prompt, so a resumed run draws the same. If
 * none is drawn, the most likely one is used.
 */
export function sampleToolsets(distribution: Distribution, { seed, key }: { seed: number; key: string }): string[] {
  const sets = Object.entries(distribution).filter(([, percent]) => percent > 0);
  const drawn = sets.filter(([name, percent]) => chance(`${seed}\n${key}\n${name}`) * 100 < percent);
  const [likeliest] = sets.toSorted(([, first], [, second]) => second - first);
  return (drawn.length === 0 && likeliest ? [likeliest] : drawn).map(([name]) => name);
}

/** A deterministic number in [0, 1). */
function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, DRAWN_BYTES) / 2 ** (DRAWN_BYTES * 8);
}
