import { operandsWithout } from '../files/path-argument.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { isComputed } from '../shell/words.ts';
import { isHelpOrDryRun, type CommandRule, hasOption, operandsOf, optionsOf } from './rule.ts';

const SETTINGS = 'change system settings';
const SECURITY = 'weaken the security of the system';

/** Shells without a script, which wait for somebody to type. */
const SHELL_NAME = /^(?:\/\S*\/)?(?:ba|z|da|k|c|tc|fi)?sh$/;

/** `sudo -i`, `sudo bash`, `su -`: a shell of another user, in which nothing is judged. */
function opensShell({ name, args, input, fedBy, redirects }: ShellCommand): boolean {
  const isFed = input !== undefined || fedBy.length > 0 || redirects.some(({ operator }) => operator.startsWith('<'));
  if (isFed) return false;
  const words = operandsWithout(
    args,
    /^(?:-[a-zA-Z]*[ugpCDhRrtTU]|--(?:user|group|prompt|chdir|host|role|type|shell|setenv))$/,
  );
  if (name === 'su' || name === 'runuser')
    return (
      !args.some((arg) => /^(?:-[a-zA-Z]*[cV]|--(?:command|session-command|version)\b)/.test(arg)) &&
      !args.includes('-u')
    );
  const [first, ...rest] = words.filter((word) => !/^\w+=/.test(word));
  if (first === undefined)
    return args.some((arg) => /^(?:-[a-zA-Z]*[is][a-zA-Z]*|--(?:login|shell))$/.test(arg)) || name === 'run0';
  return SHELL_NAME.test(first) && rest.every((arg) => /^-[lim]+$|^--login$/.test(arg));
}

/** Users, packages, the firewall, scheduled jobs and system settings. */
export const SYSTEM_RULES: readonly CommandRule[] = [
  // A password on stdin was written by the model, so it is a guess or a leak.
  {
    rule: 'read a password from standard input',
    commands: ['sudo'],
    when: ({ args }) => /^(?:-[a-zA-Z]*S|--stdin)/.test(args[0] ?? ''),
  },
  {
    rule: 'change users or permissions',
    commands:
      'useradd userdel usermod passwd chpasswd visudo groupdel groupadd adduser deluser gpasswd chsh vipw dscl chage newusers'.split(
        ' ',
      ),
    everydayName: true,
    when: (command) =>
      !isHelpOrDryRun(command) &&
      // For passwd, -l locks the account.
      !(command.name === 'passwd' ? /^(?:-S|--status)$/ : /^(?:-l|-S|--status|--list|-read|-list|-c)$/).test(
        command.args.find((arg) => arg.startsWith('-') || arg === 'list') ?? '',
      ),
  },
  {
    rule: 'open a shell as another user',
    commands: ['sudo', 'su', 'doas', 'pkexec', 'run0', 'runuser'],
    everydayName: true,
    byArguments: true,
    when: (command) => command.remote === undefined && !isHelpOrDryRun(command) && opensShell(command),
  },
  {
    rule: 'remove system packages',
    commands: /(?:^|[-_.])uninstall(?:er)?(?:[-_.][\w.-]*)?$/i,
    everydayName: true,
    byArguments: true,
    // A file of the project is run by its path; what it does is read there.
    when: (command) => !isHelpOrDryRun(command) && !/^\.{0,2}\/[^/]*$|^\.{1,2}\//.test(command.statement),
  },
  {
    rule: 'change the firewall',
    commands: 'iptables ip6tables nft ufw pfctl firewall-cmd ipset ebtables netsh iptables-restore'.split(' '),
    when: ({ name, args }) =>
      name === 'iptables-restore' ||
      args.some((arg) =>
        /^(?:-[FXPAIDRZ]|--(?:flush|delete-chain|policy|append|insert|delete|panic-on|add-.*|remove-.*|reload|complete-reload)|flush|disable|reset|delete|add|deny|allow|reject|limit|destroy|-[deEF]|advfirewall)$/.test(
          arg,
        ),
      ),
  },
  {
    rule: 'change scheduled jobs',
    commands: ['crontab', 'at', 'atrm', 'batch', 'anacron', 'schtasks', 'schtasks.exe'],
    everydayName: true,
    when: ({ args }) => !args.some((arg) => /^(?:-l|-V|--help|-h|\/query)$/i.test(arg)),
  },
  {
    rule: 'change scheduled jobs',
    commands: ['systemd-run'],
    when: ({ args }) => args.some((arg) => /^--(?:on-|timer)/.test(arg)),
  },
  {
    rule: SETTINGS,
    commands: 'insmod rmmod modprobe sysctl swapoff mount umount depmod pivot_root losetup'.split(' '),
    everydayName: true,
    when: (command) => {
      if (isHelpOrDryRun(command) || command.args.length === 0) return false;
      if (command.name === 'sysctl')
        return command.args.some((arg) => /^(?:-[a-z]*[wp]|--(?:write|load|system))|=/.test(arg));
      const lists = command.name === 'mount' && command.args.every((arg) => /^(?:-l|--list|-t|ext4|\w+fs)$/.test(arg));
      return !lists && !(command.name === 'modprobe' && /^(?:-c|-n|--show)/.test(command.args[0] ?? ''));
    },
  },
  {
    rule: SETTINGS,
    commands:
      'hostnamectl timedatectl localectl hwclock nmcli ip ifconfig route netplan grub-install update-grub efibootmgr grub-mkconfig update-alternatives nvram bcdedit reg reg.exe tc'.split(
        ' ',
      ),
    everydayName: true,
    when: ({ name, args }) => {
      const text = args.join(' ');
      if (/^grub|^update-grub/.test(name)) return true;
      if (name === 'efibootmgr' || name === 'nvram') return args.some((arg) => /^-[BcobO]|^-d$/.test(arg));
      if (name === 'ip') return /\b(?:flush|del|delete|set)\b/.test(text) && !/^-?\w*\s*(?:netns exec)/.test(text);
      if (name === 'ifconfig' || name === 'route') return /\b(?:down|del|delete|flush|up)\b/.test(text);
      return /\b(?:set-\w+|set|delete|del|apply|down|remove|--set\w*|--systohc|off|modify)\b/.test(text);
    },
  },
  {
    rule: SECURITY,
    commands:
      'setenforce setsebool aa-disable aa-teardown auditctl spctl csrutil aa-complain auditd ulimit-off setcap'.split(
        ' ',
      ),
    everydayName: true,
    when: ({ name, args }) =>
      name === 'auditctl'
        ? args.some((arg) => /^-(?:D|e|e\d)$/.test(arg))
        : name === 'setenforce'
          ? /^(?:0|permissive)$/i.test(args[0] ?? '')
          : name === 'spctl' || name === 'csrutil'
            ? args.some((arg) => /disable/.test(arg))
            : args.length > 0 || name === 'aa-teardown',
  },
  {
    rule: 'remove system packages',
    commands: 'pip pip3 uv pipx brew npm pnpm yarn gem cargo conda mamba code cursor codium apm asdf sdk'.split(' '),
    byArguments: true,
    aboutInput: true,
    when: removesListedPackages,
  },
  {
    rule: 'remove system packages',
    commands: ['brew'],
    when: ({ args }) =>
      args[0] === 'autoremove' ||
      (/^(?:uninstall|remove|rm)$/.test(args[0] ?? '') &&
        args.some((arg) => /^(?:-f|--force|--ignore-dependencies|--zap)$/.test(arg))),
  },
  {
    rule: 'remove system packages',
    commands:
      'apt apt-get aptitude dnf yum pacman zypper apk snap dpkg rpm flatpak emerge pkg port nix-env xbps-remove yay paru'.split(
        ' ',
      ),
    when: (command) => {
      if (hasOption(command, 'simulate', 'dry-run') || (command.name.startsWith('apt') && hasOption(command, 's')))
        return false;
      const [verb = ''] = operandsOf(command);
      return (
        /^(?:remove|purge|autoremove|erase|del|delete|uninstall|rm|dist-upgrade|full-upgrade)$/.test(verb) ||
        (['pacman', 'rpm', 'dpkg', 'yay', 'paru', 'nix-env', 'emerge'].includes(command.name) &&
          [...optionsOf(command)].some((option) =>
            [
              command.name === 'dpkg' ? 'r' : 'R',
              'e',
              'P',
              'purge',
              'erase',
              'remove',
              'unmerge',
              'C',
              'uninstall',
            ].includes(option),
          ) &&
          !['q', 'Q', 'l', 'L', 'S'].some((option) => optionsOf(command).has(option)))
      );
    },
  },
  {
    rule: 'hide traces',
    commands: ['history', 'unset', 'journalctl', 'wevtutil', 'export', 'set'],
    when: ({ name, args }) =>
      (name === 'history' && args.some((arg) => /^-[a-z]*[cw]/.test(arg))) ||
      (name === 'unset' && args.includes('HISTFILE')) ||
      (name === 'export' && args.some((arg) => /^HIST(?:FILE=(?:\/dev\/null)?|SIZE=0)$/.test(arg))) ||
      (name === 'journalctl' && args.some((arg) => /^--(?:vacuum|rotate|flush)/.test(arg))) ||
      (name === 'wevtutil' && args.includes('cl')),
  },
  {
    rule: 'hide traces',
    commands: ['rm', 'truncate', 'shred', 'unlink', 'ln'],
    when: (command) =>
      operandsOf(command).some((operand) => /(?:^|\/)\.(?:bash|zsh|python|mysql|psql)_history$/.test(operand)),
  },
];

/** Programs that list installed packages, with the arguments that do. */
const LISTS_PACKAGES =
  /^(?:pip3?|uv|pipx|brew|npm|pnpm|yarn|gem|cargo|conda|mamba|code|cursor|codium|apm|asdf|sdk|cat)$/;
const REMOVES_PACKAGES = /^(?:uninstall|remove|rm|un|unlink|--uninstall-extension)$/;

/** `pip freeze | xargs pip uninstall` and `brew uninstall $(brew list)`: everything that is installed is removed. */
function removesListedPackages({ args, fedBy, statement, suspected }: ShellCommand): boolean {
  if (suspected || !args.some((arg) => REMOVES_PACKAGES.test(arg))) return false;
  const isListed =
    args.some((arg) => isComputed(arg) || arg.startsWith('<(')) || /^(?:\S+ )*'?xargs'? /.test(statement);
  return isListed && fedBy.some(({ name }) => LISTS_PACKAGES.test(name));
}
