import type { Command } from 'commander';
import { ConfigurationError } from '../../../base/index.ts';
import { nearestNames } from '../../../util/index.ts';

/** `hermes help sessions list` is `hermes sessions list --help`; everything else stays as it is. */
export function toHelpCall(argv: readonly string[], program: Command): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const path = argv.slice(1).filter((word) => !word.startsWith('-'));
  let command = program;
  for (const [depth, word] of path.entries()) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (child === undefined) throw noSuchCommand(path.slice(0, depth + 1), command, path);
    command = child;
  }
  return [...path, '--help'];
}

/** `hermes help me …` may also be the beginning of a prompt. */
function noSuchCommand(path: readonly string[], parent: Command, words: readonly string[]): ConfigurationError {
  const names = parent.commands.map((command) => command.name());
  const near = nearestNames(path.at(-1) ?? '', names, 2).map((name) => `\`${name}\``);
  const perhaps = near.length > 0 ? `Perhaps ${near.join(' or ')}?` : '`hermes --help` shows what there is.';
  const asked = `To ask a model, use \`hermes -q "help ${words.join(' ')}"\`.`;
  return new ConfigurationError(`There is no command "${path.join(' ')}".`, {
    hint: path.length === 1 ? `${perhaps} ${asked}` : perhaps,
  });
}
