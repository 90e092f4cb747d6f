/** A program that may be installed, with the arguments that make it a language server. */
export type ServerProgram = {
  program: string;
  args: readonly string[];
  /** The server runs code of the project (build scripts, plugins, its own packages) wherever it is installed. */
  runsProjectCode?: boolean;
};

/** Language servers for one group of languages. The first program that is found and starts is used. */
export type ServerRow = {
  name: string;
  programs: readonly ServerProgram[];
  /** Language ids of the protocol by file extension. */
  languages: Readonly<Record<string, string>>;
  /** The project root is the nearest folder with one of these files. */
  rootMarkers: readonly string[];
};

const stdio = (program: string, runsProjectCode = false): ServerProgram => ({
  program,
  args: ['--stdio'],
  runsProjectCode,
});

/** The language servers that Hermes finds by itself. */
export const KNOWN_SERVERS: readonly ServerRow[] = [
  {
    name: 'typescript',
    programs: [
      // From TypeScript 7 on, the compiler is a language server; earlier ones reject the option and exit.
      { program: 'tsc', args: ['--lsp', '--stdio'] },
      { program: 'tsgo', args: ['--lsp', '--stdio'] },
      // They load the TypeScript package and the plugins of the project.
      stdio('vtsls', true),
      stdio('typescript-language-server', true),
    ],
    languages: {
      ts: 'typescript',
      mts: 'typescript',
      cts: 'typescript',
      tsx: 'typescriptreact',
      js: 'javascript',
      mjs: 'javascript',
      cjs: 'javascript',
      jsx: 'javascriptreact',
    },
    rootMarkers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
  },
  {
    name: 'python',
    programs: [
      stdio('basedpyright-langserver'),
      stdio('pyright-langserver'),
      { program: 'ruff', args: ['server'] },
      { program: 'pylsp', args: [], runsProjectCode: true },
    ],
    languages: { py: 'python', pyi: 'python' },
    rootMarkers: ['pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
  },
  {
    name: 'go',
    programs: [{ program: 'gopls', args: [] }],
    languages: { go: 'go', mod: 'go.mod' },
    rootMarkers: ['go.work', 'go.mod'],
  },
  {
    name: 'rust',
    programs: [{ program: 'rust-analyzer', args: [], runsProjectCode: true }],
    languages: { rs: 'rust' },
    rootMarkers: ['Cargo.toml'],
  },
  {
    name: 'c',
    programs: [{ program: 'clangd', args: [] }],
    languages: { c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp', m: 'objective-c' },
    rootMarkers: ['compile_commands.json', 'compile_flags.txt', '.clangd', 'CMakeLists.txt'],
  },
  {
    name: 'bash',
    programs: [{ program: 'bash-language-server', args: ['start'] }],
    languages: { sh: 'shellscript', bash: 'shellscript' },
    rootMarkers: [],
  },
  {
    name: 'json',
    programs: [stdio('vscode-json-language-server'), stdio('vscode-json-languageserver')],
    languages: { json: 'json', jsonc: 'jsonc' },
    rootMarkers: ['package.json'],
  },
  {
    name: 'yaml',
    programs: [stdio('yaml-language-server')],
    languages: { yaml: 'yaml', yml: 'yaml' },
    rootMarkers: [],
  },
  {
    name: 'ruby',
    programs: [{ program: 'ruby-lsp', args: [], runsProjectCode: true }],
    languages: { rb: 'ruby' },
    rootMarkers: ['Gemfile'],
  },
  {
    name: 'lua',
    programs: [{ program: 'lua-language-server', args: [] }],
    languages: { lua: 'lua' },
    rootMarkers: ['.luarc.json', '.luarc.jsonc'],
  },
  {
    name: 'zig',
    programs: [{ program: 'zls', args: [], runsProjectCode: true }],
    languages: { zig: 'zig' },
    rootMarkers: ['build.zig'],
  },
];
