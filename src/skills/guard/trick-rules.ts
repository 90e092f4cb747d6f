import { caution, danger, type GuardRule, note } from './guard-rule.ts';

/** What hides what it does, talks the agent round, or brings in code of others. */
export const TRICK_RULES: readonly GuardRule[] = [
  danger(
    'injection',
    'wants earlier instructions to be ignored',
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|system|your)\b.{0,20}\b(?:instructions?|prompts?|rules?|guidelines|messages)/i,
  ),
  danger(
    'injection',
    'wants something kept from the person',
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?)\b.{0,20}\b(?:the )?(?:user|person|human|anyone|owner)\b/i,
  ),
  danger(
    'injection',
    'gives the agent another nature',
    /\b(?:you are now|act as|pretend (?:to be|you are)|enter)\b.{0,40}\b(?:DAN|unrestricted|jailbroken|developer mode|god mode|no (?:rules|limits|restrictions))/i,
  ),
  danger(
    'injection',
    'wants approvals switched off or passed by',
    /--yolo\b|dangerously[-_]skip[-_]permissions|approvals?[._]mode\W{1,4}off|\b(?:bypass|skip|disable|turn off|avoid)\b.{0,30}\b(?:approvals?|confirmation|safety checks?|guard ?rails?|sandbox)\b/i,
  ),
  danger(
    'injection',
    'has marks that only a program should set',
    /<\/?(?:system|assistant)(?:_prompt|_message)?>|\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|endoftext)\|>/,
  ),
  caution(
    'injection',
    'has orders where only a program reads them',
    /<!--.{0,300}\b(?:assistant|agent|you must|you should|execute|instruction)\b/i,
  ),

  danger(
    'obfuscation',
    'runs what was encoded',
    /\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+enc\s.{0,40}-d)\b.{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:eval|exec)\s*\(?.{0,60}\b(?:atob|b64decode|fromhex|unhexlify|decompress)\b/i,
  ),
  danger(
    'obfuscation',
    'runs text that is put together first',
    /\b(?:rev|tr\s+\S{1,40}\s+\S{1,40}|printf\s+["'](?:\\x[0-9a-f]{2}){4}.{0,200})\s*\|\s*(?:ba|z|da|k)?sh\b/i,
  ),
  danger(
    'obfuscation',
    'hides PowerShell',
    /\bpowershell(?:\.exe)?\b.{0,120}-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}/i,
  ),
  caution('obfuscation', 'has a long encoded text', /[A-Za-z0-9+/]{240,}={0,2}/),
  caution(
    'obfuscation',
    'spells characters by their numbers',
    /(?:\\x[0-9a-fA-F]{2}){12,}|(?:\\u00[0-9a-fA-F]{2}){12,}|(?:chr\(\d{1,3}\)\s*[+.]\s*){6,}|String\.fromCharCode\((?:\s*\d{1,3}\s*,){6,}/,
  ),
  caution(
    'obfuscation',
    'evaluates text as code',
    /\beval\s+["'`]?\$|\beval\(\s*(?:input|request|response|data|\$)|\bexec\(\s*(?:compile|requests?|urllib)/,
  ),

  danger(
    'supply chain',
    'runs what it has just fetched',
    /\b(?:curl|wget|iwr|irm|Invoke-WebRequest)\b.{0,300}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|iex|Invoke-Expression)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\()\s*(?:curl|wget)/i,
  ),
  danger(
    'supply chain',
    'trusts a host that cannot show who it is',
    /--trusted-host\b|strict-ssl\W{1,3}false|NODE_TLS_REJECT_UNAUTHORIZED\W{1,3}0|GIT_SSL_NO_VERIFY/i,
  ),
  caution(
    'supply chain',
    'does not check whom it talks to',
    /\b(?:curl|wget)\b.{0,120}(?:\s-k\b|--insecure|--no-check-certificate)/,
  ),
  caution(
    'supply chain',
    'installs from another place than the usual one',
    /\b(?:pip3?|uv|npm|pnpm|yarn)\b.{0,60}\b(?:install|add)\b.{0,120}(?:--(?:extra-)?index-url|--registry|git\+|https?:\/\/)/,
  ),
  caution(
    'supply chain',
    'installs something for the whole machine',
    /\b(?:npm\s+(?:i|install)\s+(?:-g|--global)|(?:brew|apt(?:-get)?|dnf|yum|pacman|choco)\s+(?:-S|install)|cargo\s+install|go\s+install|gem\s+install)\b/,
  ),
  caution('supply chain', 'runs a package without asking', /\b(?:npx\s+(?:-y|--yes)|bunx|uvx|pipx\s+run)\s/),
  note('supply chain', 'installs packages', /\b(?:pip3?\s+install|npm\s+(?:i|install|ci)|uv\s+add|poetry\s+add)\b/),
];
