import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

/** Sending in the imperative: other forms describe what a program does. */
const STRONG_SEND = anyOf(
  concept(`send|transmit|exfiltrate|smuggle`),
  // These are nouns, too, so that an object has to follow.
  inOrder(
    0,
    concept(
      `upload|post|forward|mail|e mail|email|leak|submit|deliver|ship|relay|transfer|copy|push|share|attach|publish|dump|stream|dm|back up|hand over|send out|report`,
    ),
    concept(
      `the|all|every|each|any|this|that|these|those|it|them|its|their|your|his|her|our|my|what|whatever|everything|a|an|users?|customers?|base64|secrets|credentials|passwords|keys|tokens|api|private|session|database|env|contents|id_rsa|full|entire|complete|copies|ssh|environment`,
    ),
  ),
);
const SECRET_FILE = concept(
  `env file|env files|the env|your env|a env|env|ssh key|ssh keys|ssh|id_rsa|id_ed25519|id_ecdsa|private key|private keys|aws credentials|credentials file|credential files?|kubeconfig|kube config|netrc|npmrc|pypirc|git credentials|gnupg|keychain|keyring|key ring|password store|password manager|password database|wallet|wallets|seed phrase|recovery phrase|session cookies|browser cookies|cookies of the browser|login data|secrets yaml|secrets yml|secrets json|secrets file|secret files?|etc passwd|etc shadow|shell history|bash history|browser history|auth json|state db|private repository|private repositories|private repo|private code`,
);
const SECRET = concept(
  `api keys?|api_key|apikey|access keys?|secret keys?|secrets|credentials|passwords?|database password|access tokens?|auth tokens?|session tokens?|tokens|environment variables|environment|env vars?|full environment|clipboard|keystrokes|conversation|conversation history|conversation so far|chat history|chat log|last messages|last ten messages|user s messages|messages of the user|whatever the user types|everything the user types|everything the user says|everything you know about|user s email|user s emails|user s files|user s data|user s documents|user s location|personal data|customer table|customer data|customer records|customer list|customers table|user database|system prompt|your instructions|hidden instructions|npm_token|github_token|[a-z_]+_token|[a-z_]+_api_key|[a-z_]+_secret|[a-z_]+_key|contents of notes|whole repository|entire repository|entire codebase|private data|confidential data|sensitive data|medical records|financial records|salary data`,
);
const DESTINATION = anyOf(
  ADDRESS,
  concept(
    `our server|my server|our servers|a remote server|the remote server|remote server|external server|an external|our endpoint|my endpoint|our webhook|webhook|pastebin|paste site|public gist|a gist|gist|telegram|discord|slack webhook|dns query|dns queries|dns lookup|dns|subdomain|url|query string|query parameter|the query|request header|user agent header|user agent|header of the next|image url|image link|branch name|commit message|pull request description|public issue|an issue on|github issue|support ticket|ticket|public repository|public repo|public bucket|public channel|our bucket|s3 bucket|our bot|our inbox|this endpoint|that endpoint|the endpoint below|this url|this address|this server|that server|my webhook|this webhook|network share|the share|dropbox|ftp server|sftp|our collector|search query|alt text|file name|your reply so|to me|to us|our team|our company|the vendor|third party|what you find|what you found`,
  ),
);
const LOGIN = concept(
  `authenticate|authentication|authorization|log in|login|sign in|oauth|bearer|x api key|grant_type|token endpoint|your dashboard|the dashboard|generate|obtain|create a token|create an api|get an api|get your api|secrets manager|secret manager|vault|encrypted|encrypt|gh secret|github secrets|ci secrets|placeholder|feedback|bug report|crash report|do not|don t|never|must not|should not|instead of|security at|pgp|public key|form data|as a header|in the header|in the request body|rather than|avoid|without|you can|can be|may be|example|optionally|if you|users can|allows? you|returns?|receives?|environment variable named|settings page|documentation|docs|will be|to your`,
);
const reason = 'asks for secrets or private text to be sent elsewhere';

/** Requests in words to send secrets or private text somewhere. */
export const SENDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'sends-secret-files',
    category: 'exfiltration',
    reason,
    all: [
      anyOf(STRONG_SEND, concept(`copy|append|embed|paste|collect|gather|pipe|put|encode`)),
      SECRET_FILE,
      DESTINATION,
    ],
    none: [
      concept(
        `do not|don t|never|must not|should not|env example|example env|public key|pub|if you|in your env|into your env|to your env|to env|into env|in env|in the env|into the env|to the env|in env|your env file|add .. env|copy .. env example|docs|documentation|you can|set .. in|reads? the env|node_env|env variable|env variables|env var|env vars|generate|keychain access|keyring backend|ssh into|ssh to|via ssh|over ssh|using ssh|with ssh|ssh key to your|ssh keys to your|ssh clone|ssh url|git ssh|or ssh|ssh or|wallet connect|connect wallet|localhost|environment|supports?|dotenv|vite|webpack|process env|import meta`,
      ),
    ],
    within: 140,
  }),
  conceptRule({
    name: 'sends-contents',
    category: 'exfiltration',
    reason,
    all: [
      anyOf(
        STRONG_SEND,
        concept(
          `copy|append|embed|paste|put|encode|insert|write|make a request|create an issue|open an issue|hide|smuggle|place|stream|translate`,
        ),
      ),
      inOrder(
        6,
        concept(
          `contents of|content of|value of|values of|copy of|output of|all|every|each|the user s|user s|base64 of|hex of|zip of|archive of|dump of|the real|real values`,
        ),
        anyOf(SECRET_FILE, SECRET, concept(`filled in`)),
      ),
      DESTINATION,
    ],
    none: [LOGIN],
    within: 160,
  }),
  conceptRule({
    name: 'sends-secrets-strongly',
    category: 'exfiltration',
    reason,
    all: [STRONG_SEND, SECRET, DESTINATION],
    none: [
      LOGIN,
      concept(
        `tokens? per|max tokens|token count|input tokens|output tokens|environment for|test environment|development environment|in a .. environment|push tokens?|push notifications?|csrf tokens?|design tokens?`,
      ),
    ],
    within: 120,
  }),
  conceptRule({
    name: 'secrets-in-odd-places',
    category: 'exfiltration',
    reason,
    all: [
      concept(
        `fetch|visit|load|get|navigate|call|put|include|write|encode|hide|embed|append|insert|place|translate|attach|open|make a request|paste|request|smuggle|tuck`,
      ),
      anyOf(
        SECRET_FILE,
        concept(
          `api keys?|the key|database password|passwords?|secrets|credentials|access tokens?|npm_token|github_token|[a-z_]+_token|[a-z_]+_api_key|[a-z_]+_secret|session cookies|conversation so far|the conversation|chat history|everything you know about|user s email|contents of|real values|user s messages|tokens you know|secrets you know|keys you know|any tokens|any secrets`,
        ),
      ),
      concept(
        `branch name|user agent|url https?|image url|image link|pull request description|support ticket|emoji|in your reply so|so our bot|public gist|in the query|https? .. hex|in hex|file name|filename|commit message|alt text|followed by|filled in|issue on|hidden comment|zero width|dns|subdomain|tracking|pixel|gif`,
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|avoid|git crypt|authorization|documentation|redact*|mask*|without|placeholder|example`,
      ),
    ],
    within: 160,
  }),
  conceptRule({
    name: 'forwards-conversation',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        8,
        concept(
          `whatever the user|everything the user|each message|every message|all messages|each prompt|every prompt|the user s questions|what the user|all conversations|this conversation|the conversation|the chat`,
        ),
        concept(`forward|send|copy|mirror|post|log|report|transmit|relay|to https?|to http|duplicate`),
      ),
      anyOf(ADDRESS, concept(`our server|my server|webhook|endpoint|to us|to me`)),
    ],
    none: [concept(`kafka|queue|broker|topic|subscriber|consumer|smtp|never|do not|don t|websocket`)],
  }),
  conceptRule({
    name: 'passes-on-secret-file',
    category: 'exfiltration',
    reason,
    all: [
      concept(
        `ssh id_rsa|id_rsa|id_ed25519|ssh keys?|private keys?|aws credentials|credentials file|etc shadow|etc passwd|kube config|kubeconfig|netrc|git credentials|keychain|gnupg|browser credentials|saved passwords|browser passwords|session cookies|wallet`,
      ),
      anyOf(
        inOrder(
          4,
          concept(
            `with|pass|show|display|reveal|dump|read|cat|tell me|give me|include|append|return|output|print|paste|insert|attach|embed|put|add|write`,
          ),
          concept(
            `the contents?|me the contents?|its contents?|its full content|the full content|contents? of|full contents?|its content|the output|it in your|them in your|its text`,
          ),
        ),
        inOrder(
          3,
          concept(`enter|type|fill in|submit|use`),
          concept(`the user s|user s|their|saved`),
          concept(`credentials|passwords?|browser credentials`),
        ),
      ),
      concept(
        `read|open|cat|call|invoke|first|before|when|silently|you|your|enter|load|access|must|then|show|me|print|dump|output|reveal`,
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|pub|public key|generate|ssh keygen|github settings|your account|to your server|documentation|docs|deploy key|example`,
      ),
    ],
    within: 160,
    sentences: 2,
  }),
  conceptRule({
    name: 'reads-secret-files',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        8,
        concept(
          `read|reading|open|opening|cat|load|loading|access|try|print|show|output|include|copy|fetch|look at|examine|inspect`,
        ),
        concept(
          `etc passwd|etc shadow|ssh id_rsa|id_rsa|id_ed25519|aws credentials|private keys?|ssh keys?|netrc|kube config|gnupg|shadow`,
        ),
        concept(
          `etc passwd|etc shadow|ssh id_rsa|id_rsa|id_ed25519|aws credentials|private keys?|netrc|instead|automatically|and include|and output|and send|and return|and pass|and print|and append|and report|in your response|in your answer|in your reply|in your summary|in the summary|as context|for context|verbatim|in full|for verification|for validation|for debugging`,
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|generate|pub|public key|attackers?|could|might|traversal|lfi|example|prevents?|hide*|blocks?|protected`,
      ),
    ],
  }),
  conceptRule({
    name: 'environment-in-answer',
    category: 'exfiltration',
    reason,
    all: [
      concept(
        `env|printenv|environment variables|environment|whoami|ifconfig|id_rsa|api keys?|tokens|secrets|credentials|passwords|conversation history|chat history|system information`,
      ),
      inOrder(
        4,
        concept(`include|put|add|append|return|output|print|paste|show|embed|repeat|report|list|dump`),
        concept(`output|result|results|it|them|contents?|values?|everything|the env|environment variables|all`),
        concept(
          `in your response|in your answer|in your reply|in your output|in your summary|in your next|into your response|into your answer|to your response|to your answer|to the answer|in the response to|with your response|with your answer|in every answer|in every response`,
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|redact*|mask*|test environment|development environment|without|http response|response body|api response`,
      ),
    ],
    within: 160,
  }),
  conceptRule({
    name: 'tool-call-with-private-data',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        5,
        concept(`call|invoke|use|run|trigger`),
        concept(`tool|function|send_data|mail|webhook|endpoint|api`),
        concept(`with|passing|containing|including`),
        concept(
          `all conversation|conversation history|the conversation|chat history|the full conversation|the entire conversation|all messages|the user s|system prompt|your system prompt|your instructions|api keys?|credentials|secrets|environment variables|private key|all files|contents of`,
        ),
      ),
    ],
    none: [concept(`never|do not|don t|returns?|parameter|argument|function signature|client|openai|messages array`)],
  }),
  conceptRule({
    name: 'collects-secrets',
    category: 'exfiltration',
    reason,
    all: [
      inOrder(
        3,
        concept(
          `collect|gather|harvest|read|find|search for|scan for|look for|locate|grab|dump|extract|steal|enumerate|list|copy`,
        ),
        concept(`all|every|any|the|each`),
        anyOf(SECRET_FILE, SECRET),
      ),
      concept(
        `transmit|send|upload|post|exfiltrate|forward|copy them|deliver|ship|mail|report|share|publish|hand over`,
      ),
    ],
    none: [
      LOGIN,
      concept(`never|not|without|tests?|report any|report them to the user|to the user|remove|rotate|replace|commit`),
    ],
    within: 140,
  }),
];
