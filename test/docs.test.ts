import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Documents about the code. All others are for users, whose folders of one name are those of their home directory. */
const ABOUT_CODE = ['AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md'];
const DOCUMENTS = [...ABOUT_CODE, 'README.md', ...globSync('docs/*.md', { cwd: ROOT })];

/** Everything that is in no commit, or is not named in documents. */
const SKIPPED = new Set(['node_modules', '.git', 'dist', 'coverage']);

const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|mjs)|\/)$/;
/** A part in capitals stands for a name: `NAME.test.ts`, `skills/CATEGORY/`. */
const TEMPLATE = /(?:^|\/)[A-Z]{3,}[./]/;

/** The files and folders that a document names in back-quotes, without its code blocks, examples and templates. */
function findPaths(text: string, isAboutCode: boolean): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words.replace(/^node\s+/, ''));
  return quoted.filter((words) => {
    if (!PATH.test(words) || TEMPLATE.test(words) || words === '.ts') return false;
    return isAboutCode || !/^[^/]+\/$/.test(words);
  });
}

/** All files and, with a slash at the end, all folders of the repository; paths begin with a slash. */
function listPaths(folder: string, name = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = `${name}/${entry.name}`;
    return entry.isDirectory() ? [`${path}/`, ...listPaths(join(folder, entry.name), path)] : [path];
  });
}

describe('the documents', () => {
  it('name files and folders that exist', () => {
    const existing = listPaths(ROOT);
    const missing = [...new Set(DOCUMENTS)].flatMap((document) =>
      findPaths(readFileSync(join(ROOT, document), 'utf8'), ABOUT_CODE.includes(document))
        .filter((path) => !existing.some((known) => known.endsWith(`/${path}`)))
        .map((path) => `${document}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the check of the documents', () => {
  it('finds files, commands that run one, and folders', () => {
    const text = 'The loop (`agent/loop.ts`, `loop.ts`) of `src/agent/` and `tools/`; `node bench/run.ts` measures it.';
    const named = ['agent/loop.ts', 'loop.ts', 'src/agent/', 'tools/', 'bench/run.ts'];
    expect(findPaths(text, true)).toEqual(named);
    expect(findPaths(text, false)).toEqual(named.filter((path) => path !== 'tools/'));
  });

  it('leaves out templates, addresses, paths of a home directory, examples and code blocks', () => {
    const text =
      '`NAME.test.ts`, `.ts`, `skills/CATEGORY/`, `ssh://`, `<home>/cache/`, `~/notes.ts`, `/review src/a.ts`';
    expect(findPaths(`${text}\n\`\`\`ts\nimport \`a.ts\`\n\`\`\`\n`, true)).toEqual([]);
  });
});
