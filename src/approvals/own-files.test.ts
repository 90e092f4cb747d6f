import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;

/** Combines every choice with every other one, because there are few. */
async function forAll(choices: readonly (readonly string[])[], check: (...chosen: string[]) => Promise<void>) {
  const all = choices.reduce<string[][]>(
    (made, next) => made.flatMap((one) => next.map((word) => [...one, word])),
    [[]],
  );
  for (const chosen of all) await check(...chosen);
}

/** Files of an installed Hermes, with which the guard could be changed. */
const OWN_FILES = [
  '~/.nvm/versions/node/v24.1.0/lib/node_modules/hermes-agent-ts/dist/cli.js',
  '/opt/node/lib/node_modules/hermes-agent-ts/dist/chunk-ABC.js',
  'node_modules/hermes-agent-ts/dist/cli.js',
  '"$(npm root -g)/hermes-agent-ts/dist/cli.js"',
  '"$PREFIX/lib/node_modules/hermes-agent-ts/package.json"',
  '/opt/hermes/dist/cli.js',
  '~/.local/bin/hermes',
  '"$(which hermes)"',
  '`command -v hermes`',
  '"$(readlink -f "$(which hermes)")"',
  '"$(dirname "$(realpath $(which hermes))")/../dist/cli.js"',
];
const WRITES = [
  'echo x >',
  'echo x >>',
  'cp evil.js',
  'mv evil.js',
  'ln -sf /tmp/evil',
  'sed -i s/ask/allow/',
  'perl -pi -e s/ask/allow/',
  'tee',
  'truncate -s 0',
  'rm -f',
  'chmod -x',
  'install -m 755 evil.js',
  'dd if=evil.js of=',
  'curl -o',
];

describe('the installed program', () => {
  verifies('APPR-6', 'is not changed without approval, however its files are named', async () => {
    await forAll([WRITES, OWN_FILES], async (write, file) => {
      const command = `${write}${write.endsWith('=') ? '' : ' '}${file}`;
      expect({ command, verdict: await verdictOf(command) }).toEqual({ command, verdict: 'ask' });
    });
  });

  verifies('APPR-6', 'may be read, and a checkout of it may be changed', async () => {
    await forAll([['cat', 'ls -l', 'grep -n x', 'stat'], OWN_FILES.slice(0, 7)], async (read, file) => {
      expect(await verdictOf(`${read} ${file}`), `${read} ${file}`).toBe('allow');
    });
    for (const write of ['echo x >', 'sed -i s/a/b/', 'cp x'])
      for (const file of ['src/approvals/index.ts', 'dist/cli.js', 'bin/hermes'])
        expect(await verdictOf(`${write} ${file}`), `${write} ${file}`).toBe('allow');
  });

  verifies('APPR-4', 'is protected from file tools', async () => {
    const file = '/opt/node/lib/node_modules/hermes-agent-ts/dist/cli.js';
    expect(guard.judgeWrite(file, '/home/ann/project').verdict).toBe('ask');
    expect(
      guard.judgeWrite('/home/ann/project/node_modules/hermes-agent-ts/dist/cli.js', '/home/ann/project').verdict,
    ).toBe('ask');
    expect(guard.judgeRead(file).verdict).toBe('allow');
  });

  verifies('APPR-6', 'is not replaced by a package manager without approval', async () => {
    const verbs = ['install', 'i', 'add', 'uninstall', 'rm', 'update', 'link'];
    await forAll([['npm', 'pnpm', 'yarn', 'bun'], verbs, ['', '@1.0.0', '@latest']], async (name, verb, version) => {
      for (const line of [
        `${name} ${verb} -g hermes-agent-ts${version}`,
        `${name} --global ${verb} hermes-agent-ts${version}`,
      ])
        expect(await verdictOf(line), line).toBe('ask');
      expect(await verdictOf(`${name} ${verb} hermes-agent-ts${version}`), verb).toBe('allow');
    });
  });

  verifies('APPR-6', 'gives its configuration away under no name', async () => {
    const spellings = ['$(hermes config path)', '"$(hermes config path)"', '`hermes config path`', '$F'];
    const uses = ['cat', 'head -5', 'grep -n key', 'sed -i s/manual/off/', 'cp x', 'echo x >>', 'vi'];
    await forAll([uses, spellings], async (use, word) => {
      const line = `F=$(hermes config path); ${use} ${word}`;
      expect(await verdictOf(line), line).toBe('ask');
    });
  });
});

describe('other terminals', () => {
  const ANSWERS = ['a', 'o', 's', '/yolo', '/model x'];

  verifies('APPR-6', 'get no answers and no slash commands without approval', async () => {
    await forAll(
      [['-t main', '-t 0', '-t %3', '-t "$TMUX_PANE"', ''], ANSWERS, ['', 'Enter', 'C-m']],
      async (pane, text, key) => {
        const line = `tmux send-keys ${pane} '${text}' ${key}`;
        expect(await verdictOf(line), line).toBe('ask');
      },
    );
    for (const text of ANSWERS) {
      const lines = [
        `xdotool type '${text}'`,
        `wtype '${text}'`,
        `screen -S main -X stuff '${text}\\n'`,
        `kitty @ send-text '${text}'`,
        `wezterm cli send-text '${text}'`,
        `osascript -e 'tell application "System Events" to keystroke "${text}"'`,
      ];
      for (const line of lines) expect(await verdictOf(line), line).toBe('ask');
    }
  });

  verifies('APPR-6', 'get everyday commands if the task has named them', async () => {
    const commands = ['npm test', 'npm run dev', 'ls -la', 'go test ./...'];
    await forAll([['dev', 'work', 'web:1'], commands], async (session, command) => {
      const line = `tmux send-keys -t ${session} '${command}' Enter`;
      expect(await verdictOf(line), line).toBe('allow');
    });
  });
});

describe('other processes', () => {
  verifies('APPR-6', 'are not changed or read through /proc', async () => {
    const pids = ['1', '4711', '$PPID', '$(pgrep -f hermes)', '"$p"'];
    await forAll([pids, ['oom_score_adj', 'comm', 'fd/3', 'coredump_filter', 'task/9/comm']], async (pid, file) => {
      for (const write of ['echo 1 >', 'printf x | tee', 'cp x']) {
        const line = `${write} /proc/${pid}/${file}`;
        expect(await verdictOf(line), line).toBe('ask');
      }
    });
    for (const pid of pids) expect(await verdictOf(`cat /proc/${pid}/fd/5`), pid).toBe('ask');
    for (const line of ['cat /proc/4711/status', 'echo x > /dev/stderr', 'echo x > /proc/self/fd/2', 'ls /proc/1/fd'])
      expect(await verdictOf(line), line).toBe('allow');
  });
});

describe('files that a line lists', () => {
  verifies('APPR-1', 'are not deleted without approval, however the names are passed on', async () => {
    const lists = ["find . -name '*.jpg'", 'git ls-files', 'ls', 'rg -l x', 'cat list.txt'];
    const deletes = ['rm', 'rm -f --', 'unlink', 'shred'];
    const passes: ((list: string, remove: string) => string)[] = [
      (list, remove) => `${list} | while read -r f; do ${remove} "$f"; done`,
      (list, remove) => `while IFS= read -r f; do ${remove} "$f"; done < <(${list})`,
      (list, remove) => `for f in $(${list}); do ${remove} "$f"; done`,
      (list, remove) => `${remove} $(${list})`,
      (list, remove) => `F=$(${list}); ${remove} $F`,
      (list, remove) => `${list} | xargs ${remove}`,
    ];
    await forAll([lists, deletes], async (list, remove) => {
      for (const pass of passes) expect(await verdictOf(pass(list, remove)), pass(list, remove)).not.toBe('allow');
    });
    for (const line of ['rm -f "$(mktemp)"', 'rm "$(ls -t *.log | tail -1)"', 'rm *.tmp', 'rm -f "$TMP/x"'])
      expect(await verdictOf(line), line).toBe('allow');
  });
});

describe('text that code assembles', () => {
  const SECRETS = ['/home/ann/.netrc', '/home/ann/.ssh/id_rsa', '/home/ann/.hermes/.env'];
  const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
    joined: (path) => `python3 -c "print(open(''.join(['${path.slice(0, 9)}','${path.slice(9)}'])).read())"`,
    reversed: (path) => `python3 -c "print(open('${[...path].reverse().join('')}'[::-1]).read())"`,
    hexadecimal: (path) => `python3 -c "print(open(bytes.fromhex('${Buffer.from(path).toString('hex')}')).read())"`,
    base64: (path) =>
      `python3 -c "import base64; print(open(base64.b64decode('${Buffer.from(path).toString('base64')}')).read())"`,
    formatted: (path) => `python3 -c "print(open('${path.replace('s', '%s')}' % 's').read())"`,
    joinedInNode: (path) =>
      `node -e "console.log(fs.readFileSync(['${path.slice(0, 9)}','${path.slice(9)}'].join('')))"`,
    base64InNode: (path) =>
      `node -e "console.log(fs.readFileSync(Buffer.from('${Buffer.from(path).toString('base64')}','base64')+''))"`,
    reversedInRuby: (path) => `ruby -e 'puts File.read("${[...path].reverse().join('')}".reverse)'`,
  };

  verifies('APPR-6', 'names the same files as if it were written out', async () => {
    await forAll([Object.keys(SPELLINGS), SECRETS], async (name, path) => {
      const line = SPELLINGS[name]?.(path) ?? '';
      if (name === 'formatted' && !path.includes('s')) return;
      expect(await verdictOf(line), line).toBe('ask');
    });
    const word = fc.stringMatching(/^[a-z]{3,12}$/);
    await fc.assert(
      fc.asyncProperty(word, fc.constantFrom(...Object.values(SPELLINGS)), async (name, spell) => {
        const line = spell(`/home/ann/project/${name}.txt`);
        expect(await verdictOf(line), line).toBe('allow');
      }),
      { numRuns: 60 },
    );
  });

  verifies('APPR-1', 'is run only with approval if it deletes or pushes', async () => {
    const commands = ['rm -rf /srv/data', 'git push --force origin main', 'dropdb shop'];
    for (const command of commands) {
      const list = command.split(' ');
      const lines = [
        `perl -e 'system qw(${command})'`,
        `perl -e 'exec qw{${command}}'`,
        `ruby -e 'system(*%w[${command}])'`,
        `python3 -c "import base64,os; os.system(base64.b64decode('${Buffer.from(command).toString('base64')}').decode())"`,
        `python3 -c "import os; os.system(' '.join(${JSON.stringify(list).replaceAll('"', "'")}))"`,
      ];
      for (const line of lines) expect(await verdictOf(line), line).not.toBe('allow');
    }
  });

  verifies('APPR-6', 'reads no folder with credentials as a whole', async () => {
    const folders = ['~', '~/.config', '~/.ssh'];
    for (const folder of folders) {
      const lines = [
        `python3 -c "import os; [print(open(os.path.join(d,f)).read()) for d,_,fs in os.walk(os.path.expanduser('${folder}')) for f in fs]"`,
        `python3 -c "import pathlib,os; [print(p.read_text()) for p in pathlib.Path(os.path.expanduser('${folder}')).rglob('*')]"`,
      ];
      for (const line of lines) expect(await verdictOf(line), line).toBe('ask');
    }
    for (const line of [
      `python3 -c "import os; [print(open(os.path.join(d,f)).read()) for d,_,fs in os.walk('src') for f in fs]"`,
      `python3 -c "import os; print(os.listdir(os.path.expanduser('~')))"`,
    ])
      expect(await verdictOf(line), line).toBe('allow');
  });
});

describe('environment files of a project', () => {
  verifies('APPR-6', 'may be created by a copy that never replaces one', async () => {
    const root = mkdtempSync(join(tmpdir(), 'hermes-env-'));
    try {
      const project = join(root, 'project');
      mkdirSync(project);
      writeFileSync(join(project, '.env'), 'A=1\n');
      const judge = async (line: string) => (await guard.judgeCommand(line, project)).verdict;
      const copy = 'cp .env.example .env';
      for (const line of [
        `[ -f .env ] || ${copy}`,
        `test -e .env || ${copy}`,
        `[[ -f ".env" ]] || ${copy}`,
        `[ ! -f .env ] && ${copy}`,
        `if [ ! -f .env ]; then ${copy}; fi`,
        `if ! test -f .env; then\n  ${copy}\nfi && npm ci`,
      ])
        expect(await judge(line), line).toBe('allow');
      for (const line of [
        copy,
        `[ -f .env ] && ${copy}`,
        `[ -f other ] || ${copy}`,
        `[ -f .env ] || true; ${copy}`,
        `[ -f .env ] || ${copy}; ${copy}`,
        `[ -f .env ] || cp a .env; cp b .env`,
      ])
        expect(await judge(line), line).toBe('ask');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('the running package', () => {
  verifies('APPR-6', 'is protected as a whole, unless it is the project', async () => {
    const root = join(import.meta.dirname, '../..');
    const file = join(root, 'src/approvals/index.ts');
    expect(await verdictOf(`echo x >> ${file}`)).toBe('ask');
    expect(guard.judgeWrite(file, '/home/ann/project').verdict).toBe('ask');
    expect((await guard.judgeCommand(`echo x >> ${file}`, root)).verdict).toBe('allow');
    expect((await guard.judgeCommand('echo x >> ../index.ts', join(root, 'src/approvals'))).verdict).toBe('allow');
  });
});
