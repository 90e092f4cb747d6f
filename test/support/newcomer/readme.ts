import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const README = join(import.meta.dirname, '../../../README.md');

/** The arguments of a command in the README, so that the test follows the documented path. */
export function readmeCommand(beginning: string): string[] {
  const blocks = [...readFileSync(README, 'utf8').matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/\s+#.*$/, ''));
  const commands = lines.flatMap((line) => line.split(' && '));
  const command = commands.find((one) => one === beginning) ?? commands.find((one) => one.startsWith(`${beginning} `));
  if (command === undefined) throw new Error(`The README has no command that starts with "${beginning}".`);
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return words.slice(words[0] === 'npm' ? 2 : 1);
}
