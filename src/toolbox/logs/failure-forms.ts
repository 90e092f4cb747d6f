/** How test runners, compilers and linters mark a failure at the start of a line or in it, with the programs that do. */
const FAILURE_FORMS: readonly RegExp[] = [
  // Vitest, Jest, Mocha, node:test, Playwright, Go, pytest, Bun
  /^\s*(?:FAIL(?:ED|URE)?|ERROR|FATAL)\b/,
  /^\s*(?:\(fail\)\s|[✗✘✕×✖❌])/u,
  /^\s*● /u,
  /^\s*--- FAIL: /,
  // TAP
  /^\s*not ok\b/,
  // RSpec, Minitest, Mocha, PHPUnit
  /^\s*\d+\) \S/,
  /\bFailure\/Error:|^rspec \S+:\d+/,
  // Exceptions of most languages: AssertionError [ERR_ASSERTION]: …, java.lang.IllegalStateException: …
  /\b[\w.]*(?:Error|Exception)\b(?: \[\w+\])?(?::|\()/,
  /^Traceback \(most recent call last\)|\bpanicked at\b|^panic: |\b[Aa]ssertion\b.* failed/,
  /\b(?:Unhandled|Uncaught)\b/,
  // pytest
  /^E {2,}\S|^_{3,} .+ _{3,}$/,
  // Cargo
  /^test .+ \.\.\. FAILED|^---- .+ stdout ----$/,
  /^\s*error(?:\[\w+\])?(?::| )/i,
  // Maven, Gradle, ctest, xUnit, Xcode
  /^\[ERROR\]|<<< (?:FAILURE|ERROR)!|\bBUILD (?:FAILURE|FAILED)\b|\*\* \w+ FAILED \*\*/,
  /^> Task .+ FAILED$|\S FAILED$|::\S+.* (?:FAILED|ERROR)\b|\*{3}(?:Failed|Exception|Timeout)|\[FAIL\]/,
  // dotnet, tsc, MSBuild
  /^\s*Failed \S|\berror [A-Z]{2,}\d+:/,
  // gcc, clang, Swift, mypy, make, linkers, CMake
  /:\d+(?::\d+)?:? (?:fatal )?error\b/i,
  /\bundefined (?:reference|symbol)|^(?:\S*\/)?ld(?:\.\w+)?: |^g?make(?:\[\d+\])?: \*\*\* |^CMake Error|^ninja: build stopped/,
  // Go compiler, ESLint, ruff
  /^\s*\S+\.go:\d+(?::\d+)?: /,
  /^\s+\d+:\d+\s+error\s/,
  /^\S+\.pyi?:\d+:\d+: [A-Z]+\d+ /,
  // npm, shells, signals
  /^npm (?:ERR!|error)|^(?:fatal|Fatal)\b|: command not found$/,
  /\bSegmentation fault\b|\bcore dumped\b|\b(?:Out|out) of memory\b|\b[Tt]imed out\b|\btimeout of \d/,
];

/** Words and marks of which every form has one; most lines of a log have none. */
const HINT =
  /fail|err|rspec |fatal|exception|panic|assert|not ok|traceback|un(?:handled|caught|defined)|[✗✘✕×✖❌●]|\d\) |^E |^---- |_ |\.go:|\.pyi?:|\*\*\*|stopped|not found|fault|dumped|out of memory|time/iu;

/** Lines about a success, whose test may have a name such as "rejects an Error: x". */
const SUCCESS =
  /^\s*(?:[✓✔√]|\(pass\)\s|ok\b|PASS(?:ED)?\b|--- PASS: |=== (?:RUN|PAUSE|CONT|NAME)\b|Passed \S|test .+ \.\.\. ok$)|\bPASSED\b|\.{3} ok$/u;

/** Whether a line of a log begins or continues the report of a failure. */
export function isFailureLine(line: string): boolean {
  return HINT.test(line) && !SUCCESS.test(line) && FAILURE_FORMS.some((form) => form.test(line));
}

export function isSuccessLine(line: string): boolean {
  return SUCCESS.test(line);
}
