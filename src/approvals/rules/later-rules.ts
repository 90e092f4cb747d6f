import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

const START = 'change a shell start-up file';

/** Programs that make a command or a key take effect later, without another command. */
const PERSISTENT: readonly ProgramRow[] = [
  { programs: 'ssh-copy-id', asks: /(?:^|\s)[^-\s]/, unless: /(?:^|\s)-n(?:\s|$)/ },
  { programs: 'ssh-import-id ssh-import-id-gh ssh-import-id-lp', asks: /\S/ },
  { programs: 'loginctl', asks: /^enable-linger\b/ },
  {
    programs: 'update-rc.d chkconfig rc-update insserv sv-enable initctl',
    asks: /\S/,
    unless: /--list\b|^(?:show|list)\b/,
  },
  { programs: 'pm2', asks: /^(?:startup|save|link)\b/ },
  { programs: 'launchctl', asks: /^(?:load|bootstrap|enable|submit|kickstart|setenv|asuser)\b/ },
  { programs: 'supervisorctl', asks: /^(?:add|update|reread)\b/ },
  { programs: 'incrontab fcrontab', asks: /^(?!-l)\S/ },
  {
    programs: 'systemctl',
    asks: /(?:^|\s)(?:enable|reenable|preset|link|edit|set-environment|import-environment|add-wants|add-requires|daemon-reexec|set-default)\b/,
  },
  { programs: 'systemd-tmpfiles systemd-sysusers', asks: /--create\b/ },
  { programs: 'udevadm', asks: /^(?:control|trigger)\b/ },
  {
    programs: 'gsettings dconf',
    asks: /^(?:set|write|load)\b.*(?:custom-keybinding|autostart|exec|command|startup|login)/i,
  },
  { programs: 'xdg-autostart xdg-desktop-menu xdg-mime', asks: /^(?:install|default)\b/ },
  { programs: 'desktop-file-install', asks: /\S/ },
  { programs: 'mise', asks: /^trust\b/ },
  { programs: 'sc sc.exe', asks: /^(?:create|config|failure)\b/i },
  { programs: 'schtasks schtasks.exe', asks: /\/create\b/i },
  { programs: 'osascript', asks: /login item/i },
  { programs: 'authbind', asks: /^--change\b/ },
];

/** Where Python looks for code that it runs at every start, computed by the line itself. */
const PYTHON_SITE =
  /(?:--user-site|usersite|usersitepackages|getsitepackages|purelib|platlib|site-packages|dist-packages)[^/]*\/[^/]+\.(?:pth|py)["']?$/i;

/** What runs later by itself, after the session and without its approval. */
export const LATER_RULES: readonly CommandRule[] = [
  tableRule(START, PERSISTENT),
  {
    rule: START,
    when: ({ redirects, name, args }) =>
      redirects.some(({ operator, target }) => operator.includes('>') && PYTHON_SITE.test(target)) ||
      (/^(?:cp|mv|ln|install|tee|rsync)$/.test(name) && args.some((arg) => PYTHON_SITE.test(arg) && /[$`]/.test(arg))),
  },
];
