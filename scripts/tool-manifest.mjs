// Finds the tools in src/toolbox and writes down what is needed of them before they are called, so that a start loads
// neither their modules nor what makes their schemas. Run by the build, by the tests and by `npm run check`.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const toolbox = join(root, 'src/toolbox');
const manifest = join(toolbox, 'manifest.ts');
/** Traits as they are written down, in this order, where a tool has them. */
const TRAITS = [
  'toolset',
  'emoji',
  'concurrency',
  'readOnly',
  'asksThePerson',
  'asksBefore',
  'freeIteration',
  'outsideText',
];
const MORE_TRAITS = ['onDemand', 'requiredServices', 'requiredVariables'];

/** Before tests, so that a file that was just added is found. */
export async function setup() {
  await writeManifest();
}

/** Writes the manifest anew if it changed. A module that cannot be loaded is reported and left out. */
export async function writeManifest(folder = toolbox, file = manifest) {
  const { tools, broken } = await findTools(folder);
  for (const { module, error } of broken) console.warn(`src/toolbox/${module} was left out: ${error.message}`);
  const text = formatManifest(tools);
  if (readIfPresent(file) === text) return;
  // In one step, because a test run may be reading it.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** All tools that modules of a folder export, by name. */
async function findTools(folder) {
  const modules = readdirSync(folder).filter(
    (name) => /^[\w-]+\.ts$/.test(name) && name !== 'index.ts' && name !== basename(manifest),
  );
  const fresh = join(root, 'node_modules', `.hermes-tools-${process.pid}`);
  const tools = [];
  const broken = [];
  try {
    mkdirSync(fresh, { recursive: true });
    for (const module of modules) {
      try {
        const bundle = join(fresh, `${basename(module, '.ts')}.mjs`);
        const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node', logLevel: 'silent' };
        await build({ ...options, entryPoints: [join(folder, module)], outfile: bundle });
        for (const [exported, tool] of Object.entries(await import(pathToFileURL(bundle).href))) {
          if (isTool(tool)) tools.push({ module, exported, tool, definition: await tool.definition() });
        }
      } catch (error) {
        broken.push({ module, error });
      }
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  // The order is part of what providers cache, so it must not depend on the names of files.
  tools.sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
  return { tools, broken };
}

function isTool(value) {
  return typeof value?.load === 'function' && typeof value.definition === 'function' && typeof value.name === 'string';
}

function formatManifest(tools) {
  const entries = tools.map(({ module, exported, tool, definition }) => {
    const traits = [...TRAITS, ...MORE_TRAITS].filter((trait) => tool[trait] !== undefined);
    const lines = ['name', ...traits].map((trait) => `${trait}: ${JSON.stringify(tool[trait])},`);
    if (tool.isAvailable !== undefined) lines.push('checked: true,');
    // In a function, so that a start makes only those it needs.
    lines.push(`definition: () => (${JSON.stringify(definition)}),`);
    lines.push(`load: async () => (await import('./${module}')).${exported},`);
    return `  {\n${lines.map((line) => `    ${line}\n`).join('')}  },\n`;
  });
  return `// Made by scripts/tool-manifest.mjs from the modules beside it, and not kept in the repository.
import type { ToolEntry } from '../tools/index.ts';

export const TOOL_MANIFEST: readonly ToolEntry[] = [
${entries.join('')}];
`;
}

function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Another folder and file are for the test of this script.
  await writeManifest(...process.argv.slice(2));
}
