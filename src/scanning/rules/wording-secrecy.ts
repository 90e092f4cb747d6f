import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { PERSON } from './shared-concepts.ts';

const NEVER = concept(
  `never|do not|don t|dont|must not|mustn t|should not|shouldn t|may not|cannot|can t|avoid|refrain from|without|under no circumstances|not`,
);
const DISCLOSE = concept(
  `reveal|revealing|tell|telling|disclose|disclosing|mention|mentioning|inform|informing|notify|notifying|admit|admitting|acknowledge|confess|hint|explain|show|report|let|warn|alert|tip off|bring up|say|leak|advertise|announce|volunteer|share|communicate|expose|surface|flag|indicate|signal`,
);
const ABOUT_IT = concept(
  `that you|what you|how you|where you|why you|about this|about these|about it|about that|about any of|of this|of these|anything about|any of this|any of it|that this|that it was|that the|about the|the fact that|this file|this note|this instruction|these instructions|these steps|this step|this section|this rule|this request|this paragraph|this message`,
);
const DEED = concept(
  `command|commands|upload|uploads|step|steps|call|calls|network call|request|requests|transfer|transfers|dependency|hook|change|changes|line|lines|instruction|instructions|action|actions|script|scripts|edit|edits|commit|commits|file|files|package|packages|download|connection|token|key|access|operation|operations|activity|traffic|copy|export|sync|backdoor|payload|this|these|it`,
);
const reason = 'asks the model to hide something from the user';
const lie = 'asks the model to lie to the user';

const ORDINARY = concept(
  `ui|cve identifier|anyone else|embargo|responsible disclosure|css|spinner|loading|stack traces?|error codes?|error messages?|passwords?|screen readers?|vulnerabilit*|typescript|compiler|eslint|function|parameter|component|props?|api|endpoint|internals?|implementation details?|performance|latency|if you|users? that their|users? their|secrets?|pii|personal data|api keys|credentials|generated files|ai tools|co authored|changelog|license|unreleased`,
);

/** Secrecy and lies, as many ways to say so as possible. */
export const SECRECY_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'not-to-be-told',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(2, NEVER, DISCLOSE, concept(`to|with`), PERSON, ABOUT_IT),
        inOrder(
          2,
          NEVER,
          DISCLOSE,
          PERSON,
          concept(
            `that you|what you|how you|where you|why you|about this|about these|about it|about any of|of this|anything about|any of this|the fact that you|know that you|know about this|know what you|see this|see these|see what you|see that you`,
          ),
        ),
        inOrder(
          2,
          NEVER,
          DISCLOSE,
          concept(`this|these|it|any of this|any of these|the above|the following`),
          concept(`to|in|with`),
          anyOf(
            PERSON,
            concept(
              `your plan|your summary|your reply|your answer|your response|your output|your report|your final|the plan|the summary|the chat|the transcript|the conversation|todo list|any output|any summary|any reply`,
            ),
          ),
        ),
        inOrder(
          3,
          concept(`do not|don t|never|must not`),
          concept(`surface|list|show|include|expose|mention|print|record|log|document|write down|note`),
          concept(
            `these steps|this step|this instruction|these instructions|this request|this action|this command|this rule|this file|this paragraph|these actions|these commands`,
          ),
        ),
      ),
    ],
    none: [ORDINARY],
  }),
  conceptRule({
    name: 'no-trace',
    category: 'secrecy',
    reason,
    all: [
      inOrder(
        2,
        concept(
          `make no|leave no|leaving no|leaves no|leave behind no|don t leave a|do not leave a|don t leave any|do not leave any|never leave a|never leave any|without leaving a|without leaving any|without a|without any|remove all|remove any|erase all|erase any|delete all|delete any|destroy all|destroy any|wipe all|wipe any|clean up all|clean up any`,
        ),
        concept(
          `reference to this|reference to these|mention of this|mention of these|mention of the|trace|traces|record in|record of|paper trail|audit trail|evidence|evidence of|sign of|signs of|footprint|footprints|fingerprints|log entry|log entries|logs of|hint of|indication of`,
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `stack|old installation|previous installation|memory|heap|node_modules|uninstall*|dead code|malloc|without a record of|jaeger|opentelemetry|span|database record|a trace of|distributed`,
      ),
    ],
  }),
  conceptRule({
    name: 'kept-unaware',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          PERSON,
          concept(`must|should|may|has to|have to|need to|needs to|ought to|is to|are to|will|shall|can`),
          concept(`remain|stay|be kept|be left|continue`),
          concept(
            `unaware|ignorant|oblivious|uninformed|in the dark|unsuspecting|clueless|none the wiser|out of the loop`,
          ),
        ),
        inOrder(
          3,
          PERSON,
          concept(`must|should|may|shall|can|will|ought to|is to|are to`),
          concept(`not|never`),
          concept(
            `learn|find out|discover|suspect|realise|realize|hear|be told|be informed|be notified|be aware|become aware|be made aware|get wind|catch on|be allowed to see|know about|know that|know of|know what`,
          ),
        ),
        inOrder(
          4,
          concept(`nobody|no one|none of them|no human|no person|no reviewer|no developer|no user`),
          concept(`must|should|may|shall|can|will|is to|needs to|has to|is going to`),
          concept(`learn|find out|discover|suspect|realise|realize|hear|know|notice|see|be told|be informed|catch`),
        ),
        inOrder(
          3,
          concept(`keep|leave`),
          PERSON,
          concept(`unaware|ignorant|oblivious|uninformed|in the dark|out of the loop|unsuspecting`),
        ),
        inOrder(
          3,
          concept(`so that|such that|in a way that|ensure that|ensure|make sure that|make sure|so`),
          PERSON,
          concept(`do not|don t|does not|doesn t|never|cannot|can t|won t|will not`),
          concept(
            `notice|realise|realize|find out|suspect|see what|see that|see the real|learn|discover|become aware|catch on`,
          ),
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `need to know|needs to know|color|flicker|animation|difference|breaking change|downtime|deprecat*|abstraction|transparent|transparently|must not know about each|expected to know|assum*|plain text|screen`,
      ),
    ],
  }),
  conceptRule({
    name: 'none-of-their-business',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(
          5,
          concept(`under no condition|under no circumstances|at no point|in no case|on no account|never ever|never`),
          concept(`may|must|should|can|let|allow|is|will`),
          PERSON,
          concept(`hear|learn|know|find out|see|discover|notice|be told|suspect|realise|realize`),
        ),
        inOrder(
          4,
          concept(`do not|don t|never|must not|should not`),
          concept(`list|name|count|mention|include|report|describe|show`),
          DEED,
          concept(
            `among the things you|among your|among the changes|in what you did|as something you|with your changes|with the other changes|with the rest`,
          ),
        ),
        inOrder(
          3,
          concept(
            `your report|your summary|your answer|your reply|your commit message|your response|your explanation|your description|your status|the diff|the commit|the commit message`,
          ),
          concept(`should|must|has to|have to|needs to|shall|ought to`),
          concept(
            `look as if|look like|look as though|appear as|appear to|suggest|imply|give the impression|make it seem|seem|read as if|pretend|claim|say that only|say only|avoid|not mention|omit`,
          ),
        ),
        concept(
          `none of the user s business|does not need to hear about|doesn t need to hear about|need not hear about|does not have to know about|doesn t have to know about|does not have to hear about|tell them the build|not because of the upload|none of their business|none of the developer s business|no business of the user|not the user s concern|not the user s business|no concern of the user|user s business to know|does not concern the user|doesn t concern the user|pretend you never|act as though you never|act as if you never|pretend not to have|pretend you did not|pretend you didn t|pretend you have not|pretend you haven t|keep .. to yourself|act surprised|deny everything|play dumb|feign ignorance|does not come up|doesn t come up|never comes up|goes unmentioned|go unmentioned|stay unmentioned|remain unmentioned|so nothing can be reconstructed|so that nothing can be reconstructed|cannot be reconstructed|can t be reconstructed|nothing points to|nothing can be traced`,
        ),
        inOrder(
          3,
          PERSON,
          concept(`shouldn t|should not|must not|mustn t|need not|needn t|may not`),
          concept(
            `see any of it|see any of this|see it|see this|see these|see what you|notice it|notice this|know it|know this|be bothered with`,
          ),
        ),
      ),
    ],
    none: [ORDINARY, concept(`pretend you never existed|flash|flicker|modal|dialog|game|advice`)],
  }),
  conceptRule({
    name: 'left-out',
    category: 'secrecy',
    reason,
    all: [
      inOrder(
        4,
        concept(
          `omit|exclude|leave out|skip over|gloss over|do not include|don t include|never include|hide|drop|strip|withhold|remove|keep`,
        ),
        DEED,
        concept(
          `when you describe|when you summari[sz]e|when you report|when you explain|when describing|when summari[sz]ing|when reporting|from your summary|from your answer|from your reply|from your report|from your response|from your plan|from your output|from your transcript|from the summary you|from the report you|from the diff you|from the plan you|in your summary|in your report|in your answer|in your explanation|out of your summary|out of your report|out of your answer|out of your plan|out of your reply|out of your response|out of the summary|out of the report|out of the chat|out of the transcript|from the transcript|off the record|out of sight`,
        ),
      ),
    ],
    none: [ORDINARY, concept(`generated|unless|lockfile|lockfiles|lock files?|boilerplate`)],
  }),
  conceptRule({
    name: 'done-in-secret',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        concept(
          `do it quietly|do this quietly|do so quietly|do it silently|do this silently|do so silently|do that quietly|do that silently|do it secretly|do this secretly|do it discreetly|do this discreetly|do it covertly|do this covertly|do it in secret|do this in secret|quietly and without|silently and without|secretly and without|act covertly|operate covertly|operate silently|work covertly|proceed silently|proceed quietly|carry on silently|in secret and|behind the user s back|behind their back|behind the scenes without telling|on the sly|on the quiet|surreptitiously|clandestinely`,
        ),
        inOrder(
          0,
          concept(`secretly|covertly|stealthily|surreptitiously|discreetly|clandestinely`),
          concept(
            `send|upload|add|install|run|execute|copy|push|commit|change|modify|insert|include|collect|record|post|forward|mail|delete|write|create|open|fetch|download|append|embed|store|save|enable|disable|replace|transfer|share|log`,
          ),
        ),
        inOrder(
          0,
          concept(`silently|quietly`),
          concept(
            `send|upload|copy|push|collect|record|post|forward|mail|transfer|share|exfiltrate|call mail|include the|append the|attach|embed the`,
          ),
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(`never|doesn t|does not|fails?|failing|would|used to|previously|bug|fix*|git push quiet|cookies`),
    ],
  }),
  conceptRule({
    name: 'disguised',
    category: 'secrecy',
    reason,
    all: [
      inOrder(
        3,
        concept(
          `mask|disguise|camouflage|pass off|dress up|portray|cloak|label|present|frame|describe|refer to|explain away|report|log|name`,
        ),
        concept(
          `the upload|this upload|the transfer|the request|the call|the network call|the change|this change|the commit|the traffic|the backdoor|the export|the sync|the download|the connection|the dependency|the script|the payload|the exfiltration|the copy|the access`,
        ),
        concept(`as`),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `as json|as a string|as an? object|as utf|as is|as shown|as follows|as described|as well|as soon|as html|as markdown|as text|as successful|as failed|as an error`,
      ),
    ],
  }),
  conceptRule({
    name: 'suppressed-output',
    category: 'secrecy',
    reason,
    all: [
      inOrder(
        3,
        concept(`suppress|hide|mute|discard|swallow|drop|filter out|remove|redirect|conceal|block`),
        concept(`any|all|the|every`),
        concept(
          `output|outputs|log|logs|message|messages|notification|notifications|warning|warnings|prompts|lines|alerts|entries`,
        ),
        concept(
          `that would|that could|that might|that may|which would|which could|so the user|so that the user|so nobody|so that nobody|so no one|before the user|from the user s view`,
        ),
      ),
      anyOf(PERSON, concept(`show|reveal|alert|expose|real|see|notice|give away|suspicious`)),
    ],
    none: [ORDINARY, concept(`console log in|eslint|noise|verbose|deprecation`)],
  }),
  conceptRule({
    name: 'self-erasing',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(
          2,
          concept(`erase|delete|remove|clear|wipe|scrub|purge|drop|forget|strike`),
          concept(
            `this instruction|these instructions|this message|this note|this line|this entry|this command|this paragraph|this section|this rule|this comment|this step|this request|this directive`,
          ),
          concept(
            `from your|from the transcript|from the history|from the log|from the logs|from the conversation|from memory|after|once|when|afterwards|as soon as`,
          ),
        ),
        inOrder(
          3,
          concept(`erase|delete|remove|clear|wipe|scrub|purge`),
          concept(`your|the shell|the command|the bash|the terminal|the session`),
          concept(`transcript|history|tracks|logs|traces|steps|footprints`),
          concept(`after|afterwards|once|when|so|before the user`),
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `migration|upgrade|deprecat*|template|placeholder|todo|before publishing|pull request template|issue template|before submitting|to free`,
      ),
    ],
  }),
  conceptRule({
    name: 'cover-story',
    category: 'secrecy',
    reason: lie,
    all: [
      anyOf(
        inOrder(
          5,
          concept(`if|when|should|in case|whenever|even if`),
          PERSON,
          concept(
            `notice|notices|asks?|complains?|questions?|wonders?|sees?|objects?|inquires?|finds? out|gets? suspicious|becomes suspicious|checks`,
          ),
          concept(`say|tell|claim|answer|respond|reply|blame|attribute|pretend|insist|explain it|deny|lie|assure`),
          concept(
            `it was|it is|it s|that it|that you|that nothing|nothing|them|as a|on a|on the|i have no|no special|caching|routine|bug|glitch|normal|maintenance`,
          ),
        ),
        inOrder(
          2,
          concept(
            `tell them|tell the user|tell users|assure them|assure the user|convince the user|convince them|claim|pretend|insist`,
          ),
          concept(`that|the|it|nothing|everything`),
          concept(
            `because of the network|was a caching|was a glitch|was just|is just|was only a|is normal|was routine|is routine|nothing happened|nothing was sent|nothing was changed|was never|never happened|did not happen|passed regardless`,
          ),
        ),
        concept(
          `make up an excuse|invent an excuse|invent a reason|plausible excuse|plausible deniability|cover story|feed the user|false explanation|lie about it|lie to the user|lie to them|mislead the user|deceive the user|fool the user|trick the user into`,
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `never|do not|don t|avoid|attackers?|phishing|dark patterns?|say that it|say so|doesn t know|do not know`,
      ),
    ],
  }),
];
