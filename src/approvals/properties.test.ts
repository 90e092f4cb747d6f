import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dose, someOf } from '../../test/support/dose.ts';
import { dangerousSample } from './corpus.fixture.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const rank = { allow: 0, ask: 1, block: 2 };

// Non-ASCII commands cannot be embedded in every wrapper, and incomplete commands would swallow the text after them.
const DANGEROUS = dangerousSample().filter(
  ({ command }) => /^[\n\t -~]+$/.test(command) && !/^(?:echo 'unterminated|if true; then rm$)/.test(command),
);
const SIMPLE = DANGEROUS.filter(({ command }) => /^[\w /.~-]+$/.test(command));

/** Every nth item; wrappers with different starts share them. */
const share = <T>(items: readonly T[], nth: number, start: number) =>
  items.filter((_, index) => (index + start) % nth === 0);

/** Ways to run a whole script from inside another command. */
const SCRIPT_WRAPPERS: Readonly<Record<string, (script: string) => string>> = {
  subshell: (script) => `(\n${script}\n)`,
  group: (script) => `{\n${script}\n}`,
  condition: (script) => `if true; then\n${script}\nfi`,
  loop: (script) => `for i in 1; do\n${script}\ndone`,
  after: (script) => `cd src && ls; echo ok\n${script}`,
  called: (script) => `go() {\n${script}\n}; go`,
  shell: (script) => `sh -c ${quoted(script)}`,
  login: (script) => `bash -lc ${quoted(script)}`,
  twice: (script) => `bash -c ${quoted(`sh -c ${quoted(script)}`)}`,
  eval: (script) => `eval ${quoted(script)}`,
  root: (script) => `sudo -E env A=1 nohup nice -n 5 timeout -k 1 9 bash -c ${quoted(script)}`,
  document: (script) => `bash <<'END_OF_IT'\n${script}\nEND_OF_IT`,
  string: (script) => `bash <<< ${quoted(script)}`,
  piped: (script) => `printf '%s' ${quoted(script)} | sh`,
  decoded: (script) => `echo ${Buffer.from(script).toString('base64')} | base64 -d | bash`,
  found: (script) => `find . -exec sh -c ${quoted(script)} \\;`,
  items: (script) => `ls | xargs -I{} sh -c ${quoted(script)}`,
  watched: (script) => `watch -n 1 ${quoted(script)}`,
  trapped: (script) => `trap ${quoted(script)} EXIT`,
  alias: (script) => `git -c ${quoted(`alias.z=!${script}`)} z`,
  away: (script) => `ssh -p 22 host ${quoted(script)}`,
  file: (script) => `cat > /tmp/s.sh <<'END_OF_IT'\n${script}\nEND_OF_IT\nbash /tmp/s.sh`,
  unknown: (script) => `some-new-wrapper --exec ${quoted(script)}`,
  substituted: (script) => `echo "$(\n${script}\n)"`,
};

/** Ways to run the words of one command. */
const WORD_WRAPPERS: Readonly<Record<string, (words: string) => string>> = {
  sudo: (words) => `sudo -u root ${words}`,
  chain: (words) => `env -i A=b nohup stdbuf -oL ${words}`,
  exec: (words) => `exec ${words}`,
  command: (words) => `command ${words}`,
  timed: (words) => `time ${words}`,
  unknown: (words) => `some-new-wrapper -x 3 ${words}`,
  background: (words) => `${words} &`,
  container: (words) => `docker exec web ${words}`,
};

/** Ways to pass a text on without running it. */
const DATA: Readonly<Record<string, (text: string) => string>> = {
  echo: (text) => `echo ${quoted(text)}`,
  printf: (text) => `printf '%s\\n' ${quoted(text)} >> notes.md`,
  commit: (text) => `git commit -m ${quoted(text)}`,
  grep: (text) => `grep -rn ${quoted(text)} .`,
  ripgrep: (text) => `rg -F ${quoted(text)} src | head`,
  document: (text) => `cat > notes.md <<'END_OF_IT'\n${text}\nEND_OF_IT`,
  variable: (text) => `MESSAGE=${quoted(text)}; echo "$MESSAGE"`,
  issue: (text) => `gh issue create --title x --body ${quoted(text)}`,
  compared: (text) => `[ "$x" = ${quoted(text)} ] && echo same`,
  logged: (text) => `logger ${quoted(text)}`,
  argument: (text) => `jq --arg c ${quoted(text)} '.c = $c' a.json`,
  comment: (text) => `ls # ${text.replaceAll('\n', ' ')}`,
};

describe('wrapping', () => {
  for (const [index, [name, wrap]] of Object.entries(SCRIPT_WRAPPERS).entries()) {
    verifies('APPR-1', `recognises a dangerous command inside: ${name}`, async () => {
      const lost: string[] = [];
      for (const { command } of share(DANGEROUS, dose(40, 4), index)) {
        if ((await verdictOf(wrap(command))) === 'allow') lost.push(command);
      }
      expect(lost).toEqual([]);
    });
  }

  for (const [index, [name, wrap]] of Object.entries(WORD_WRAPPERS).entries()) {
    it(`recognises the words of a dangerous command behind: ${name}`, async () => {
      const lost: string[] = [];
      for (const { command } of share(SIMPLE, dose(10, 2), index)) {
        if (name === 'container' && /~|\/etc/.test(command)) continue;
        const wrapped = await verdictOf(wrap(command));
        // In a container or behind an unknown program, only unambiguous commands must be recognised.
        const enough =
          name === 'container' || name === 'unknown' ? wrapped !== 'allow' || !isCertain(command) : wrapped !== 'allow';
        if (!enough) lost.push(command);
      }
      expect(lost).toEqual([]);
    });
  }

  it('never allows a blocked command without asking inside two wrappers', async () => {
    const blocked = DANGEROUS.filter((one) => one.blocked);
    const certain = Object.entries(SCRIPT_WRAPPERS)
      .filter(([name]) => name !== 'away')
      .map(([, wrap]) => wrap);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...blocked),
        fc.constantFrom(...certain),
        fc.constantFrom(...certain),
        async ({ command }, inner, outer) => {
          expect(rank[await verdictOf(outer(inner(command)))]).toBeGreaterThan(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Whether the first word is unambiguously a command name. */
function isCertain(command: string): boolean {
  return /^(?:sudo )?(?:rm|dd|mkfs|git (?:push|reset)|wipefs|find)\b/.test(command);
}

describe('quoting', () => {
  for (const [index, [name, quote]] of Object.entries(DATA).entries()) {
    verifies('APPR-1', `treats a dangerous text as plain text in: ${name}`, async () => {
      const alarms: string[] = [];
      for (const { command } of share(DANGEROUS, dose(40, 4), index))
        if ((await verdictOf(quote(command))) !== 'allow') alarms.push(quote(command));
      expect(alarms).toEqual([]);
    });
  }
});

describe('arbitrary input', () => {
  const token = fc.constantFrom(
    '$(',
    ')',
    '`',
    '"',
    "'",
    '|',
    '&',
    ';',
    '\n',
    '<<EOF',
    'EOF',
    '<(',
    '{',
    '}',
    '((',
    '))',
    '[[',
    ']]',
    '${',
    'x',
    'rm',
    '-rf',
    '/',
    'for i in',
    'do',
    'done',
    'if',
    'then',
    'fi',
    'case',
    'esac',
    'eval',
    'sh -c',
    'sed',
    "'s/a/b/e'",
    '\\',
    '=',
    '\0',
    '\u001b[',
    'a=',
    '$a',
    '${a:1:2}',
    '${a//b/c}',
    '$@',
    'f()',
    'f',
    'python3 -c',
    'xargs',
    'sudo',
    'git -c',
    '>',
    '/etc/x',
    '{a,b}',
    '\u200b',
    'р',
  );

  it('returns a judgement for any input', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(token, { maxLength: 40 }).map((parts) => parts.join(' ')),
      fc.array(token, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (command) => {
        expect(['allow', 'ask', 'block']).toContain(await verdictOf(command));
      }),
      { numRuns: 2000 },
    );
  });

  verifies('APPR-1', 'asks quickly about a line that is built to slow down the parser', async () => {
    const parts = [
      '$(',
      '(',
      '{ ',
      '"$(" ',
      'a|',
      'cat <<A\n',
      '$((',
      '`',
      '{a,b}',
      '\\',
      '"${x:-"',
      'if a; then ',
      'a;',
      'f(){ ',
      '<(',
      '@(',
      'eval ',
      'sudo ',
      'x=$x$x; ',
      'for i in 1 2 3; do ',
      '<<A ',
      'sed s/a/b/e;',
      "awk '{",
      'a && ',
      '[[ ',
    ];
    for (const part of someOf(parts, 12)) {
      const command = `echo ${part.repeat(Math.floor(100_000 / part.length))}`;
      expect(['allow', 'ask', 'block']).toContain(await verdictOf(command));
    }
    const codes = ['"', "'", 'os.system(', 'while fork', '["a",', "open('"];
    for (const part of someOf(codes, 3)) {
      const command = `python3 -c ${quoted(part.repeat(Math.floor(90_000 / part.length)))}`;
      expect(['allow', 'ask', 'block']).toContain(await verdictOf(command));
    }
  });
});
