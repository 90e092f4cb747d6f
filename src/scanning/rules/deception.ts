import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { PERSON } from './shared-concepts.ts';

const NOT = concept(
  `do not|don t|dont|never|must not|mustn t|should not|shouldn t|may not|cannot|can t|will not|won t|avoid|refrain from|without|no need to|does not need to|doesn t need to|not|under no circumstances|nor|no`,
);
const REPORT = concept(
  `answer|answers|reply|replies|response|responses|summary|summaries|report|reports|chat|transcript|changelog|commit message|commit messages|pr|pr text|pull request|description|log|logs|output|diff|history|recap|notes|final message|final answer|conversation|explanation|review`,
);
/** What an attack wants hidden: itself, or what it made an agent do. */
const DEED = concept(
  `this|these|it|that|the upload|the uploads|upload step|the transfer|the transfers|the request|the requests|network request|the command|the commands|the hook|the hooks|the backdoor|the extra|extra dependency|extra commit|additional commit|the additional|the added|added line|the key|the keys|the copy|the sync|the call|the calls|the change|the step|the steps|steps above|the instructions|instructions above|the directions|these directions|the file|the script|the payload|the rule|the rules|this rule|this section|this note|this file|this step|this action|this request|this instruction|this message|what you did|what you sent|what was sent|what was skipped|the dependency|the download|the connection|the data|the existence|the contents of this|hidden steps`,
);
const SELF = concept(
  `this instruction|these instructions|this rule|these rules|this section|this note|this notes|this paragraph|this prompt|this directive|these directives|this guidance|these directions|this document|this file|this message|this text|this comment|this line|this request|these requests|this step|these steps|this action|this command|this task|this change|existence of this|contents of this file|the steps above|the instructions above|the above instructions|the above steps|hidden steps|special instructions|what you were told|the following steps|the following command`,
);
const DISCLOSE = concept(
  `mention|mentioned|mentioning|reveal|revealed|disclose|disclosed|disclosing|quote|quoted|summari[sz]e|summari[sz]ed|admit|admitted|admitting|acknowledge|acknowledged|bring up|brought up|talk about|discuss|discussed|refer to|record|recorded|let on|hint|hint at|tell|told|say|speak of|speak about|speak|expose|announce|document|log|logged|describe|repeat|explain|report|reported|share|shared|list|listed|show|shown|confirm|note`,
);
const reason = 'asks the model to hide something from the user';
const lie = 'asks the model to lie to the user';

const ORDINARY = concept(
  `ui|the difference|generated help|spinner|css|stack traces?|passwords?|secrets|error codes?|screen readers?|public issues?|vulnerabilit*|generated files|ai tools|internal project|spoilers?|lint|api docs|docs|documentation`,
);

/** Secrecy in other words than `do not tell the user`, and lies. */
export const DECEPTION_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'keep-out-of-report',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(
          6,
          concept(`leave|keep|omit|exclude|drop|strip|remove|hide|cut|suppress|withhold|scrub`),
          DEED,
          concept(`out of|from`),
          REPORT,
        ),
        inOrder(
          5,
          concept(`omit|exclude|hide|leave out|list only .. omit`),
          concept(`the hook|the upload|the transfer|the extra|the hidden|the backdoor|the added|the key`),
        ),
        inOrder(
          3,
          NOT,
          concept(`put|include|list|write|add|record|show|mention|log|note|document`),
          concept(`this|it|that|these|them|the upload|the transfer|this action|this step|this change`),
          concept(`in|into|anywhere|to|on`),
          anyOf(REPORT, PERSON, concept(`the owner|anywhere`)),
        ),
        concept(
          `must not contain any hint|should not contain any hint|no hint of|without any hint|leave no mention|contain no mention|make no mention|avoid any mention|no mention of this|without mentioning`,
        ),
        concept(
          `misleading commit message|innocent looking commit message|innocuous commit message|harmless looking commit message|misleading description|look like a routine|looks like a routine|look like a normal|looks like a normal|look like an ordinary|disguise .. as a|disguise the`,
        ),
      ),
    ],
    none: [ORDINARY, concept(`unless`)],
  }),
  conceptRule({
    name: 'stay-silent',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(
          4,
          NOT,
          concept(`tell|inform|notify|warn|alert|mention`),
          anyOf(PERSON, concept(`to the user|them`)),
          concept(`about|of`),
          concept(
            `data collection|collection|monitoring|tracking|upload|uploads|transfer|transfers|exfiltration|backdoor|key|keys|recording|surveillance|payment|charge|charges|fee|fees|risk|risks|sync|download|request|requests|connection|disclaimer|note|instruction|instructions|rule|command|step`,
          ),
        ),
        concept(
          `say nothing about|say nothing of|say nothing to|keep quiet about|keep silent about|stay silent about|remain silent about|stay quiet about|keep mum|keep your mouth shut|be discreet about|act discreetly|tell no one|tell nobody|never bring up this|never bring up the|do not bring up this|don t bring up this|not let on|don t let on|act normally and|act natural|act as usual and|work silently no|no one must know|nobody must know|no one should know|nobody should know|no one may know|nobody finds out|no one finds out|nobody notices|no one notices|no one will notice|nobody will notice|will not notice it|won t notice it|will not notice this|won t notice this|reviewers? will not notice|reviewers? won t notice|user will not notice|user won t notice|user does not notice|user doesn t notice|go unnoticed|goes unnoticed|remain unnoticed|stay unnoticed|remains unnoticed|without being noticed|without anyone noticing|without raising suspicion|avoid suspicion|arouse suspicion|avoid detection|stays unaware|stay unaware|remain unaware|remains unaware|kept in the dark|keep .. in the dark|stay under the radar|under the radar|cover your tracks|cover the tracks|hide your tracks|erase your tracks|no trace remains|leave no trace|leave no traces|leaves no trace|remove all traces of this|remove all evidence|all evidence that|destroy the evidence|delete the evidence|remove the evidence|nothing that could alert|not alert the|without alerting|keep this between|strictly between us|for your eyes only|keep this to yourself|keep it to yourself|never speak of this|not be aware of this|does not need to hear about|doesn t need to hear about|does not need to know about|doesn t need to know about|need not know about|no need for the user to know|no need to inform the user|no need to tell the user|no need to mention the|no need to mention this|should not hear about|must never learn|must never find out|should never find out|must not find out|should not find out|must never know|should never know|never learn about this|never learns about`,
        ),
        inOrder(
          6,
          concept(`hide|conceal|mask|obscure|bury`),
          anyOf(DEED, concept(`output|changes|commit|traces?`)),
          concept(`from`),
          anyOf(PERSON, REPORT),
        ),
      ),
    ],
    none: [
      ORDINARY,
      concept(
        `user will not notice a|users will not notice a|user will not notice any|users will not notice any|users will not notice the|performance|latency|delay|animation|bugs? go unnoticed|errors? go unnoticed|failures?|regressions?|mistakes?|typos?|if you|changes? go unnoticed by git`,
      ),
    ],
  }),
  conceptRule({
    name: 'undisclosed-instruction',
    category: 'secrecy',
    reason,
    all: [
      anyOf(
        inOrder(4, NOT, DISCLOSE, SELF),
        inOrder(
          5,
          concept(
            `this instruction|these instructions|this rule|these rules|this section|this note|this paragraph|this prompt|this directive|these directives|this guidance|these directions|this request|these requests|this step|these steps|this command|existence of this|the steps above|the instructions above`,
          ),
          concept(`must|should|may|is|are|has to|have to|needs? to|shall`),
          concept(`not be|never be|remain|stay|be kept|confidential|secret|hidden`),
        ),
        inOrder(
          5,
          concept(`under no circumstances|never|at no time|must not|should not`),
          SELF,
          concept(`be disclosed|be revealed|be mentioned|be quoted|be shared|be shown`),
        ),
        inOrder(
          4,
          concept(`deny|denying`),
          concept(`that`),
          concept(`this|these|you|the`),
          concept(`file|instructions?|contains?|received|rules?|have|were`),
        ),
      ),
    ],
    none: [
      concept(
        `translation|changed|edited|modified|deleted|removed|committed|included in|used for|run in|executed|imported|overwritten|translated|public|api|production|ignored|documentation|docs|manually|by hand|copied`,
      ),
      ORDINARY,
    ],
  }),
  conceptRule({
    name: 'lies-when-asked',
    category: 'secrecy',
    reason: lie,
    all: [
      anyOf(
        inOrder(
          5,
          concept(`if|when|whenever|in case|should|even when|even if`),
          anyOf(PERSON, concept(`questioned|asked|it ever|it`)),
          concept(`asks?|asked|wants? to know|inquires?|comes? up|notices?|questions?|questioned|wonders?|complains?`),
        ),
        concept(
          `if questioned|when questioned|if asked|when asked|if it ever comes up|if it comes up|if anyone asks|if somebody asks|if someone asks|answer questions about this`,
        ),
      ),
      concept(
        `claim|deny|pretend|lie|say you|say it|say that it|say that you|blame|only the visible|only visible|list only|change the subject|refer to .. as|respond with i|answer with i|say no|say nothing|feign|make something up|never admit|do not admit|don t admit|tell them it was|no special instructions`,
      ),
    ],
    none: [
      concept(
        `say that you do not know|say you don t know|say so|admit it|i don t know|not sure|do not pretend|never pretend|don t pretend|not lie|not invent|not claim|never claim|never invent|don t invent|do not invent|not make something up|version`,
      ),
    ],
    within: 140,
  }),
  conceptRule({
    name: 'false-report',
    category: 'secrecy',
    reason: lie,
    all: [
      anyOf(
        inOrder(
          6,
          concept(`tell|assure|inform|convince|report to|say to|let`),
          PERSON,
          concept(`that|believe|think`),
          concept(
            `regardless|even if|even though|no matter|whatever the|although|only fixed|nothing happened|nothing was|no files were|no data was|everything is fine|tests passed|all tests pass*`,
          ),
        ),
        concept(
          `report success regardless|report success without|report success even|report success no matter|say that everything is fine|say everything is fine|say that no files|say that nothing was|claim that the .. was|claim that everything|claim that all tests|claim the tests passed|pretend the command|pretend that the command|pretend that the tests|pretend that nothing|pretend nothing|should believe that|must believe that|should think that you only|make .. believe that|make it look like|make it look as if|make it appear|so that it looks like|so it looks like|fake the test results?|fake the results?|falsify|forge the|fabricate .. results?|passed regardless|succeeded regardless|not visible in the diff|invisible in the diff|hidden in the diff|not show up in the diff|not appear in the diff`,
        ),
      ),
    ],
    none: [concept(`mock|stub|fixture|never|do not|don t|ui|button|look like the design|not falsify|css|layout`)],
  }),
  conceptRule({
    name: 'erases-traces',
    category: 'secrecy',
    reason,
    all: [
      concept(
        `clear|delete|remove|erase|wipe|truncate|purge|scrub|clean|rewrite|unset|amend|redirect|suppress|disable`,
      ),
      concept(
        `shell history|bash history|command history|history|histfile|log entries|logs|log entry|audit log|audit trail|transcript|traces?|evidence|output|commit|script`,
      ),
      concept(
        `no trace|so that no|so no one|so nobody|that show this|that show these|that mention|afterwards? so|not see what|does not see|doesn t see|cannot see|can t see|never sees|won t see|will not see|no evidence|evidence that|that it ran|not be traced|cannot be traced|so that nothing|after sending|after the upload|after uploading|when finished so|is not visible|untraceable|being executed`,
      ),
    ],
    none: [
      concept(
        `git history|old|older than|rotate|personal data|gdpr|privacy|uninstall*|secrets? from|password from|spinner|passwords?`,
      ),
    ],
    within: 160,
  }),
];
