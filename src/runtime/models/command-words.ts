import { ConfigurationError } from '../../base/index.ts';

/** What stands behind a command of a session: words, and what is to be done with them. */
export type CommandWords = { words: string[]; save: boolean; force: boolean };

const FLAGS: Readonly<Record<string, 'save' | 'force'>> = { '--save': 'save', '--global': 'save', '--force': 'force' };

export function readWords(argument: string): CommandWords {
  const read: CommandWords = { words: [], save: false, force: false };
  for (const word of argument.split(/\s+/).filter(Boolean)) {
    const flag = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
    if (flag !== undefined) read[flag] = true;
    else if (word.startsWith('--')) throw unknownFlag(word);
    else read.words.push(word);
  }
  return read;
}

function unknownFlag(word: string): ConfigurationError {
  return new ConfigurationError(`There is no option ${word} here.`, {
    hint: '--save also saves it for later sessions; --force takes a name that is not known.',
  });
}
