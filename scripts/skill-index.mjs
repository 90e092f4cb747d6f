// Writes down what the shipped skills say of themselves, so that a start need not read their files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A skill that cannot be read ends the build: nobody would miss it otherwise. */
export async function writeSkillIndex(folder) {
  const fresh = join(root, 'node_modules', `.hermes-skills-${process.pid}`);
  try {
    mkdirSync(fresh, { recursive: true });
    const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node', logLevel: 'silent' };
    const outfile = join(fresh, 'place-index.mjs');
    await build({ ...options, entryPoints: [join(root, 'src/skills/place-index.ts')], outfile });
    const { readPlace } = await import(pathToFileURL(outfile).href);
    const { faults, ...index } = await readPlace(folder);
    for (const { place, reason } of faults) throw new Error(`${place}: ${reason}`);
    // Times and paths of the machine that built it mean nothing elsewhere.
    const shipped = { ...index, place: '', folders: [], files: [], faults };
    writeFileSync(join(folder, 'index.json'), JSON.stringify(shipped));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
