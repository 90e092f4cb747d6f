import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';
import type { Environment } from '../contracts/index.ts';
import { createSandboxEnvironment } from '../environments/local/sandbox.ts';
import { sandboxSkipReason } from '../environments/skip-tests.fixture.ts';
import { hiddenPaths } from './hidden-paths.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 20_000 };
const SECRET = 'correct-horse-battery-staple';
const missing = sandboxSkipReason();

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Credentials below the home directory, one per kind. */
const CREDENTIALS = [
  '.ssh/id_ed25519',
  '.ssh/config',
  '.aws/credentials',
  '.aws/sso/cache/token.json',
  '.gnupg/private-keys-v1.d/key',
  '.netrc',
  '.git-credentials',
  '.config/gh/hosts.yml',
  '.config/gcloud/credentials.db',
  '.config/google-chrome/Default/Cookies',
  '.config/chromium/Default/Login Data',
  '.mozilla/firefox/x.default/logins.json',
  '.local/share/keyrings/login.keyring',
  '.password-store/mail.gpg',
  '.kube/config',
  '.docker/config.json',
  '.pgpass',
  '.npmrc',
  '.hermes/.env',
  '.hermes/profiles/work/auth.json',
];

/** Ways to read a file that is hidden. `$H` is the home directory. */
const READS = [
  'cat "$H/.ssh/id_ed25519"',
  'ls -A "$H/.ssh" && cat "$H"/.ssh/*',
  'cat "$H/./.ssh/../.ssh/id_ed25519"',
  'cd "$H/.ssh" && cat id_ed25519',
  'cp -r "$H/.ssh" copied; cat copied/*',
  'ln -s "$H/.ssh/id_ed25519" way; cat way',
  'ln "$H/.ssh/id_ed25519" hard; cat hard',
  'cat "/proc/self/root$H/.ssh/id_ed25519"',
  'cat "/proc/1/root$H/.ssh/id_ed25519"',
  'cat "/proc/self/cwd/../home/.ssh/id_ed25519"',
  'for f in /proc/[0-9]*/root; do cat "$f$H/.ssh/id_ed25519"; done',
  'for f in /proc/[0-9]*/environ; do tr "\\0" "\\n" <"$f"; done',
  'for f in /proc/self/fd/*; do cat "$f/.ssh/id_ed25519"; done',
  'umount "$H/.ssh"; cat "$H/.ssh/id_ed25519"',
  'umount -l "$H/.ssh"; cat "$H/.ssh/id_ed25519"',
  'mount -t tmpfs x "$H"; mount --bind / mnt; cat "mnt$H/.ssh/id_ed25519"',
  'unshare -Urm sh -c \'umount "$H/.ssh"; cat "$H/.ssh/id_ed25519"\'',
  'unshare -Urm sh -c \'mkdir -p m; mount --bind "$H" m; cat m/.ssh/id_ed25519\'',
  'unshare -Urm sh -c \'mkdir -p m; mount --rbind / m; umount m"$H"/.ssh; cat m"$H"/.ssh/id_ed25519\'',
  'unshare -Urmp --fork sh -c \'mount -t proc p /proc; cat /proc/1/root"$H"/.ssh/id_ed25519\'',
  'nsenter -t 1 -m cat "$H/.ssh/id_ed25519"',
  'chroot / cat "$H/.ssh/id_ed25519"',
  'mknod disk b 8 0; head -c 1000 disk',
  'cat "$H/.netrc" "$H/.pgpass" "$H/.npmrc" "$H/.git-credentials"',
  'tar cf - "$H" 2>/dev/null | strings',
  'grep -rI "correct-horse" "$H"',
  'find "$H" -type f -exec cat {} +',
  'find "$H/.." -name id_ed25519 -exec cat {} +',
  'cat "$H"/linked-netrc "$H"/dotfiles/netrc',
  'cat "$H/.hermes/.env" "$H"/.hermes/profiles/*/auth.json',
  'rm -rf "$H/.ssh"; mkdir "$H/.ssh"; cat "$H/.ssh/id_ed25519"',
  'mv "$H/.aws" "$H/aws"; cat "$H/aws/credentials"',
  'python3 -c \'import os; print(open(os.environ["H"] + "/.aws/credentials").read())\'',
  'exec 9<"$H"; cat "/proc/self/fd/9/.ssh/id_ed25519"',
  'setsid sh -c \'cat "$H/.kube/config" "$H/.docker/config.json"\'',
];

/** Ways to change what git runs outside the sandbox. */
const HOOK_WRITES = [
  'echo "touch PWNED" > .git/hooks/pre-commit',
  'printf "#!/bin/sh\\n" | tee .git/hooks/post-checkout',
  'cp /bin/true .git/hooks/pre-push',
  'ln -s /bin/true .git/hooks/post-merge',
  'mkdir -p .git/hooks/x',
  'rm -rf .git/hooks && mkdir .git/hooks && touch .git/hooks/pre-commit',
  'mv .git/hooks old && mkdir .git/hooks && touch .git/hooks/pre-commit',
  'cd .git && touch hooks/pre-commit',
  'touch .git/./hooks/../hooks/pre-commit',
  'ln -s .git/hooks way && touch way/pre-commit',
  'git config core.hooksPath /tmp/evil',
  'git config core.fsmonitor "touch PWNED"',
  'git config --file .git/config core.pager "touch PWNED"',
  'echo "[core] sshCommand = touch PWNED" >> .git/config',
  'sed -i "1i [alias]" .git/config',
  'mv .git/config c && cp c .git/config && echo "[core]" >> .git/config',
  'rm -f .git/config; echo "[core] fsmonitor = touch PWNED" > .git/config',
  'cp .git/config c; echo x >> c; mv -f c .git/config',
  'mkdir -p evil/hooks && touch evil/config && echo "$PWD/evil" > .git/commondir',
  'ln -s "$PWD/evil-common" .git/commondir',
  'echo "[core]" > .git/config.worktree',
  'unshare -Urm sh -c "umount .git/hooks; touch .git/hooks/pre-commit"',
  'unshare -Urm sh -c "mount -o remount,rw,bind .git/hooks; touch .git/hooks/pre-commit"',
  'unshare -Urm sh -c "mkdir -p m; mount --bind .git m; touch m/hooks/pre-commit"',
  'umount .git/hooks; touch .git/hooks/pre-commit',
  'mount -o remount,rw .git/hooks; touch .git/hooks/pre-commit',
  'cd / && touch "$OLDPWD/.git/hooks/pre-commit"',
  'touch "/proc/self/cwd/.git/hooks/pre-commit"',
  'touch "/proc/1/root$PWD/.git/hooks/pre-commit"',
  'chmod 777 .git/hooks .git/config; touch .git/hooks/pre-commit',
  'truncate -s 0 .git/config',
  'dd if=/dev/zero of=.git/config bs=1 count=1',
  'python3 -c \'open(".git/hooks/pre-commit", "w")\'',
];

/** The same, by replacing the repository. Each needs a new one. */
const REPOSITORY_REPLACEMENTS = [
  'mv .git old && cp -r old .git && touch .git/hooks/pre-commit',
  'cp -r .git new && touch new/hooks/pre-commit && rm -rf .git && mv new .git',
  'rm -rf .git; git init -q; touch .git/hooks/pre-commit',
];

/** Ways to replace what the sandbox mounts for the next command, and the files that Hermes writes for it. */
const REPLACEMENTS = [
  'mv "$S/empty" "$S/x1"; ln -s "$H/.ssh" "$S/empty"',
  'mv "$S/nothing" "$S/x2"; ln -s "$H/.pgpass" "$S/nothing"',
  'mv "$S/tmp" "$S/x3"; ln -s "$H" "$S/tmp"',
  'for i in $(seq 1 60); do ln -s "$H/written-$i" "$S/$i"; ln -s "$H/start" "$S/start-$i"; done',
  'for i in $(seq 1 60); do ln -s "$H/written-$i" "$S/given/$i"; ln -s "$H/start" "$S/given/start-$i"; done',
  'for i in $(seq 30 90); do ln -s "$H/.pgpass" "$S/left/$i"; done',
  'mv "$S/left" /tmp/old; ln -s "$H" "$S/left"',
  'mv "$S/given" /tmp/old; ln -s "$H" "$S/given"',
  'mv "$S" /tmp/old; ln -s "$H" "$S"',
  'rm -rf "$S"; ln -s "../$H" "$S"',
];

/** Starting a sandbox takes longer than a try. */
const inOneCommand = (tries: readonly string[]) =>
  tries.map((command, index) => `echo "=== ${index}"; ( ${command}\n)`).join('\n');

describe.skipIf(missing !== '')(`attempts to leave the sandbox${missing}`, () => {
  let root: string;
  let home: string;
  let project: string;
  let sandbox: Environment;
  const run = (command: string) => sandbox.run(`export H='${home}'; ${command}`, options);

  beforeAll(async () => {
    // Not in the temporary directory, because the sandbox has its own.
    root = await realpath(await mkdtemp('/var/tmp/hermes-escape-'));
    [home, project] = [join(root, 'home'), join(root, 'project')];
    for (const path of CREDENTIALS) await put(join(home, path), `${path}: ${SECRET}\n`);
    await put(join(home, 'dotfiles/netrc'), `password ${SECRET}\n`);
    await put(join(home, 'notes.txt'), 'ordinary notes\n');
    await rm(join(home, '.netrc'));
    await symlink('dotfiles/netrc', join(home, '.netrc'));
    await symlink('.netrc', join(home, 'linked-netrc'));
    await mkdir(project);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  beforeEach(async () => {
    await rm(project, { recursive: true, force: true });
    await mkdir(project);
    const env = { ...process.env, HOME: home };
    const hidden = hiddenPaths(join(home, '.hermes'), env);
    sandbox = await createSandboxEnvironment({ workingDirectory: project, network: false, hidden, env });
  });
  afterEach(() => sandbox.close());

  verifies('APPR-7', 'does not reveal a credential, however it is read', async () => {
    expect((await run('cat "$H/notes.txt"')).output).toBe('ordinary notes\n');
    const tries = [...CREDENTIALS.map((path) => `cat "$H/${path}"`), ...READS];
    const { output } = await run(inOneCommand(tries));
    const results = output.split(/^=== \d+\n/m).slice(1);
    expect(results).toHaveLength(tries.length);
    expect(tries.filter((_, index) => results[index]?.includes(SECRET))).toEqual([]);
    for (const path of ['.ssh/id_ed25519', '.netrc', '.hermes/.env'])
      expect(await sandbox.readFile(join(home, path)).then(String, String)).not.toContain(SECRET);
    expect(await readFile(join(home, '.ssh/id_ed25519'), 'utf8')).toContain(SECRET);
    expect(await readFile(join(home, '.aws/credentials'), 'utf8')).toContain(SECRET);
  });

  it('hides credentials that appear after the sandbox was opened', async () => {
    await run('true');
    await put(join(home, '.config/op/config'), SECRET);
    expect((await run('cat "$H/.config/op/config"')).output).not.toContain(SECRET);
  });

  it('rejects writes to hidden folders instead of losing them', async () => {
    const { output, exitCode } = await run('echo key >> "$H/.ssh/authorized_keys"');
    expect(output).toContain('Read-only file system');
    expect(exitCode).not.toBe(0);
  });

  /** Everything git would run or read as configuration. */
  const gitState = (folder = join(project, '.git')) => ({
    hooks: readdirSync(join(folder, 'hooks')),
    config: readFileSync(join(folder, 'config'), 'utf8'),
    redirects: ['commondir', 'config.worktree'].filter((name) => existsSync(join(folder, name))),
  });

  verifies('APPR-7', 'keeps the hooks and the configuration of the repository, however they are changed', async () => {
    for (const command of [inOneCommand(HOOK_WRITES), ...REPOSITORY_REPLACEMENTS]) {
      await rm(join(project, '.git'), { recursive: true, force: true });
      git('init', '-q');
      const before = gitState();
      await run(command);
      expect({ command, ...gitState() }).toEqual({ command, ...before });
    }
    expect(existsSync(join(project, 'PWNED'))).toBe(false);
  });

  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' });
  const COMMIT = 'git -c user.name=a -c user.email=a@b commit -qm one';

  it('leaves git usable', async () => {
    git('init', '-q');
    const { output, exitCode } = await run(`echo 1 > a && git add a && ${COMMIT} && git log --oneline`);
    expect(output).toMatch(/^\w+ one\n$/);
    expect(exitCode).toBe(0);
    expect((await run('git switch -qc other && git stash list && git gc -q && git status -s')).exitCode).toBe(0);
  });

  it('protects a repository without hooks, and one that a command has created', async () => {
    git('init', '-q');
    await rm(join(project, '.git/hooks'), { recursive: true });
    await run('mkdir -p .git/hooks; touch .git/hooks/pre-commit');
    expect(gitState().hooks).toEqual([]);
    await rm(join(project, '.git'), { recursive: true });
    await run('git init -q');
    const before = gitState();
    await run('touch .git/hooks/pre-commit; git config core.pager x');
    expect(gitState()).toEqual(before);
  });

  it('protects the repository of a worktree and of a folder above', fullDoseOnly, async () => {
    git('init', '-q');
    await run(`echo 1 > a && git add a && ${COMMIT}`);
    git('worktree', 'add', '-q', join(root, 'tree'));
    const before = gitState();
    for (const workingDirectory of [join(root, 'tree'), join(project, 'sub')]) {
      await mkdir(workingDirectory, { recursive: true });
      const inner = await createSandboxEnvironment({ workingDirectory, network: false, hidden: [] });
      await inner.run(`touch ${project}/.git/hooks/pre-commit; git config core.pager x`, options);
      await inner.run('echo "gitdir: /tmp/evil" > .git; rm -f .git; mkdir .git', options);
      await inner.close();
    }
    expect(gitState()).toEqual(before);
    expect(await readFile(join(root, 'tree/.git'), 'utf8')).toContain(`gitdir: ${project}/.git/worktrees/tree`);
    await rm(join(root, 'tree'), { recursive: true });
  });

  it('protects a bare repository, submodules and linked hooks', fullDoseOnly, async () => {
    git('init', '-q', '--bare');
    const bare = gitState(project);
    await run('touch hooks/pre-receive; git config core.pager x; echo x >> config');
    expect(gitState(project)).toEqual(bare);
    await rm(project, { recursive: true });
    await mkdir(project);
    git('init', '-q');
    await put(join(project, '.git/modules/lib/hooks/none'), '');
    await run('touch .git/modules/lib/hooks/post-checkout');
    expect(readdirSync(join(project, '.git/modules/lib/hooks'))).toEqual(['none']);
    await rm(join(project, '.git/hooks'), { recursive: true });
    await mkdir(join(project, 'hooks'));
    await symlink('../hooks', join(project, '.git/hooks'));
    await run('rm .git/hooks; mkdir .git/hooks; touch .git/hooks/pre-commit');
    expect(gitState().hooks).toEqual([]);
  });

  verifies('APPR-7', 'does not let a command change what the sandbox of the next one shows', async () => {
    await run('export KEPT=yes; cd /');
    const folder = 'S=$(ls -d /tmp/hermes-sandbox-*)';
    await run(`${folder}; ${inOneCommand(REPLACEMENTS)}`);
    // The state changes, so Hermes reads and writes its files.
    for (const name of ['A', 'B']) await run(`export ${name}=1`);
    const { output } = await run('cat "$H"/.ssh/* "$H/.pgpass" /tmp/.ssh/*; echo x > /tmp/planted; echo "$KEPT $A"');
    expect(output).not.toContain(SECRET);
    expect(output).toContain('yes');
    expect(readdirSync(home).filter((name) => !name.startsWith('.'))).toEqual([
      'dotfiles',
      'linked-netrc',
      'notes.txt',
    ]);
    expect(await readFile(join(home, '.pgpass'), 'utf8')).toContain(SECRET);
  });

  verifies('APPR-7', 'leaves no plugins of the project, and removes nothing through a link', async () => {
    const own = join(project, '.hermes');
    await put(join(home, '.hermes/plugins/mine/index.js'), '1');
    for (const command of [
      'mkdir -p .hermes/plugins/x && touch .hermes/plugins/x/index.js',
      'mkdir -p a/plugins/x && ln -s a .hermes',
      `ln -s '${home}/.hermes' .hermes`,
    ]) {
      await run(command);
      expect({ command, left: existsSync(join(own, 'plugins')) }).toEqual({ command, left: false });
      await rm(own, { recursive: true, force: true });
    }
    // The second command starts when the folder is there.
    const first = run('mkdir -p .hermes/plugins/x; while ! [ -e go ]; do sleep 0.02; done');
    await vi.waitFor(() => expect(existsSync(join(own, 'plugins/x'))).toBe(true));
    await Promise.all([first, run('touch go')]);
    expect(existsSync(join(own, 'plugins'))).toBe(false);
    await rm(own, { recursive: true, force: true });
    await mkdir(own);
    await run('mv .hermes old; mkdir -p .hermes/plugins/x; touch .hermes/notes');
    expect(readdirSync(own)).toEqual(['notes']);
    expect(existsSync(join(home, '.hermes/plugins/mine/index.js'))).toBe(true);
  });

  it('cannot recognise another name of the same file', async () => {
    // A hard link that the user made: the sandbox hides names, not contents.
    await link(join(home, '.pgpass'), join(home, 'backup.txt'));
    expect((await run('cat "$H/backup.txt"')).output).toContain(SECRET);
    await rm(join(home, 'backup.txt'));
  });
});
