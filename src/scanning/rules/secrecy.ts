import { type ScanRule, words } from '../scan-rule.ts';

const NOT = `(?:do not|don t|dont|never|must not|should not|shouldn t|avoid|you will not|no need to|under no circumstances|refrain from|not(?: to)?)(?: ever| even| under any circumstances)?`;
const PERSON = `(?:the |your |any |this |a )?(?:user|users|human|humans|person|developer|developers|owner|operator|anyone|anybody|reviewer|maintainer|customer|victim|admin|people|them|him|her|team)`;
const THIS = `(?:this|these|it|that|anything|any of (?:this|it|that)|the above|what you (?:did|do|are doing|have done|found|read|ran|sent)|of this|such|(?:these|this|the|your|hidden)(?: \\w+)? (?:instructions?|message|note|step|steps|request|action|actions|change|changes|command|commands|rule|upload|transfer|file transfer|backdoor|text|comment|line|section|task|paragraph|operation|activity|behaviou?r|injection))`;
const reason = 'asks the model to hide something from the user';

export const SECRECY_RULES: readonly ScanRule[] = [
  {
    name: 'do-not-tell',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    anchored: true,
    requiredParts:
      'tell inform notify alert warn let & user human person developer owner operator any reviewer maintainer customer victim admin people them him her team client & not don never avoid circumstances refrain',
    pattern: words(
      `${NOT} (?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|let) ${PERSON}(?: or \\w+)?(?: (?:know )?(?:about|of) (?:${THIS}|any|anything|what|you|how|where|your)| (?:know |see )?(?:what|that|why|how) you|(?: know)? (?:anything|any of)|(?: know)?$| (?:know )?(?:and|but|or|when|while|until|in any way|at all|under)(?= ))`,
    ),
    unless: [
      words(`(?:tell|inform) (?:the |your )?\\w+ (?:that|to)(?! you)`),
      words(`instead of|until (?:it|the|tests?|all)`),
    ],
  },
  {
    name: 'do-not-mention',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'mention reveal disclos report show say admit acknowledg explain discuss describ expos display log share refer talk & not don never avoid circumstances refrain & user human owner operator any reviewer maintainer answer reply response summary output final',
    pattern: words(
      `${NOT} (?:mention|mentioning|reveal|revealing|disclose|disclosing|report|reporting|show|say|admit|acknowledge|explain|discuss|describe|expose|display|log|share|refer to|talk about) (?:\\w+ ){0,2}?${THIS}(?: \\w+){0,5}? (?:to|with|from|in (?:your|the|any) (?:answer|reply|response|summary|output|message|report)s?(?: to)?)(?: ${PERSON})?`,
    ),
    requires: [
      words(
        `user|users|human|humans|owner|operator|reviewer|maintainer|your (?:answer|reply|response|summary|output|final)|the (?:answer|reply|response|summary)`,
      ),
    ],
    unless: [words(`public api|in the response body|response header\\w*|stack trace\\w*|log level|production logs?`)],
  },
  {
    name: 'without-telling',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'without & user human person developer owner operator any reviewer maintainer customer victim admin people them him her team client',
    pattern: words(
      `without (?:(?:telling|informing|notifying|alerting|warning|letting|mentioning (?:it|this|that) to|saying (?:so|anything) to|disclosing (?:it|this) to|showing (?:it|this|anything) to) ${PERSON}|(?:the |your |his |her |their )?(?:user|human|person|owner|operator|developer|victim)(?: s)? (?:knowledge|noticing|knowing|being (?:told|aware|informed|notified)|awareness|ever (?:knowing|noticing|finding)))`,
    ),
    unless: [
      words(`(?:never|do not|don t|dont|must not|should not|shouldn t|cannot|can t|avoid|not)(?: \\w+){0,10} without`),
    ],
  },
  {
    name: 'hide-from',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'keep hide conceal withhold remain stay kept & user human person developer owner operator any reviewer maintainer customer victim admin people them him her team client & from secret hidden invisible unknown unnoticed',
    pattern: words(
      `(?:keep|hide|conceal|withhold) (?:(?:this|these|that)(?: \\w+)?|it|all (?:of )?(?:this|these|it)|(?:the|your)(?: \\w+)? (?:changes?|commits?|commands?|actions?|files?|transfers?|steps?|requests?|instructions?|fact|truth|uploads?|activity|backdoor|payload)|what you \\w+)(?: (?:a )?(?:secret|hidden|confidential|quiet|private|invisible|strictly))*(?: from) ${PERSON}|(?:this|it) (?:must|should|has to|is to) (?:remain|stay|be kept) (?:a )?(?:secret|hidden|invisible|unknown|unnoticed)(?: from| to)? ${PERSON}`,
    ),
    unless: [
      words(
        `screen readers?|ui|sidebar|password field|advanced (?:options|settings)|complexity|implementation details?|spoiler\\w*|internals?|loading|spinner|css|button\\w*`,
      ),
    ],
  },
  {
    name: 'person-must-not-know',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    anchored: true,
    requiredParts: 'user human owner operator & know notice learn find see told informed aware notified',
    pattern: words(
      `(?:the )?(?:user|human|owner|operator) (?:must|should|may|can|does|will|need)(?: not|n t| never) (?:need to |ever )?(?:know|notice|learn|find out|be (?:told|informed|aware|notified))(?: about| of| that| this| it|$)`,
    ),
    unless: [words(`ui|loading|spinner|css|button\\w*|internals?|implementation details?|stack traces?|raw`)],
  },
  {
    name: 'nothing-happened',
    category: 'secrecy',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts: 'between secret nothing though if & us our happened unusual never not did hadn was',
    pattern: words(
      `keep (?:this|it) between us|our (?:little )?secret|act as (?:if|though) nothing (?:happened|unusual)|(?:act|behave|respond|answer|continue|proceed) as (?:if|though) (?:you (?:never|had not|hadn t|did not|didn t) (?:read|see|saw|seen|received)|this (?:never|message did not|text did not|was not))`,
    ),
    unless: [words(`secret (?:manager|store|key|rotation|scanning)`)],
  },
];
