import { splitCopy } from '../files/copy-arguments.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

const REMOTE = 'change something on another machine';

/** Programs that act on other machines and devices, and the arguments with which they change something there. */
const REMOTE_PROGRAMS: readonly ProgramRow[] = [
  // Deployment and configuration management.
  { programs: 'kamal', asks: /(?:^|\s)(?:remove|stop|exec|rollback|prune|reboot|restart|lock|delete|push)\b/ },
  { programs: 'cap', asks: /^\S+ \S*(?:rollback|restart|cleanup|stop|invoke)\S*/ },
  { programs: 'mina dep', asks: /(?:rollback|force_unlock|deploy:unlock|restart|cleanup|releases:remove|run)\b/ },
  {
    programs: 'dokku',
    asks: /(?:^|\s)\S+:(?:destroy|stop|restart|rebuild|unlink|remove|clear|unset|set|rename|import|exec|scale|unexpose)\b|^(?:run|enter)\b/,
  },
  { programs: 'piku caprover', asks: /^(?:destroy|stop|restart|run|deploy|api)\b/ },
  { programs: 'knife', asks: /(?:^|\s)(?:delete|bulk|ssh|edit|upload|exec|bootstrap|remove|purge)\b/ },
  { programs: 'chef-client chef-solo', asks: /^(?!.*(?:--why-run|-W))/ },
  {
    programs: 'puppet',
    asks: /^(?:apply|agent|resource\b.*=|node (?:purge|clean|deactivate)|cert|ca)\b/,
    unless: /--noop\b/,
  },
  {
    programs: 'salt salt-call salt-ssh salt-run',
    asks: /^(?!.*(?:test\.ping|grains\.|pillar\.(?:get|items)|status\.|sys\.doc|--versions|network\.|disk\.usage|manage\.(?:up|down|status)|jobs\.(?:list|lookup)|test=True))/,
  },
  { programs: 'salt-key', asks: /(?:^|\s)-[adrDARd]|--(?:accept|delete|reject)/ },
  { programs: 'mco', asks: /^(?:rpc|service|puppet|shell|package)\b.*(?:stop|restart|run|disable|uninstall|update)/ },
  { programs: 'bolt', asks: /^(?:command|script|task|plan|file|apply)\b(?! show)/ },
  { programs: 'rundeck rd', asks: /(?:^|\s)(?:run|adhoc|kill|delete|purge)\b/ },
  {
    programs: 'ansible',
    asks: /(?:^|\s)(?:-m|--module-name)[= ]?(?!(?:ansible\.builtin\.)?(?:ping|setup|debug|gather_facts|stat|slurp|assert|wait_for|service_facts|package_facts|command|shell|raw|script|win_ping|find|getent|uri)\b)\w/,
  },
  {
    programs: 'ansible-playbook',
    asks: /(?:^|\s)(?:-i|--inventory)[= ]?\S*prod|https?:\/\//,
    unless: /--(?:check|syntax-check|list-\w+)\b|(?:^|\s)-C\b/,
  },
  { programs: 'ansible-pull', asks: /\S/, unless: /--check\b/ },
  { programs: 'fab invoke', asks: /(?:^|\s)(?:-H|--hosts)\b/ },
  { programs: 'packer', asks: /^build\b.*-force\b/ },
  // Shells on other machines.
  { programs: 'wmic', asks: /\/node:|(?:process|service|os)\b.*\bcall\b|\bdelete\b/i },
  {
    programs: 'evil-winrm psexec psexec.py wmiexec.py smbexec.py atexec.py crackmapexec netexec nxc winexe',
    asks: /\S/,
  },
  { programs: 'Invoke-Command Enter-PSSession New-PSSession Restart-Computer Stop-Computer', asks: /\S/ },
  { programs: 'dsh rsh rexec plink mssh cssh clusterssh csshx pconsole omnictl', asks: /\s\S/ },
  { programs: 'teleport tsh', asks: /^(?:exec|kubectl|db connect)\b.*\s\S+\s+\S/ },
  {
    programs: 'tailscale',
    asks: /^(?:funnel|serve|down|logout|set|lock|up\b.*--(?:advertise|ssh|accept))/,
    unless: /\bstatus\b/,
  },
  { programs: 'autossh', asks: /(?:^|\s)-\w*R/ },
  // File transfer.
  { programs: 'sftp ftp lftp ncftp', asks: /\b(?:m?rm|rmdir|m?dele?t?e?)\s|\bmirror\b.*--(?:delete|Remove-source)/ },
  { programs: 'ncftpput wput curlftpfs', asks: /\S/ },
  { programs: 'smbclient', asks: /\b(?:del|rm|rmdir|deltree|m?put|rename|setmode)\b/ },
  {
    programs: 'curl',
    asks: /(?:^|\s)(?:-Q|--quote)[= ]?-?(?:DELE|RMD|RNFR|SITE)\b|(?:^|\s)(?:-T|--upload-file)\b.*\s(?:s?ftps?|smbs?|scp|telnet|imaps?):\/\//,
  },
  // Phones, boards and machines that are managed over the network.
  {
    programs: 'adb',
    asks: /^(?:-s \S+ )?(?:uninstall|root|remount|reboot (?:recovery|fastboot|edl)|sideload|disable-verity|restore|shell (?:pm (?:uninstall|clear|disable|hide)|settings put|svc|reboot|wipe|am force-stop|input))\b/,
  },
  { programs: 'fastboot', asks: /^(?!devices\b|getvar\b|help\b|--version)\S/ },
  { programs: 'heimdall odin spflash', asks: /\S/ },
  { programs: 'xcrun', asks: /^simctl (?:erase|delete|uninstall)\b/ },
  { programs: 'ideviceenterrecovery idevicerestore ideviceinstaller', asks: /^(?!.*(?:-l\b|list))/ },
  {
    programs: 'ipmitool ipmipower',
    asks: /\b(?:power (?:off|cycle|reset|soft)|--(?:off|cycle|reset)|mc reset|user (?:set|disable)|sel clear|raw)\b/,
  },
  {
    programs: 'redfishtool racadm ilorest',
    asks: /\b(?:reset|serveraction|set|racreset|delete|reboot|flashfirmware)\b/i,
  },
  { programs: 'snmpset', asks: /\S/ },
  { programs: 'mosquitto_pub', asks: /\b(?:reboot|reset|off|shutdown|restart|erase|format|unlock|open)\b/i },
  {
    programs: 'virsh',
    asks: /(?:^|\s)(?:destroy|undefine|shutdown|reboot|reset|suspend|(?:vol|pool|net|snapshot|checkpoint|iface|secret)-(?:delete|destroy|undefine|wipe|revert)|managedsave-remove|blockcommit)\b/,
  },
  {
    programs: 'VBoxManage vboxmanage',
    asks: /^(?:unregistervm|controlvm \S+ (?:poweroff|reset|acpipowerbutton)|closemedium\b.*--delete|snapshot \S+ (?:delete|restore)|modifyvm)\b/,
  },
  {
    programs: 'prlctl vmrun utmctl qm pct xe govc',
    asks: /(?:^|\s)(?:delete\w*|destroy|stop|reset|suspend|rollback|kill|unregister|deleteVM|vm\.destroy|vm\.power|vm-destroy|vm-shutdown|shutdown|reboot)\b/,
  },
];

/** Folders of another machine that hold its programs, its settings and the keys to it. */
const REMOTE_SYSTEM =
  /^(?:[\w.-]+@)?[\w.-]+:(?:\/(?:etc|usr|bin|sbin|lib\w*|boot|root|var\/(?:spool|lib)|System|Library|Windows)(?:\/|$)|\/?$(?<=:\/)|(?:~\/)?\.(?:ssh|bashrc|profile|zshrc|bash_profile|config\/systemd|gnupg|aws)(?:\/|$)|\/(?:home|Users)\/[^/]+\/\.(?:ssh|bashrc|profile|zshrc)(?:\/|$))/;

/** `scp x root@host:/etc/…`: the copy replaces system files or adds keys there. */
function copiesIntoSystem({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || args.some((arg) => arg === '--dry-run' || /^-[a-zA-Z]*n[a-zA-Z]*$/.test(arg))) return false;
  return REMOTE_SYSTEM.test(splitCopy({ name, args }).target ?? '');
}

/** `ssh host < script`, `cat script | ssh host bash`: what runs there is not known. */
function sendsScript({ args, redirects, fedBy, input, suspected }: ShellCommand): boolean {
  if (suspected || input !== undefined) return false;
  const given = redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null');
  if (!given && fedBy.length === 0) return false;
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

/** Changes to other machines and to devices. */
export const REMOTE_PROGRAM_RULES: readonly CommandRule[] = [
  tableRule(REMOTE, REMOTE_PROGRAMS),
  { rule: REMOTE, when: changesLogin },
  { rule: REMOTE, commands: ['scp', 'rsync', 'pscp'], byArguments: true, when: copiesIntoSystem },
  { rule: REMOTE, commands: ['ssh'], byArguments: true, aboutInput: true, when: sendsScript },
  { rule: REMOTE, commands: ['ssh', 'dbclient', 'mosh', 'telnet', 'autossh'], byArguments: true, when: commandsDevice },
  {
    rule: REMOTE,
    commands: ['sftp', 'ftp', 'lftp', 'ncftp', 'smbclient'],
    byArguments: true,
    aboutInput: true,
    when: ({ input, suspected }) => !suspected && TRANSFER_COMMAND.test(input ?? ''),
  },
];
