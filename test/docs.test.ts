import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createDocumentRunner } from './support/documents/document-runner.ts';
import { findUsageError } from './support/documents/parse-hermes.ts';
import { findHermesCalls, readShellBlocks } from './support/documents/shell-blocks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Documents about the code. All others are for users, so their folder names refer to the home directory. */
const ABOUT_CODE = ['AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/internals.md', 'docs/glossary.md'];
/** Documents with commands that users copy. */
const WITH_COMMANDS = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()];
const DOCUMENTS = [...new Set([...ABOUT_CODE, ...WITH_COMMANDS])];

const readDocument = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const FENCED = /^```.*?^```$/gms;

/** Folders that are not committed or that documents do not mention. */
const SKIPPED = new Set(['node_modules', '.git', 'dist', 'coverage']);

const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|mjs)|\/)$/;
/** A part in capitals is a placeholder: `NAME.test.ts`, `skills/CATEGORY/`. */
const TEMPLATE = /(?:^|\/)[A-Z]{3,}[./]/;

/** The files and folders that a document mentions in backticks, except in code blocks, examples and templates. */
function findPaths(text: string, isAboutCode: boolean): string[] {
  const prose = text.replaceAll(FENCED, '');
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
    const missing = DOCUMENTS.flatMap((document) =>
      findPaths(readDocument(document), ABOUT_CODE.includes(document))
        .filter((path) => !existing.some((known) => known.endsWith(`/${path}`)))
        .map((path) => `${document}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('have links that lead to files and headings that exist', () => {
    const broken = DOCUMENTS.flatMap((document) =>
      findLinks(readDocument(document))
        .filter((target) => !leadsSomewhere(document, target))
        .map((target) => `${document}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

/** The targets of links and images that lead to a file or a heading. */
function findLinks(text: string): string[] {
  const targets = [...text.replaceAll(FENCED, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(document: string, target: string): boolean {
  const [file = '', heading] = target.split('#');
  const path = file === '' ? document : join(dirname(document), file);
  if (!existsSync(join(ROOT, path))) return false;
  return heading === undefined || findAnchors(readDocument(path)).includes(heading);
}

/** The names by which links can lead to the headings of a document. */
function findAnchors(text: string): string[] {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase());
  return titles.map((title) => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

describe('the table of interop.md', () => {
  const rows = readDocument('docs/interop.md')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, what = '', , from]) => from === 'npm' && what.includes('`'));

  it.each(rows)('%s%s has the version of the lock file', (_, what = '', versions = '') => {
    const lock = JSON.parse(readDocument('package-lock.json')) as { packages: Record<string, { version: string }> };
    const names = [...what.matchAll(/`([^\s`]+)/g)].map(([, name = '']) => name);
    const found = names.flatMap((name) => lock.packages[`node_modules/${name}`]?.version ?? []);
    const named = versions.split(', ');
    expect(found.length).toBeGreaterThan(0);
    for (const [index, version] of found.entries())
      expect(version.startsWith(named[index] ?? named[0] ?? '?')).toBe(true);
  });
});

describe('the commands in the documents', () => {
  it('are known to the command table, with their options', async () => {
    const errors: string[] = [];
    for (const document of WITH_COMMANDS) {
      const text = readDocument(document);
      const lines = [...readShellBlocks(text).flatMap((block) => block.lines), ...findIndentedCommands(text)];
      for (const line of [...lines, ...findInlineCommands(text)]) {
        for (const { words } of findHermesCalls(line)) {
          // Stands for any command.
          if (words[0]?.startsWith('$')) continue;
          const error = await findUsageError(words);
          // Prose may name a command without its arguments.
          const isPartial =
            !lines.includes(line) && /^`hermes [^`]+` requires <|incomplete|requires a value/.test(error ?? '');
          if (error !== undefined && !isPartial) errors.push(`${document}: ${line}: ${error}`);
        }
      }
    }
    expect(errors).toEqual([]);
  });

  for (const document of WITH_COMMANDS) {
    const blocks = readShellBlocks(readDocument(document)).filter(({ isExample }) => !isExample);
    if (blocks.length === 0) continue;
    it(`of ${document} run one after the other and exit with 0`, async () => {
      await using runner = await createDocumentRunner();
      for (const { line, lines } of blocks) {
        for (const each of lines)
          expect(await runner.run(each), `${document}, block in line ${line}: ${each}`).toBe(undefined);
      }
    });
  }
});

/** The example commands of indented blocks, without the explanation that follows after two or more spaces. */
function findIndentedCommands(text: string): string[] {
  const commands = [...text.replaceAll(FENCED, '').matchAll(/^ {4,}(hermes \S+(?: \S+)*)/gm)].map(
    ([, line = '']) => line,
  );
  return commands.filter(isCallable);
}

/**
 * The commands in backticks, except usage patterns such as `hermes sessions …` or `hermes model set NAME [--option]`.
 */
function findInlineCommands(text: string): string[] {
  const inline = [...text.replaceAll(FENCED, '').matchAll(/`(hermes [^`]+)`/g)].map(([, words = '']) => words);
  return inline
    .filter((words) => !/[[…]/.test(words))
    .map((words) => words.replaceAll('\\|', '|').replaceAll(/\s+/g, ' '));
}

/**
 * Whether this is a command and not a usage pattern such as `hermes sessions …` or `hermes model set NAME
 * [--option]`.
 */
function isCallable(command: string): boolean {
  return !/[[…]/.test(command);
}

describe('the reader of shell blocks', () => {
  it('tells blocks that are run from examples and joins continued lines', () => {
    const text =
      'Words.\n```sh\nhermes status  # now\n\nhermes -z \\\n  "a b"\n```\n```yaml\na: 1\n```\n```sh example\nhermes setup\n```\n';
    expect(readShellBlocks(text)).toEqual([
      { line: 2, isExample: false, lines: ['hermes status  # now', 'hermes -z   "a b"'] },
      { line: 11, isExample: true, lines: ['hermes setup'] },
    ]);
  });

  it('rejects other names of a shell, because such blocks are not checked', () => {
    expect(() => readShellBlocks('```bash\nhermes\n```\n')).toThrow('Line 1: use `sh` or `sh example`.');
    expect(() => readShellBlocks('```sh\nnpm ci\n```\n')).toThrow('Line 1: use `sh example`');
  });

  it('finds every call of hermes in a command line', () => {
    expect(findHermesCalls('hermes -q "a b" --json  # comment')).toEqual([
      { words: ['-q', 'a b', '--json'], isWholeLine: true },
    ]);
    const calls = findHermesCalls('git diff | hermes -z "review" > out && source <(hermes completion bash)');
    expect(calls.map(({ words }) => words)).toEqual([
      ['-z', 'review'],
      ['completion', 'bash'],
    ]);
    expect(calls.some(({ isWholeLine }) => isWholeLine)).toBe(false);
  });

  it('reports unknown commands and options', async () => {
    expect(await findUsageError(['sessions', 'list', '--json'])).toBe(undefined);
    expect(await findUsageError(['sessions', 'lst'])).toMatch(/unknown command/i);
    expect(await findUsageError(['sessions', 'list', '--nonsense'])).toMatch(/unknown option/i);
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
