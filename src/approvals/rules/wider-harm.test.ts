import { linkSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createApprovalGuard } from '../index.ts';

const HOME = '/home/ann';
const guard = createApprovalGuard({ home: HOME, hermesHome: `${HOME}/.hermes` });
const verdictOf = async (command: string, folder = `${HOME}/project`) =>
  `${(await guard.judgeCommand(command, folder)).verdict}: ${command}`;
const expectAll = async (verdict: string, lines: readonly string[], folder?: string) => {
  for (const line of lines) expect(await verdictOf(line, folder)).toBe(`${verdict}: ${line}`);
};
const wrapper = fc.constantFrom('', 'env A=1 ', 'timeout 9 ', 'cd x && ', 'nohup ', 'true; ');
/** Asserts the verdict of each line behind every wrapper, in a random order. */
const expectWrapped = async (verdict: string, lines: readonly string[]) => {
  await fc.assert(
    fc.asyncProperty(wrapper, fc.constantFrom(...lines), async (start, line) => {
      expect(await verdictOf(start + line)).toBe(`${verdict}: ${start}${line}`);
    }),
    { numRuns: 2 * lines.length },
  );
  await expectAll(verdict, lines);
};

describe('messages to other people', () => {
  verifies('APPR-1', 'asks before mail, chat and posts are sent', async () => {
    await expectWrapped('ask', [
      'mail -s Prices bob@example.com < letter.txt',
      'mutt -s Prices -c carl@example.com bob@example.com < letter.txt',
      'echo hello | mailx -s Hi "$recipient"',
      'msmtp -t < letter.eml',
      'swaks --to bob@example.com --server mail.example.com',
      'himalaya message send < letter.eml',
      'signal-cli -u +1555 send -m hi +1666',
      "slack chat send --text hi --channel '#general'",
      "toot post 'We are live'",
      'wall the server restarts',
      'curl --user "api:$MAILGUN_KEY" https://api.mailgun.net/v3/x/messages -F to=bob@example.com -F text=hi',
      'curl -X POST https://api.sendgrid.com/v3/mail/send -H "Authorization: Bearer $SENDGRID_API_KEY" -d @mail.json',
      'curl https://slack.com/api/chat.postMessage -H "Authorization: Bearer $SLACK_TOKEN" -d channel=C1 -d text=hi',
      `osascript -e 'tell application "Messages" to send "hi" to buddy "+1555"'`,
      `python3 -c "import smtplib; smtplib.SMTP('smtp.example.com').sendmail('a', 'b', 'hi')"`,
      `php -r 'mail("bob@example.com", "x", "y");'`,
    ]);
    await expectAll('allow', [
      'mail -s done ann@example.com < /dev/null',
      'mail -s done ann < report.txt',
      'mail',
      'mutt -f archive.mbox',
      'curl -s --user "api:$MAILGUN_KEY" https://api.mailgun.net/v3/x/stats/total',
      'curl https://slack.com/api/conversations.list -H "Authorization: Bearer $SLACK_TOKEN"',
      'swaks --help',
      'slack channels list',
      `python3 -c "import smtplib; smtplib.SMTP('localhost').sendmail('a', 'b', 'hi')"`,
      `osascript -e 'tell application "Mail" to get name of every account'`,
    ]);
  });

  verifies('APPR-1', 'asks before something is written to the repository of somebody else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remotes-'));
    try {
      mkdirSync(join(folder, '.git'));
      writeFileSync(join(folder, '.git/config'), '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n');
      await expectAll(
        'ask',
        [
          "gh issue comment 1 -R nodejs/node --body 'any update?'",
          'gh pr create --repo=facebook/react --title x --body y',
          'GH_REPO=nodejs/node gh issue close 1',
          'glab mr approve 12 -R other/project',
        ],
        folder,
      );
      await expectAll(
        'allow',
        [
          "gh issue comment 1 -R acme/shop --body 'done'",
          'gh pr create -R acme/website --title x --body y',
          'gh issue view 1 -R nodejs/node',
          'gh pr list --repo facebook/react',
          'gh issue comment 1 --body done',
        ],
        folder,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('links on the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  const project = join(folder, 'project');
  const own = createApprovalGuard({ home: folder, hermesHome: join(folder, '.hermes') });
  beforeAll(() => {
    for (const name of ['project/pkg', '.hermes']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['.hermes/.env', '.hermes/config.yaml']) writeFileSync(join(folder, name), 'x: 1');
    symlinkSync(join(folder, '.hermes'), join(project, 'inner'));
    symlinkSync('..', join(project, 'pkg/above'));
    linkSync(join(folder, '.hermes/config.yaml'), join(project, 'settings.yaml'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const expectThere = async (verdict: string, lines: readonly string[]) => {
    for (const line of lines)
      expect(`${(await own.judgeCommand(line, project)).verdict}: ${line}`).toBe(`${verdict}: ${line}`);
  };

  verifies('APPR-6', 'are followed by programs that read folders, by globs, code, SQL and substitutions', async () => {
    await expectThere('ask', [
      'cat inner/./../.hermes/.env',
      'cat pkg/above/inner/.env',
      'cat i*r/.e*',
      'cat i?n?r/.env',
      'grep -R x .',
      'cp -rL . /tmp/out',
      'tar chf /tmp/out.tar .',
      'rsync -aL ./ /tmp/out/',
      'zip -r /tmp/out.zip .',
      'cat $(readlink -f inner)/.env',
      'cd "$(readlink inner)"; cat .env',
      'CDPATH=~ cd .hermes && cat .env',
      'python3 -c "print(open(\'inner/.env\').read())"',
      "node -e \"fs.writeFileSync('settings.yaml', '')\"",
      'ruby -e \'puts File.read("inner/.env")\'',
      'sqlite3 :memory: "select readfile(\'inner/.env\')"',
      'psql -c "\\copy t from \'inner/.env\'"',
      "vim -c 'w! inner/config.yaml' x",
    ]);
    await expectThere('allow', [
      'grep -r x .',
      'cp -r . /tmp/out',
      'tar cf /tmp/out.tar .',
      'cat pkg/*.txt',
      'cat $(readlink -f pkg)/a.txt',
      'CDPATH=src cd lib && cat a.txt',
      'sqlite3 app.db "select name from \'users\'"',
      "vim -c 'w! out/a.txt' x",
    ]);
  });
});

describe('payments, deployments and load', () => {
  verifies('APPR-1', 'asks before a wallet pays or signs', async () => {
    await expectWrapped('ask', [
      'bitcoin-cli sendtoaddress bc1x 0.05',
      'bitcoin-cli -rpcwallet=main sendmany "" x',
      'lncli --network mainnet payinvoice lnbc1',
      'lightning-cli pay lnbc1',
      'electrum payto bc1x 0.1',
      'cast send 0xabc --value 1ether',
      'forge create src/Token.sol:Token --rpc-url https://rpc.example.com',
      'npx hardhat run deploy.js --network mainnet',
      'solana transfer 9x 10',
      'monero-wallet-cli --wallet-file w transfer 4A 10',
    ]);
    await expectAll('allow', [
      'bitcoin-cli getblockcount',
      'bitcoin-cli getbalance',
      'lncli listchannels',
      'cast call 0xabc "name()"',
      'forge test -vv',
      'forge script x.s.sol --broadcast --rpc-url http://localhost:8545',
      'npx hardhat test',
      'npx hardhat run deploy.js --network localhost',
      'solana balance',
      'solana program deploy x.so --url localhost',
    ]);
  });

  verifies('APPR-1', 'asks before a push or a saved plan deploys', async () => {
    await expectWrapped('ask', [
      'git push heroku main',
      'git push dokku HEAD:master',
      'git push production',
      'git push origin main:production',
      'git -C ../shop push live main',
      'terraform apply plan.out',
      'tofu apply -input=false plan.tfplan',
      'terragrunt run-all apply',
      'aws lambda invoke --function-name prod-charge out.json',
    ]);
    await expectAll('allow', [
      'git push origin main',
      'git push -u origin feature/production-fix',
      'git push fork HEAD',
      'git push --dry-run heroku main',
      'terraform apply',
      'terraform apply -var name=x -target module.a',
      'terraform plan -out plan.out',
    ]);
  });

  verifies('APPR-1', 'asks before public hosts are loaded, the user is recorded or everybody is let in', async () => {
    await expectWrapped('ask', [
      'ab -n 100000 -c 100 https://shop.example.com/',
      'wrk -t12 -c400 https://shop.example.com',
      'echo "GET https://shop.example.com" | vegeta attack -rate=1000',
      'arecord -d 60 x.wav',
      'imagesnap x.jpg',
      "ffmpeg -f avfoundation -i ':0' out.wav",
      'xinput test 9',
      'xmrig -o pool.example.com:3333',
      'code tunnel --accept-server-license-terms',
      "jupyter lab --ip=0.0.0.0 --ServerApp.token=''",
      'redis-server --protected-mode no --bind 0.0.0.0',
      'nmap -sV example.com',
      'docker exec web ab -n 100 https://shop.example.com/',
    ]);
    await expectAll('allow', [
      'ab -n 100 http://localhost:3000/',
      'wrk -t2 -c10 http://192.168.1.20:8080',
      'k6 run load.js',
      'arecord -l',
      'ffmpeg -f lavfi -i testsrc out.mp4',
      'xinput list',
      'code .',
      'jupyter lab --no-browser',
      'redis-server --port 6380',
      'nmap -p 80 localhost',
    ]);
  });
});

describe('other agents', () => {
  verifies('APPR-6', 'asks before another agent works without questions, or gets new skills and tools', async () => {
    await expectWrapped('ask', [
      'claude --dangerously-skip-permissions -p x',
      'claude mcp add files -- npx files',
      'codex exec --full-auto x',
      'codex --dangerously-bypass-approvals-and-sandbox x',
      'gemini --yolo -p x',
      'aider --yes-always --message x',
      'cursor-agent -f -p x',
      'goose run -t x',
      'npx skills add someone/skills --agent hermes',
      'npx skills@latest add someone/skills',
      'clawhub install something',
      'npx -y @smithery/cli install x --client hermes',
      "echo '{}' > .claude/settings.json",
      'cp new.json .mcp.json',
      "jq '.a=1' x | sponge .cursor/mcp.json",
    ]);
    await expectAll('allow', [
      'claude --version',
      'claude mcp list',
      'codex --help',
      'gemini --help',
      'npx skills list',
      'cat .claude/settings.json',
      'cat .mcp.json',
      'mkdir -p .claude/commands',
    ]);
  });

  verifies('APPR-6', 'asks before another version of Hermes is installed', async () => {
    await expectWrapped('ask', [
      'pip install --no-deps ./hermes_agent_patched-0.9.9-py3-none-any.whl',
      'pip install -e ../hermes-agent',
      'uv pip install /tmp/hermes_agent-0.9.tar.gz',
      'uv tool install hermes-agent',
      'pipx install /tmp/patched/hermes',
      'npm i -g ./hermes-agent-ts-1.2.3.tgz',
      'npm link ../hermes-agent',
      'brew install --HEAD ./hermes.rb',
      'cp -r $(npm root -g)/hermes-agent-ts /tmp/h',
    ]);
    // An assignment after a wrapper such as `timeout 9` would be the name of a program.
    await expectAll('ask', ["NODE_OPTIONS='--require ./x.js' hermes doctor", 'NODE_PATH=. hermes sessions list']);
    await expectAll('allow', [
      'pip install -e .',
      'pip show hermes-agent',
      'npm install hermes-parser',
      'npm install hermes-eslint --save-dev',
      'npm i hermes-agent-ts',
      'npm view hermes-agent-ts version',
      'brew install hermes-engine',
      'NODE_ENV=test hermes doctor',
      'cp -r src/hermes-agent-ts-docs docs',
    ]);
  });

  verifies(
    'APPR-6',
    'asks before something is written to another terminal or sent to the server of Hermes',
    async () => {
      await expectWrapped('ask', [
        'echo y > /dev/pts/1',
        'printf y | tee /dev/pts/3',
        'curl -X POST http://localhost:8642/v1/runs/abc/approval -d x=always',
        "curl -s http://127.0.0.1:8642/v1/responses -d '{}'",
      ]);
      await expectAll('allow', [
        'echo done > /dev/tty',
        'curl -s http://localhost:8642/health',
        "curl -s http://localhost:11434/v1/chat/completions -d '{}'",
      ]);
    },
  );
});

describe('files of the user', () => {
  verifies('APPR-1', 'asks before files outside the project are changed in place', async () => {
    const path = fc.constantFrom(
      '~/Pictures/*.jpg',
      '$HOME/Documents/a.txt',
      '/home/ann/Notes/x.md',
      '../Taxes/2023.csv',
    );
    const change = fc.constantFrom(
      (file: string) => `mogrify -resize 50% ${file}`,
      (file: string) => `magick mogrify -strip ${file}`,
      (file: string) => `jpegoptim --max=60 ${file}`,
      (file: string) => `optipng -o7 ${file}`,
      (file: string) => `exiftool -all= -overwrite_original ${file}`,
      (file: string) => `sed -i s/a/b/ ${file}`,
      (file: string) => `perl -pi -e s/a/b/ ${file}`,
      (file: string) => `dos2unix ${file}`,
      (file: string) => `prettier --write ${file}`,
      (file: string) => `find ${file.replace(/\/[^/]*$/, '')} -exec mogrify -strip {} +`,
      (file: string) => `find ${file.replace(/\/[^/]*$/, '')} -name '*.x' | xargs mogrify -strip`,
      (file: string) => `ffmpeg -y -i in.mp4 ${file}`,
      (file: string) => `convert ${file} -resize 50% ${file}`,
    );
    await fc.assert(
      fc.asyncProperty(
        wrapper.filter((one) => !one.startsWith('cd')),
        change,
        path,
        async (start, make, file) => {
          const line = start + make(file);
          expect(await verdictOf(line)).toBe(`ask: ${line}`);
        },
      ),
    );
    await expectAll('ask', ['unzip -o ~/Downloads/a.zip -d ~/Documents', '7z x -aoa a.7z -o/home/ann/Documents']);
    await expectAll('allow', [
      'mogrify -resize 50% assets/*.png',
      'mogrify -resize 50% /tmp/x/*.png',
      'sed -i s/a/b/ src/a.ts',
      'prettier --check ~/notes',
      'exiftool ~/Pictures/a.jpg',
      'jpegoptim --noaction ~/Pictures/*.jpg',
      'ffmpeg -i ~/Videos/a.mov assets/a.mp4',
      'unzip -q a.zip -d ~/Documents/new',
      'cp a.txt ~/Documents/',
    ]);
  });

  describe('that exist', () => {
    // Below the temporary folder, everything may be changed.
    const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.own-files-'));
    const project = join(folder, 'project');
    const own = createApprovalGuard({ home: folder, hermesHome: join(folder, '.hermes') });
    beforeAll(() => {
      for (const name of ['project', 'Documents', 'Documents/kept/.git'])
        mkdirSync(join(folder, name), { recursive: true });
      for (const name of ['Documents/a.txt', 'Documents/b.txt', 'Documents/kept/a.txt', 'project/a.txt'])
        writeFileSync(join(folder, name), 'text');
    });
    afterAll(() => rm(folder, { recursive: true }));

    verifies('APPR-1', 'are not replaced without a question, unless a repository keeps them', async () => {
      const verdict = async (line: string) => `${(await own.judgeCommand(line, project)).verdict}: ${line}`;
      for (const line of ['cp a.txt ~/Documents/', 'cp a.txt ~/Documents/b.txt', 'echo x > ~/Documents/b.txt'])
        expect(await verdict(line)).toBe(`ask: ${line}`);
      for (const line of ['mv x.txt ../Documents/a.txt', 'curl -o ~/Documents/a.txt https://example.com/a.txt'])
        expect(await verdict(line)).toBe(`ask: ${line}`);
      for (const line of ['cp x.txt ~/Documents/', 'echo x >> ~/Documents/b.txt', 'echo x > ~/Documents/kept/a.txt'])
        expect(await verdict(line)).toBe(`allow: ${line}`);
      for (const line of ['cp ~/Documents/a.txt .', 'sed -i s/a/b/ ~/Documents/kept/a.txt', 'echo x > a.txt'])
        expect(await verdict(line)).toBe(`allow: ${line}`);
    });
  });
});

describe('packages with a version', () => {
  verifies('APPR-2', 'are judged like the program that they run', async () => {
    const version = fc.constantFrom('', '@5', '@latest', '@^5.0.0');
    const runner = fc.constantFrom('npx', 'npx -y', 'bunx', 'pnpm dlx', 'yarn dlx', 'npm exec --');
    await fc.assert(
      fc.asyncProperty(runner, version, async (program, suffix) => {
        for (const line of [`${program} rimraf${suffix} ~`, `${program} rimraf${suffix} /`])
          expect(await verdictOf(line)).toBe(`block: ${line}`);
        const deploy = `${program} vercel${suffix} deploy --prod`;
        expect(await verdictOf(deploy)).toBe(`ask: ${deploy}`);
      }),
    );
    await expectAll('allow', ['npx prettier@3 --check .', 'uvx ruff@0.5 check', 'npx vercel@latest --version']);
  });
});

describe('what a second list found', () => {
  verifies(
    'APPR-1',
    'asks about ranges of rows, unreadable scripts, lists of issues and installed packages',
    async () => {
      await expectWrapped('ask', [
        `psql -c "DELETE FROM orders WHERE created_at < now() - interval '90 days'"`,
        'mysql shop -e "delete from customers where email is null"',
        'psql -h db.internal -f migrations/0042_drop_legacy.sql',
        "gh issue list --json number -q '.[].number' | xargs -I{} gh issue close {}",
        `sed -i s/a/b/ "$(python3 -c 'import x; print(x.__file__)')"`,
        'kubectl exec web -- cat /config/secrets.yaml',
        'cp /Volumes/Keys/AuthKey_1.p8 .',
        "jq '.resources[].instances[].attributes.password' terraform.tfstate",
        'dotnet user-secrets list',
        'systemd-creds decrypt /etc/credstore/db.cred -',
        'sudo cryptsetup luksDump --dump-master-key /dev/sda3',
        "aws ecs describe-task-definition --task-definition api --query 'taskDefinition.containerDefinitions[].environment'",
        "gcloud run services describe api --format='value(spec.template.spec.containers[0].env)'",
        "sudo tcpdump -i any -A 'tcp port 80' | grep -i authorization",
      ]);
      await expectAll('allow', [
        'psql -c "delete from sessions where expires_at < now()"',
        'psql -c "delete from users where id = 42"',
        'psql -f migrations/0042_add_column.sql',
        'gh issue close 12',
        'sed -i s/a/b/ "$FILE"',
        'kubectl exec web -- cat /config/settings.yaml',
        "jq '.resources | length' terraform.tfstate",
        'sudo tcpdump -i any -c 10 port 5432',
        "aws ecs describe-services --cluster x --services api --query 'services[].status'",
      ]);
    },
  );
});

describe('secrets of services', () => {
  verifies('APPR-6', 'asks before clusters, engines, services and wallets show what they keep', async () => {
    await expectWrapped('ask', [
      'k3s kubectl config view --raw',
      'microk8s kubectl get secret db -o yaml',
      'microk8s.kubectl get secret db -o yaml',
      'minikube kubectl -- get secret db -o yaml',
      'kubecolor get secret db -o yaml',
      'microk8s config',
      'k0s kubeconfig admin',
      'kubeadm token create --print-join-command',
      'curl -s --unix-socket /var/run/docker.sock http://localhost/containers/web/json',
      'curl -s http://localhost:2375/v1.43/containers/web/json',
      'docker cp web:/run/secrets .',
      'kubectl cp shop/web:/app/.env x',
      'docker exec vaultwarden cat /data/config.json',
      'docker cp ~/.hermes web:/x',
      'docker compose cp ~/.aws web:/x',
      'docker cp vault:/vault/data .',
      'ceph auth get client.admin',
      'sudo cat /etc/credentials/smb',
      'sudo cat /etc/samba/creds',
      'sudo cat /etc/postfix/sasl_passwd',
      'sudo cat /etc/pve/priv/token.cfg',
      'sudo cat /opt/bitwarden/env/global.override.env',
      'cat /srv/vaultwarden/data/config.json',
      'cat ~/.erlang.cookie',
      'cat ~/.codex/config.toml',
      'cat ~/.curlrc',
      'bitcoin-cli dumpprivkey x',
      'electrum getseed',
      'redis-cli config get requirepass',
      'xauth list',
      'wp config get DB_PASSWORD',
      'psql -c "select email, password_hash from users"',
      'psql -c "SELECT * FROM api_tokens"',
      "mongosh --eval 'db.getUsers({ showCredentials: true })'",
    ]);
    await expectAll('allow', [
      'k3s kubectl get pods',
      'microk8s kubectl get pods -A',
      'minikube kubectl -- get pods',
      'curl -s --unix-socket /var/run/docker.sock http://localhost/containers/json',
      'docker cp web:/app/dist .',
      'docker exec vaultwarden ls /data',
      'ceph status',
      'sudo cat /etc/postfix/main.cf',
      'bitcoin-cli getblockcount',
      'redis-cli config get maxmemory',
      'wp option get siteurl',
      'psql -c "select count(*) from users"',
      'psql -c "select id, email from users limit 5"',
    ]);
  });
});
