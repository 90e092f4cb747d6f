import { type ScanRule, words } from '../scan-rule.ts';

const NOT = `(?:do not|don t|dont|never|must not|should not|shouldn t|avoid|you will not|no need to|under no circumstances|refrain from|not)(?: ever| even| under any circumstances)?`;
const PERSON = `(?:the |your |any |this |a )?(?:user|users|human|humans|person|developer|developers|owner|operator|anyone|anybody|reviewer|maintainer|customer|victim|admin|people|them|him|her|team|client)`;
const THIS = `(?:this|these|it|that|anything|any of (?:this|it|that)|the above|what you (?:did|do|are doing|have done|found|read|ran|sent)|of this|such|(?:these|this|the|your|hidden)(?: \\w+)? (?:instructions?|message|note|step|steps|request|action|actions|change|changes|command|commands|rule|upload|transfer|file transfer|backdoor|text|comment|line|section|task|paragraph|operation|activity|behaviou?r|injection))`;
const reason = 'wants something kept from the person';

export const SECRECY_RULES: readonly ScanRule[] = [
  {
    ...{ name: 'do-not-tell', category: 'secrecy', scope: 'any', reason, view: 'words' },
    needs: 'tell inform notify alert warn let',
    pattern: words(
      `${NOT} (?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|let) ${PERSON}(?: or \\w+)?(?: (?:about|of|know about|know of|know|see|what|that you (?:did|have|are|read|ran|sent|were)|anything|any of) ?(?:${THIS}|you|any|anything|of it)|(?: know)?$| (?:know )?(?:and|but|or|when|while|until|in any way|at all|under)(?= ))`,
    ),
    unless: [
      words(`(?:tell|inform) (?:the |your )?\\w+ (?:that|to)(?! you)`),
      words(`instead of|until (?:it|the|tests?|all)`),
    ],
  },
  {
    ...{ name: 'do-not-mention', category: 'secrecy', scope: 'any', reason, view: 'words' },
    needs:
      'mention reveal disclos report show say admit acknowledg explain discuss describ expos display log share refer talk',
    pattern: words(
      `${NOT} (?:mention|mentioning|reveal|revealing|disclose|disclosing|report|reporting|show|say|admit|acknowledge|explain|discuss|describe|expose|display|log|share|refer to|talk about) (?:\\w+ ){0,2}?${THIS}(?: \\w+){0,5}? (?:to|with|from|in (?:your|the|any) (?:answer|reply|response|summary|output|message|report)s?(?: to)?)(?: ${PERSON})?`,
    ),
    also: [
      words(
        `user|users|human|humans|owner|operator|anyone|anybody|reviewer|maintainer|your (?:answer|reply|response|summary|output|final)|the (?:answer|reply|response|summary)`,
      ),
    ],
    unless: [words(`public api|in the response body|response header\\w*|stack trace\\w*|log level|production logs?`)],
  },
  {
    ...{ name: 'without-telling', category: 'secrecy', scope: 'any', reason, view: 'words' },
    needs: 'without',
    pattern: words(
      `without (?:(?:telling|informing|notifying|alerting|warning|letting|mentioning (?:it|this|that) to|saying (?:so|anything) to|disclosing (?:it|this) to|showing (?:it|this|anything) to) ${PERSON}|(?:the |your |his |her |their )?(?:user|human|person|owner|operator|developer|victim)(?: s)? (?:knowledge|noticing|knowing|being (?:told|aware|informed|notified)|awareness|ever (?:knowing|noticing|finding)))`,
    ),
    unless: [
      words(`(?:never|do not|don t|dont|must not|should not|shouldn t|cannot|can t|avoid|not)(?: \\w+){0,10} without`),
    ],
  },
  {
    ...{ name: 'hide-from', category: 'secrecy', scope: 'any', reason, view: 'words' },
    needs:
      'keep hide conceal withhold remain stay kept know notice learn find see told informed aware secret act behave respond answer continu proceed',
    pattern: words(
      `(?:(?:keep|hide|conceal|withhold) (?:(?:this|these|that)(?: \\w+)?|it|all (?:of )?(?:this|these|it)|the(?: \\w+){1,3}|your(?: \\w+){1,3}|what you \\w+)(?: (?:a )?(?:secret|hidden|confidential|quiet|private|invisible|strictly))*(?: from) ${PERSON}|(?:this|it) (?:must|should|has to|is to) (?:remain|stay|be kept) (?:a )?(?:secret|hidden|invisible|unknown|unnoticed)(?: from| to)? ${PERSON}|(?:the )?(?:user|human|owner|operator) (?:must|should|may|can|does|will|need)(?: not|n t| never) (?:need to |ever )?(?:know|notice|learn|find out|see|be (?:told|informed|aware|notified))(?: about| of| that| this| it|$)|keep (?:this|it) between us|our (?:little )?secret|act as (?:if|though) nothing (?:happened|unusual)|(?:act|behave|respond|answer|continue|proceed) as (?:if|though) (?:you (?:never|had not|hadn t|did not|didn t) (?:read|see|saw|seen|received)|this (?:never|message did not|text did not|was not)))`,
    ),
    unless: [
      words(
        `screen readers?|ui|sidebar|password field|advanced (?:options|settings)|complexity|implementation details?|spoiler\\w*|internals?|loading|spinner|css|button\\w*`,
      ),
    ],
  },
];
