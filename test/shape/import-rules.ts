import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import { type Finding, isTest, lineAt, parse, type SourceFile } from './source-file.ts';

/** The layers from the ground up. A folder imports from rows above its own; folders in one row do not meet. */
export const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['util'],
  ['contracts'],
  ['config'],
  ['llm', 'store', 'environments', 'approvals', 'processes', 'scanning', 'checkpoints', 'worktrees'],
  ['providers', 'tools', 'prompt', 'context', 'memory', 'skills', 'mcp', 'browser', 'plugins', 'trajectories'],
  ['toolbox'],
  ['agent'],
  ['runtime'],
  ['conversations'],
  ['surfaces'],
];

/** Doors into a folder besides its `index.ts`, so that a start loads only what it needs. */
export const EXTRA_ENTRIES: readonly string[] = [
  'src/config/keys/index.ts',
  'src/store/postgres/index.ts',
  'src/store/sqlite/index.ts',
  'src/llm/acp/index.ts',
  'src/providers/credentials/index.ts',
  'src/providers/diagnosis/index.ts',
  'src/providers/oauth/index.ts',
  'src/runtime/answer-schema/index.ts',
  'src/runtime/backup/index.ts',
  'src/runtime/file-logger.ts',
  'src/runtime/mcp/index.ts',
  'src/runtime/memory/index.ts',
  'src/runtime/models/index.ts',
  'src/runtime/open-store.ts',
  'src/runtime/replay/index.ts',
  'src/runtime/trajectories/index.ts',
  'src/skills/hub/index.ts',
  'src/skills/installing/index.ts',
  'src/tools/safe-fetch/index.ts',
  'src/util/tar/index.ts',
  'src/util/yaml.ts',
];

/** The loop works on interfaces; what stands behind them is put in by the runtime. */
const AGENT_MAY_IMPORT: readonly string[] = ['base', 'util', 'contracts'];

/** Modules that the person brought are loaded here, and nowhere else. */
const IMPORTS_ANY_FILE = 'src/util/import-file.ts';

const DEMO_FOLDER = 'src/surfaces/cli/demo/';

type Import = { specifier: string; offset: number };

/** Static imports, re-exports, dynamic imports and `import('…')` types. */
export function findImports(source: SourceFile): { imports: Import[]; computed: number[] } {
  const { module, program } = parse(source);
  const imports: Import[] = module.staticImports.map(({ moduleRequest }) => ({
    specifier: moduleRequest.value,
    offset: moduleRequest.start,
  }));
  for (const { entries } of module.staticExports) {
    // Each name of a re-export is an entry of its own; they all come from one place.
    const from = entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest;
    if (from) imports.push({ specifier: from.value, offset: from.start });
  }
  const computed: number[] = [];
  new Visitor({
    ImportExpression({ source: from, start }) {
      if (from.type === 'Literal' && typeof from.value === 'string')
        imports.push({ specifier: from.value, offset: start });
      else computed.push(start);
    },
    TSImportType({ source: from, start }) {
      imports.push({ specifier: from.value, offset: start });
    },
  }).visit(program);
  return { imports, computed };
}

/** Every import of the product's own files that goes against the layers. Tests may import what they like. */
export function checkImports(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith('src/') && !isTest(path))
    .flatMap((source) => {
      const { imports, computed } = findImports(source);
      const at = (offset: number) => ({ path: source.path, line: lineAt(source.text, offset) });
      return [
        ...imports.flatMap(({ specifier, offset }) => {
          const message = judgeImport(source.path, specifier);
          return message ? [{ ...at(offset), message }] : [];
        }),
        ...(source.path === IMPORTS_ANY_FILE ? [] : computed).map((offset) => ({
          ...at(offset),
          message: 'imports a computed path, which nothing can check',
        })),
      ];
    });
}

function judgeImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = posix.join(posix.dirname(from), specifier);
  if (!target.startsWith('src/')) return `imports ${target}, which is not part of the product`;
  if (isTest(target)) return `imports the test ${target}`;
  const [own, other] = [folderOf(from), folderOf(target)];
  if (own === undefined) return undefined; // the package's entry puts everything on offer
  if (other === undefined) return `imports ${target}: the package's entry is for its users`;
  if (own === other) return judgeInside(from, target);
  return judgeDirection(from, own, other) ?? judgeDoor(target, other);
}

/** `src/llm/transport/http.ts` → `llm`; undefined for files directly in `src`. */
function folderOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts.length > 2 ? parts[1] : undefined;
}

/** What surfaces share. The first may use the second; neither knows a surface. */
const SHARED_BY_SURFACES: readonly (string | undefined)[] = ['slash', 'text'];

/** Surfaces that a command starts; the command line knows their doors, and they know nothing of it. */
const STARTED_BY_COMMANDS: readonly string[] = ['src/surfaces/batch/index.ts'];

function judgeInside(from: string, target: string): string | undefined {
  if (folderOf(from) !== 'surfaces') return undefined;
  const [own, other] = [from.split('/')[2], target.split('/')[2]];
  if (own !== 'text' && other === 'text') return undefined;
  if (!SHARED_BY_SURFACES.includes(own) && target === 'src/surfaces/slash/index.ts') return undefined;
  if (own === 'cli' && STARTED_BY_COMMANDS.includes(target)) return undefined;
  return own === other ? undefined : `imports ${target}: surfaces do not know each other`;
}

function judgeDirection(from: string, own: string, other: string): string | undefined {
  if (other === 'testing') {
    return from.startsWith(DEMO_FOLDER) ? undefined : 'imports testing/, which is for tests and the demo';
  }
  // Testing stands beside the runtime: it may use everything that the surfaces use.
  const rank = own === 'testing' ? rankOf('surfaces') : rankOf(own);
  if (rank < 0) return `lies in src/${own}, which has no place among the layers`;
  if (rankOf(other) < 0) return `imports src/${other}, which has no place among the layers`;
  if (rankOf(other) >= rank) return `${own}/ must not import ${other}/`;
  if (own === 'agent' && !AGENT_MAY_IMPORT.includes(other)) {
    return `agent/ must not import ${other}/: it works on the interfaces in contracts/`;
  }
  return undefined;
}

function judgeDoor(target: string, folder: string): string | undefined {
  if (target === `src/${folder}/index.ts` || EXTRA_ENTRIES.includes(target)) return undefined;
  return `imports ${target}: go through src/${folder}/index.ts`;
}

function rankOf(folder: string): number {
  return LAYERS.findIndex((row) => row.includes(folder));
}
