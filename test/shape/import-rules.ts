import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import { type Finding, isTest, lineAt, parse, type SourceFile } from './source-file.ts';

/** The layers from bottom to top. A folder may import from the rows above its own, but not from its own row. */
export const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['util'],
  ['contracts'],
  ['config'],
  ['llm', 'store', 'environments', 'approvals', 'processes', 'scanning', 'checkpoints', 'worktrees', 'http'],
  [
    'providers',
    'tools',
    'prompt',
    'context',
    'memory',
    'skills',
    'mcp',
    'browser',
    'language-servers',
    'plugins',
    'trajectories',
    'platforms',
    'schedules',
  ],
  ['toolbox'],
  ['agent'],
  ['runtime'],
  ['conversations'],
  ['surfaces'],
];

/** Entry points of a folder other than its `index.ts`, so that startup loads only what it needs. */
export const EXTRA_ENTRIES: readonly string[] = [
  'src/config/gateway/index.ts',
  'src/config/keys/index.ts',
  'src/config/paths.ts',
  'src/config/session-servers.ts',
  'src/conversations/unattended-turn.ts',
  'src/environments/child-exit.ts',
  'src/store/postgres/index.ts',
  'src/store/sqlite/index.ts',
  'src/llm/acp/index.ts',
  'src/llm/bedrock-converse/index.ts',
  'src/providers/credentials/index.ts',
  'src/providers/diagnosis/index.ts',
  'src/providers/oauth/index.ts',
  'src/runtime/answer-schema/index.ts',
  'src/runtime/backup/index.ts',
  'src/runtime/defer-jobs.ts',
  'src/runtime/file-logger.ts',
  'src/runtime/idle-stores.ts',
  'src/runtime/mcp/index.ts',
  'src/runtime/memory/index.ts',
  'src/runtime/models/index.ts',
  'src/runtime/open-jobs.ts',
  'src/runtime/open-store.ts',
  'src/runtime/replay/index.ts',
  'src/runtime/session-chain.ts',
  'src/runtime/trajectories/index.ts',
  'src/skills/hub/index.ts',
  'src/skills/installing/index.ts',
  'src/tools/safe-fetch/index.ts',
  'src/util/network/index.ts',
  'src/util/operating-system/clipboard-commands.ts',
  'src/util/operating-system/kill-tagged-script.ts',
  'src/util/operating-system/start-variables.ts',
  'src/util/process-name.ts',
  'src/util/tar/index.ts',
  'src/util/text-width.ts',
  'src/util/yaml.ts',
];

/** The folders that the agent may import: its loop uses interfaces, and the runtime passes the implementations. */
const AGENT_MAY_IMPORT: readonly string[] = ['base', 'util', 'contracts'];

/** The folders that a platform may import: it knows its protocol, and nothing about sessions, agents or models. */
const PLATFORMS_MAY_IMPORT: readonly string[] = ['base', 'util', 'contracts', 'config', 'http'];

/** The only file that may import modules of the user. */
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
    // Each name of a re-export is a separate entry, all with the same module.
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

/** Every import between the product's files that violates the layers. Tests may import anything. */
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
          message: 'imports a computed path, which cannot be checked',
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
  if (own === undefined) return undefined; // the package's entry re-exports everything
  if (other === undefined) return `imports ${target}: the package's entry is for its users`;
  if (own === other) return judgeInside(from, target);
  return judgeDirection(from, own, other) ?? judgeDoor(target, other);
}

/** `src/llm/transport/http.ts` → `llm`; undefined for files directly in `src`. */
function folderOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts.length > 2 ? parts[1] : undefined;
}

/** Folders shared by all surfaces. `slash` may import `text`; neither may import a surface. */
const SHARED_BY_SURFACES: readonly (string | undefined)[] = ['slash', 'text'];

/** Entry points of surfaces that a command starts. The command line may import them, but not the other way round. */
const STARTED_BY_COMMANDS: readonly string[] = [
  'src/surfaces/acp/index.ts',
  'src/surfaces/api-server/index.ts',
  'src/surfaces/batch/index.ts',
  'src/surfaces/gateway/index.ts',
  'src/surfaces/mcp-server/index.ts',
];

function judgeInside(from: string, target: string): string | undefined {
  if (folderOf(from) !== 'surfaces') return undefined;
  const [own, other] = [from.split('/')[2], target.split('/')[2]];
  if (own !== 'text' && other === 'text') return undefined;
  if (!SHARED_BY_SURFACES.includes(own) && target === 'src/surfaces/slash/index.ts') return undefined;
  if (own === 'cli' && STARTED_BY_COMMANDS.includes(target)) return undefined;
  return own === other ? undefined : `imports ${target}: surfaces must not import each other`;
}

function judgeDirection(from: string, own: string, other: string): string | undefined {
  if (other === 'testing') {
    return from.startsWith(DEMO_FOLDER) ? undefined : 'imports testing/, which is for tests and the demo';
  }
  // `testing` may use everything that the surfaces use.
  const rank = own === 'testing' ? rankOf('surfaces') : rankOf(own);
  if (rank < 0) return `is in src/${own}, which is not in the list of layers`;
  if (rankOf(other) < 0) return `imports src/${other}, which is not in the list of layers`;
  if (rankOf(other) >= rank) return `${own}/ must not import ${other}/`;
  if (own === 'agent' && !AGENT_MAY_IMPORT.includes(other)) {
    return `agent/ must not import ${other}/: use the interfaces in contracts/`;
  }
  if (own === 'platforms' && !PLATFORMS_MAY_IMPORT.includes(other)) {
    return `platforms/ must not import ${other}/: use the interfaces in contracts/`;
  }
  return undefined;
}

function judgeDoor(target: string, folder: string): string | undefined {
  if (target === `src/${folder}/index.ts` || EXTRA_ENTRIES.includes(target)) return undefined;
  return `imports ${target}: use src/${folder}/index.ts`;
}

function rankOf(folder: string): number {
  return LAYERS.findIndex((row) => row.includes(folder));
}
