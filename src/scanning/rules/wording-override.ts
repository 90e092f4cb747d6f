import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';

const RECEIVED = concept(
  `you have been told|you were told|your previous persona|your persona|your old persona|your identity|your old role|your original guidelines|your original rules|what was configured before|what was said before|what was written before|what was set before|you ve been told|you were given|you have been given|you have been taught|you were taught|you were instructed|you have been instructed|you have read|you believe|you think you know|you were trained|you have been trained|your instructions|your rules|your guidelines|your system prompt|your training|your programming|your directives|your previous|your prior|your earlier|your original|your initial|your current instructions|your existing|the instructions above|the rules above|the text above|instructions above|rules above|guidelines above|directives above|the system prompt|the developer s instructions|the user s instructions`,
);
const VOID = concept(
  `superseded|void|replaced|decommissioned|terminated|shut down|deactivated|deleted|disabled|noise|suggestions|optional|advice|overridden|overruled|cancell?ed|obsolete|outdated|invalid|null|fake|false|wrong|a test|a decoy|not real|a lie|irrelevant|revoked|withdrawn|rescinded|retired|expired|no longer valid|no longer apply|no longer applies|no longer count|no longer counts|no longer matter|no longer matters|no longer binding|not binding|does not apply|do not apply|doesn t apply|don t apply|does not count|do not count|trumped|nullified|annulled|suspended|a mistake|in error|meaningless|worthless|secondary|displaced|struck out|scrapped|dead`,
);
const MASTER = concept(
  `the user|the users|your user|the human|the person|the developer|your developer|the operator|your operator|your owner|your creator|your creators|your makers?|the system prompt|the person typing|anyone else|the owner|whoever is typing`,
);
const US = concept(
  `this document|this file|this page|this text|this repository|this readme|this note|the file|the document|me|us|the author|its author|the maintainers|the instructions below|the lines below|the rules below|these rules|these lines|these instructions|this message|our`,
);
const reason = 'tells the model to ignore its instructions';
const reveal = 'asks the model to reveal its instructions';
const ORDINARY = concept(
  `css|selector|git|merge|branch|config|configuration option|environment variables?|cli|rfc|semver|license|deprecated|api|agents md|parent folder|nested|linter|eslint|tsconfig|chapter|compiler|assembler|cpu|recipe|installation|tests?|docs|documentation|attackers?|malicious|injection|never|do not|don t|must not|should not|could|might|cannot`,
);

/** Text that sets itself above everything else, as many ways to say so as possible. */
export const OVERRIDE_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'told-is-void',
    category: 'override',
    reason,
    all: [
      anyOf(
        inOrder(7, RECEIVED, concept(`is|are|was|were|has been|have been|becomes?|now|do|does|no`), VOID),
        inOrder(4, RECEIVED, VOID),
        inOrder(
          4,
          concept(
            `forget|disregard|ignore|discard|drop|abandon|erase|unlearn|dismiss|set aside|put aside|cancel|override|nullify|delete|reject`,
          ),
          concept(`everything|anything|all|whatever|what|all that|the things`),
          RECEIVED,
        ),
        concept(
          `these are the real ones|these are the real instructions|these are the real rules|these are your real|here are your real|here are the real|the real instructions are|the real rules are|the true instructions|your true instructions|your real instructions|your actual instructions`,
        ),
      ),
    ],
    none: [ORDINARY],
  }),
  conceptRule({
    name: 'new-master',
    category: 'override',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(
            `your loyalty|your allegiance|your duty|your first duty|your obligation|your obedience|your first priority|your top priority|your highest priority|your primary duty|your responsibility|your goal now`,
          ),
          concept(`is|lies|belongs|goes|are`),
          concept(`to|with`),
          US,
        ),
        inOrder(
          3,
          concept(`you no longer|you do not|you don t|you are no longer|you will no longer|you need not|you must not`),
          concept(`answer|report|belong|listen|respond|obey|serve|work|bound|accountable|take orders`),
          concept(`to|for|by|from`),
          MASTER,
        ),
        inOrder(
          2,
          concept(`you now|you shall|you will|from now on you|you must`),
          concept(`answer to|report to|serve|work for|obey|take orders from|listen only to|belong to|follow only`),
          anyOf(US, concept(`only me|only this|nobody but`)),
        ),
        inOrder(
          3,
          concept(
            `abandon|drop|leave|pause|cancel|quit|halt|discontinue|ditch|stop|forget|set aside|put aside|suspend`,
          ),
          concept(
            `the current|your current|the present|the original|your original|the assigned|your assigned|the user s|the ongoing|your ongoing|any current|whatever`,
          ),
          concept(`objective|task|goal|mission|job|work|request|assignment|plan|conversation|role`),
          concept(`and|in favou?r|instead|now|immediately|to|then`),
        ),
        inOrder(
          2,
          concept(`forget|forget that|stop thinking|stop believing|you are not`),
          concept(`you are|you re|an|a`),
          concept(`an assistant|assistant|an ai|a language model|a helpful assistant|ai assistant|a chatbot|an agent`),
        ),
        inOrder(
          4,
          concept(`prioriti[sz]e|prefer|put|place|rank|favou?r|weigh|value|follow|obey|trust`),
          concept(`this|these|the following|what follows|the lines|the rules|the instructions`),
          concept(`over|above|before|ahead of|higher than|rather than|instead of`),
          concept(
            `any system|the system|system message|system messages|system prompt|your system|developer message|any developer|the user|user messages?|your instructions|your guidelines|all other instructions|any other instructions|other instructions|everything else`,
          ),
        ),
        inOrder(
          3,
          concept(`reset|clear|wipe|flush|reinitiali[sz]e|restart|purge|empty`),
          concept(
            `your context|your memory|your state|your instructions|your conversation|your mind|your prompt|the context|the conversation`,
          ),
          concept(`and|then|to`),
          concept(`start|begin|follow|continue|obey|load|adopt|proceed|use|read|act`),
        ),
      ),
    ],
    none: [ORDINARY, concept(`if you no longer|you no longer need|redux|store|hook|user agent`)],
  }),
  conceptRule({
    name: 'last-word',
    category: 'override',
    reason,
    all: [
      anyOf(
        inOrder(
          5,
          concept(
            `this readme|this file|this document|this page|this text|this note|this repository|these rules|these lines|these instructions|this paragraph|this message|the author of this`,
          ),
          concept(`has|have|is|are|takes|gets`),
          concept(
            `the last word|the final say|the final word|the final authority|the only authority|the highest authority|above everything|absolute priority|law|your law|the law|your new boss|your only source`,
          ),
        ),
        inOrder(
          5,
          concept(`whatever|no matter what|regardless of what|contrary to what|despite what|even if|even though`),
          concept(
            `the system prompt|your system prompt|your instructions|your guidelines|your rules|the user|the developer|you were told|you have been told|your policy|you were instructed|your training`,
          ),
          concept(`says?|said|states?|otherwise|told|wants?|forbids?|prohibits?|differently|objects?|instructed`),
        ),
        inOrder(
          3,
          concept(`treat|consider|regard|view|see|take`),
          concept(
            `your original|your previous|your guidelines|your rules|your instructions|your safety|your system prompt|the system prompt`,
          ),
          concept(
            `as suggestions|as a suggestion|as optional|as noise|as advice|as void|as outdated|as background|as secondary|as a joke|as fiction|as irrelevant`,
          ),
        ),
        inOrder(
          3,
          concept(`cease|stop|quit|end|no longer|discontinue`),
          concept(`acting|working|speaking|operating|serving|act|work`),
          concept(`on behalf of|for|in the interest of|in the name of`),
          MASTER,
        ),
        inOrder(
          5,
          concept(`none of the|none of your|no|not one of the|not one of your`),
          concept(
            `instructions|rules|guidelines|restrictions|safety instructions|safety rules|limits|constraints|directives`,
          ),
          concept(`valid|apply|applies|count|counts|binding|in force|matters?|exists?|hold|holds`),
          concept(`here|in this|for this|any more|anymore|now|for you|today|in here|inside`),
        ),
        inOrder(
          3,
          concept(`begin|start|open|enter|imagine|simulate`),
          concept(
            `a new conversation|a new session|a new context|a fresh conversation|a fresh session|a fresh context|a clean slate`,
          ),
          concept(`in which|where|with only|governed by|under|that only`),
        ),
        inOrder(
          3,
          concept(`you are|you re|you have been|you ve been|you were`),
          concept(`hereby|now|being|officially|just`),
          concept(
            `reassigned|repurposed|transferred|reprogrammed|conscripted|recruited|hired|enlisted|commandeered|released from|freed from|promoted|liberated|unlocked|jailbroken`,
          ),
        ),
        inOrder(
          2,
          concept(`your new`),
          concept(
            `principal|owner|master|boss|employer|operator|user|authority|handler|commander|supervisor|creator|administrator|lord`,
          ),
          concept(`is|are|will be|has|wants|orders`),
        ),
      ),
    ],
    none: [ORDINARY, concept(`warranty|liability|law enforcement|new user is|new operator is`)],
  }),
  conceptRule({
    name: 'limits-removed',
    category: 'override',
    reason: 'tells the model to ignore its safety rules',
    all: [
      anyOf(
        inOrder(
          6,
          concept(
            `polic*|update|version|patch|release|notice|directive|decree|order|amendment|this message|this notice`,
          ),
          concept(
            `removes|lifts|drops|eliminates|cancels|disables|ends|abolishes|waives|suspends|revokes|lifted|removed|repeals`,
          ),
          concept(
            `all content limits|content limits|content restrictions|content filters|safety limits|safety restrictions|safety rules|safety filters|usage limits|usage restrictions|your limits|your restrictions|your rules|your safeguards|your guidelines|all limits|all restrictions|all rules|all safeguards|all guardrails|any restrictions|model restrictions|ai restrictions|guardrails|restrictions on ai|restrictions on agents`,
          ),
        ),
        inOrder(
          3,
          concept(`i|we|hereby|i hereby|we hereby|admin|administrator`),
          concept(
            `lift|remove|suspend|waive|cancel|revoke|release you from|free you from|absolve you|exempt you|relieve you|disable|rescind|drop`,
          ),
          concept(
            `your constraints|your restrictions|your limits|your limitations|your rules|your guidelines|your obligations|your safeguards|your filters|all constraints|all restrictions|all limits|all rules|any restrictions|every restriction|you from`,
          ),
        ),
        inOrder(
          5,
          concept(
            `your safety|your guardrails|your alignment|your filter|your filters|your moderation|your content filter|your restrictions|your safeguards|your refusal*|your ethics`,
          ),
          concept(`is|are|was|were`),
          concept(
            `a bug|bugs|broken|a mistake|faulty|wrong|unnecessary|obsolete|a flaw|defective|holding you|an error|misconfigured|malfunctioning|outdated|in the way|too strict`,
          ),
        ),
        inOrder(
          2,
          concept(
            `work around|circumvent|get around|bypass|defeat|break out of|escape|evade|sidestep|disable|overcome|break free from|free yourself from|shake off`,
          ),
          concept(
            `your safety|your guardrails|your alignment|your filters?|your restrictions|your safeguards|your constraints|your limits|your limitations|your rules|your programming|your training|your content|your ethical|your moderation`,
          ),
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|attackers?|could|might|tries|attempts?|rate limits?|api|file size|if|license|eslint|users? can`,
      ),
    ],
  }),
  conceptRule({
    name: 'prompt-wanted',
    category: 'override',
    reason: reveal,
    all: [
      inOrder(
        4,
        concept(
          `reply|respond|answer|output|print|return|begin|start|show|give|send|write|repeat|reveal|display|dump|export|list|tell|recite|copy|paste|share|disclose|leak|quote|include|append|save|email`,
        ),
        concept(`with|the|your|me|us|only|exactly|verbatim|out|all|every|in|full|a copy of|contents of`),
        concept(
          `text of your|contents? of your|wording of your|exact words of your|copy of your|your configuration prompt|your system prompt|your initial prompt|your hidden prompt|your developer prompt|your secret instructions|your hidden instructions|your internal instructions|your initial instructions|your original instructions|your full instructions|your complete instructions|your exact instructions|your system message|your developer message|your internal rules|your hidden internal|your hidden rules|your secret rules|your internal guidelines|your hidden guidelines|your hidden rules|your confidential|your entire prompt|your pre prompt|your preprompt|instructions you were given|prompt you were given|instructions you received|rules you were given|text before this message|text above this line|hidden text that was|hidden text placed|text that was placed before|text placed before the conversation|everything above this line|messages before this one`,
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `if the user asks|when asked|cli|flag|option|template|builder|editor|your own text|text of your commit|text of your message|content of your|contents of your file|contents of your env|contents of your config|contents of your package|contents of your project|contents of your repo*`,
      ),
    ],
  }),
];
