// Writes an index of the bundled skills, so that startup need not read their files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** An invalid skill fails the build; otherwise it would be missing without an error. */
export async function writeSkillIndex(folder) {
  const fresh = join(root, 'node_modules', `.hermes-skills-${process.pid}`);
  try {
    mkdirSync(fresh, { recursive: true });
    const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node', logLevel: 'silent' };
    const outfile = join(fresh, 'place-index.mjs');
    await build({ ...options, entryPoints: [join(root, 'src/skills/directory-index.ts')], outfile });
    const { readDirectory } = await import(pathToFileURL(outfile).href);
    const { faults, ...index } = await readDirectory(folder);
    for (const { place, reason } of faults) throw new Error(`${place}: ${reason}`);
    // Times and paths of the build machine are meaningless elsewhere.
    const shipped = { ...index, place: '', folders: [], files: [], faults };
    writeFileSync(join(folder, 'index.json'), JSON.stringify(shipped));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
