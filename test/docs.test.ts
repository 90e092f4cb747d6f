import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Documents about the code. All others are for users, so their folder names refer to the home directory. */
const ABOUT_CODE = ['AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md'];
const DOCUMENTS = [...ABOUT_CODE, 'README.md', ...globSync('docs/*.md', { cwd: ROOT })];

/** Folders that are not committed or that documents do not mention. */
const SKIPPED = new Set(['node_modules', '.git', 'dist', 'coverage']);

const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|mjs)|\/)$/;
/** A part in capitals is a placeholder: `NAME.test.ts`, `skills/CATEGORY/`. */
const TEMPLATE = /(?:^|\/)[A-Z]{3,}[./]/;

/** The files and folders that a document mentions in backticks, except in code blocks, examples and templates. */
function findPaths(text: string, isAboutCode: boolean): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words.replace(/^node\s+/, ''));
  return quoted.filter((words) => {
    if (!PATH.test(words) || TEMPLATE.test(words) || words === '.ts') return false;
    return isAboutCode || !/^[^/]+\/$/.test(words);
  });
}

/** All files and folders of the repository. Paths start with a slash; folders also end with one. */
function listPaths(folder: string, name = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = `${name}/${entry.name}`;
    return entry.isDirectory() ? [`${path}/`, ...listPaths(join(folder, entry.name), path)] : [path];
  });
}

describe('the documents', () => {
  it('mention only existing files and folders', () => {
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

  it('ignores templates, URLs, paths in a home directory, examples and code blocks', () => {
    const text =
      '`NAME.test.ts`, `.ts`, `skills/CATEGORY/`, `ssh://`, `<home>/cache/`, `~/notes.ts`, `/review src/a.ts`';
    expect(findPaths(`${text}\n\`\`\`ts\nimport \`a.ts\`\n\`\`\`\n`, true)).toEqual([]);
  });
});
