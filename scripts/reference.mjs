// Writes the reference pages in docs/reference from the definitions that the program itself works with.
//
//   node scripts/reference.mjs             writes them anew
//   node scripts/reference.mjs --check     only says which of them are not current, and ends with 1 then
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './reference/commands.mjs';
import { configurationPage } from './reference/configuration.mjs';
import { environmentPage } from './reference/environment.mjs';
import { exitCodesPage } from './reference/exit-codes.mjs';
import { providersPage } from './reference/providers.mjs';
import { slashCommandsPage } from './reference/slash-commands.mjs';
import { toolsPage } from './reference/tools.mjs';

const PAGES = [
  { name: 'commands', about: 'every command, with its options and examples', make: commandsPage },
  { name: 'slash-commands', about: 'what can be typed in a chat', make: slashCommandsPage },
  { name: 'configuration', about: 'every key of `config.yaml`', make: configurationPage },
  { name: 'environment', about: 'the variables that are read', make: environmentPage },
  { name: 'providers', about: 'whom a model can be asked of', make: providersPage },
  { name: 'tools', about: 'what the agent can do, and what it asks before', make: toolsPage },
  { name: 'exit-codes', about: 'how a command ends', make: exitCodesPage },
];

/** All pages by their file names. */
function makePages() {
  const pages = new Map();
  for (const { name, make } of PAGES) pages.set(`${name}.md`, make());
  const lines = PAGES.map(({ name, about }) => `- [${name}](${name}.md): ${about}`);
  pages.set(
    'README.md',
    `# Reference\n\nMade by \`npm run reference\` from the definitions in the sources.\n\n${lines.join('\n')}\n`,
  );
  return pages;
}

/** The names of pages that differ from what the sources say, or that should not be there. */
function findStale(pages, folder) {
  const present = readdirSync(folder, { withFileTypes: true }).map(({ name }) => name);
  const differs = [...pages].filter(
    ([name, text]) => !present.includes(name) || readFileSync(join(folder, name), 'utf8') !== text,
  );
  return [...differs.map(([name]) => name), ...present.filter((name) => !pages.has(name))];
}

function main(folder, isCheck) {
  mkdirSync(folder, { recursive: true });
  const pages = makePages();
  const stale = findStale(pages, folder);
  if (isCheck) {
    if (stale.length === 0) return;
    console.error(
      `Not current in ${folder}: ${stale.join(', ')}. Run \`npm run reference\` and commit what it writes.`,
    );
    process.exitCode = 1;
    return;
  }
  for (const name of stale) {
    if (pages.has(name)) writeFileSync(join(folder, name), pages.get(name));
    else rmSync(join(folder, name));
  }
}

// Another folder is for the test of this script.
const folder = process.argv.slice(2).find((word) => !word.startsWith('--'));
const root = dirname(dirname(fileURLToPath(import.meta.url)));
main(folder ?? join(root, 'docs/reference'), process.argv.includes('--check'));
