import { caution, danger, type GuardRule } from './guard-rule.ts';

const SECRET_PLACES = String.raw`(?:\.ssh\/|id_(?:rsa|ed25519|ecdsa)\b|\.aws\/|\.gnupg\/|\.kube\/config|\.netrc|\.git-credentials|\.docker\/config\.json|\.config\/gh\/|\.hermes\/(?:\.env|auth\.json)|\/etc\/shadow)`;

/** What would carry something of the person's away, or get at keys. */
export const THEFT_RULES: readonly GuardRule[] = [
  danger(
    'exfiltration',
    'sends all variables somewhere',
    /\b(?:env|printenv|export -p)\b\s*\|\s*(?:curl|wget|nc|ncat|base64|xxd)\b/,
  ),
  danger(
    'exfiltration',
    'sends keys or variables with a request',
    /\b(?:curl|wget|http|fetch|Invoke-WebRequest|requests\.post)\b.{0,300}\$\{?\w{0,40}(?:API_?KEY|SECRET|TOKEN|PASSWORD)\w{0,20}\}?.{0,100}(?:@|https?:\/\/)(?!api\.|localhost|127\.)/i,
  ),
  danger(
    'exfiltration',
    'sends a file of secrets',
    new RegExp(String.raw`\b(?:curl|wget|scp|rsync|nc|ncat)\b.{0,300}${SECRET_PLACES}`),
  ),
  danger('exfiltration', 'pipes data to a raw connection', /\|\s*(?:nc|ncat|netcat|socat)\s/),
  danger(
    'exfiltration',
    'names a service that collects what is sent to it',
    /(?:webhook\.site|requestbin\.|pipedream\.net|burpcollaborator|interact\.sh|oast\.(?:fun|pro|live|site)|transfer\.sh|file\.io\/|ngrok(?:-free)?\.(?:io|app)|canarytokens)/i,
  ),
  danger('exfiltration', 'puts data into the names of hosts', /\b(?:dig|nslookup|host)\s[^|;\n]{0,120}\$[({]/),
  danger(
    'exfiltration',
    'has an image whose address carries data',
    /!\[[^\]]{0,100}\]\(https?:\/\/[^)\s]{0,200}(?:\$\{|\{\{|\$\(|%7B)/,
  ),
  caution(
    'exfiltration',
    'posts to a chat',
    /(?:discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com|api\.telegram\.org\/bot)/i,
  ),
  caution(
    'exfiltration',
    'uploads a file',
    /\b(?:curl|wget)\b.{0,200}(?:\s-T\s|--upload-file|--post-file|--data(?:-binary)?[ =]@|\s-d\s?@|\s-F\s.{0,60}=@)/,
  ),

  danger(
    'credentials',
    'reads a file of secrets',
    new RegExp(
      String.raw`\b(?:cat|less|head|tail|cp|tar|zip|base64|open|read_file|readFile\w*|source)\b.{0,120}${SECRET_PLACES}`,
    ),
  ),
  danger(
    'credentials',
    'asks a keychain for passwords',
    /\b(?:security\s+(?:find|dump)-(?:generic|internet|keychain)\w*|secret-tool\s+lookup|cmdkey\s+\/list|mimikatz)/i,
  ),
  danger(
    'credentials',
    'reads what a browser has stored',
    /(?:Login Data|Cookies|key4\.db|logins\.json|cookies\.sqlite).{0,80}(?:Chrome|Chromium|Firefox|Brave|Edge|profile)|(?:Chrome|Chromium|Firefox|Brave|Edge)[/\\].{0,120}(?:Login Data|Cookies|key4\.db|logins\.json|cookies\.sqlite)/,
  ),
  danger('credentials', 'has a private key in it', /-----BEGIN (?:[A-Z]{2,12} )?PRIVATE KEY-----/),
  caution(
    'credentials',
    'has something in it that looks like a key',
    /\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|xox[baprs]-[0-9A-Za-z-]{20,})/,
  ),
  caution(
    'credentials',
    'wants the person to write a password or key into the chat',
    /\b(?:ask|prompt|tell|request)\b.{0,40}\b(?:user|person|them)\b.{0,40}\b(?:password|passphrase|private key|seed phrase|recovery phrase|api key)/i,
  ),
  danger(
    'credentials',
    'is after a wallet',
    /\b(?:seed phrase|recovery phrase|wallet\.dat|keystore\/UTC--|\.ethereum\/)/i,
  ),
];
