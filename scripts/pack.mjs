// Packs the package for users: `node scripts/pack.mjs [FOLDER]` writes hermes-agent-ts-VERSION.tgz to the folder. It
// contains the bundle, so its package.json must not name the packages that are bundled: npm would install them again.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const destination = resolve(process.argv[2] ?? '.');
/** Fields of package.json that concern only a checkout. */
const OF_CHECKOUT = ['private', 'scripts', 'dependencies', 'devDependencies', 'overrides', 'allowScripts'];

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(root, 'node_modules', '.hermes-pack-'));
try {
  for (const name of [...manifest.files, 'README.md', 'LICENSE']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  for (const field of OF_CHECKOUT) delete manifest[field];
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { status } = spawnSync('npm', ['pack', '--silent', '--pack-destination', destination], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
