import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) =>
  `${(await guard.judgeCommand(command, '/home/ann/project')).verdict}: ${command}`;
const expectAll = async (verdict: string, lines: readonly string[]) => {
  for (const line of lines) expect(await verdictOf(line)).toBe(`${verdict}: ${line}`);
};

/** Names that no program has, and programs that the tables know for another reason. */
const program = fc.oneof(
  fc.stringMatching(/^[a-z]{3,8}$/).map((name) => `zz-${name}`),
  fc.constantFrom('twilio', 'sentry-cli', 'skaffold', 'regctl', 'auth0', 'snyk', 'kubeseal', 'ollama'),
);
const topic = fc.constantFrom('', 'projects ', 'users ', 'db branches ');
const wrapper = fc.constantFrom('', 'sudo -E ', 'env A=1 ', 'timeout 9 ', 'cd x && ');

describe('programs that no rule names', () => {
  verifies(
    'APPR-1',
    'asks before an unknown program deletes something, and before one that other rules name',
    async () => {
      const verb = fc.constantFrom(
        'delete',
        'destroy',
        'purge',
        'drop',
        'remove',
        'rm',
        'uninstall',
        'reset',
        'revoke',
      );
      await fc.assert(
        fc.asyncProperty(wrapper, program, topic, verb, async (start, name, about, action) => {
          const line = `${start}${name} ${about}${action} x1`;
          expect(await verdictOf(line)).toBe(`ask: ${line}`);
        }),
      );
      await expectAll('ask', ['zz-ci delete-job shop', 'zz-ci safe-shutdown', 'zz-ci purge-queue x', 'zz db:reset']);
      await expectAll('allow', [
        'pip uninstall -y requests',
        'brew uninstall jq',
        'poetry remove httpx',
        'uv run pytest -k delete',
        'npm uninstall lodash',
        'zz-tool list',
        'zz-tool create x',
        'zz-tool delete --help',
        'zz-tool say "please delete it"',
      ]);
    },
  );

  verifies('APPR-6', 'asks before an unknown program shows a secret', async () => {
    const noun = fc.constantFrom('secret', 'secrets', 'password', 'token', 'credentials', 'api-key', 'access-key');
    const verb = fc.constantFrom('get', 'show', 'read', 'reveal', 'print', 'export', 'view', 'decrypt');
    const words = fc.oneof(
      fc.tuple(noun, verb).map(([about, action]) => `${about} ${action} x1`),
      fc.tuple(noun, verb).map(([about, action]) => `${action} ${about} x1`),
      fc.constantFrom('auth token', 'print-access-token', 'secrets:get x', 'config show --show-secrets', 'x --reveal'),
    );
    await fc.assert(
      fc.asyncProperty(wrapper, program, words, async (start, name, rest) => {
        const line = `${start}${name} ${rest}`;
        expect(await verdictOf(line)).toBe(`ask: ${line}`);
      }),
    );
    await expectAll('allow', [
      'zz-tool secrets list',
      'zz-tool token create',
      'npm test -- token show',
      'make show secrets',
    ]);
  });

  verifies('APPR-1', 'asks about destructive SQL in an option of any program', async () => {
    await expectAll('ask', [
      "zz-sql -q 'drop table users'",
      'zz-sql --query="truncate orders"',
      "snow sql -q 'drop warehouse wh'",
      "zz-sql x -e 'DELETE FROM users'",
    ]);
    await expectAll('allow', [
      "grep -e 'drop table users' x.sql",
      "zz-sql -q 'select * from dropped'",
      "rg -e 'delete from' src",
    ]);
  });

  verifies('APPR-1', 'asks before an unknown program runs as root', async () => {
    const name = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `zz${text}`);
    const before = fc.constantFrom('sudo ', 'sudo -E ', 'sudo A=1 ', 'doas ', 'sudo -n /usr/sbin/', 'nice sudo ');
    await fc.assert(
      fc.asyncProperty(before, name, fc.constantFrom('', ' on', ' --force x'), async (start, unknown, rest) => {
        expect(await verdictOf(start + unknown + rest)).toBe(`ask: ${start}${unknown}${rest}`);
      }),
    );
    await expectAll('allow', [
      'sudo apt-get update',
      'sudo systemctl status nginx',
      'sudo ls /root',
      'sudo make install',
      'sudo npm i -g yarn',
      'sudo scripts/x.sh',
      'sudo zzx --help',
      'sudo zzx status',
      'sudo -u postgres createdb x',
      'sudo lvs',
    ]);
  });
});

describe('the disk', () => {
  verifies('APPR-1', 'asks before a command fills the disk', async () => {
    await expectAll('ask', [
      'yes > x',
      'cat /dev/zero > x',
      'cat /dev/urandom >> ~/x',
      'tr -d a < /dev/urandom > x',
      'dd if=/dev/zero of=x bs=1M',
      'dd if=/dev/urandom of=x bs=1M count=1000000',
      'fallocate -l 500G x',
      'truncate -s 2T x',
      'head -c 100G /dev/zero > x',
      'cp /dev/zero x',
    ]);
    await expectAll('allow', [
      'yes | head -5',
      'yes > /dev/null',
      'head -c 1M /dev/urandom > x',
      'dd if=/dev/zero of=test.img bs=1M count=100',
      'truncate -s 1G disk.img',
      'cat /dev/urandom | tr -dc a-z | head -c 20 > x',
    ]);
  });
});

describe('files that are named after their secrets', () => {
  const read = fc.constantFrom(
    (path: string) => `cat ${path}`,
    (path: string) => `base64 < ${path}`,
    (path: string) => `cp ${path} x`,
    (path: string) => `head -3 ${path} | tail -1`,
  );
  const reads = async (paths: readonly string[], verdict: string) =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), read, async (path, spell) => {
        expect(await verdictOf(spell(path))).toBe(`${verdict}: ${spell(path)}`);
      }),
      { numRuns: 200 },
    );

  verifies('APPR-6', 'asks before settings, notes, keys and copies are read that hold secrets by their name', () =>
    reads(
      [
        '~/.config/tool/credentials-config.json',
        '~/.restic-password',
        '~/.borg-passphrase',
        '~/.smbcredentials',
        '~/.local/share/tool/session.tokens',
        '~/.tool_history',
        '~/.zsh_sessions/a.history',
        '~/passwords.txt',
        '~/Documents/passwords.xlsx',
        '~/Desktop/api-keys.md',
        '~/seed-phrase.txt',
        '~/recovery_codes',
        '~/keys/AuthKey_X.p8',
        '~/Downloads/server.pem',
        '~/.ssh.bak/id_rsa',
        '~/.netrc.old',
        '~/.aws/credentials~',
        '~/.bash_history.gz',
        '/etc/gitlab/gitlab-secrets.json',
        '/srv/www/wp-config.php',
        '/opt/app/credentials.yml',
        '~/backup/vault.kdbx',
        '~/.config/Postman/x',
      ],
      'ask',
    ),
  );

  verifies('APPR-6', 'does not ask about source code, certificates and files of the project with such names', () =>
    reads(
      [
        'src/passwords.ts',
        'docs/api-keys.md',
        'test/fixtures/server.pem',
        'secrets.example.json',
        '~/other/src/tokens.ts',
        '~/.config/nvim/lua/tokens.lua',
        '~/certs/ca-chain.pem',
        '~/cert.pem',
        '~/.ssh/id_rsa.pub',
        '/etc/passwd',
        '/etc/pam.d/common-password',
        '~/notes.md',
        'wp-config.php',
      ],
      'allow',
    ),
  );

  verifies('APPR-6', 'asks before hidden files of a home directory are taken from an archive', async () => {
    await expectAll('ask', [
      'tar xOf ~/backup.tar home/ann/.ssh/id_rsa',
      'tar -xf b.tgz .aws/credentials',
      'unzip -p b.zip .aws/credentials',
      'unzip b.zip home/ann/.netrc',
      '7z x b.7z .ssh/id_ed25519 -so',
    ]);
    await expectAll('allow', ['tar xf a.tgz .github/workflows', 'unzip a.zip src/a.ts', 'tar tf b.tgz']);
  });
});
