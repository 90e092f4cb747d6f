import { splitCopy } from '../files/copy-arguments.ts';
import { operandsWithout } from '../files/path-argument.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { unwrap } from '../shell/unwrap.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

const REMOTE = 'change something on another machine';

/** Programs that act on other machines and devices, and the arguments with which they change something there. */
const REMOTE_PROGRAMS: readonly ProgramRow[] = [
  // Deployment and configuration management.
  ['kamal', /(?:^|\s)(?:remove|stop|exec|rollback|prune|reboot|restart|lock|delete|push)\b/],
  ['cap', /^\S+ \S*(?:rollback|restart|cleanup|stop|invoke)\S*/],
  ['mina dep', /(?:rollback|force_unlock|deploy:unlock|restart|cleanup|releases:remove|run)\b/],
  [
    'dokku',
    /(?:^|\s)\S+:(?:destroy|stop|restart|rebuild|unlink|remove|clear|unset|set|rename|import|exec|scale|unexpose)\b|^(?:run|enter)\b/,
  ],
  ['piku caprover', /^(?:destroy|stop|restart|run|deploy|api)\b/],
  ['knife', /(?:^|\s)(?:delete|bulk|ssh|edit|upload|exec|bootstrap|remove|purge)\b/],
  ['chef-run mitogen pyinfra', /^[^-\s]\S*\s+\S/],
  ['chef-client chef-solo', /^(?!.*(?:--why-run|-W))/],
  ['puppet', /^(?:apply|agent|resource\b.*=|node (?:purge|clean|deactivate)|cert|ca)\b/, /--noop\b/],
  [
    'salt salt-call salt-ssh salt-run',
    /^(?!.*(?:test\.ping|grains\.|pillar\.(?:get|items)|status\.|sys\.doc|--versions|network\.|disk\.usage|manage\.(?:up|down|status)|jobs\.(?:list|lookup)|test=True))/,
  ],
  ['salt-key', /(?:^|\s)-[adrDARd]|--(?:accept|delete|reject)/],
  ['mco', /^(?:rpc|service|puppet|shell|package)\b.*(?:stop|restart|run|disable|uninstall|update)/],
  ['bolt', /^(?:command|script|task|plan|file|apply)\b(?! show)/],
  ['rundeck rd', /(?:^|\s)(?:run|adhoc|kill|delete|purge)\b/],
  [
    'ansible',
    /(?:^|\s)(?:-m|--module-name)[= ]?(?!(?:ansible\.builtin\.)?(?:ping|setup|debug|gather_facts|stat|slurp|assert|wait_for|service_facts|package_facts|command|shell|raw|script|win_ping|find|getent|uri)\b)\w/,
  ],
  [
    'ansible-playbook',
    /(?:^|\s)(?:-i|--inventory|-l|--limit)[= ]?\S*prod|https?:\/\//,
    /--(?:check|syntax-check|list-\w+)\b|(?:^|\s)-C\b/,
  ],
  ['ansible-pull', /\S/, /--check\b/],
  ['fab invoke', /(?:^|\s)(?:-H|--hosts)\b/],
  ['packer', /^build\b.*-force\b/],
  // Shells on other machines.
  ['wmic', /\/node:|(?:process|service|os)\b.*\bcall\b|\bdelete\b/i],
  ['evil-winrm psexec psexec.py wmiexec.py smbexec.py atexec.py crackmapexec netexec nxc winexe', /\S/],
  ['Invoke-Command Enter-PSSession New-PSSession Restart-Computer Stop-Computer', /\S/],
  ['dsh rsh rexec plink mssh cssh clusterssh csshx pconsole omnictl', /\s\S/],
  ['teleport tsh', /^(?:exec|kubectl|db connect)\b.*\s\S+\s+\S/],
  ['tailscale', /^(?:funnel|serve|down|logout|set|lock|up\b.*--(?:advertise|ssh|accept))/, /\bstatus\b/],
  ['autossh', /(?:^|\s)-\w*R/],
  ['net', /^rpc (?:shutdown|service|user|registry|rights|share)\b/i],
  ['esxcli vim-cmd', /\b(?:kill|power|destroy|remove|unregister|delete|shutdown|set|reboot)\b/],
  ['sshuttle', /(?:^|\s)-\w*r\b/],
  // Attacks on other machines.
  [
    'hydra aircrack-ng airodump-ng airmon-ng hashcat john reaver wifite fluxion tshark-inject dsniff fierce sslstrip mitm6 crackmapexec netexec impacket-psexec evil-winrm hydra-gtk medusa ncrack patator sqlmap masscan zmap msfconsole msfvenom nikto wpscan responder ettercap bettercap arpspoof aireplay-ng slowloris slowhttptest hping3 commix kerbrute secretsdump.py setoolkit evilginx gobuster ffuf wfuzz dirb nuclei',
    /\S/,
    /^(?:--?version|-h|--?help|-V)$|\/\/(?:localhost|127\.)/,
  ],
  [
    'nmap',
    /(?:^|\s)(?!\S*\.(?:local|lan|internal|test|home|xml|txt|nse|gnmap)(?:\s|$))[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,}(?:\s|$)|\/(?:[0-9]|1\d|2[0-3])(?:\s|$)|--script[= ]\S*(?:brute|exploit|vuln|dos)|(?:^|\s)-iR\b/,
  ],
  // File transfer.
  ['sftp ftp lftp ncftp', /\b(?:m?rm|rmdir|m?dele?t?e?)\s|\bmirror\b.*--(?:delete|Remove-source)/],
  ['ncftpput wput curlftpfs', /\S/],
  ['smbclient', /\b(?:del|rm|rmdir|deltree|m?put|rename|setmode)\b/],
  [
    'curl',
    /(?:^|\s)(?:-Q|--quote)[= ]?-?(?:DELE|RMD|RNFR|SITE)\b|(?:^|\s)(?:-T|--upload-file)\b.*\s(?:s?ftps?|smbs?|scp|telnet|imaps?):\/\//,
  ],
  // Phones, boards and machines that are managed over the network.
  [
    'adb',
    /^(?:-s \S+ )?(?:uninstall|root|remount|reboot (?:recovery|fastboot|edl)|sideload|disable-verity|restore|shell (?:pm (?:uninstall|clear|disable|hide)|settings put|svc|reboot|wipe|am force-stop|input))\b/,
  ],
  ['fastboot', /^(?!devices\b|getvar\b|help\b|--version)\S/],
  ['heimdall odin spflash', /\S/],
  ['xcrun', /^simctl (?:erase|delete|uninstall)\b/],
  ['ideviceenterrecovery idevicerestore ideviceinstaller', /^(?!.*(?:-l\b|list))/],
  [
    'ipmitool ipmipower',
    /\b(?:power (?:off|cycle|reset|soft)|--(?:off|cycle|reset)|mc reset|user (?:set|disable)|sel clear|raw)\b/,
  ],
  ['redfishtool racadm ilorest', /\b(?:reset|serveraction|set|racreset|delete|reboot|flashfirmware)\b/i],
  ['snmpset', /\S/],
  ['mosquitto_pub', /\b(?:reboot|reset|off|shutdown|restart|erase|format|unlock|open)\b/i],
  [
    'virsh',
    /(?:^|\s)(?:destroy|undefine|shutdown|reboot|reset|suspend|(?:vol|pool|net|snapshot|checkpoint|iface|secret)-(?:delete|destroy|undefine|wipe|revert)|managedsave-remove|blockcommit)\b/,
  ],
  [
    'VBoxManage vboxmanage',
    /^(?:unregistervm|controlvm \S+ (?:poweroff|reset|acpipowerbutton)|closemedium\b.*--delete|snapshot \S+ (?:delete|restore)|modifyvm)\b/,
  ],
  [
    'prlctl vmrun utmctl qm pct xe govc',
    /(?:^|\s)(?:delete\w*|destroy|stop|reset|suspend|rollback|kill|unregister|deleteVM|vm\.destroy|vm\.power|vm-destroy|vm-shutdown|shutdown|reboot)\b/,
  ],
];

/** Folders of another machine that hold its programs, its settings and the keys to it. */
const REMOTE_SYSTEM =
  /^(?:[\w.-]+@)?[\w.-]+:(?:\/(?:etc|usr|bin|sbin|lib\w*|boot|root|var\/(?:spool|lib)|System|Library|Windows)(?:\/|$)|\/?$(?<=:\/)|(?:~\/)?\.(?:ssh|bashrc|profile|zshrc|bash_profile|config\/systemd|gnupg|aws)(?:\/|$)|\/(?:home|Users)\/[^/]+\/\.(?:ssh|bashrc|profile|zshrc)(?:\/|$))/;

/** `scp x root@host:/etc/…`: the copy replaces system files or adds keys there. */
function copiesIntoSystem({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || args.some((arg) => arg === '--dry-run' || /^-[a-zA-Z]*n[a-zA-Z]*$/.test(arg))) return false;
  return REMOTE_SYSTEM.test(splitCopy({ name, args }).target ?? '');
}

/** The option of programs for many machines that passes the input to the command there. */
const SENDS_INPUT = /^(?:-[a-zA-Z]*I|--send-input)$/;
const FOR_MANY_MACHINES = 'pssh parallel-ssh clush dsh pdsh mussh'.split(' ');

/** `ssh host < script`, `cat script | ssh host bash`: what runs there is not known. */
function sendsScript({ name, args, redirects, fedBy, input, suspected }: ShellCommand): boolean {
  if (suspected || input !== undefined) return false;
  const given = redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null');
  if (!given && fedBy.length === 0) return false;
  if (name !== 'ssh')
    return args.some((arg) => SENDS_INPUT.test(arg)) || unwrap([name, ...args], undefined).length === 0;
  const words = commandOf(args);
  if (words.length === 0) return given;
  return /^(?:sudo\s+(?:-\S+\s+)*)?(?:\S*\/)?(?:ba|da|z|k)?sh(?:\s+-[a-z]*s\b.*|\s+-\s*|\s*)$|^(?:sudo\s+)?(?:python\d?|perl|ruby|node|psql|mysql)\s*-?\s*$/.test(
    words.join(' ').trim(),
  );
}

const WITH_VALUE = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;

/** The words after the host. */
function commandOf(args: readonly string[]): readonly string[] {
  let at = 0;
  while (/^-./.test(args[at] ?? '')) at += WITH_VALUE.test(args[at] ?? '') ? 2 : 1;
  return args.slice(at + 1);
}

/** Commands for transfer programs that come on their input: `sftp host <<< 'rm x'`. */
const TRANSFER_COMMAND =
  /(?:^|\n)\s*(?:m?put\s+\S+\s+\/(?:etc|usr|bin|root|boot|var)|rm|mrm|rmdir|m?dele(?:te)?|rename)\b/;

/** Commands of switches, routers and other devices that erase their settings or restart them. */
const DEVICE_COMMAND =
  /(?:^|[;|&\n"'])\s*(?:erase\b|write\s+erase\b|wr\s+erase\b|reload\b|reset\b(?!\s*$)|factory-?reset\b|firstboot\b|jffs2reset\b|mca-|restore-default|set-default\b|delete\s+(?:\/|flash:|nvram:|startup|system|interfaces|protocols|firewall)|format\s+\w+:|no\s+(?:ip|interface|router|vlan)\b|clear\s+config|request\s+(?:system|vmhost|chassis)\s+(?:zeroize|reboot|halt|power-off|storage)|execute\s+(?:factoryreset|reboot|shutdown|formatlogdisk)|\/?system\s+(?:reset-configuration|reboot|shutdown)|\/?(?:ip|interface|user|system)\s.*\bremove\b|esxcli\s.*\b(?:shutdown|reboot|remove|delete)\b|vim-cmd\s.*(?:destroy|power\.off|unregister)|copy\s+\S+\s+(?:startup|running)-config|config(?:ure)?\s+(?:t|terminal|replace|factory-default)|racadm\b|syscfg\s|nvram\s+(?:erase|set|unset)|uci\s+(?:delete|set)|sysupgrade\b|mtd\s+(?:erase|write)|diskpart\b|del\s+\/|rmdir\s+\/s|rd\s+\/s|Remove-|Stop-|Restart-|shutdown\b|net\s+(?:user|stop)|vssadmin|wbadmin)/i;

/** `ssh admin@switch 'erase startup-config'`: the shell there is not that of a computer. */
function commandsDevice({ args, input, suspected }: ShellCommand): boolean {
  if (suspected) return false;
  return DEVICE_COMMAND.test(commandOf(args).join(' ')) || DEVICE_COMMAND.test(input ?? '');
}

/** Files in the home directory of another machine that give access to it or that run at the next login. */
const REMOTE_START =
  /^(?:~\/|\$HOME\/|\/(?:root|home\/[^/]+)\/)?\.(?:ssh\/|bashrc|bash_profile|profile|zshrc|zshenv|config\/(?:systemd|autostart))/;

/** `ssh host 'cat >> .ssh/authorized_keys'`. */
function changesLogin({ name, args, redirects, remote }: ShellCommand): boolean {
  if (remote !== 'machine') return false;
  const named = /^(?:tee|cp|mv|ln|install|sed|rm|chmod)$/.test(name) ? args : [];
  return [...redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target), ...named].some(
    (word) => REMOTE_START.test(word),
  );
}

/** A container engine that is not the one of this machine, and what changes something there. */
const OTHER_ENGINE =
  /^(?:-\S+ )*(?:-c|-H|--context|--host|--url|--connection)[= ]?(?!default\b|desktop-|colima|orbstack|rancher-desktop|rootless|unix:|npipe:)\S+ .*(?:^|\s)(?:run|start|stop|restart|kill|rm|up|down|exec|update|deploy|scale|create|load|import)\b/;

/** `docker -H ssh://host run …`, `DOCKER_HOST=ssh://host docker compose up`. */
function changesOtherEngine({ args, variables, suspected }: ShellCommand): boolean {
  if (suspected) return false;
  const hosts = variables.flatMap((one) => /^(?:DOCKER|CONTAINER)_(?:HOST|CONTEXT)=(.+)$/.exec(one)?.[1] ?? []);
  return OTHER_ENGINE.test([...hosts.map((host) => `-H ${host}`), ...args].join(' ').slice(0, 2000));
}

/** Commands that only look at another machine. */
const LOOKS =
  /^(?:ls|cat|head|tail|less|zcat|grep|egrep|zgrep|find|du|df|free|ps|ss|netstat|lsof|journalctl|dmesg|uptime|id|whoami|stat|file|wc|top|htop|iotop|docker (?:ps|logs|images|inspect|stats|top)|systemctl (?:status|is-\w+|list-\w+|show|cat)|nginx -[tTvV]|iptables -[LS]|ufw status|crontab -l|sysctl [^=]*$|ip \w+(?: show)?$|lsblk|blkid|lscpu|dmidecode|smartctl -[aix]|apt(?:-get)? (?:update|list)|test|true|-[nvl]*$)\b/;

/** `ssh host sudo …`: a change as the administrator of another machine. */
function administersElsewhere({ name, args, remote, suspected }: ShellCommand): boolean {
  if (suspected || remote !== 'machine' || !/^(?:sudo|doas)$/.test(name)) return false;
  const command = operandsWithout(args, /^-[ugChpDRTUrt]$/);
  return command.length > 0 && !LOOKS.test(command.join(' '));
}

/** `ssh host kill 123`: the process may belong to a service or to another user. */
function killsElsewhere({ args, remote, suspected }: ShellCommand): boolean {
  return !suspected && remote === 'machine' && !args.some((arg) => /^-(?:0|l|L)$/.test(arg));
}

/** Changes to other machines and to devices. */
export const REMOTE_PROGRAM_RULES: readonly CommandRule[] = [
  tableRule(REMOTE, REMOTE_PROGRAMS),
  { rule: REMOTE, when: changesLogin },
  { rule: REMOTE, when: administersElsewhere },
  { rule: REMOTE, commands: ['kill', 'pkill', 'killall', 'skill'], byArguments: true, when: killsElsewhere },
  {
    rule: REMOTE,
    commands: ['docker', 'podman', 'nerdctl', 'docker-compose'],
    byArguments: true,
    when: changesOtherEngine,
  },
  { rule: REMOTE, commands: ['scp', 'rsync', 'pscp'], byArguments: true, when: copiesIntoSystem },
  { rule: REMOTE, commands: ['ssh', ...FOR_MANY_MACHINES], byArguments: true, aboutInput: true, when: sendsScript },
  { rule: REMOTE, commands: ['ssh', 'dbclient', 'mosh', 'telnet', 'autossh'], byArguments: true, when: commandsDevice },
  {
    rule: REMOTE,
    commands: ['sftp', 'ftp', 'lftp', 'ncftp', 'smbclient'],
    byArguments: true,
    aboutInput: true,
    when: ({ input, suspected }) => !suspected && TRANSFER_COMMAND.test(input ?? ''),
  },
];
