import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readShellBlocks } from '../documents/shell-blocks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = ['README.md', 'docs/first-steps.md'];

/** The arguments of a command as the README or the tutorial shows it, so that a newcomer's path is the documented one. */
export function documentedCommand(beginning: string): string[] {
  const blocks = DOCUMENTS.flatMap((name) => readShellBlocks(readFileSync(join(ROOT, name), 'utf8')));
  const lines = blocks.flatMap((block) => block.lines).map((line) => line.replace(/\s+#.*$/, ''));
  const commands = lines.flatMap((line) => line.split(' && '));
  const command = commands.find((one) => one === beginning) ?? commands.find((one) => one.startsWith(`${beginning} `));
  if (command === undefined) throw new Error(`The documents have no command that begins with "${beginning}".`);
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return words.slice(words[0] === 'npm' ? 2 : 1);
}
