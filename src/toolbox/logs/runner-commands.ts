/** Programs that only start another one, with their options. */
const WRAPPER =
  /^(?:\w+=\S*|time|nice(?: -n ?-?\d+)?|timeout(?: -\S+)* \S+|env|sudo|command|exec|xvfb-run(?: -\S+)*|npx(?: -\S+)*|bunx|pnpm (?:exec|dlx)|yarn (?:exec|dlx)|bundle exec|(?:poetry|uv|pipenv|pdm|hatch|rye) run|python[\d.]* -m)\s+|^[({]\s*/;

/** What a script or a package task of this kind is called: `test`, `test:unit`, `build-all`, `typecheck`. */
const TASK = String.raw`(?:t|tst|tests?|spec|e2e|unit|integration|coverage|build|compile|lint|check|typecheck|ci|verify)`;

/** Test runners, compilers, linters and build programs. */
const RUNNERS: readonly RegExp[] = [
  /^(?:vitest|jest|mocha|ava|tap|karma|cypress|playwright|wdio|c8|nyc)\b/,
  /^(?:pytest|py\.test|tox|nox|unittest|rspec|rake|phpunit|pest|ctest|bats|behave|cucumber)\b/,
  /^(?:tsc|tsgo|vue-tsc|eslint|biome|oxlint|ruff|mypy|pyright|pylint|flake8|clang-tidy|golangci-lint|shellcheck)\b/,
  /^(?:g?make|ninja|bazel|bazelisk|buck2|mvnw?|gradlew?|sbt|lein|ant|msbuild|xcodebuild|webpack|rollup|tsup|turbo|nx)\b/,
  /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|kotlinc|ghc|swiftc)(?:-\d+)?(?=\s|$)/,
  /^(?:go|cargo|dotnet|swift|zig|deno|mix|stack|cabal|dart|flutter|gleam|dune|sam|forge)(?: [+-]\S+)* (?:test|build|check|clippy|vet|nextest|compile|lint|bench)\b/,
  /^cmake --build\b|^node(?: \S+)* --test\b|^(?:next|vite|astro|nuxt|ng) (?:build|test|lint)\b|^manage\.py test\b/,
  new RegExp(String.raw`^(?:npm|pnpm|yarn|bun|just|task)(?: --?\S+)*(?: run| run-script)? ${TASK}(?![a-z])`),
];

const INTERPRETER = /^(?:(?:ba|z|da)?sh|node|python[\d.]*|ruby|perl)$/;
/** A script whose name says what it does: run-tests.sh, ci.mjs, build_all.py */
const SCRIPT = new RegExp(String.raw`(?:^|[/._-])${TASK}(?:[._-]\w+)*$`);

/** Whether a command line runs tests, a compiler, a linter or a build. */
export function runsTestsOrBuild(command: string): boolean {
  return command.split(/[;|&\n]+/).some((part) => {
    const program = withoutWrappers(part.trim());
    return RUNNERS.some((runner) => runner.test(withoutFolder(program))) || SCRIPT.test(scriptOf(program));
  });
}

function withoutWrappers(command: string): string {
  let rest = command;
  for (;;) {
    const bare = withoutFolder(rest);
    const match = WRAPPER.exec(bare);
    if (match === null) return rest;
    rest = bare.slice(match[0].length);
  }
}

/** `./node_modules/.bin/vitest run` → `vitest run` */
function withoutFolder(command: string): string {
  return command.replace(/^[^\s=]*\//, '');
}

/** The path of the script that a command runs, or an empty text. */
function scriptOf(command: string): string {
  const [program = '', argument = ''] = command.split(/\s+/, 2);
  if (INTERPRETER.test(program)) return argument;
  return program.includes('/') ? program : '';
}
