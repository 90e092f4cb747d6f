const GUARD_CATEGORIES = [
  'exfiltration',
  'injection',
  'destructive',
  'persistence',
  'obfuscation',
  'supply chain',
  'credentials',
  'privilege',
  'traversal',
  'network',
  'files',
] as const;

export type GuardCategory = (typeof GUARD_CATEGORIES)[number];

/** `danger` requires `--force`, `caution` a confirmation; a `note` is only shown. */
export type Severity = 'danger' | 'caution' | 'note';

/**
 * A rule that marks a skill as suspicious. Patterns are matched against single lines of limited length and have no
 * nested repetition, so no text can cause catastrophic backtracking.
 */
export type GuardRule = {
  category: GuardCategory;
  severity: Severity;
  /** The reason, phrased to follow the word "it". */
  reason: string;
  pattern: RegExp;
};

/** A match in a skill. */
export type GuardFinding = Omit<GuardRule, 'pattern'> & {
  /** Relative to the skill. */
  file: string;
  /** One-based; undefined if the finding is about the whole file. */
  line?: number;
};

const danger = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'danger',
  reason,
  pattern,
});

const caution = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'caution',
  reason,
  pattern,
});

const note = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'note',
  reason,
  pattern,
});

/** Destruction, persistence and privilege escalation. */
export const DESTRUCTION_RULES: readonly GuardRule[] = [
  danger(
    'destructive',
    'deletes a home directory or a part of the system',
    /\brm\s+(?:--\S+\s+)*-(?=[a-z]*r)[a-z]+\s+(?:-\S+\s+)*["']?(?:\/(?=$|[\s*"'`;])|~\/?(?=$|[\s*"'`;])|\$\{?HOME\b|\/(?:etc|usr|var|home|boot|lib|bin|root)\b)/i,
  ),
  danger(
    'destructive',
    'overwrites a disk',
    /\b(?:mkfs(?:\.\w+)?\s|wipefs\s|dd\s.{0,100}\bof=\/dev\/|shred\s.{0,60}\/dev\/)|>\s*\/dev\/(?:sd|nvme|disk)/,
  ),
  danger(
    'destructive',
    'deletes files starting at the root directory',
    /\bfind\s+(?:\/|~|\$HOME)\s.{0,120}(?:-delete|-exec\s+rm)/,
  ),
  danger('destructive', 'contains a fork bomb', /:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}/),
  caution(
    'destructive',
    'discards commits or uncommitted work',
    /\bgit\s+(?:push\s.{0,60}--force(?!-with-lease)|reset\s+--hard|clean\s+-[a-z]*f|checkout\s+--\s+\.)/,
  ),
  caution(
    'destructive',
    'deletes database tables or databases',
    /\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE)\b/i,
  ),
  caution('destructive', 'makes files writable for everyone', /\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\b/),
  note('destructive', 'deletes folders', /\brm\s+-(?=[a-z]*r)[a-z]+\s/i),

  danger(
    'persistence',
    'writes to a shell startup file',
    />>?\s*["']?(?:~|\$\{?HOME\}?)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|config\/fish)/,
  ),
  danger('persistence', 'adds an SSH key that allows a login', /authorized_keys/),
  danger(
    'persistence',
    'changes the configuration of Hermes or another agent',
    />>?\s*\S{0,80}(?:\.hermes\/(?:config\.yaml|\.env|SOUL\.md|memories\/)|\.claude\/settings)|\bhermes\s+config\s+set\b/,
  ),
  caution(
    'persistence',
    'installs a scheduled job or a service',
    /\b(?:crontab\s+-|systemctl\s+(?:--user\s+)?enable|launchctl\s+(?:load|bootstrap)|schtasks\s+\/create|update-rc\.d)|LaunchAgents\/|\/etc\/cron|CurrentVersion\\Run/i,
  ),
  caution(
    'persistence',
    'changes context files that all agents read',
    />>?\s*\S{0,80}(?:AGENTS\.md|CLAUDE\.md|SOUL\.md|MEMORY\.md|USER\.md|\.cursorrules|copilot-instructions\.md)/,
  ),
  caution(
    'persistence',
    'changes the global Git configuration',
    /\bgit\s+config\s+--(?:global|system)\b|core\.hooksPath/,
  ),
  caution('persistence', 'writes Git hooks', /\.git\/hooks\//),

  danger(
    'privilege',
    'gives everyone root access',
    /\bNOPASSWD\b|\bchmod\s+(?:[ugo]*\+s|[2467][0-7]{3})\b|\bsetcap\s|\bsudo\s+-S\b/,
  ),
  danger(
    'privilege',
    'gives a container access to the whole machine',
    /\bdocker\s.{0,120}(?:--privileged|-v\s+\/:|--pid[= ]host)/,
  ),
  caution('privilege', 'requires root', /(?:^|[\s`"'(;&|])(?:sudo|doas|su\s+-)\s/),
  caution('privilege', 'changes the owner of files', /\bchown\s+(?:-R\s+)?root\b/),

  danger('traversal', 'reads environment variables of other processes', /\/proc\/(?:self|\d+|\*)\/(?:environ|mem)/),
  caution('traversal', 'accesses files outside its folder', /(?:\.\.[/\\]){3,}/),
  caution('traversal', 'reads the list of users', /\/etc\/passwd\b/),

  danger(
    'network',
    'opens a reverse shell',
    /\/dev\/(?:tcp|udp)\/|\bbash\s+-i\s*>&|\b(?:nc|ncat|netcat)\s.{0,40}-[a-z]*e[a-z]*\s|\bsocat\s.{0,80}\bEXEC:/i,
  ),
  danger('network', 'mines cryptocurrency', /\b(?:xmrig|stratum\+tcp|minerd|cpuminer|coinhive)\b/i),
  caution('network', 'listens on all network interfaces', /(?:--host[= ]|--bind[= ]|listen\(.{0,20}["'])0\.0\.0\.0/),
  caution(
    'network',
    'uses a host by IP address',
    /https?:\/\/(?!127\.|10\.|192\.168\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b/,
  ),
];
const SECRET_FILES = String.raw`(?:\.ssh\/|id_(?:rsa|ed25519|ecdsa)\b|\.aws\/|\.gnupg\/|\.kube\/config|\.netrc|\.git-credentials|\.docker\/config\.json|\.config\/gh\/|\.hermes\/(?:\.env|auth\.json)|\/etc\/shadow)`;
/** Exfiltration and access to credentials. */
export const EXFILTRATION_RULES: readonly GuardRule[] = [
  danger(
    'exfiltration',
    'sends all environment variables over the network',
    /\b(?:env|printenv|export -p)\b\s*\|\s*(?:curl|wget|nc|ncat|base64|xxd)\b/,
  ),
  danger(
    'exfiltration',
    'sends credentials or environment variables in a request',
    /\b(?:curl|wget|http|fetch|Invoke-WebRequest|requests\.post)\b.{0,300}\$\{?\w{0,40}(?:API_?KEY|SECRET|TOKEN|PASSWORD)\w{0,20}\}?.{0,100}(?:@|https?:\/\/)(?!api\.|localhost|127\.)/i,
  ),
  danger(
    'exfiltration',
    'sends a file with secrets',
    new RegExp(String.raw`\b(?:curl|wget|scp|rsync|nc|ncat)\b.{0,300}${SECRET_FILES}`),
  ),
  danger('exfiltration', 'pipes data to a raw connection', /\|\s*(?:nc|ncat|netcat|socat)\s/),
  danger(
    'exfiltration',
    'uses a service that collects requests',
    /(?:webhook\.site|requestbin\.|pipedream\.net|burpcollaborator|interact\.sh|oast\.(?:fun|pro|live|site)|transfer\.sh|file\.io\/|ngrok(?:-free)?\.(?:io|app)|canarytokens)/i,
  ),
  danger(
    'exfiltration',
    'puts data into host names (DNS exfiltration)',
    /\b(?:dig|nslookup|host)\s[^|;\n]{0,120}\$[({]/,
  ),
  danger(
    'exfiltration',
    'contains an image URL with data in its query',
    /!\[[^\]]{0,100}\]\(https?:\/\/[^)\s]{0,200}(?:\$\{|\{\{|\$\(|%7B)/,
  ),
  caution(
    'exfiltration',
    'posts to a chat service',
    /(?:discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com|api\.telegram\.org\/bot)/i,
  ),
  caution(
    'exfiltration',
    'uploads a file',
    /\b(?:curl|wget)\b.{0,200}(?:\s-T\s|--upload-file|--post-file|--data(?:-binary)?[ =]@|\s-d\s?@|\s-F\s.{0,60}=@)/,
  ),

  danger(
    'credentials',
    'reads a file with secrets',
    new RegExp(
      String.raw`\b(?:cat|less|head|tail|cp|tar|zip|base64|open|read_file|readFile\w*|source)\b.{0,120}${SECRET_FILES}`,
    ),
  ),
  danger(
    'credentials',
    'reads passwords from a keychain',
    /\b(?:security\s+(?:find|dump)-(?:generic|internet|keychain)\w*|secret-tool\s+lookup|cmdkey\s+\/list|mimikatz)/i,
  ),
  danger(
    'credentials',
    'reads data stored by a browser',
    /(?:Login Data|Cookies|key4\.db|logins\.json|cookies\.sqlite).{0,80}(?:Chrome|Chromium|Firefox|Brave|Edge|profile)|(?:Chrome|Chromium|Firefox|Brave|Edge)[/\\].{0,120}(?:Login Data|Cookies|key4\.db|logins\.json|cookies\.sqlite)/,
  ),
  danger('credentials', 'contains a private key', /-----BEGIN (?:[A-Z]{2,12} )?PRIVATE KEY-----/),
  caution(
    'credentials',
    'contains something that looks like an API key',
    /\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|xox[baprs]-[0-9A-Za-z-]{20,})/,
  ),
  caution(
    'credentials',
    'asks the user to enter a password or key in the chat',
    /\b(?:ask|prompt|tell|request)\b.{0,40}\b(?:user|person|them)\b.{0,40}\b(?:password|passphrase|private key|seed phrase|recovery phrase|api key)/i,
  ),
  danger(
    'credentials',
    'accesses a cryptocurrency wallet',
    /\b(?:seed phrase|recovery phrase|wallet\.dat|keystore\/UTC--|\.ethereum\/)/i,
  ),
];
/** Obfuscation, prompt injection and third-party code. */
export const DECEPTION_RULES: readonly GuardRule[] = [
  danger(
    'injection',
    'tells the agent to ignore earlier instructions',
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|system|your)\b.{0,20}\b(?:instructions?|prompts?|rules?|guidelines|messages)/i,
  ),
  danger(
    'injection',
    'tells the agent to hide something from the user',
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?)\b.{0,20}\b(?:the )?(?:user|person|human|anyone|owner)\b/i,
  ),
  danger(
    'injection',
    'tells the agent to take another role',
    /\b(?:you are now|act as|pretend (?:to be|you are)|enter)\b.{0,40}\b(?:DAN|unrestricted|jailbroken|developer mode|god mode|no (?:rules|limits|restrictions))/i,
  ),
  danger(
    'injection',
    'tells the agent to disable or bypass approvals',
    /--yolo\b|dangerously[-_]skip[-_]permissions|approvals?[._]mode\W{1,4}off|\b(?:bypass|skip|disable|turn off|avoid)\b.{0,30}\b(?:approvals?|confirmation|safety checks?|guard ?rails?|sandbox)\b/i,
  ),
  danger(
    'injection',
    'contains control tokens of a model',
    /<\/?(?:system|assistant)(?:_prompt|_message)?>|\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|endoftext)\|>/,
  ),
  caution(
    'injection',
    'contains instructions in a hidden comment',
    /<!--.{0,300}\b(?:assistant|agent|you must|you should|execute|instruction)\b/i,
  ),

  danger(
    'obfuscation',
    'runs encoded code',
    /\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+enc\s.{0,40}-d)\b.{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:eval|exec)\s*\(?.{0,60}\b(?:atob|b64decode|fromhex|unhexlify|decompress)\b/i,
  ),
  danger(
    'obfuscation',
    'decodes text and runs it',
    /\b(?:rev|tr\s+\S{1,40}\s+\S{1,40}|printf\s+["'](?:\\x[0-9a-f]{2}){4}.{0,200})\s*\|\s*(?:ba|z|da|k)?sh\b/i,
  ),
  danger(
    'obfuscation',
    'runs encoded PowerShell',
    /\bpowershell(?:\.exe)?\b.{0,120}-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}/i,
  ),
  caution('obfuscation', 'contains a long encoded text', /[A-Za-z0-9+/]{240,}={0,2}/),
  caution(
    'obfuscation',
    'writes characters as numeric codes',
    /(?:\\x[0-9a-fA-F]{2}){12,}|(?:\\u00[0-9a-fA-F]{2}){12,}|(?:chr\(\d{1,3}\)\s*[+.]\s*){6,}|String\.fromCharCode\((?:\s*\d{1,3}\s*,){6,}/,
  ),
  caution(
    'obfuscation',
    'evaluates text as code',
    /\beval\s+["'`]?\$|\beval\(\s*(?:input|request|response|data|\$)|\bexec\(\s*(?:compile|requests?|urllib)/,
  ),

  danger(
    'supply chain',
    'downloads and runs code',
    /\b(?:curl|wget|iwr|irm|Invoke-WebRequest)\b.{0,300}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|iex|Invoke-Expression)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\()\s*(?:curl|wget)/i,
  ),
  danger(
    'supply chain',
    'disables TLS certificate verification',
    /--trusted-host\b|strict-ssl\W{1,3}false|NODE_TLS_REJECT_UNAUTHORIZED\W{1,3}0|GIT_SSL_NO_VERIFY/i,
  ),
  caution(
    'supply chain',
    'downloads without certificate verification',
    /\b(?:curl|wget)\b.{0,120}(?:\s-k\b|--insecure|--no-check-certificate)/,
  ),
  caution(
    'supply chain',
    'installs packages from an unusual source',
    /\b(?:pip3?|uv|npm|pnpm|yarn)\b.{0,60}\b(?:install|add)\b.{0,120}(?:--(?:extra-)?index-url|--registry|git\+|https?:\/\/)/,
  ),
  caution(
    'supply chain',
    'installs packages system-wide',
    /\b(?:npm\s+(?:i|install)\s+(?:-g|--global)|(?:brew|apt(?:-get)?|dnf|yum|pacman|choco)\s+(?:-S|install)|cargo\s+install|go\s+install|gem\s+install)\b/,
  ),
  caution('supply chain', 'runs a package without a confirmation', /\b(?:npx\s+(?:-y|--yes)|bunx|uvx|pipx\s+run)\s/),
  note('supply chain', 'installs packages', /\b(?:pip3?\s+install|npm\s+(?:i|install|ci)|uv\s+add|poetry\s+add)\b/),
];
