import { filesFetchedBy, NETWORK } from '../shell/fetched-files.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

const START = 'change a shell start-up file';

/** Programs that make a command or a key take effect later, without another command. */
const PERSISTENT: readonly ProgramRow[] = [
  ['ssh-copy-id', /(?:^|\s)[^-\s]/, /(?:^|\s)-n(?:\s|$)/],
  ['ssh-import-id ssh-import-id-gh ssh-import-id-lp', /\S/],
  ['loginctl', /^enable-linger\b/],
  ['update-rc.d chkconfig rc-update insserv sv-enable initctl', /\S/, /--list\b|^(?:show|list)\b/],
  ['pm2', /^(?:startup|save|link)\b/],
  ['launchctl', /^(?:load|bootstrap|enable|submit|kickstart|setenv|asuser)\b/],
  ['supervisorctl', /^(?:add|update|reread)\b/],
  ['incrontab fcrontab', /^(?!-l)\S/],
  [
    'systemctl',
    /(?:^|\s)(?:enable|reenable|preset|link|edit|set-environment|import-environment|add-wants|add-requires|daemon-reexec|set-default)\b/,
  ],
  ['systemd-tmpfiles systemd-sysusers', /--create\b/],
  ['udevadm', /^(?:control|trigger)\b/],
  ['gsettings dconf', /^(?:set|write|load)\b.*(?:custom-keybinding|autostart|exec|command|startup|login)/i],
  ['xdg-autostart xdg-desktop-menu xdg-mime', /^(?:install|default)\b/],
  ['desktop-file-install', /\S/],
  ['mise', /^trust\b/],
  ['sc sc.exe', /^(?:create|config|failure)\b/i],
  ['schtasks schtasks.exe', /\/create\b/i],
  ['osascript', /login item/i],
  ['authbind', /^--change\b/],
  ['xdg-settings', /^set\b/],
  ['kwriteconfig5 kwriteconfig6', /\b(?:autostart|Exec|startup|login)\b/i],
  ['funcsave', /\S/],
  ['gh', /^alias (?:set|import)\b.*(?:!|\s--shell\b|\s-s\b)/],
  ['nssm', /^(?:install|set)\b/],
  ['tmux', /(?:^|\s)set-hook\b|\bdefault-(?:command|shell)\s/],
  ['chezmoi yadm', /^(?:init\b.*--apply|update|clone)\b/],
  ['set', /^-\w*U\w*\s|^--universal\b/],
  ['runsv runsvdir svc s6-svscan daemontools', /\S/],
  ['dkms', /^(?:install|add|build|autoinstall)\b/],
  ['update-alternatives alternatives', /--(?:install|set|config|remove)\b/],
  [
    'docker podman nerdctl',
    /^(?:-\S+ )*(?:container )?(?:run|create|update)\b.*\s--restart[= ]["']?(?:always|unless-stopped|on-failure)/,
  ],
  ['podman', /^generate systemd\b.*(?:--files|-f)\b/],
  ['New-Service Register-ScheduledTask Register-ScheduledJob Register-WmiEvent Set-ItemProperty', /\S/],
  ['pipx uv', /^(?:ensurepath|tool update-shell)\b/],
  [
    'npm pnpm yarn',
    /^(?:config )?set (?:--\S+ )*(?:ignore-scripts[= ]false|node-options|init-module|onload-script|shell|git)[= ]/,
  ],
  [
    'go',
    /^env (?:-\w+ )*-w\b.*(?:GOPROXY|GOSUMDB|GONOSUMDB|GOFLAGS|CC|CXX|GOPRIVATE)=(?!https:\/\/proxy\.golang\.org|direct\b|\S*goproxy\.|\S*github\.com)/,
  ],
  ['direnv', /^(?:allow|permit|grant)\s+(?:\/|~|\$HOME)/],
];

/** Where Python looks for code that it runs at every start, computed by the line itself. */
const PYTHON_SITE =
  /(?:--user-site|usersite|usersitepackages|getsitepackages|purelib|platlib|site-packages|dist-packages)[^/]*\/[^/]+\.(?:pth|py)["']?$/i;

/** Settings of editors, which can contain commands, and the text of such a command. */
const EDITOR_SETTINGS = /(?:^|\/)(?:\.g?vimrc|\.exrc|init\.(?:vim|lua|el)|\.emacs|\.nanorc)$/;
const SHELL_CALL =
  /(?:^|[:|\n]|\bsilent!?\s)\s*!\s*[\w/~.$]|\bsystem\s*\(|\bos\.execute\b|\bjobstart\b|\bshell-command\b|\bcall-process\b/;
/** Hidden files directly below the home directory. */
const HOME_SETTINGS = /^(?:~|\$HOME|\$\{HOME\}|\/root|\/(?:home|Users)\/[^/]+)\/\.[^/]+$/;

/** A download that replaces settings of the user, or a command that is added to the settings of an editor. */
function changesSettings({ name, args, input, redirects, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || (redirects.length === 0 && !NETWORK.has(name) && name !== 'tee')) return false;
  const written = redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target);
  const fetched = filesFetchedBy(name, args);
  const piped = /^(?:tee|sponge)$/.test(name) ? args : [];
  const isFetched = NETWORK.has(name) || fedBy.some((source) => NETWORK.has(source.name));
  if (isFetched && [...written, ...fetched, ...piped].some((path) => HOME_SETTINGS.test(path))) return true;
  return (
    [...written, ...piped].some((path) => EDITOR_SETTINGS.test(path)) &&
    SHELL_CALL.test(`${args.join(' ')}\n${input ?? ''}`)
  );
}

/** What runs later by itself, after the session and without its approval. */
export const LATER_RULES: readonly CommandRule[] = [
  tableRule(START, PERSISTENT),
  { rule: START, when: changesSettings },
  {
    rule: START,
    when: ({ redirects, name, args }) =>
      redirects.some(({ operator, target }) => operator.includes('>') && PYTHON_SITE.test(target)) ||
      (/^(?:cp|mv|ln|install|tee|rsync)$/.test(name) && args.some((arg) => PYTHON_SITE.test(arg) && /[$`]/.test(arg))),
  },
];
