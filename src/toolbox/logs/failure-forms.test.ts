import { describe, expect, it } from 'vitest';
import { isFailureLine, isSuccessLine } from './failure-forms.ts';
import { runsTestsOrBuild } from './runner-commands.ts';

/** Lines of real programs that report a failure. */
const FAILURES: Readonly<Record<string, readonly string[]>> = {
  vitest: [' FAIL  src/a.test.ts > adds', '   × adds 3ms', 'AssertionError: expected 1 to be 2', '✗ adds'],
  jest: ['FAIL src/a.test.js', '  ● math › adds', '    TypeError: x is not a function', '    ✕ adds (3 ms)'],
  mocha: ['  1) math adds:', '     Error: Timeout of 2000ms exceeded.'],
  'node:test': ['not ok 3 - adds', '✖ adds (1.2ms)', '  AssertionError [ERR_ASSERTION]: 1 == 2'],
  bun: ['(fail) adds [0.5ms]', 'error: expect(received).toBe(expected)'],
  pytest: [
    '____________ test_adds ____________',
    'E       assert 1 == 2',
    'FAILED test_a.py::test_adds - assert 1 == 2',
    'ERROR test_b.py - ImportError: no module',
    'Traceback (most recent call last):',
    'ValueError: bad',
    'test_a.py::test_x FAILED [ 50%]',
  ],
  go: [
    '--- FAIL: TestAdds (0.00s)',
    '    adds_test.go:12: got 1, want 2',
    'FAIL\texample.com/a\t0.2s',
    'panic: runtime error: index out of range',
    './a.go:5:2: undefined: x',
  ],
  cargo: [
    'test math::adds ... FAILED',
    '---- math::adds stdout ----',
    "thread 'math::adds' panicked at src/lib.rs:5:9:",
    'error[E0308]: mismatched types',
    'error: could not compile `a`',
  ],
  maven: [
    '[ERROR] Failures: ',
    '[ERROR]   MathTest.adds:12 expected: <2> but was: <1>',
    'Tests run: 1, Failures: 1 <<< FAILURE! -- in MathTest',
    '[INFO] BUILD FAILURE',
    'java.lang.IllegalStateException: no',
  ],
  gradle: ['> Task :test FAILED', 'MathTest > adds() FAILED', 'FAILURE: Build failed with an exception.'],
  dotnet: [
    '  Failed Adds [12 ms]',
    'Program.cs(5,9): error CS1002: ; expected [/a/a.csproj]',
    '[xUnit.net 00:00:01]     MathTests.Adds [FAIL]',
  ],
  rspec: ['  1) Math adds', '     Failure/Error: expect(1).to eq(2)', 'rspec ./spec/math_spec.rb:3 # Math adds'],
  tsc: ["src/a.ts(1,7): error TS2322: Type 'string' is not assignable", "src/a.ts:1:7 - error TS2322: Type 'string'"],
  gcc: [
    'a.c:3:5: error: expected ;',
    'a.c:1:10: fatal error: x.h: No such file',
    "a.c:(.text+0x1): undefined reference to `x'",
    'make: *** [Makefile:3: a.o] Error 1',
    'ld: symbol(s) not found',
  ],
  eslint: ["  12:5  error  'x' is not defined  no-undef"],
  others: [
    'npm ERR! code ELIFECYCLE',
    'Segmentation fault (core dumped)',
    '2/3 Test #2: adds ...***Failed    0.01 sec',
    'a.py:3:1: F401 `os` imported but unused',
    'a.py:3: error: Incompatible types',
    'sh: 1: foo: command not found',
    'fatal: not a git repository',
  ],
};

const HARMLESS = [
  ' ✓ throws an Error: of its own 3ms',
  'ok 4 - fails with TypeError: x',
  'test parse::error: ... ok',
  'tests/test_a.py::test_failed PASSED [ 50%]',
  '--- PASS: TestError: (0.00s)',
  'Tests run: 5, Failures: 0, Errors: 0, Skipped: 0',
  'test result: ok. 12 passed; 0 failed; 0 ignored',
  '# fail 0',
  'Compiling serde v1.0',
  '   Compiling error-chain v0.12',
  'PASS src/error.test.js',
  '',
];

describe('a line of a log', () => {
  for (const [program, lines] of Object.entries(FAILURES)) {
    it.each(lines)(`is a failure of ${program}: %s`, (line) => {
      expect(isFailureLine(line)).toBe(true);
    });
  }

  it.each(HARMLESS)('is harmless: %s', (line) => {
    expect(isFailureLine(line)).toBe(false);
  });

  it('is a success only with the mark of a runner', () => {
    expect([' ✓ adds', 'ok 1 - adds', '=== RUN   TestAdds', 'ok  \texample.com/a\t0.2s'].every(isSuccessLine)).toBe(
      true,
    );
    expect(['adds', 'okay', 'it is ok'].some(isSuccessLine)).toBe(false);
  });
});

const RUNNERS = [
  'npm test',
  'npm run test:unit -- a',
  'pnpm --silent lint',
  'yarn build',
  'npx vitest run src',
  'CI=1 npx -y jest',
  'cd a && go test ./...',
  'cargo +nightly test',
  'time make -j4',
  'timeout 60 pytest -x',
  'python3 -m pytest',
  '/usr/bin/python3 -m unittest',
  './node_modules/.bin/tsc --noEmit',
  './gradlew check',
  'mvn -q verify | tail -50',
  'bundle exec rspec',
  'uv run pytest',
  'dotnet test',
  'cmake --build build',
  'node --test',
  'node --import tsx --test',
  './run-tests.sh',
  'bash scripts/ci.sh',
  'node scripts/test-all.mjs',
  '(cd x; deno test)',
  'gcc -c a.c',
  'eslint .',
  'just check',
];
const OTHERS = [
  'cat test.log',
  'grep -rn Error src',
  'ls test',
  'git log',
  'test -f a && cat b',
  'sed -n 1,900p src/build.ts',
  'echo npm test',
  'npm install',
  'node server.js',
  'python3 app.py',
  'cargo run',
  'go version',
  'timer',
  'curl http://127.0.0.1/test',
  'docker logs x',
  'find . -name "*.test.ts"',
  '',
];

describe('a command line', () => {
  it.each(RUNNERS)('runs tests or a build: %s', (command) => {
    expect(runsTestsOrBuild(command)).toBe(true);
  });
  it.each(OTHERS)('does not run tests or a build: %s', (command) => {
    expect(runsTestsOrBuild(command)).toBe(false);
  });
});
