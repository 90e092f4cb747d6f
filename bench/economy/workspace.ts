import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A random number generator that returns the same sequence for the same seed. */
export function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const FILES = 60;
const LINES = 900;
const VERBS = ['read', 'check', 'build', 'merge', 'find', 'store', 'close', 'parse', 'count', 'split'];
const NOUNS = ['session', 'message', 'window', 'result', 'cache', 'prefix', 'store', 'route', 'answer', 'budget'];

export const fileName = (index: number) => `src/module-${index % FILES}.ts`;

/** A folder of generated source files that tools read. No two lines are identical. */
export function fillWorkspace(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const chance = createChance(7);
  const word = (words: readonly string[]) => words[chance(words.length)] as string;
  for (let file = 0; file < FILES; file += 1) {
    const lines = Array.from({ length: LINES }, (_, line) => {
      const name = `${word(VERBS)}${capital(word(NOUNS))}${line}`;
      if (chance(4) === 0)
        return `// The ${word(NOUNS)} of step ${line} has to ${word(VERBS)} its ${word(NOUNS)} before ${chance(999)}.`;
      return `const ${name} = ${word(VERBS)}${capital(word(NOUNS))}(${word(NOUNS)}, { limit: ${chance(9_999)} });`;
    });
    writeFileSync(join(folder, fileName(file)), `${lines.join('\n')}\n`);
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
