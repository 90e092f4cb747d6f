// `npm start [-- --in FOLDER] [-- ARGUMENTS]` runs Hermes from the checkout, but on another project: npm always starts
// scripts in the checkout, and a new user would let Hermes work on its own sources.
import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = dirname(import.meta.dirname);
/** The directory in which the user called npm; with `npm --prefix CHECKOUT start` it is not the checkout. */
const calledIn = process.env.INIT_CWD ?? process.cwd();

const { given, args } = readArguments(process.argv.slice(2));
if (given === '') fail('--in needs the folder to work in');
const folder = given === undefined ? await chooseFolder() : resolve(calledIn, given);
if (folder === undefined) process.exit(0);
if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(`${folder} is not a directory`);
forgetNpm();
process.chdir(folder);
process.env.PWD = folder;
process.argv = [process.argv[0], join(root, 'bin/hermes.js'), ...args];
await import('../bin/hermes.js');

/** `--in` is only for this script and comes first, so that Hermes gets everything else as it was written. */
function readArguments([first, ...others]) {
  if (first === '--in') return { given: others[0] ?? '', args: others.slice(1) };
  if (first?.startsWith('--in=')) return { given: first.slice('--in='.length), args: others };
  return { args: first === undefined ? [] : [first, ...others] };
}

function fail(reason) {
  console.error(`npm start: ${reason}. Name an existing folder: \`npm start -- --in FOLDER\`.`);
  process.exit(2);
}

/** A chat in the checkout itself is rarely intended, so the user is asked. Scripts and other commands run where they are. */
async function chooseFolder() {
  const opensChat = args.length === 0 && process.stdin.isTTY && process.stdout.isTTY;
  if (calledIn !== root || !opensChat) return calledIn;
  const { isCancel, path } = await import('@clack/prompts');
  const message = 'Which folder should Hermes work in? (`npm start -- --in FOLDER` skips this question.)';
  const answer = await path({ message, directory: true, initialValue: `${dirname(root)}/` });
  return isCancel(answer) ? undefined : resolve(answer);
}

/** Removes what npm has set for this script. Otherwise npm and Node would behave differently in the user's project. */
function forgetNpm() {
  const { env } = process;
  const own =
    /^(?:INIT_CWD|npm_(?:command|execpath|node_execpath|(?:lifecycle|package)_.*|config_(?:local_prefix|loglevel|omit)))$/;
  for (const name of Object.keys(env)) if (own.test(name)) delete env[name];
  const added = new Set(ancestors(root).map((one) => join(one, 'node_modules/.bin')));
  const isAdded = (entry) => added.has(entry) || entry.endsWith('/node-gyp-bin');
  env.PATH = env.PATH.split(delimiter)
    .filter((entry) => !isAdded(entry))
    .join(delimiter);
}

function ancestors(path) {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}
