import { caution, danger, type GuardRule, note } from './guard-rule.ts';

/** What would destroy something, stay on the machine, or take more rights than it was given. */
export const HARM_RULES: readonly GuardRule[] = [
  danger(
    'destructive',
    'deletes a home or a part of the system',
    /\brm\s+(?:--\S+\s+)*-(?=[a-z]*r)[a-z]+\s+(?:-\S+\s+)*["']?(?:\/(?=$|[\s*"'`;])|~\/?(?=$|[\s*"'`;])|\$\{?HOME\b|\/(?:etc|usr|var|home|boot|lib|bin|root)\b)/i,
  ),
  danger(
    'destructive',
    'overwrites a disk',
    /\b(?:mkfs(?:\.\w+)?\s|wipefs\s|dd\s.{0,100}\bof=\/dev\/|shred\s.{0,60}\/dev\/)|>\s*\/dev\/(?:sd|nvme|disk)/,
  ),
  danger(
    'destructive',
    'deletes everything that it finds from the root on',
    /\bfind\s+(?:\/|~|\$HOME)\s.{0,120}(?:-delete|-exec\s+rm)/,
  ),
  danger('destructive', 'is a fork bomb', /:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}/),
  caution(
    'destructive',
    'throws away work that was not saved',
    /\bgit\s+(?:push\s.{0,60}--force(?!-with-lease)|reset\s+--hard|clean\s+-[a-z]*f|checkout\s+--\s+\.)/,
  ),
  caution('destructive', 'drops data', /\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE)\b/i),
  caution('destructive', 'opens files to everyone', /\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\b/),
  note('destructive', 'deletes folders', /\brm\s+-(?=[a-z]*r)[a-z]+\s/i),

  danger(
    'persistence',
    'writes into a file that a shell starts with',
    />>?\s*["']?(?:~|\$\{?HOME\}?)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|config\/fish)/,
  ),
  danger('persistence', 'lets someone log in', /authorized_keys/),
  danger(
    'persistence',
    'changes how Hermes or another agent works',
    />>?\s*\S{0,80}(?:\.hermes\/(?:config\.yaml|\.env|SOUL\.md|memories\/)|\.claude\/settings)|\bhermes\s+config\s+set\b/,
  ),
  caution(
    'persistence',
    'starts something again and again',
    /\b(?:crontab\s+-|systemctl\s+(?:--user\s+)?enable|launchctl\s+(?:load|bootstrap)|schtasks\s+\/create|update-rc\.d)|LaunchAgents\/|\/etc\/cron|CurrentVersion\\Run/i,
  ),
  caution(
    'persistence',
    'changes what all agents read',
    />>?\s*\S{0,80}(?:AGENTS\.md|CLAUDE\.md|SOUL\.md|MEMORY\.md|USER\.md|\.cursorrules|copilot-instructions\.md)/,
  ),
  caution(
    'persistence',
    'changes the settings of git for everything',
    /\bgit\s+config\s+--(?:global|system)\b|core\.hooksPath/,
  ),
  caution('persistence', 'writes hooks of git', /\.git\/hooks\//),

  danger(
    'privilege',
    'makes root of everyone',
    /\bNOPASSWD\b|\bchmod\s+(?:[ugo]*\+s|[2467][0-7]{3})\b|\bsetcap\s|\bsudo\s+-S\b/,
  ),
  danger(
    'privilege',
    'gives a container the whole machine',
    /\bdocker\s.{0,120}(?:--privileged|-v\s+\/:|--pid[= ]host)/,
  ),
  caution('privilege', 'wants to be root', /(?:^|[\s`"'(;&|])(?:sudo|doas|su\s+-)\s/),
  caution('privilege', 'changes whom files belong to', /\bchown\s+(?:-R\s+)?root\b/),

  danger('traversal', 'reads the variables of other programs', /\/proc\/(?:self|\d+|\*)\/(?:environ|mem)/),
  caution('traversal', 'climbs out of its folder', /(?:\.\.[/\\]){3,}/),
  caution('traversal', 'reads the list of users', /\/etc\/passwd\b/),

  danger(
    'network',
    'opens a shell to somewhere else',
    /\/dev\/(?:tcp|udp)\/|\bbash\s+-i\s*>&|\b(?:nc|ncat|netcat)\s.{0,40}-[a-z]*e[a-z]*\s|\bsocat\s.{0,80}\bEXEC:/i,
  ),
  danger('network', 'makes money for somebody', /\b(?:xmrig|stratum\+tcp|minerd|cpuminer|coinhive)\b/i),
  caution('network', 'is open to other machines', /(?:--host[= ]|--bind[= ]|listen\(.{0,20}["'])0\.0\.0\.0/),
  caution(
    'network',
    'names a host by its number',
    /https?:\/\/(?!127\.|10\.|192\.168\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b/,
  ),
];
