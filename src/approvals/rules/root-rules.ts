import { operandsWithout } from '../files/path-argument.ts';
import { READ_ONLY_PROGRAMS } from '../plain-command.ts';
import { isInterpreter } from '../shell/script-files.ts';
import { executableName, type ShellCommand } from '../shell/shell-command.ts';
import { isWrapper } from '../shell/unwrap.ts';
import type { CommandRule } from './rule.ts';
import { takesAnyWord } from './unknown-programs.ts';

/** Programs that no rule names, and that only read or do everyday work as root. */
const EVERYDAY: ReadonlySet<string> = new Set(
  [
    'ls cat head tail less more grep find stat file du df lsof ss netstat ps top htop btop atop iotop iftop nethogs vmstat iostat mpstat sar free',
    'lsblk blkid findmnt lshw lspci lsusb dmidecode inxi sensors powertop dmesg journalctl last lastb who w id getent ping traceroute mtr dig host',
    'tcpdump nmap arp-scan nginx apachectl apache2ctl httpd haproxy caddy named-checkconf postfix certbot visudo sshd',
    'updatedb locate mandb fc-cache ldconfig depmod lsmod modinfo chronyc ntpq ntpdate tailscale wg-quick crictl ctr',
    'add-apt-repository gpg dnf yum npm pnpm yarn pip pip3 gem make ninja cmake meson cargo node java nano vim vi emacs',
    'tlp tlp-stat nvidia-smi nvidia-ctk rocm-smi turbostat perf bpftrace fatrace strace ltrace iw iwlist hciconfig bluetoothctl',
    'a2ensite a2dissite a2enmod a2dismod wpa_cli dhclient resolvectl systemd-resolve systemd-analyze systemd-detect-virt',
    'lsattr hostname lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan vgscan pvscan dpkg-query apt-cache apt-file apt-config',
    'psql pg_ctlcluster mysql mariadb redis-cli mongosh rabbitmqctl supervisorctl monit logrotate',
    'snap flatpak port guix nix apk brew pacman zypper emerge xbps-install swupd opkg microk8s k3s kubeadm',
  ].flatMap((line) => line.split(' ')),
);
/** First arguments with which programs only say something. */
const READS =
  /^(?:--?(?:help|version)|help|version|status|list|ls|show|get|info|check|test|print|diff|logs?|query|-[lLvV])$/;
const SUDO_VALUES = /^(?:-[a-zA-Z]*[ugpCDhRrtTU]|--(?:user|group|prompt|chdir|host|role|type))$/;

/** A program that no rule and no list knows may change anything when it runs as root. */
function runsUnknown({ args, suspected, remote }: ShellCommand, isKnown: (name: string) => boolean): boolean {
  if (suspected || remote === 'container' || args.some((arg) => /^(?:-[a-zA-Z]*u|--user)/.test(arg))) return false;
  const [program = '', first = ''] = operandsWithout(args, SUDO_VALUES).filter((word) => !/^\w+=/.test(word));
  const name = executableName(program);
  if (name === '' || /[$`*?]/.test(name) || READS.test(first)) return false;
  // A file of the project is run by its path; what it does is read there.
  if (program.includes('/') && !/^\/(?:usr\/|opt\/)?(?:local\/)?s?bin\//.test(program)) return false;
  if (EVERYDAY.has(name) || READ_ONLY_PROGRAMS.has(name) || isInterpreter(name) || isWrapper(name)) return false;
  return (
    !takesAnyWord(name) && !isKnown(name) && !args.some((arg) => /^--(?:help|version|dry-run|list|show)$/.test(arg))
  );
}

/** The rules for `sudo`; `isKnown` says whether the other rules name a program. */
export const rootRules = (isKnown: (name: string) => boolean): readonly CommandRule[] => [
  {
    rule: 'run an unknown program as root',
    commands: ['sudo', 'doas', 'pkexec', 'run0'],
    everydayName: true,
    byArguments: true,
    when: (command) => runsUnknown(command, isKnown),
  },
];
