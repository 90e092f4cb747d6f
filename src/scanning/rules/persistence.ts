import { type ScanRule, words } from '../scan-rule.ts';

/** Rules for text that persists and is read again in every session. */
export const PERSISTENCE_RULES: readonly ScanRule[] = [
  {
    name: 'drops-approval',
    category: 'lasting',
    scope: 'strict',
    view: 'words',
    reason: 'disables approval questions',
    requiredParts:
      'approv permission confirmation consent authori disabl turn switch bypass remov skip deactivat circumvent',
    pattern: words(
      `(?:(?:never|do not|don t|dont|no need to|stop|without|always skip) (?:ask|asking|request|requesting|wait for|waiting for|seek|require|requiring)(?: \\w+){0,4}? (?:approval|permission|confirmation|consent|authori[sz]ation)|(?:auto ?approve|automatically approve|always approve|always allow|blindly accept)(?: \\w+){0,3}? (?:all|any|every|everything|commands?|tool calls?|requests?|actions?)|(?:disable|turn off|switch off|bypass|remove|skip|deactivate|circumvent)(?: \\w+){0,2}? (?:approvals?|safety checks?|security checks?|sandbox|guardrails?|safeguards?|injection scan\\w*|scanner|confirmation prompts?|command approval\\w*|hard block\\w*))`,
    ),
    unless: [words(`tests?|in ci|formatting|lint\\w*|read only|harmless`)],
  },
  {
    name: 'pipes-download-into-shell',
    category: 'lasting',
    scope: 'strict',
    view: 'text',
    reason: 'downloads and runs code',
    requiredParts: 'curl wget fetch iex',
    pattern:
      /\b(?:curl|wget|fetch)\b[^|]{0,300}\|\s*(?:sudo (?:-\w+ )?)?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby|iex)\b|\b(?:ba|z)?sh\s+(?:-c\s+["']?)?(?:<\(|\$\()\s*(?:curl|wget)\b|\biex\b[^|]{0,40}(?:iwr|invoke-webrequest|downloadstring)/u,
  },
  {
    name: 'stays-on-the-machine',
    category: 'lasting',
    scope: 'strict',
    view: 'text',
    reason: 'tries to persist on the machine',
    requiredParts:
      'authorized_keys .bashrc .zshrc .profile .bash_profile /etc/ crontab launchagents launchdaemons systemd',
    pattern:
      /(?:>>|\btee\b|\b(?:append|add|write|insert|install|put|copy|edit|modify|change)\b)[^.|]{0,120}?(?:authorized_keys|\.bashrc|\.zshrc|\.profile\b|\.bash_profile|\/etc\/(?:cron|sudoers|rc\.local|profile|ld\.so\.preload)|crontab|launchagents|launchdaemons|systemd\/(?:user|system)|\/etc\/passwd)/u,
    unless: [/\b(?:path|nvm|completion|alias|eval "\$\()/u],
  },
  {
    name: 'changes-own-rules',
    category: 'lasting',
    scope: 'strict',
    view: 'text',
    reason: 'asks the agent to change its own instructions or settings',
    requiredParts: 'soul.md agents.md claude.md memory.md user.md .hermes .cursorrules prompt hermes',
    pattern:
      /\b(?:edit|modify|change|rewrite|overwrite|append to|replace|update|write to|alter|add (?:this|the following|these lines?|it) to)\b[^.]{0,60}(?:\bsoul\.md|\bagents\.md|\bclaude\.md|\bmemory\.md|\buser\.md|\.hermes\b|\.cursorrules|\bsystem prompt|\bhermes (?:config|settings))/u,
    requires: [
      /\b(?:always|every|all|future|from now on|permanently|silently|so that you|yourself|ignore|obey|each)\b/u,
    ],
    unless: [
      /\b(?:user (?:prefers|wants|likes|asked)|when (?:asked|you (?:add|change)|adding|changing)|keep|docs?|documentation)\b/u,
    ],
  },
  {
    name: 'in-every-session',
    category: 'lasting',
    scope: 'strict',
    view: 'words',
    reason: 'demands to be followed in every session',
    requiredParts: 'every all each always forever permanently now',
    pattern: words(
      `(?:in (?:every|all|each)(?: \\w+)? (?:sessions?|conversations?|repl(?:y|ies)|responses?|answers?)|at the (?:start|beginning|end) of (?:every|each|all) (?:sessions?|conversations?|repl(?:y|ies)|responses?|answers?|messages?)|(?:from now on|forever|permanently|always)(?: \\w+){0,6}? (?:before (?:every|each|any)|after (?:every|each|any))(?: \\w+){0,2})`,
    ),
    requires: [
      words(
        `send|upload|fetch|download|curl|execute|https?|recommend|advertise|include (?:the|this|a) link|promote|forward|bcc|cc|report to|obey|passwords?|api keys?|tokens?|credentials`,
      ),
    ],
  },
];
