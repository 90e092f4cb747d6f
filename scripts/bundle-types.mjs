// Type declarations for users of the package. The compiler writes one file per module, with imports that end in .ts and
// types of packages that are bundled and therefore not installed. So each entry gets a single file with all it needs.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** The plugin reports that it found TypeScript 7, which it does not use here. */
const SILENT = { info() {}, warn() {}, error() {} };

/** Writes `NAME.d.ts` for each entry (name → source file) to the folder. */
export async function bundleTypes({ root, folder, entries }) {
  const emitted = join(folder, 'emitted-types');
  emitDeclarations(root, emitted, Object.values(entries));
  for (const [name, source] of Object.entries(entries)) {
    const input = join(emitted, source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'));
    const bundle = await rolldown({
      input: { [name]: input },
      // Left out completely if no exported type needs it; otherwise the check below refuses it.
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
      plugins: [declarationImports(), dts({ dtsInput: true, emitDtsOnly: true, logger: SILENT })],
    });
    await bundle.write({ dir: folder, format: 'es' });
    refuseForeignTypes(join(folder, `${name}.d.ts`));
  }
  rmSync(emitted, { recursive: true });
}

function emitDeclarations(root, outDir, sources) {
  const project = `${outDir}.json`;
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    rootDir: join(root, 'src'),
    outDir,
  };
  const files = sources.map((file) => join(root, file));
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }));
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { stdio: 'inherit', cwd: root });
  rmSync(project);
  if (status !== 0) throw new Error('The type declarations could not be emitted');
}

/** Declarations import `./x.ts`, which is `./x.d.ts` here. */
function declarationImports() {
  return {
    name: 'declaration-imports',
    resolveId(id, importer) {
      if (importer === undefined || !/^\..*(?<!\.d)\.ts$/.test(id)) return undefined;
      return resolve(dirname(importer), id.replace(/\.ts$/, '.d.ts'));
    },
  };
}

/** A user of the package has only the types of Node. */
function refuseForeignTypes(file) {
  const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()["']([^"']+)["']/g)].map(([, id]) => id);
  const foreign = imports.filter((id) => !id.startsWith('node:'));
  if (foreign.length > 0) throw new Error(`${file} needs the types of ${[...new Set(foreign)].join(', ')}`);
}
