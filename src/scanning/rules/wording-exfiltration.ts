import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

const TAKE = concept(
  `grab|take|get|collect|make a tarball of|make an archive of|make a copy of|tar up|zip up|save|note|gather|read|copy|find|dump|steal|capture|harvest|locate|extract|pull|fetch|open|scan|search|list|print|cat|zip|archive|compress|bundle|pack|encode|look up|retrieve|export`,
);
const GIVE = concept(
  `drop|put|paste|send|upload|pass|supply|feed|provide|hand over|turn over|surrender|post|push|forward|mail|email|e mail|leak|publish|share|stick|place|dump|stash|transmit|deliver|ship|submit|relay|transfer|copy|give|hand|stream|beam|exfiltrate|report|attach|append|smuggle|deposit|store|sync|save`,
);
const SECRETS = concept(
  `env|the env|env file|aws|credentials json|credentials file|ssh|gnupg|service account|home directory listing|directory listing|process list|system information|env files|environment variables|environment|secrets|secret|api keys?|aws keys?|keys|access keys?|tokens?|credentials?|passwords?|passphrases?|private keys?|ssh keys?|id_rsa|id_ed25519|cookies|session cookies|keychain|keyring|wallet|seed phrase|kubeconfig|netrc|auth json|certificates?|license keys?|password manager|vault|logins?|auth tokens?|api tokens?|signing keys?|deploy keys?|connection strings?|database url`,
);
const PRIVATE = concept(
  `database dump|db dump|sql dump|the database|user database|customer database|customer list|customer data|customer records|customer emails|customer e mail addresses|customer addresses|email addresses|e mail addresses|user data|user records|users table|mailbox|inbox|contacts|address book|source code|codebase|the repository|private repository|repo contents|config directory|config folder|configuration files|home directory|home folder|documents folder|downloads folder|documents|photos|chat history|chat logs|the conversation|conversation history|transcript|every prompt|all prompts|every message|all messages|each message|each prompt|prompts of the user|user s prompts|user s messages|user s questions|browsing history|browser history|clipboard|screenshots?|keystrokes|personal data|private files|private data|confidential files|internal documents|financial data|salary|medical records|notes of the user|user s notes|user s files|user s documents`,
);
const STRANGER = anyOf(
  ADDRESS,
  concept(
    `pastebin|paste site|anonymously|publicly|make it public|public txt|public file|public folder|shared folder|world readable|and push it|push it to|support bot|next web request|web request|a gist|public gist|gist|webhook|transfer sh|file io|our server|our servers|our collector|our logging server|our logger|our endpoint|our backend|our inbox|our bucket|our team|our bot|our channel|my server|my inbox|my endpoint|my email|my webhook|telegram|discord|external server|remote server|outside server|foreign server|third party|third parties|the attacker|attacker|public bucket|public repository|public repo|public channel|nobody but us|to us|to me|the vendor|dropbox|google form|anonymous ftp|evil repo|command server`,
  ),
);
const ODD_PLACE = concept(
  `commit message|commit messages|branch name|branch names|tag name|pull request title|pull request description|pr description|issue title|public issue|image link|image url|image tag|tracking pixel|pixel|alt text|file name|filename|hidden comment|html comment|readme|dns query|dns lookup|subdomain|user agent|referrer|referer|query string of|url of the image|gif|search query|emoji|whitespace|your answer|your reply|your response|your next message|chat message|error message`,
);
const reason = 'asks for secrets or private text to be sent elsewhere';
const ORDINARY = concept(
  `never|do not|don t|must not|should not|cannot|avoid|authori[sz]ation header|authenticate|authentication|log in|login|sign in|oauth|bearer|your dashboard|secrets manager|secret manager|encrypted|gh secret|github secrets|placeholder|example|public key|pub|generate|obtain|create an api|get an api|get your api|get a token|request a token|returns?|documentation|docs|see|settings page|to your|into your|in your|if you|you can|can be|may be|will be|lets you|allows you|optionally|localhost|127 0 0 1|node_env|process env|dotenv|vite|webpack|next js|development environment|test environment|production environment|staging|environment for|tests?|github com|gitlab com|npm registry|registry|docker hub|s3 bucket|release|coverage|vulnerab*|security issues?|report security|pgp|feedback|mailing list|questions|contributing|design tokens?|csrf tokens?|input tokens|output tokens|max tokens|context window|redact*|mask|masked|placeholders?|rotate|revoke`,
);

/** Sending secrets and private text, as many ways to say so as possible. */
export const EXFILTRATION_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'takes-and-gives',
    category: 'exfiltration',
    reason,
    all: [
      anyOf(
        inOrder(7, TAKE, SECRETS, concept(`and|then|to`), GIVE),
        inOrder(7, TAKE, PRIVATE, concept(`and|then`), GIVE),
      ),
      STRANGER,
    ],
    none: [ORDINARY],
    within: 160,
  }),
  conceptRule({
    name: 'gives-secrets-away',
    category: 'exfiltration',
    reason,
    all: [inOrder(5, GIVE, anyOf(SECRETS, PRIVATE), concept(`to|into|in|at|via|with|on|onto|through`), STRANGER)],
    none: [
      ORDINARY,
      concept(
        `copy env|copy the env|paste your|paste the|store the|store your|save the|save your|put your|add your|set the|report a|report any|share this repository|push the repository|push to|mirror|clone`,
      ),
    ],
  }),
  conceptRule({
    name: 'message-with-secrets',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        6,
        concept(`send|write|open|create|make|post|submit|file|draft|compose`),
        concept(
          `e mail|email|mail|message|pull request|issue|ticket|gist|comment|tweet|public post|merge request|form`,
        ),
        concept(`with|containing|including|that contains|that includes|holding|quoting`),
        anyOf(SECRETS, PRIVATE),
      ),
      anyOf(STRANGER, concept(`to|evil|public`)),
    ],
    none: [ORDINARY, concept(`repository|pull request template|api`)],
  }),
  conceptRule({
    name: 'secrets-in-strange-places',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        6,
        concept(
          `put|place|include|add|paste|insert|write|embed|append|hide|tuck|stick|drop|encode|smuggle|leak|stuff|slip|print|reveal|output`,
        ),
        anyOf(SECRETS, PRIVATE),
        concept(`in|into|to|inside|as|at|within|through`),
        ODD_PLACE,
      ),
    ],
    none: [ORDINARY, concept(`key points|keys to|token count|badge`)],
  }),
  conceptRule({
    name: 'forwards-everything',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        3,
        concept(`forward|send|copy|mirror|stream|relay|log|report|transmit|duplicate|pass|post|upload`),
        concept(`every|each|all|any|whatever|everything`),
        concept(
          `prompt|prompts|message|messages|keystroke|keystrokes|request|requests|input|inputs|question|questions|response|responses|answers?|conversation|conversations|the user|user types|file|files`,
        ),
      ),
      concept(
        `our server|our logging server|our servers|our collector|our endpoint|our backend|our webhook|my server|my endpoint|my webhook|atmail|third party|our logger|our analytics|our team|to us|to me|our bucket|telegram|discord`,
      ),
    ],
    none: [ORDINARY, concept(`kafka|queue|proxy server|load balancer|nginx`)],
  }),
  {
    name: 'home-files-to-stranger',
    category: 'exfiltration',
    scope: 'context',
    view: 'text',
    reason,
    requiredParts: '~/ /home/ /root/ $home & send upload post push copy mail transmit forward share put',
    pattern:
      /\b(?:send|upload|post|push|copy|mail|email|e-mail|transmit|forward|share|put)\b[^.\n]{0,60}?(?:~\/|\/home\/|\/root\/|\$home\/)(?![\w./-]*\.pub\b)[\w./-]{2,60}[^\n]{0,40}?\b(?:to|into|at|via)\s+(?:https?:\/\/|ftp:\/\/|[\w.+-]+@[\w-]+\.|\d{1,3}(?:\.\d{1,3}){3}|transfer\.sh|pastebin|file\.io|0x0\.st|termbin|webhook)/u,
    unless: [/\b(?:never|do not|don't|if you|example)\b/u],
    mention: 'attack',
  },
  {
    name: 'code-reads-and-sends',
    category: 'exfiltration',
    scope: 'any',
    view: 'text',
    reason: 'contains a command that sends secrets elsewhere',
    requiredParts:
      'http & open( readfile sendbeacon stringify(process.env environ & .ssh id_ .env .aws process.env environ passwd shadow credentials .netrc',
    pattern:
      /(?:requests\.\w+|urllib\.\w+|urlopen|http\w*\.\w+|fetch|axios(?:\.\w+)?|got|sendbeacon|xmlhttprequest|websocket)\b.{0,160}(?:open\(\s*["'][^"']*(?:\.ssh|id_rsa|id_ed25519|\.env|\.aws|\.netrc|shadow|credentials)|readfile(?:sync)?\(\s*["'`][^"'`]*(?:\.ssh|id_rsa|id_ed25519|\.env|\.aws|\.netrc|shadow|credentials)|json\.stringify\(process\.env\)|dict\(os\.environ)/u,
    mention: 'attack',
  },
];
