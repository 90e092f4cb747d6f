import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const GROUPS = JSON.parse(readFileSync(join(ROOT, 'scripts/bundle-groups.json'), 'utf8')) as {
  run: string[];
};

/**
 * The source folders whose code may be in the file that every command loads at startup. Everything else is loaded on
 * demand.
 */
const FOLDERS =
  /^src\/(?:base|util|contracts|config|llm|store|environments|approvals|processes|scanning|providers|tools|prompt|context|skills|browser|toolbox|agent|runtime|conversations|surfaces\/cli|surfaces\/text)\//;
const PACKAGES = ['commander', 'eventsource-parser', 'fastest-levenshtein', 'yaml', 'zod'];
/** Parts of these folders that startup must not load. */
const FURTHER = [
  /^src\/environments\/(?:apptainer|cloud|container|docker|remote|sandbox|ssh|daytona|modal)/,
  /^src\/toolbox\/(?!index\.ts$|manifest\.ts$)/,
  /^src\/browser\/(?!index\.ts$|browsers\.ts$|find-browser\.ts$)/,
];
/** The modules that `hermes sessions list` imports on demand, in order. */
const SESSIONS_LIST = [
  'src/surfaces/cli/run-cli.ts',
  'src/surfaces/cli/commands/parse-arguments.ts',
  'src/surfaces/cli/commands/table.ts',
  'src/surfaces/cli/sessions/list.ts',
  'src/config/read-config.ts',
  'src/store/sqlite/index.ts',
];
/**
 * The folders that those modules may import: the parser, the configuration and the store, but no agent or model code.
 */
const COMMAND_FOLDERS =
  /^src\/(?:base|util|contracts|config|store|runtime\/open-store\.ts|surfaces\/cli|surfaces\/text)/;
/** Limit of our own modules for `sessions list`. Raise it only for what such a command needs. */
const MAX_COMMAND_MODULES = 225;

/** Limit of the startup code in bytes, before minification. Raise it only for what a first request needs. */
const MAX_BYTES = 1_510_000;

let inputs: Map<string, number>;
let commandInputs: Map<string, number>;
beforeAll(async () => {
  const metafile = await bundle();
  inputs = inputsOf(metafile, GROUPS.run);
  commandInputs = inputsOf(metafile, SESSIONS_LIST);
});

/** Bundles like scripts/build.mjs, without writing files. */
async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { run: 'src/surfaces/cli/run-cli.ts' },
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.22',
    minifySyntax: true,
    metafile: true,
    external: ['@lydell/node-pty', '@vscode/ripgrep'],
    logLevel: 'error',
    define: Object.fromEntries(
      ['VERSION', 'STORE_WORKER', 'PAGE_WORKER', 'SCAN_RULES'].map((name) => [`HERMES_${name}`, '""']),
    ),
  });
  return metafile;
}

/** The modules, with their sizes, that the given ones import statically. */
function inputsOf({ outputs }: Metafile, modules: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  const seen = new Set<string>();
  const visit = (path: string) => {
    const output = outputs[path];
    if (output === undefined || seen.has(path)) return;
    seen.add(path);
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) found.set(input, bytesInOutput);
    for (const { kind, path: next } of output.imports) if (kind === 'import-statement') visit(next);
  };
  for (const module of modules) {
    visit(Object.keys(outputs).find((path) => outputs[path]?.entryPoint === module) ?? '');
  }
  // Unused modules have no bytes in the output.
  return new Map([...found].filter(([, bytes]) => bytes > 0));
}

function isAllowed(module: string): boolean {
  const named = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1];
  if (named !== undefined) return PACKAGES.includes(named);
  return FOLDERS.test(module) && !FURTHER.some((pattern) => pattern.test(module));
}

describe('the code that every start loads', () => {
  it('contains what a first request needs, but no servers, plugins, browser or containers', () => {
    expect(inputs.has('src/agent/loop.ts')).toBe(true);
    expect([...inputs.keys()].filter((module) => !isAllowed(module))).toEqual([]);
  });

  it('stays below its size limit', () => {
    const bytes = [...inputs.values()].reduce((sum, each) => sum + each, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('is not imported by a command about sessions', () => {
    const own = [...commandInputs.keys()].filter((module) => module.startsWith('src/'));
    expect(own).toContain('src/surfaces/cli/sessions/list.ts');
    expect(own.filter((module) => !COMMAND_FOLDERS.test(module))).toEqual([]);
    expect(own.length).toBeLessThan(MAX_COMMAND_MODULES);
  });

  it('does not contain the command table for a chat', () => {
    expect([...inputs.keys()].filter((module) => module.includes('cli/commands/groups/'))).toEqual([]);
  });

  it('is checked effectively', () => {
    const reach = [
      'src/mcp/client.ts',
      'src/plugins/index.ts',
      'src/toolbox/web/page.ts',
      'src/environments/containers/docker-engine.ts',
    ];
    expect([...reach, 'node_modules/playwright-core/index.js', 'node_modules/@x/zod/a.js'].filter(isAllowed)).toEqual(
      [],
    );
  });
});
