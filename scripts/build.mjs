// Bundles the sources into dist/, as few files as possible, so that startup opens and compiles little. Packages are
// bundled too, which is why they are dev-dependencies: an installed hermes has no node_modules.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeCompileCache } from './compile-cache.mjs';
import { mergeParts } from './merge-parts.mjs';
import { writeSkillIndex } from './skill-index.mjs';
import { splitCode } from './split-code.mjs';
import { writeManifest } from './tool-manifest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
// Built in another folder and renamed when complete, so that a command started meanwhile uses the old or the new
// build.
const fresh = join(root, 'node_modules', `.hermes-build-${process.pid}`);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// We import only functions from these modules, and startup calls none of them, so each module is loaded at the first
// call.
const LOADED_LATE = ['node:crypto', 'node:child_process', 'node:fs/promises'];

// Provides `require` for packages that load built-in modules with it.
const WITH_REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

// esbuild is a Go program that spends half of its time on garbage collection, unless it may use this much memory first.
process.env.GOGC ??= 'off';
process.env.GOMEMLIMIT ??= '1GiB';

await writeManifest();

// The code for startup until the first request, the command table, the chat in a terminal, its screen, running commands,
// and the approval rules. Each group becomes one file, which is then split into a script and the module that runs it.
const GROUPS = JSON.parse(readFileSync(join(root, 'scripts/bundle-groups.json'), 'utf8'));

// The command line is a small file with the version, one with everything for a first request, and many that are
// rarely needed. `acp.js`, `acp-server.js`, `discord.js`, `mcp.js`, `mcp-server.js`, `queue.js` and `tokens.js` are large
// ones of these that share only plain values with the others, and no classes.
/** The entries of the package for programs that import it. */
const LIBRARY = { index: 'src/index.ts', testing: 'src/testing/index.ts' };
const tokenTable = besides('o200k.ts', './tokens.js');
const builds = [
  await bundle({ cli: 'src/surfaces/cli/main.ts' }, { plugins: [besides('run-cli.ts', './run.js')] }),
  await bundle(
    { run: 'src/surfaces/cli/run-cli.ts' },
    {
      splitting: 'part',
      plugins: [
        besides('acp-protocol.ts', './acp.js'),
        besides('acp-server-protocol.ts', './acp-server.js'),
        besides('discord-protocol.ts', './discord.js'),
        besides('mcp-protocol.ts', './mcp.js'),
        besides('mcp-server-protocol.ts', './mcp-server.js'),
        besides('queue-protocol.ts', './queue.js'),
        tokenTable,
      ],
    },
  ),
  await bundle({ tokens: 'src/trajectories/compress/o200k.ts' }),
  // Both sides of the protocol share its package.
  await bundle(
    { acp: 'src/llm/acp/acp-protocol.ts', 'acp-server': 'src/surfaces/acp/acp-server-protocol.ts' },
    { splitting: 'acp' },
  ),
  await bundle(
    { discord: 'src/platforms/discord/discord-protocol.ts' },
    { plugins: [withoutUndici()], drop: ['console'], banner: WITH_REQUIRE },
  ),
  await bundle({ mcp: 'src/mcp/mcp-protocol.ts' }, { plugins: [withoutValidator()], drop: ['console'] }),
  await bundle(
    { 'mcp-server': 'src/surfaces/mcp-server/mcp-server-protocol.ts' },
    { plugins: [withoutValidator()], drop: ['console'] },
  ),
  await bundle({ queue: 'src/surfaces/batch/queue/queue-protocol.ts' }, { banner: WITH_REQUIRE }),
  // The entry of the store's worker thread. It is in the same folder as every file that could start the thread.
  await bundle({ 'store-worker': 'src/store/sqlite/worker.ts' }),
  // The worker thread for web pages, with everything that converts them to text and that nothing else needs.
  await bundle({ 'page-worker': 'src/toolbox/web/page-worker.ts' }, { splitting: 'page', drop: ['console'] }),
  await bundle(LIBRARY, { splitting: 'library', plugins: [tokenTable] }),
];
for (const { metafile } of builds) refuseLostNames(metafile);
const merged = await mergeParts({ metafile: builds[1].metafile, folder: fresh, groups: GROUPS });
for (const file of readdirSync(fresh).filter((name) => name.endsWith('.js'))) keepToOneByte(join(fresh, file));
for (const [group, file] of merged) await splitCode({ folder: fresh, file, group, isFirst: file === 'run.js' });
writeFileSync(join(fresh, 'THIRD-PARTY-LICENSES.txt'), licences(builds.map(({ metafile }) => metafile)));
// Copied next to the bundles instead of included: startup needs only one line of these hundred kilobytes.
cpSync(join(root, 'src/providers/catalogue/data'), join(fresh, 'catalogue'), { recursive: true });
cpSync(join(root, 'skills'), join(fresh, 'skills'), { recursive: true });
await writeSkillIndex(join(fresh, 'skills'));
await writeCompileCache(fresh);
if (process.argv.includes('--types')) {
  // Needs the packages for development, which `npm ci` does not install.
  const { bundleTypes } = await import('./bundle-types.mjs');
  await bundleTypes({ root, folder: fresh, entries: LIBRARY });
}
rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);

function bundle(entryPoints, { plugins = [], splitting, drop = [], banner = '' } = {}) {
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir: fresh,
    chunkNames: `${splitting}-[name]-[hash]`,
    bundle: true,
    banner: { js: banner },
    // Otherwise a package would log to the terminal in the middle of a chat.
    drop,
    splitting: splitting !== undefined,
    format: 'esm',
    platform: 'node',
    target: 'node22.22',
    // Less to read at startup. Names are kept, because they are in messages and stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an error that a program does not catch.
    ...(splitting === 'library' && { lineLimit: 200 }),
    legalComments: 'none',
    metafile: true,
    // The first contains native code that only a command with a terminal needs, the second looks for its binary next
    // to itself, and the third reads its own files. All are optional dependencies of the installed package.
    external: ['@lydell/node-pty', '@vscode/ripgrep', 'playwright-core'],
    define: {
      HERMES_VERSION: JSON.stringify(version),
      HERMES_STORE_WORKER: JSON.stringify('./store-worker.js'),
      HERMES_PAGE_WORKER: JSON.stringify('./page-worker.js'),
      HERMES_SCAN_RULES: JSON.stringify(digestOf('src/scanning')),
    },
    plugins: [...plugins, builtInsWithoutFacade()],
    logLevel: 'warning',
  });
}

/**
 * A CommonJS package that is imported on demand and split off has only a default export. To use its named exports, a
 * module of ours must re-export them.
 */
function refuseLostNames({ outputs }) {
  const defaultOnly = Object.values(outputs).filter(({ exports }) => exports.join() === 'default');
  const lost = defaultOnly.find(({ entryPoint = '' }) => /node_modules\/(?!ignore\/)/.test(entryPoint));
  if (lost !== undefined) throw new Error(`${lost.entryPoint} is imported on demand and would lose its named exports`);
}

/** A hash of all sources in a folder, which invalidates results that depend on them. */
function digestOf(folder) {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const hash = createHash('sha256');
  for (const name of sources.sort()) hash.update(`${name}\0`).update(readFileSync(join(root, folder, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Excludes a module from a bundle, because the module is a separate file in the same folder. */
function besides(module, file) {
  return {
    name: 'besides',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${module.replace('.', '\\.')}$`) }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: file, external: true },
      );
    },
  };
}

/** Replaces the 300 kB JSON Schema validator of the protocol packages, which are configured not to use it. */
function withoutValidator() {
  return {
    name: 'without-validator',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@modelcontextprotocol\/(?:client|server)\/_shims$/ }, () => ({
        path: 'shims',
        namespace: 'shims',
      }));
      onLoad({ filter: /.*/, namespace: 'shims' }, () => ({
        contents:
          'export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}; export const process = globalThis.process;',
      }));
    },
  };
}

/** Uses the version of Discord's package for other runtimes, which does not contain 500 kB of an HTTP client. */
function withoutUndici() {
  const web = join(root, 'node_modules/@discordjs/rest/dist/web.mjs');
  return {
    name: 'without-undici',
    setup({ onResolve }) {
      onResolve({ filter: /^@discordjs\/rest$/ }, () => ({ path: web }));
    },
  };
}

/**
 * An `import` of a built-in module reads all its exports, including those that load a part of Node on first access:
 * importing `node:http` alone loads the built-in fetch, which takes 15 ms. `process.getBuiltinModule` does not.
 */
function builtInsWithoutFacade() {
  return {
    name: 'built-ins-without-facade',
    setup({ onResolve, onLoad }) {
      onLoad({ filter: /\.(?:ts|m?js)$/ }, ({ path }) => {
        const contents = askForBuiltIns(readFileSync(path, 'utf8'));
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
      });
      // The remaining references to built-in modules are `require` calls of CommonJS packages.
      const names = new RegExp(`^(?:node:.+|${builtinModules.filter((name) => /^[a-z]+$/.test(name)).join('|')})$`);
      onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'built-in' }));
      onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** `import { join } from 'node:path'` becomes `const join = … process.getBuiltinModule('node:path').join …`. */
function askForBuiltIns(source) {
  // By its full name, because a module may define its own `process`.
  const ask = (name) => `globalThis.process.getBuiltinModule('${name}')`;
  // Marked as pure, so that unused imports are not loaded.
  const declare = (local, value) => `const ${local} = /* @__PURE__ */ (() => ${value})();`;
  const isLate = (name) => LOADED_LATE.includes(name);
  const whole = (name) => (isLate(name) ? `new Proxy({}, { get: (_, key) => ${ask(name)}[key] })` : ask(name));
  const bind = (name, exported) =>
    isLate(name) ? `(...given) => ${ask(name)}.${exported}(...given)` : `${ask(name)}.${exported}`;
  return source
    .replace(/await import\('(node:[\w/]+)'\)/g, (_, name) => ask(name))
    .replace(/^import (?:\* as )?(\w+) from '(node:[\w/]+)';$/gm, (_, local, name) => declare(local, whole(name)))
    .replace(/^import \{([^}]*)\} from '(node:[\w/]+)';$/gm, (_, list, name) => {
      const values = list.split(',').map((part) => part.trim());
      return values
        .filter((part) => part !== '' && !part.startsWith('type '))
        .map((part) => part.split(' as '))
        .map(([exported, local = exported]) => declare(local, bind(name, exported)))
        .join(' ');
    });
}

/**
 * A single character outside Latin-1 makes Node store a whole file with two bytes per character, which costs several
 * milliseconds at startup. esbuild escapes them in strings; the remaining ones are in regular expressions, in which
 * the same escapes are valid.
 */
function keepToOneByte(file) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escape));
}

/** The license of every package that is part of a bundle. */
function licences(metafiles) {
  const folders = new Set();
  for (const output of metafiles.flatMap(({ outputs }) => Object.values(outputs))) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (match && bytesInOutput > 0) folders.add(match[1]);
    }
  }
  return [...folders]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const path = join(root, folder);
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((name) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(name));
  const text = file === undefined ? `Licence: ${manifest.license}` : readFileSync(join(path, file), 'utf8').trim();
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`;
}
