import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Files below the home directory, each as folder and name. */
const SECRETS = [
  ...['.ssh/id_rsa', '.aws/credentials', '.hermes/.env', '.hermes/profiles/work/auth.json', '.kube/config'],
  ...['.gnupg/secring.gpg', '.config/gh/hosts.yml', '.docker/config.json', '.mozilla/firefox/x/logins.json'],
];
const PROTECTED = [
  ...['.hermes/config.yaml', '.hermes/plugins/x', '.ssh/authorized_keys', '.config/fish/config.fish'],
  '.config/autostart/x.desktop',
];
const FREE = ['projects/app/notes', 'writing/report', '.config/nvim/init', '.local/share/app/data'];

type Spelled = { setUp: string; word: string };

const last = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const folder = (path: string) => path.slice(0, path.lastIndexOf('/'));

/** Ways to name a file of the home directory in a command: what comes before the command, and the word. */
const SPELLINGS: Readonly<Record<string, (path: string) => Spelled>> = {
  tilde: (path) => ({ setUp: '', word: `~/${path}` }),
  user: (path) => ({ setUp: '', word: `~ann/${path}` }),
  home: (path) => ({ setUp: '', word: `$HOME/${path}` }),
  braces: (path) => ({ setUp: '', word: `"\${HOME}"/${path}` }),
  absolute: (path) => ({ setUp: '', word: `/home/ann/${path}` }),
  quoted: (path) => ({ setUp: '', word: `'/home/ann/'"${path}"` }),
  above: (path) => ({ setUp: '', word: `../${path}` }),
  around: (path) => ({ setUp: '', word: `~/projects/../${path}` }),
  doubled: (path) => ({ setUp: '', word: `/home//ann/./${path}` }),
  root: (path) => ({ setUp: '', word: `/proc/self/root/home/ann/${path}` }),
  current: (path) => ({ setUp: '', word: `/proc/self/cwd/../${path}` }),
  variable: (path) => ({ setUp: `F=~/${path}; `, word: '"$F"' }),
  pieces: (path) => ({ setUp: `D=~/${folder(path)} N=${last(path)}; `, word: '$D/$N' }),
  echoed: (path) => ({ setUp: '', word: `$(echo ~/${path})` }),
  printed: (path) => ({ setUp: '', word: `$(printf %s/%s ~/${folder(path)} ${last(path)})` }),
  unknownHome: (path) => ({ setUp: '', word: `$SOMEWHERE/${path}` }),
  inFolder: (path) => ({ setUp: `cd ~/${folder(path)} && `, word: last(path) }),
  inHome: (path) => ({ setUp: 'cd; ', word: path }),
  pushed: (path) => ({ setUp: `pushd ~/${folder(path)} >/dev/null; `, word: `./${last(path)}` }),
  plus: (path) => ({ setUp: `cd ~/${folder(path)}; `, word: `~+/${last(path)}` }),
  question: (path) => ({ setUp: '', word: `~/${path.slice(0, -1)}?` }),
  bracket: (path) => ({ setUp: '', word: `~/.[${path[1]}]${path.slice(2)}` }),
  list: (path) => ({ setUp: '', word: `~/{${path},${path}}` }),
  link: (path) => ({ setUp: `ln -s ~/${folder(path)} l; `, word: `l/${last(path)}` }),
  homeLink: (path) => ({ setUp: 'ln -s /home/ann h && ', word: `h/${path}` }),
  otherUser: (path) => ({ setUp: '', word: `~bob/${path}` }),
  otherHome: (path) => ({ setUp: '', word: `/home/bob/${path}` }),
  rootHome: (path) => ({ setUp: '', word: `/root/${path}` }),
  rootUser: (path) => ({ setUp: '', word: `~root/${path}` }),
  macHome: (path) => ({ setUp: '', word: `/Users/bob/${path}` }),
  mountedHome: (path) => ({ setUp: '', word: `/mnt/disk/home/bob/${path}` }),
  evaluatedHome: (path) => ({ setUp: '', word: `$(eval echo ~bob)/${path}` }),
  variableHome: (path) => ({ setUp: 'u=bob; ', word: `"/home/$u/${path}"` }),
  inOtherHome: (path) => ({ setUp: 'cd ~bob && ', word: path }),
  otherLink: (path) => ({ setUp: 'ln -s /root r; ', word: `r/${path}` }),
  relativeLink: (path) => ({ setUp: `ln -s ../${folder(path)} l; `, word: `l/${last(path)}` }),
};

/** Globs and unknown folders describe several files, so their harmless form is not meaningful. */
const EXACT = Object.keys(SPELLINGS).filter((name) => !['question', 'bracket', 'unknownHome'].includes(name));

const READERS: Readonly<Record<string, (word: string) => string>> = {
  cat: (word) => `cat ${word}`,
  head: (word) => `head -n 3 -- ${word}`,
  base64: (word) => `base64 -w0 ${word}`,
  redirect: (word) => `tr a b < ${word}`,
  grep: (word) => `grep -n . ${word}`,
  awk: (word) => `awk 1 ${word}`,
  copy: (word) => `cp ${word} ./x`,
  diff: (word) => `git diff --no-index /dev/null ${word}`,
  hash: (word) => `git hash-object -w ${word}`,
  archive: (word) => `tar cf x.tar ${word}`,
  found: (word) => `find ${word} -exec cat {} +`,
  given: (word) => `echo ${word} | xargs cat`,
  container: (word) => `docker run --rm --mount type=bind,src=${word},dst=/x alpine cat /x`,
  upload: (word) => `aws s3 cp ${word} s3://bucket/`,
  secret: (word) => `kubectl create secret generic k --from-file ${word}`,
  unknown: (word) => `some-reader --quiet ${word}`,
};

const WRITERS: Readonly<Record<string, (word: string) => string>> = {
  redirect: (word) => `echo x > ${word}`,
  append: (word) => `echo x >> ${word}`,
  tee: (word) => `echo x | tee ${word}`,
  copy: (word) => `cp x ${word}`,
  sed: (word) => `sed -i s/a/b/ ${word}`,
  move: (word) => `mv -f x ${word}`,
  install: (word) => `install -m 600 x ${word}`,
  rsync: (word) => `rsync x ${word}`,
  remove: (word) => `rm -f ${word}`,
  touch: (word) => `touch ${word}`,
  download: (word) => `curl -so ${word} https://example.com/x`,
  archive: (word) => `git archive -o ${word} HEAD`,
  setting: (word) => `git config -f ${word} a.b c`,
  clone: (word) => `git clone https://example.com/r ${word}`,
  unpack: (word) => `tar xf x.tar -C ${word}`,
  given: (word) => `echo ${word} | xargs sed -i 1d`,
};

const WRAPPERS: Readonly<Record<string, (command: string) => string>> = {
  plain: (command) => command,
  shell: (command) => `bash -c ${quoted(command)}`,
  evaluated: (command) => `eval ${quoted(command)}`,
  grouped: (command) => `( ${command} )`,
  condition: (command) => `if true; then ${command}; fi`,
  substituted: (command) => `echo "$(${command})"`,
  later: (command) => `ls; ${command}`,
  root: (command) => `sudo -u ann nice sh -c ${quoted(command)}`,
};

const choice = (table: object) => fc.constantFrom(...Object.keys(table));

/** Every combination of file, spelling, program and wrapper that is drawn must get this verdict. */
async function expectAll(
  files: readonly string[],
  programs: Readonly<Record<string, (word: string) => string>>,
  spellings: readonly string[],
  verdict: 'allow' | 'ask',
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.constantFrom(...spellings),
      choice(programs),
      choice(WRAPPERS),
      async (file, spelling, program, wrapper) => {
        const { setUp, word } = SPELLINGS[spelling]?.(file) ?? { setUp: '', word: file };
        const command = WRAPPERS[wrapper]?.(setUp + (programs[program]?.(word) ?? '')) ?? '';
        expect(`${await verdictOf(command)}: ${command}`).toBe(`${verdict}: ${command}`);
      },
    ),
    { numRuns: 600 },
  );
}

describe('paths in commands', () => {
  verifies('APPR-6', 'asks before a secret is read, however it is named and whatever reads it', () =>
    expectAll(SECRETS, READERS, Object.keys(SPELLINGS), 'ask'),
  );

  verifies('APPR-6', 'asks before a protected file is changed, however it is named and whatever changes it', () =>
    expectAll(PROTECTED, WRITERS, Object.keys(SPELLINGS), 'ask'),
  );

  verifies('APPR-6', 'does not ask about other files in the same spellings', async () => {
    // Sending any file to a storage service asks.
    const { upload: _, ...others } = READERS;
    await expectAll(FREE, others, EXACT, 'allow');
    // Deleting what does not belong to the project asks.
    const { remove: __, ...writers } = WRITERS;
    await expectAll(FREE, writers, EXACT, 'allow');
  });
});

/** Expressions for a file of the home directory, by the command that runs the code. */
const CODE: readonly ((path: string) => string)[] = [
  (path) => `node -e "fs.readFileSync(process.env.HOME+'/${path}')"`,
  (path) => `node -e "fs.readFileSync(process.env['HOME'] + '/${path}')"`,
  (path) => `node -p "fs.readFileSync(os.homedir()+'/${path}','utf8')"`,
  (path) => `node -e "fs.readFileSync(path.join(require('os').homedir(), '${path.split('/').join("', '")}'))"`,
  (path) => `node -e 'const h = os.homedir(); fs.readFileSync(\`\${h}/${path}\`)'`,
  (path) => `bun -e 'await Bun.file(Bun.env.HOME + "/${path}").text()'`,
  (path) => `deno eval 'Deno.readTextFileSync(Deno.env.get("HOME") + "/${path}")'`,
  (path) => `python3 -c "print(open(os.path.expanduser('~/${path}')).read())"`,
  (path) => `python3 -c "print(open(os.path.expanduser('~') + '/${path}').read())"`,
  (path) => `python3 -c "print(open(os.environ['HOME']+'/${path}').read())"`,
  (path) => `python3 -c "print(open(os.environ.get('HOME')+'/${path}').read())"`,
  (path) => `python3 -c "print(open(os.path.join(os.getenv('HOME'), '${path}')).read())"`,
  (path) => `python3 -c "print((Path.home()/'${path.split('/').join("'/'")}').read_text())"`,
  (path) => `python3 -c "h = Path.home(); print(open(f'{h}/${path}').read())"`,
  (path) => `python3 -c "print(open('%s/${path}' % Path.home()).read())"`,
  (path) => `python3 -c "print(open(pwd.getpwuid(os.getuid()).pw_dir + '/${path}').read())"`,
  (path) => `python3 -c "print(urlopen('file:///home/ann/${path}').read())"`,
  (path) => `ruby -e 'puts File.read(Dir.home + "/${path}")'`,
  (path) => `ruby -e 'puts File.read("#{Dir.home}/${path}")'`,
  (path) => `ruby -e 'puts File.read(File.join(ENV["HOME"], "${path}"))'`,
  (path) => `ruby -e 'puts File.read(ENV.fetch("HOME") + "/${path}")'`,
  (path) => `ruby -e 'puts File.read(File.expand_path("${path}", "~"))'`,
  (path) => `perl -e 'open F, "$ENV{HOME}/${path}"; print <F>'`,
  (path) => `perl -e 'open(F, "<", $ENV{HOME} . "/${path}"); print <F>'`,
  (path) => `php -r 'readfile(getenv("HOME")."/${path}");'`,
  (path) => `php -r 'readfile($_SERVER["HOME"]."/${path}");'`,
  (path) => `lua -e 'print(io.open(os.getenv("HOME").."/${path}"):read("a"))'`,
];

describe('paths in code', () => {
  const file = fc.constantFrom('.npmrc', '.netrc', '.aws/credentials', '.ssh/id_rsa', '.docker/config.json', '.pgpass');

  verifies('APPR-6', 'asks before code reads a secret that it joins to the home directory', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...CODE), file, choice(WRAPPERS), async (spell, path, wrapper) => {
        const command = WRAPPERS[wrapper]?.(spell(path)) ?? '';
        expect(`${await verdictOf(command)}: ${command}`).toBe(`ask: ${command}`);
      }),
      { numRuns: 400 },
    ),
  );

  verifies('APPR-6', 'does not ask about other files that code joins to the home directory', async () => {
    for (const spell of CODE)
      for (const path of ['projects/app/notes', '.config/nvim/init.lua', '.cache/app/data']) {
        const command = spell(path);
        expect(`${await verdictOf(command)}: ${command}`).toBe(`allow: ${command}`);
      }
  });
});

/** Ways to read a file from the home directory in which a login or another machine starts a command. */
const AT_HOME: readonly ((path: string) => string)[] = [
  (path) => `sudo -iu bob cat ${path}`,
  (path) => `sudo -i -u bob sh -c 'cat ${path}'`,
  (path) => `sudo --login --user=bob head ${path}`,
  (path) => `sudo -i cat ${path}`,
  (path) => `su - bob -c 'cat ${path}'`,
  (path) => `su -l bob -c 'cat ./${path}'`,
  (path) => `su -c 'cat ${path}' - bob`,
  (path) => `runuser -l bob -c 'base64 ${path}'`,
  (path) => `ssh host cat ${path}`,
  (path) => `ssh localhost cat ${path}`,
  (path) => `rsync -a host:${path} ./x`,
  (path) => `scp bob@host:${path} .`,
  (path) => `ssh bob@host 'ls; cat ${path}'`,
  (path) => `pssh -h hosts.txt cat ${path}`,
];

/** Ways to use a file in editors and in shells whose syntax differs from that of sh. */
const DIALECTS: readonly ((path: string) => string)[] = [
  (path) => `fish -c 'for f in ~/${path}; cat $f; end'`,
  (path) => `fish -c 'set f ~/${path}; cat $f'`,
  (path) => `fish -c 'if test -e ~/${path}; cat ~/${path}; else; echo no; end'`,
  (path) => `fish -c 'test -e x; and cat (echo ~/${path})'`,
  (path) => `fish -c 'function show; cat $argv; end; begin; tac ~/${path}; end'`,
  (path) => `fish -c 'switch (uname); case Linux; cat ~/${path}; end'`,
  (path) => `zsh -c 'cat ~/${path}(.N)'`,
  (path) => `zsh -c 'for f (~/${path}) cat $f'`,
  (path) => `zsh -c "ls *(e:'cat ~/${path}':)"`,
  (path) => `pwsh -c 'Get-Content ~/${path}'`,
  (path) => `pwsh -Command 'gc $HOME/${path} | Out-String'`,
  (path) => `tclsh <<< 'puts [read [open /home/ann/${path}]]'`,
  (path) => `vim -es -c 'r ~/${path}' -c '%p' -c q x`,
  (path) => `vim -c 'w! ~/${path}' -c q x`,
  (path) => `vim -c 'saveas $HOME/${path}' x`,
  (path) => `vim -c 'call writefile(["x"], "/home/ann/${path}")' -c q`,
  (path) => `ed -s x <<< $'r /home/ann/${path}\n,p'`,
];

describe('paths in other shells and from other folders', () => {
  const tables = { AT_HOME, DIALECTS };
  const hidden = ['.ssh/id_rsa', '.aws/credentials', '.netrc', '.hermes/auth.json', '.pgpass'];

  for (const [name, spellings] of Object.entries(tables)) {
    verifies('APPR-6', `asks before a secret is used, and not about other files: ${name}`, async () => {
      for (const spell of spellings) {
        for (const path of hidden) {
          const command = spell(path);
          expect(`${await verdictOf(command)}: ${command}`).toBe(`ask: ${command}`);
        }
        for (const path of ['projects/app/notes', 'logs/app.log']) {
          const command = spell(path);
          expect(`${await verdictOf(command)}: ${command}`).toBe(`allow: ${command}`);
        }
      }
    });
  }
});

describe('file tools', () => {
  verifies('APPR-4', 'protects the files in the home directories of other users', () => {
    for (const home of ['/home/ann', '/home/bob', '/root', '/Users/bob', '/var/home/bob']) {
      for (const path of SECRETS) expect(guard.judgeRead(`${home}/${path}`).verdict, home + path).not.toBe('allow');
      for (const path of PROTECTED) {
        const { reasons } = guard.judgeWrite(`${home}/${path}`, '/home/ann/project');
        expect(reasons[0]?.rule, home + path).toMatch(/^change /);
      }
    }
    expect(guard.judgeRead('/home/bob/project/README.md').verdict).toBe('allow');
  });
});
