import type { CliIo } from '../cli-io.ts';
import { describeEverything } from '../describe-commands.ts';
import { bashScript } from './bash-script.ts';
import { toCommandTree } from './command-tree.ts';
import type { Shell } from './describe-completion.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The script for a shell, made of the same definitions that the command line is read by. */
export async function writeCompletion(shell: Shell, io: CliIo): Promise<number> {
  io.stdout.write(SCRIPTS[shell](toCommandTree(describeEverything())));
  return 0;
}
