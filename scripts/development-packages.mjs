// Installs the packages that only tests and checks need. `npm ci` leaves them out (`omit=dev` in .npmrc), because they are
// larger than everything that Hermes itself needs. Does nothing if the versions of package.json are installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const COMMAND = ['install', '--include=dev', '--no-save', '--no-audit', '--no-fund'];

const missing = findMissing();
if (missing.length > 0) install(missing);

function findMissing() {
  const { dependencies, devDependencies } = readManifest(root);
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name}@${version}`);
}

function installedVersion(name) {
  try {
    return readManifest(join(root, 'node_modules', name)).version;
  } catch {
    return undefined;
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function install(names) {
  const listed = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  console.error(`Installing the packages for development: ${listed}`);
  const { status, error } = spawnSync('npm', COMMAND, { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  const reason = error?.message ?? `npm exited with ${status}`;
  console.error(
    `The packages for development were not installed: ${reason}. Run \`npm ci --include=dev\` to try again.`,
  );
  process.exit(1);
}
