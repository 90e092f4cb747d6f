import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { checkImports, findImports } from './import-rules.ts';
import { checkSizes, LIMITS } from './size-rules.ts';
import { describeFindings, type Finding, parse, readSources } from './source-file.ts';
import { checkSpreads } from './spread-rules.ts';
import { checkModuleState } from './state-rules.ts';
import { checkSystemUse } from './system-rules.ts';

const ROOT = join(import.meta.dirname, '../..');

const CHECKS = {
  imports: checkImports,
  state: checkModuleState,
  sizes: checkSizes,
  system: checkSystemUse,
  spreads: checkSpreads,
};

describe('the structure of the product', () => {
  const sources = readSources(ROOT, ['src']);
  const findings = new Map<string, Finding[]>();
  const found = (check: keyof typeof CHECKS) => {
    expect([...findings.keys()]).toEqual(Object.keys(CHECKS));
    return describeFindings(findings.get(check) ?? []);
  };

  // File by file, so that each file is parsed once.
  beforeAll(() => {
    for (const source of sources) {
      for (const [name, check] of Object.entries(CHECKS)) {
        findings.set(name, [...(findings.get(name) ?? []), ...check([source])]);
      }
    }
  });

  it('has imports that follow the layers', () => {
    expect(found('imports')).toBe('');
  });

  verifies('SURF-16', 'has surfaces that run turns only through conversations', () => {
    const surfaces = sources.filter(({ path }) => /^src\/surfaces\/(?!.*\.test\.ts$)/.test(path));
    const others = surfaces.filter(({ text }) =>
      /\b(?:createAgent|startHeldRun|createSessionLease|agent\.run\()/.test(text),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
    const opening = surfaces.filter(({ text }) => /\bopenConversation\(\{/.test(text)).map(({ path }) => path);
    expect([...new Set(opening.map((path) => path.split('/')[2]))].toSorted()).toEqual([
      'acp',
      'api-server',
      'batch',
      'cli',
      'gateway',
      'mcp-server',
      'sdk',
      'slash',
    ]);
  });

  verifies('LOOP-9', 'has no module-level state outside the runtime', () => {
    expect(found('state')).toBe('');
  });

  verifies('LOOP-9', 'has a loop that fits on one screen and small functions around it', () => {
    expect(sources.map(({ path }) => path)).toContain('src/agent/loop.ts');
    expect(found('sizes')).toBe('');
  });

  it('looks at the operating system in one folder only', () => {
    expect(found('system')).toBe('');
  });

  it('writes out the parts of a literal instead of spreading it', () => {
    expect(found('spreads')).toBe('');
  });
});

const messages = (findings: readonly Finding[]) => findings.map(({ message }) => message);
const importing = (path: string, ...specifiers: string[]) =>
  messages(checkImports([{ path, text: specifiers.map((from) => `import '${from}';`).join('\n') }]));

describe('the import check', () => {
  it('allows imports of lower layers through their entry points', () => {
    expect(importing('src/agent/loop.ts', '../base/index.ts', './turn-state.ts', 'node:fs', 'zod')).toEqual([]);
    expect(importing('src/llm/transport/http.ts', '../../contracts/index.ts', '../sse.ts')).toEqual([]);
    expect(importing('src/runtime/open.ts', '../store/sqlite/index.ts', '../agent/index.ts')).toEqual([]);
    expect(importing('src/index.ts', './agent/index.ts', './testing/index.ts')).toEqual([]);
  });

  it('reports an import of a higher layer', () => {
    expect(importing('src/base/ids.ts', '../util/index.ts')).toEqual(['base/ must not import util/']);
    expect(importing('src/toolbox/todo.ts', '../agent/index.ts')).toEqual(['toolbox/ must not import agent/']);
  });

  it('reports imports between folders of one layer', () => {
    expect(importing('src/llm/client.ts', '../store/index.ts')).toEqual(['llm/ must not import store/']);
  });

  it('reports imports of the agent other than interfaces', () => {
    expect(importing('src/agent/loop.ts', '../llm/index.ts').join()).toContain('agent/ must not import llm/');
  });

  it('reports an import that bypasses the entry point of a folder', () => {
    expect(importing('src/agent/loop.ts', '../base/ids.ts').join()).toContain('use src/base/index.ts');
    expect(importing('src/runtime/open.ts', '../store/sqlite/schema.ts').join()).toContain(': use src/');
  });

  it('reports surfaces that import each other', () => {
    expect(importing('src/surfaces/cli/main.ts', '../sdk/index.ts').join()).toContain('must not import each other');
    expect(importing('src/surfaces/cli/main.ts', './terminal/prompt.ts')).toEqual([]);
  });

  it('lets surfaces share slash commands and texts, which import no surface', () => {
    expect(importing('src/surfaces/cli/main.ts', '../slash/index.ts', '../text/table.ts')).toEqual([]);
    expect(importing('src/surfaces/slash/a.ts', '../text/table.ts')).toEqual([]);
    expect(importing('src/surfaces/cli/main.ts', '../slash/commands/undo.ts').join()).toContain('must not import');
    expect(importing('src/surfaces/slash/a.ts', '../cli/main.ts').join()).toContain('must not import each other');
    expect(importing('src/surfaces/text/a.ts', '../slash/index.ts').join()).toContain('must not import each other');
  });

  it('allows testing/ only in tests, the demo and the package entry', () => {
    expect(importing('src/runtime/open.ts', '../testing/index.ts').join()).toContain('for tests and the demo');
    expect(importing('src/surfaces/cli/demo/model.ts', '../../../testing/index.ts')).toEqual([]);
    expect(importing('src/runtime/open.test.ts', '../testing/index.ts')).toEqual([]);
    expect(importing('src/testing/agent.ts', '../runtime/index.ts')).toEqual([]);
    expect(importing('src/testing/agent.ts', '../surfaces/index.ts')).toEqual(['testing/ must not import surfaces/']);
  });

  it('reports files outside the layers, the product or the rules', () => {
    expect(importing('src/helpers/a.ts', '../base/index.ts').join()).toContain('not in the list of layers');
    expect(importing('src/agent/a.ts', '../helpers/index.ts').join()).toContain('not in the list of layers');
    expect(importing('src/agent/a.ts', '../../test/spec/rules.ts').join()).toContain('not part of the product');
    expect(importing('src/agent/a.ts', './loop.test.ts').join()).toContain('imports the test');
    expect(importing('src/agent/a.ts', '../index.ts').join()).toContain('for its users');
  });

  it('finds every kind of import with its position', () => {
    const text = [
      "import type { A } from './a.ts';",
      "export * from './b.ts';",
      "export { c } from './c.ts';",
      "const d = () => import('./d.ts');",
      "type E = import('./e.ts').E;",
      "// import './not.ts';",
    ].join('\n');
    const found = findImports({ path: 'src/base/x.ts', text });
    expect(found.imports.map(({ specifier }) => specifier).sort()).toEqual(
      'abcde'.split('').map((name) => `./${name}.ts`),
    );
    const computed = checkImports([{ path: 'src/base/x.ts', text: '\nconst load = (p: string) => import(p);' }]);
    expect(describeFindings(computed)).toBe('src/base/x.ts:2 imports a computed path, which cannot be checked');
  });

  it('does not skip a file that it cannot parse', () => {
    expect(() => parse({ path: 'src/base/x.ts', text: 'const = 1' })).toThrow('src/base/x.ts cannot be parsed');
  });
});

const stateOf = (text: string, path = 'src/llm/x.ts') => messages(checkModuleState([{ path, text }]));

describe('the check of module-level state', () => {
  it.each([
    ['let count = 0;', 'module-level let'],
    ['export var count = 0;', 'module-level var'],
    ['const cache = new Map();', 'starts empty'],
    ['const seen = new WeakSet<object>() as WeakSet<object>;', 'starts empty'],
    ['const list: string[] = [];', 'starts empty'],
    ['const table = {} satisfies Record<string, string>;', 'starts empty'],
    ["const names = new Set(['a']);\nexport function learn(n: string) { names.add(n); }", 'changed in this file'],
    ["const table: Record<string, string> = { a: 'b' };\nfunction f() { table.a = 'c'; }", 'changed in this file'],
    ["const list = ['b'];\nfunction f() { delete list[0]; }", 'changed in this file'],
    ["export const names = new Set(['a']);", 'is mutable'],
    ['class Counter { static count = 0; }', 'static field'],
  ])('reports %s', (text, message) => {
    expect(stateOf(text).join()).toContain(message);
  });

  it.each([
    'const LIMIT = 5;',
    "const NAMES = new Set(['a', 'b']);",
    "export const NAMES: ReadonlySet<string> = new Set(['a']);",
    'const NONE: readonly string[] = [];',
    'const NONE = [] as const;',
    'const NONE = Object.freeze({});',
    'declare let fromOutside: string;',
    'export function create() { let count = 0; const seen = new Map(); return () => [count++, seen]; }',
    'class Failure extends Error { static readonly kind = "x"; }',
  ])('allows %s', (text) => {
    expect(stateOf(text)).toEqual([]);
  });

  it('ignores the runtime and tests', () => {
    expect(stateOf('let count = 0;', 'src/runtime/x.ts')).toEqual([]);
    expect(stateOf('let count = 0;', 'src/llm/x.test.ts')).toEqual([]);
  });
});

describe('the check of sizes', () => {
  const lines = (count: number) => `${'\n'.repeat(count - 1)};\n`;
  const sizesOf = (path: string, text: string) => messages(checkSizes([{ path, text }]));

  it('reports a long file and a loop longer than one screen', () => {
    expect(sizesOf('src/llm/x.ts', lines(LIMITS.fileLines))).toEqual([]);
    expect(sizesOf('src/llm/x.ts', lines(LIMITS.fileLines + 1)).join()).toContain('has 401 lines');
    expect(sizesOf('src/agent/loop.ts', lines(99))).toEqual([]);
    expect(sizesOf('src/agent/loop.ts', lines(100)).join()).toContain('maximum 99');
  });

  it.each(['function f() {%}', 'const f = () => {%};', 'const f = { f() {%} };'])(
    'reports a long function in the agent: %s',
    (form) => {
      const ofLength = (count: number) => form.replace('%', '\n'.repeat(count - 1));
      expect(sizesOf('src/agent/x.ts', ofLength(60))).toEqual([]);
      expect(sizesOf('src/agent/x.ts', ofLength(61)).join()).toContain('a function of 61 lines');
    },
  );
});

describe('the check of spreads', () => {
  const spreadsOf = (text: string, path = 'src/llm/x.ts') => messages(checkSpreads([{ path, text }]));

  it.each([
    'const x = { ...{ a, b }, c };',
    "const x = ['a', ...['b', 'c']];",
    'const x = f({ a: { ...({ b }) } });',
    "const x = [...(['a'] as const)];",
  ])('reports %s', (text) => {
    expect(spreadsOf(text)).toEqual(['spreads a literal into a literal: write its parts out']);
  });

  it.each([
    'const x = { ...given, a };',
    'const x = { ...(a && { b }), ...(c ? { d } : {}) };',
    'const x = [...list, ...(a ? [b] : [])];',
    'f(...[1, 2]);',
  ])('allows %s', (text) => {
    expect(spreadsOf(text)).toEqual([]);
  });

  it('ignores tests', () => {
    expect(spreadsOf('const x = { ...{ a } };', 'src/llm/x.test.ts')).toEqual([]);
  });
});

describe('the check of the operating system', () => {
  const useOf = (text: string, path = 'src/llm/x.ts') => messages(checkSystemUse([{ path, text }]));

  it.each([
    ["if (process.platform === 'darwin') f();", 'process.platform'],
    ["const name = process['platform'];", 'process.platform'],
    ["import { platform } from 'node:os';", 'platform of node:os'],
    ["readFileSync('/proc/self/stat');", 'only Linux has'],
    ['const stat = `/proc/${pid}/stat`;', 'only Linux has'],
    ["const script = 'cat </proc/1/environ';", 'only Linux has'],
    ["const folder = '/dev/shm';", 'only Linux has'],
  ])('reports %s', (text, message) => {
    expect(useOf(text).join()).toContain(message);
  });

  it.each([
    "const none = '/dev/null';",
    "const path = '/work/proc/x';",
    "import { tmpdir, platform as other } from './os.ts';",
    '// reads /proc/self/stat',
    'const platform = options.platform;',
  ])('allows %s', (text) => {
    expect(useOf(text)).toEqual([]);
  });

  it('ignores the boundary, tests, and text that only names such paths', () => {
    const text = "const path = '/proc/self/stat'; f(process.platform);";
    for (const path of ['src/util/operating-system/x.ts', 'src/llm/x.test.ts', 'src/approvals/rules/x.ts'])
      expect(useOf(text, path)).toEqual([]);
  });
});
