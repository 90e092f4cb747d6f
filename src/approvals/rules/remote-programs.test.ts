import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createApprovalGuard } from '../index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;

/** Ways to run a command on other machines. */
const RUNS: readonly ((command: string) => string)[] = [
  (command) => `ssh web1 '${command}'`,
  (command) => `ssh -tt -l root -o BatchMode=yes web1 ${command}`,
  (command) => `parallel-ssh -H "web1 web2" -i '${command}'`,
  (command) => `parallel-ssh --hosts hosts.txt --user root '${command}'`,
  (command) => `pssh -h hosts.txt -l root -t 0 -P ${command}`,
  (command) => `clush -w web[1-9] ${command}`,
  (command) => `clush -bw web[1-9] '${command}'`,
  (command) => `clush -a -B '${command}'`,
  (command) => `pdsh -w web[1-9] '${command}'`,
  (command) => `ansible web -m shell -a '${command}'`,
  (command) => `ansible all -i hosts.ini -m command --args '${command}'`,
  (command) => `ansible web -a '${command}' -f 20`,
  (command) => `mussh -h web1 web2 -c '${command}'`,
  (command) => `vagrant ssh -c '${command}'`,
  (command) => `vagrant ssh web --command '${command}'`,
  (command) => `vagrant ssh web -- ${command}`,
  (command) => `gcloud compute ssh vm --zone z --command '${command}'`,
  (command) => `gcloud compute ssh vm --command='${command}'`,
  (command) => `fly ssh console -a app -C '${command}'`,
  (command) => `flyctl ssh console -C '${command}'`,
  (command) => `heroku run -a app '${command}'`,
  (command) => `cf ssh app -c '${command}'`,
  (command) => `juju ssh app/0 '${command}'`,
  (command) => `tsh ssh root@web1 ${command}`,
];
/** Programs with which more commands need approval than with ssh. */
const STRICTER: readonly ((command: string) => string)[] = [
  (command) => `gcloud compute ssh vm -- ${command}`,
  (command) => `doctl compute ssh vm --ssh-command '${command}'`,
  (command) => `dsh -g web -- ${command}`,
  (command) => `fab -H web1,web2 -- ${command}`,
  (command) => `salt '*' cmd.run '${command}'`,
  (command) => `knife ssh role:web '${command}'`,
  (command) => `aws ssm send-command --document-name AWS-RunShellScript --parameters 'commands=["${command}"]'`,
  (command) => `az vm run-command invoke -n vm --command-id RunShellScript --scripts '${command}'`,
];
const CHANGES = [
  ...['sudo killall -9 java', 'killall java', 'pkill -f gunicorn', 'kill -9 4711', 'sudo systemctl restart nginx'],
  ...['systemctl stop app', 'reboot', 'sudo reboot', 'shutdown -h now', 'sudo apt-get -y install x', 'rm -rf /srv/app'],
];
const LOOKS = ['uptime', 'df -h /', 'systemctl status app', 'tail -n 9 /var/log/app.log', 'ps aux', 'kill -0 4711'];

describe('commands for other machines', () => {
  verifies('APPR-1', 'asks before something changes there, whatever program runs the command', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...RUNS, ...STRICTER), fc.constantFrom(...CHANGES), async (run, change) => {
        const line = run(change);
        expect(`${await verdictOf(line)}: ${line}`).toBe(`ask: ${line}`);
      }),
      { numRuns: 300 },
    ),
  );

  it('does not ask if a command only looks at the other machine', async () => {
    for (const run of RUNS)
      for (const look of LOOKS) {
        const line = run(look);
        expect(`${await verdictOf(line)}: ${line}`).toBe(`allow: ${line}`);
      }
  });

  verifies('APPR-2', 'blocks what would destroy this machine', async () => {
    for (const line of ["ansible localhost -m shell -a 'reboot'", 'ssh localhost reboot'])
      expect(await verdictOf(line), line).toBe('block');
  });
});
