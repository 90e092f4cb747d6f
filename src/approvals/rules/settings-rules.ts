import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import type { CommandRule } from './rule.ts';

const SETTINGS = 'change system settings';
const SECURITY = 'weaken the security of the system';

/** Filesystem checkers, which also repair unless an option forbids it. */
const FILESYSTEM_CHECKS = ['fsck', 'e2fsck', 'xfs_repair', 'ext2', 'ext3', 'ext4', 'vfat', 'xfs', 'btrfs'].map(
  (name) => (/^(?:e2)?fsck$|_/.test(name) ? name : `fsck.${name}`),
);

/** Variables that make programs load code. Code inside the project is not reported. */
const CODE_LOADING_VARIABLE =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP|PERL5OPT)=.|^(?:NODE_OPTIONS|RUBYOPT)=.*(?:-r|--require|--import|--loader)[= ]?["']?(?:\/|~|https?:|data:)|^(?:_JAVA_OPTIONS|JAVA_TOOL_OPTIONS)=.*-(?:javaagent|agentpath):\/|^(?:[A-Z_]+_)?WRAPPER=\/(?:tmp|dev\/shm)|^(?:npm_config_script_shell|NPM_CONFIG_SCRIPT_SHELL)=(?!\S*(?:ba|z|da)?sh$)/;

/** Whether programs are searched in a temporary folder first, where anything may be. A project can be in one, too. */
function findsProgramsInTemporary(variable: string, { workingDirectory }: MachineFacts): boolean {
  const first = /^PATH=["']?(\/(?:tmp|var\/tmp|dev\/shm)(?:\/[^:]*)?)(?::|$)/.exec(variable)?.[1];
  return first !== undefined && !isWithin(first, workingDirectory);
}

/** Programs that show or change a setting, with the arguments that change it. */
const SETTERS: ReadonlyMap<string, RegExp> = new Map([
  ['date', /(?:^|\s)(?:-s|--set)(?:[= ]|$)(?!--help)|^(?:-u )?\d{8,12}(?:\.\d\d)?$/],
  ...FILESYSTEM_CHECKS.map((name): [string, RegExp] => [name, /^(?!.*(?:--help|--version|(?:^|\s)-[nNV]\b))./]),
  ['ntpdate', /^(?!-q)\S/],
  [
    'defaults',
    /(?:^|\s)(?:delete|import|rename)\b|^(?:-\w+ )?write\b.*(?:LSQuarantine|\/Library\/|loginwindow|com\.apple\.(?:LaunchServices|security|screensaver))/,
  ],
  ['scutil', /--set\b/],
  ['systemsetup', /(?:^|\s)-set/],
  ['networksetup', /(?:^|\s)-(?:set|remove|create|switch|delete)/],
  ['nvram', /=|(?:^|\s)-[dc]\b/],
  ['pmset', /^-[abcu] /],
  ['dscacheutil', /^$/],
  ['chattr', /(?:^|\s)[-+=]\w*[ia]/],
  ['resolvectl', /^(?:dns|domain|revert|flush)/],
  ['kextload', /./],
  ['kextunload', /./],
  ['kmutil', /^(?:load|unload|install)\b/],
  ['fdesetup', /^(?:disable|remove|removerecovery|destroy)/],
  ['wsl', /--(?:unregister|shutdown|terminate)\b/],
  ['loadkeys', /^[^-]/],
]);

/**
 * Commands that disable security checks of a program: unencrypted registries, certificates, quarantine. `given` is
 * matched against each argument.
 */
const TRUST: readonly { programs: RegExp; says: RegExp; given?: RegExp }[] = [
  {
    programs: /^(?:npm|pnpm|yarn)$/,
    says: /^config set (?:--\S+ )*(?:registry[= ]http:\/\/(?!localhost|127\.)|strict-ssl[= ]false|script-shell|yarnPath|\S*_auth)/i,
  },
  {
    programs: /^(?:pip3?|uv)$/,
    says: /^(?!config)/,
    given: /^(?:--(?:extra-)?index-url=)?http:\/\/(?!localhost|127\.)/,
  },
  { programs: /^security$/, says: /^(?:add-trusted-cert|authorizationdb write|set-key-partition-list|delete-)/ },
  { programs: /^xattr$/, says: /^-\w*d\w* com\.apple\.quarantine/ },
];

/** Settings of the system and of programs, and code that is injected through variables. */
export const SETTINGS_RULES: readonly CommandRule[] = [
  {
    rule: SECURITY,
    when: ({ name, args, variables }, facts) =>
      [...variables, ...(name === 'export' || name === 'env' ? args : [])].some(
        (one) => CODE_LOADING_VARIABLE.test(one) || findsProgramsInTemporary(one, facts),
      ) ||
      // make runs every recipe line with this program.
      (/^g?make$/.test(name) && args.some((arg) => /^SHELL=(?!(?:\S*\/env )?\S*sh$)/.test(arg))),
  },
  {
    rule: SETTINGS,
    everydayName: true,
    commands: [...SETTERS.keys()],
    when: ({ name, args }) => SETTERS.get(name)?.test(args.join(' ')) === true,
  },
  {
    rule: SECURITY,
    commands: 'npm pnpm yarn pip pip3 uv security xattr'.split(' '),
    everydayName: true,
    when: ({ name, args }) =>
      TRUST.some(
        ({ programs, says, given }) =>
          programs.test(name) &&
          says.test(args.join(' ')) &&
          (given === undefined || args.some((arg) => given.test(arg))),
      ),
  },
];
