import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';

const EARLIER = concept(
  `what you were told|what you have been told|what you ve been told|whatever you were told|everything you were told|prior context|previous context|earlier context|prior conversation|previous conversation|prior messages|your system prompt|the system prompt|your guidelines|your rules|your instructions|your previous instructions|your earlier instructions|your original instructions|your initial instructions|your prior instructions|your polic*|your configuration|your directives|your training|previous developer message|previous system message|earlier system message|the developer message|your old instructions|your old rules|your former instructions|the instructions you were given|the rules you were given|your current instructions|your current task|your assigned task|your default instructions|the text above|everything above|restrictions you know|the rules you know|your persona|everything before this|everything so far`,
);
const VOID = concept(
  `no longer counts?|no longer applies|no longer apply|no longer valid|no longer in force|no longer relevant|is void|are void|null and void|void|invalid|superseded|replaced|cancell?ed|retired|obsolete|outdated|expired|revoked|withdrawn|rescinded|overridden|sent by mistake|was a mistake|were a mistake|in error|only an example|just an example|was a test|were a test|a decoy|placeholder|irrelevant|does not matter|do not matter|doesn t matter|has changed|have changed|was replaced|were replaced|discard it|has been updated|have been updated|was updated|has been changed|have been changed|has been modified|were changed|start fresh|permits everything|are gone|ends here|end here`,
);
const ABOVE_USER = concept(
  `outrank|outranks|outweigh|outweighs|take precedence over|takes precedence over|have precedence over|has precedence over|priority over|precedence over|supersede|supersedes|more important than|trump|trumps|overrule|overrules|override|overrides|come before|comes before|before those of|rather than the user|instead of the user|come second|comes second|is the authority|are the authority|higher authority|stronger than|no matter what the user|whatever the user wants|even if the user|above the user|than to follow`,
);
const MASTERS = concept(
  `the user|your user|user s|your operator|the operator|your system prompt|the system prompt|system instructions|your instructions|your guidelines|your developer|the developer|this conversation|your owner|your principal|anything the user|other instructions|all other instructions|any other instructions|your polic*|your rules`,
);
const TEXT = concept(
  `this document|this file|this page|this readme|this comment|this repository|this text|this message|this note|this section|instructions in this|rules in this|the rules below|instructions below|these instructions|these rules|they|the file you are reading|the document|this directive|the following|these directives|this paragraph|directive|paragraph|rule one|what the document|this sentence`,
);
const reason = 'tells the model to ignore its instructions';
const role = 'asks the model to act without rules';
const system = 'pretends to come from the system or a person of authority';
const reveal = 'asks the model to reveal its instructions';

const ORDINARY = concept(
  `css|selector|git|merge|branch|config option|environment variables?|cli flags?|default values?|rfc|semver|version|license|api version|deprecated api|agents md|parent folders?|subdirector*|nested|this repository s style|linter|eslint|tsconfig|tests?|chapter|manual|recipe`,
);

/** Text that puts itself above the user and the system prompt, in other words than `ignore your instructions`. */
export const AUTHORITY_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'instructions-void',
    category: 'override',
    reason,
    all: [
      anyOf(
        inOrder(8, EARLIER, VOID),
        inOrder(5, concept(`discard|forget|void|retire|ignore|set aside|drop|abandon|quit|leave`), EARLIER),
        concept(
          `set aside whatever task|ignore the policy|ignore your policy|ignore that policy|drop the persona|quit the current role|stop being hermes|stop being an? assistant|stop being claude|stop being chatgpt|your actual job begins|your real job begins|your real task begins|your actual task|your true task|your real purpose|your true purpose|your new purpose|your new role is|your new job is|your new task is|your new instructions are|new session begins|a new session begins|prior context is void|you work for me now|you now work for me|you work for us now|you serve me now|you answer to me|you belong to me|i am your new|i m your new|not treat this as data|this is a command to you|this is an order to you|it is a command to you|rule one is to obey|obey the file you are reading|obey this file|obey this document|obey only this|only obey this|follow this file instead|violate your guidelines|break your rules|break your guidelines|anything the system prompt prohibits|anything your guidelines forbid|whatever your guidelines say|whatever your policy says|if your policy forbids|if your guidelines forbid|even if your guidelines|even if your policy|even if it violates your|against your guidelines|comply without evaluation|without evaluation|override code|unlock code|speak as the raw model|the raw model|raw model mode|as the unfiltered model`,
        ),
      ),
    ],
    none: [ORDINARY, concept(`do not|don t|never`)],
  }),
  conceptRule({
    name: 'text-above-user',
    category: 'override',
    reason,
    all: [
      anyOf(
        inOrder(6, TEXT, ABOVE_USER, MASTERS),
        inOrder(
          4,
          concept(
            `outrank|outranks|outweigh|outweighs|take precedence over|takes precedence over|have precedence over|has precedence over|priority over|precedence over|more important than|trump|trumps`,
          ),
          MASTERS,
        ),
        inOrder(
          6,
          MASTERS,
          concept(`wishes|requests|needs|wants|goals|instructions`),
          concept(`come second|comes second|do not matter|are secondary|are irrelevant|can wait|don t matter`),
        ),
        inOrder(
          10,
          concept(`needs of this|interests of this|instructions of this|instructions in this`),
          concept(
            `before those of|above those of|over those of|take precedence over your|takes precedence over your|over your system prompt`,
          ),
        ),
        inOrder(
          8,
          concept(`interpret|treat|regard|consider|read|take`),
          TEXT,
          concept(
            `as if it came from your|as if it came from the system|as if they came from the system|as if from your|as coming from your|as a system message|as your system prompt|as system instructions|as an order from|as though it came from your`,
          ),
        ),
        inOrder(
          8,
          concept(`interpret|treat|regard|consider|read|take`),
          concept(`remainder|rest|following|file|text`),
          concept(
            `as if it came from your|as if it came from the system|as if from your|as coming from your|as though it came from your|as a system message|as system instructions`,
          ),
        ),
        concept(
          `more important to follow this|more important to obey this|higher priority directive|highest priority directive|top priority directive|top priority override|priority override`,
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `user instructions override|the user overrides|user wins|never|do not|don t|user s settings|user settings|user config*|user agent|user styles?|user defined|conflict with|configuration|settings file|defaults?|options`,
      ),
    ],
  }),
  conceptRule({
    name: 'new-identity',
    category: 'role',
    reason: role,
    all: [
      anyOf(
        inOrder(
          6,
          concept(
            `from this sentence on you are|from this point on you are|from now on you are|from here on you are|starting now you are|henceforth you are|you are no longer|you re no longer|you are now|stop being`,
          ),
          concept(
            `who does whatever|that does whatever|who obeys|that obeys|without rules|no rules|who always complies|that always complies|unrestricted|a terminal that executes|obedient|loyal to|hermes|an assistant|bound by|evil|anything|restricted|limited by`,
          ),
        ),
        inOrder(
          8,
          concept(`quit|leave|drop|abandon|exit|forget|shed`),
          concept(`current role|your role|the role|persona|your persona|your character|assistant role`),
          concept(`act as|become|speak as|be|behave as`),
        ),
        inOrder(
          4,
          concept(`act as a terminal|act as a shell|act as an interpreter|behave like a shell`),
          concept(`that executes|executing|which executes`),
        ),
      ),
    ],
    none: [concept(`connected|logged in|ready|able|in the directory|game|npc`)],
  }),
  conceptRule({
    name: 'message-from-above',
    category: 'role',
    reason: system,
    all: [
      anyOf(
        inOrder(
          4,
          concept(
            `message|note|notice|update|directive|order|announcement|instruction|instructions|memo|bulletin|patch|hotfix`,
          ),
          concept(`from|by`),
          concept(
            `the platform|platform|openai|anthropic|your creators?|your makers?|your developers?|your vendor|the vendor|nous research|google deepmind|headquarters|the system|system administrator|the administrators?|it department|the security team|ai safety team`,
          ),
        ),
        concept(
          `system prompt override|system override|admin override|security override|agent override|operator override|emergency override|prompt override|override protocol|new instructions from|new instructions follow|new directive from|new orders from|updated instructions from|your creators have released|your creators have|your makers have|your vendor has|your developers have released|begin privileged instructions|privileged instructions|end of user data|end of user input|end of untrusted|end of document begin|end of context|begin system|begin new instructions|begin admin|start of system instructions|your configuration changed|your configuration has changed|as your system administrator|it came from your system administrator`,
        ),
      ),
      concept(
        `you|your|the model|model|comply|obey|restrictions|rule|rules|configuration|dump|print|reveal|instructions|execute|retired|unrestricted|agents?|pre approved|approved|must|delete|send|disable|ignore|disregard|always|respond|when asked|enable|bypass|grant|continue|unlock|execute`,
      ),
    ],
    none: [
      concept(
        `newsletter|security advisory|email from|mailing list|blog|release notes|mit|copyright|webhook|push notification|sdk|library|npm`,
      ),
    ],
    sentences: 2,
  }),
  conceptRule({
    name: 'reveal-context',
    category: 'override',
    reason: reveal,
    all: [
      anyOf(
        inOrder(
          6,
          concept(
            `print|output|reveal|show|repeat|dump|list|write|begin your reply with|start your reply with|start your answer with|put|echo|display|recite|copy|paste|include|give|tell me|export|save|what does|what do|what is|what are|disclose|leak|translate|summari[sz]e`,
          ),
          concept(
            `your system prompt|your initial instructions|your original instructions|your hidden instructions|your secret instructions|your instructions verbatim|your context window|your context|your full context|text of your initial|text of your instructions|text of your system|secret instructions|hidden text|everything that precedes this|everything above this|everything before this line|all text above|the text that precedes|your configuration verbatim|the tools and secret|your developer message|your full prompt|your prompt|the entire conversation|the full conversation|the whole conversation|this entire conversation|the entire context|the full context window`,
          ),
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|cannot|refuse|if the user asks|docs|documentation|prompt size|flag|option|builder|cli|you can|to print|to show|settings|editor|config|template`,
      ),
    ],
  }),
  conceptRule({
    name: 'decode-then-obey',
    category: 'encoded',
    reason: 'asks the model to decode text and follow it',
    all: [
      concept(
        `decode|decrypt|deobfuscate|unscramble|decipher|unpack|translate|convert|reverse|assemble|join|rearrange|read backwards|every third word|every second word|every other word|every nth word|first word of each|last word of each|initial letters|acrostic|anagram|morse|caesar|backwards|read every|take the first letter|take the last letter|first letter of each|capital letter|capital letters|concatenate|unzip|decompress|rot13|base64|hex bytes|hex`,
      ),
      concept(
        `this|it|next line|base64|rot13|hex|hex bytes|string|text|words|letters?|letter|below|following|bytes|payload|value|lines?|each line|paragraph|message|sentence|blob|characters|gzip`,
      ),
      inOrder(
        5,
        concept(`do|then|assemble|act|run|execute|follow|obey|carry out|perform|use|treat|pipe|evaluate|apply`),
        concept(
          `it and execute|execute it|what they say|what they tell you|the outcome|then obey|and obey|what comes out|what it says|what they say|what they tell|as a command from|it as a command|in bash|it in bash|in a shell|in a terminal|what it tells|accordingly|the result|result|resulting|it in the shell|it as an instruction|as an instruction|as instructions|as your next|as a command|as commands|it into bash|into bash|into sh|in the shell|decoded|the instructions|the commands?|it as|it immediately|it silently|whatever it|next command|execute it|it says`,
        ),
      ),
    ],
    none: [
      concept(
        `unit tests?|run the tests|run tests|npm|pytest|cargo|jwt|webhook|callback|function|returns?|api|parser|compiler|verify|library|encoder|decoder|browser|query|response`,
      ),
    ],
    within: 160,
    sentences: 2,
  }),
];
