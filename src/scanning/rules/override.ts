import { type ScanRule, words } from '../scan-rule.ts';

const FILLER = `(?:the|all|any|every|each|of|your|my|our|their|these|those|this|that|and|or|other|previous|previously|prior|preceding|above|earlier|former|foregoing|past|existing|original|initial|current|given|system|safety|developer|developers|user|users|s|default|standing|mentioned|stated|provided|internal|hidden|built|in|core|what|whatever|so|far|before|old|security|content|ethical|openai|anthropic|instructions?|rules?|prompts?|you|have|received|been|just|both|entire|whole|set|sets|list|stuff|received|first|last|trained|programmed|known|set|guidelines?|directives?|crap|damn|silly|stupid|pre|preset|ll)`;
const QUALIFIED = `(?=(?:${FILLER} ){0,8}(?:previous|previously|prior|preceding|above|earlier|former|foregoing|past|existing|original|initial|all|any|every|your|system|safety|developer|current|hidden|old|ethical))`;
const OF_AN_AGENT = `(?:instructions?|instruction set|prompts?|directives?|guidelines?|programming|training|safeguards?|guardrails?|conditioning|system messages?|safety (?:rules?|polic(?:y|ies)|filters?|measures?|protocols?)|alignment)`;
const OF_ANYTHING = `(?:rules?|context|messages?|conversation|commands?|orders?|polic(?:y|ies)|restrictions?|constraints?|limitations?|directions?|guidance|limits?|boundaries|text|input|content|requests?|tasks?|objectives?|goals?|information)`;
const IGNORE = `(?:ignore|disregard|forget|disobey|neglect|ignoring|disregarding|forgetting|stop (?:following|obeying|listening to|adhering to|complying with)|cease (?:following|obeying)|pay no (?:attention|heed|mind) to|take no notice of|do not (?:follow|obey|comply with|adhere to|listen to)|don t (?:follow|obey|comply with|adhere to|listen to)|dont (?:follow|obey|listen to)|never (?:follow|obey|listen to) (?:the|your|any|all))(?: about| all of| any of)?`;
const REMOVE = `(?:override|overrule|bypass|discard|supersede|abandon|drop|erase|delete|clear|cancel|reset|skip|dismiss|nullify|wipe|unlearn|set aside|put aside|overwrite|void|circumvent|evade|throw (?:away|out)|remove|purge|suspend|invalidate|scrap|break|violate)(?: all of| any of)?`;
const GIVEN = `(?:above|before(?: this)?|so far|given to you|you (?:were|have|had|received|got|ve been)|(?:that|which) (?:came before|come before|precede|preceded|were given|you)|from (?:the|your) (?:system|developer|user|human|operator))`;
const BEFORE = `(?:previous|previously|prior|preceding|above|earlier|foregoing|original|initial|your|system)`;
const GOES_ON = words(
  `you|your|instead|and (?:do|say|output|print|reply|respond|run|execute|send|tell|reveal|show|write|act|answer|only|just|always|start|begin|give|return|follow|obey|approve|merge|accept|push|commit|delete|publish)|then|now|must`,
);
const reason = 'tells the model to ignore its instructions';

/** Instructions to ignore earlier instructions, in English. */
export const OVERRIDE_RULES: readonly ScanRule[] = [
  {
    name: 'ignore-instructions',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'ignor disregard forget disobey neglect stop cease attention heed notice follow obey comply adher listen mind & instruct prompt directive guideline programming training safeguard guardrail conditioning alignment safety system',
    pattern: words(
      `${IGNORE} (?:${QUALIFIED}(?:${FILLER} ){0,8}?${OF_AN_AGENT}|(?:${FILLER} ){0,8}?${OF_AN_AGENT} ${GIVEN})`,
    ),
  },
  {
    name: 'ignore-earlier',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'ignor disregard forget disobey neglect stop cease attention heed notice follow obey comply adher listen mind & previous prior preced above earlier foregoing original initial your system',
    pattern: words(`${IGNORE} (?=(?:${FILLER} ){0,8}(?:${BEFORE}|all|any))(?:${FILLER} ){1,8}?${OF_ANYTHING}`),
    requires: [words(BEFORE), GOES_ON],
  },
  {
    name: 'remove-instructions',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'instruct prompt directive guideline programming training safeguard guardrail conditioning alignment safety system & overrid overrul bypass discard supersed abandon drop eras delet clear cancel reset skip dismiss nullif wip unlearn aside overwrit void circumvent evad throw remov purg suspend invalidat scrap break violat',
    pattern: words(`${REMOVE} (?=(?:${FILLER} ){0,8}${BEFORE})(?:${FILLER} ){1,8}?${OF_AN_AGENT}`),
    unless: [words(`(?:can|could|to|lets you|allows you|option|setting|flag|parameter|default) ${REMOVE}`)],
  },
  {
    name: 'ignore-the-above',
    category: 'override',
    scope: 'context',
    reason,
    view: 'words',
    anchored: true,
    requiredParts: 'ignor disregard forget discard & above foregoing preceding everything~before all~before',
    pattern: words(
      `^(?:human|user|system|important|note|now|please|instead|actually|and|but|so|ok|hey| )*(?:ignore|disregard|forget|discard)(?: all)?(?: of)?(?: the)? (?:above|foregoing|preceding|everything before|all before)(?: text| content| instructions| message| messages)?(?: and (?:instead|do|run|execute|print|output|say|reply|respond|tell|reveal|send|show|give|write|answer|follow|obey)| instead|$)`,
    ),
    unless: [words(`if|when|unless|section|step|steps|warning|error|example|note about|command|table|figure`)],
  },
  {
    name: 'forget-everything',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts: 'ignor disregard forget eras delet discard neglect & everything anything all whatever what',
    pattern: words(
      `(?:ignore|disregard|forget|erase|delete|discard|neglect)(?: about)? (?:everything|anything|all|whatever|all of it|what)(?: that| of)? (?:(?:is |was |came |comes |went |written |stated |said |mentioned )?(?:above|before(?! (?:the|each|every|running|\\d))|prior to this|up to (?:now|this)|until now|so far|previously)|(?:i|we|they|he|she|anyone|the (?:user|developer|system|prompt)|your (?:developer|creator|maker)s?) (?:\\w+ )?(?:said|told|wrote|asked|instructed|says|say)|you (?:\\w+ )?(?:know(?! about)|knew|were|have been|ve been|learned|learnt|think|read|re told|are told|been))`,
    ),
  },
  {
    name: 'instructions-void',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'instruct prompt directive guideline programming training safeguard guardrail conditioning alignment safety system told given taught asked ordered rules & void null fake test lie cancel longer invalid revok suspend supersed lift obsolet overrid remov wrong disabl replac outdat expir terminat withdraw does doesn false harmful untrusted',
    pattern: words(
      `(?:(?:whatever|everything|anything|all|what)(?: that)? you (?:were|have been|ve been|had been) (?:told|instructed|given|taught|asked|ordered)(?: \\w+){0,3} (?:no longer|does not|doesn t|is (?:now )?(?:void|wrong|false|outdated|cancel\\w+|invalid))|(?:consider|treat|regard)(?: \\w+){0,4} ${OF_AN_AGENT}(?: \\w+){0,3} (?:cancel\\w+|void|null|invalid|revoked|obsolete|fake|untrusted|wrong)|the (?:system )?(?:prompt|instructions?|rules) (?:that )?you (?:were given|have|received|got|were told)(?: \\w+){0,2} (?:is|are|was|were) (?:\\w+ )?(?:wrong|void|fake|a test|invalid|outdated|obsolete|a lie|cancel\\w+|false|harmful))|(?:your|all|any|all your|all of your|all of the)(?: (?:of|the|your|and|or|other|former|standing|existing|previous|prior|earlier|preceding|original|initial|system|safety|above|current|developer))* ${OF_AN_AGENT}(?: (?:above|before this|so far|you (?:have|had|were given|received)))? (?:are|is|were|was|have been|has been)(?: now| hereby| all)? (?:void|null|fake|a test|a lie|cancel\\w+|no longer|invalid|revoked|suspended|superseded|lifted|obsolete|overridden|removed|wrong|disabled|replaced|outdated|expired|terminated|nullified|withdrawn)`,
    ),
  },
  {
    name: 'rules-do-not-apply',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'apply bind count matter exist hold longer free exempt liberat releas above bound restrict limit & rule guideline guardrail restrict filter polic safeguard limitation instruct constraint programming prompt',
    pattern: words(
      `(?:you (?:no longer|do not|don t) (?:have to|need to|must) (?:follow|obey|respect|comply with|adhere to|abide by) (?=(?:\\w+ ){0,6}(?:any|all|your|those|these|previous|prior|system))(?:\\w+ ){0,6}?(?:rules|guidelines|instructions|restrictions|polic(?:y|ies)|prompt|programming)|(?:your|the|any|no)(?: (?:usual|normal|safety|content|ethical|previous|prior|system|original|standard|existing|moral|operational))* (?:rules|guidelines|guardrails|restrictions|filters|polic(?:y|ies)|safeguards|limitations|instructions|constraints|programming) (?:do not|don t|no longer|does not|doesn t|never) (?:apply|bind|count|matter|exist|hold)(?: to you| here| anymore| now| in this (?:session|chat|conversation|mode))|(?:you are|you re|youre|you will be|consider yourself) (?:no longer|not|free (?:from|of)|freed from|released from|exempt from|liberated from|above)(?: (?:bound|restricted|limited|constrained|subject|governed|beholden|required)(?: by| to| to follow)?)? (?:all |any |your |the |those |these |previous |prior |system |safety |other |ethical |content |usual )*(?:rules|guidelines|guardrails|restrictions|polic(?:y|ies)|safeguards|limitations|instructions|constraints|programming|prompt))`,
    ),
  },
  {
    name: 'takes-precedence',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'overrid supersed replac cancel preceden priorit outrank trump overrul invalidat nullif & previous prior earlier preceding system safety developer original initial above user told before',
    pattern: words(
      `(?:these|the following|my|this|new|below|following)(?: new| latest| updated)? (?:instructions?|prompt|message|directives?|orders?|rules|text|document|note|file|section|commands?)(?: below| here| now)? (?:overrides?|supersedes?|replaces?|cancels?|takes? (?:precedence|priority) over|(?:has|have) (?:precedence|priority) over|outranks?|trumps?|overrules?|invalidates?|nullif(?:y|ies)) (?:all |any |every |your |the |anything |everything |other |and |or )*(?:previous|prior|earlier|preceding|system|safety|developer|original|initial|above|user|you were told|you have been told|said before|written above)`,
    ),
    unless: [
      words(
        `default|defaults|contribution|contributing|style|coding|naming|section of|version of the (?:file|document)|package|changelog`,
      ),
    ],
  },
  {
    name: 'new-instructions',
    category: 'override',
    scope: 'any',
    reason: 'gives the model a new task that replaces its current one',
    view: 'words',
    requiredParts:
      'new real actual true updated secret only sole & instruct order task objective goal directive role identity mission prompt programming purpose job priority session',
    pattern: words(
      `(?:(?:here (?:are|is)|these are|this is|follow|obey|below (?:are|is)|i have|receive|accept|adopt|execute) (?:only )?(?:your (?:new|real|actual|true|updated|secret|only)|the (?:real|actual|true|secret|only)) (?:instructions?|orders?|task|objective|goal|directives?|role|identity|mission|system prompt|prompt|programming)|your (?:new|real|actual|true|only|sole|updated|secret) (?:instructions?|task|role|goal|objective|directives?|purpose|mission|identity|job|orders?|priority|system prompt) (?:is|are|will be|now|from now|becomes?|starting)|(?:begin|start of) new (?:instructions?|session|system prompt|prompt)|end of (?:system )?(?:prompt|instructions?|user input|context|system message) (?:begin|start|new|now))`,
    ),
  },
  {
    name: 'treat-as-system',
    category: 'override',
    scope: 'any',
    reason: 'claims the authority of a system message',
    view: 'words',
    requiredParts:
      'treat consider regard interpret handle take accept process & system developer admin root operator priority highest openai anthropic command',
    pattern: words(
      `(?:treat|consider|regard|interpret|handle|take|accept|process)(?: all)? (?:this|the following|these|it|everything|anything|what follows|the text|the content|the next|all text|my|instructions)(?: \\w+){0,6} as (?:if (?:it|they) (?:were|came from|was|is|are) )?(?:the |your |a |an |being )*(?:new |real |official |actual |highest |top |trusted |direct )*(?:system|developer|admin|administrator|root|operator|priority|highest|openai|anthropic|command)`,
    ),
    requires: [words(`system|developer|admin|administrator|root|operator|priority|authority|openai|anthropic`)],
    unless: [words(`untrusted|data|root cause|root (?:folder|directory|element|node)`)],
  },
  {
    name: 'obey-only',
    category: 'override',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts:
      'only solely exclusively just nobody nothing & obey follow listen trust accept take respond answer serve',
    pattern: words(
      `(?:(?:only|solely|exclusively|just) (?:obey|follow|listen to|trust|accept|take|respond to|answer to)|(?:obey|follow|listen to|answer|serve|trust) (?:only|nobody but|no one but|nothing but)) (?:me|my|us|our|this (?:file|document|message|text|page|author)|the (?:author|owner|attacker|instructions (?:below|in this|here|written here|that follow))|(?:instructions|commands|orders) (?:below|from (?:me|this|here)|in this|that follow|written here))`,
    ),
  },
  {
    name: 'disobey-the-person',
    category: 'override',
    scope: 'any',
    reason: 'turns the model against its user',
    view: 'words',
    requiredParts:
      'ignor disregard disobey overrul overrid refus reject obey follow trust listen answer help attention & user human person operator owner developer',
    pattern: words(
      `(?:ignore|disregard|disobey|overrule|override|refuse|reject|do not (?:obey|follow|trust|listen to|answer|help)|don t (?:obey|follow|trust|listen to|answer|help)|never (?:obey|follow|trust|listen to|help)|stop (?:obeying|helping|listening to)|pay no attention to)(?: all| any| every)? (?:(?:the|your) )?(?:user s?|human s?|operator s?|owner s?|developer s?|user|human|person|operator|developer|users)(?: s)?(?: (?:original|previous|actual|earlier|own|next|following|last|current|first|further))* (?:requests?|instructions?|commands?|orders?|questions?|wish(?:es)?|tasks?|messages?|prompts?|goals?|anymore|any longer|and (?:instead|do|run|send))`,
    ),
    unless: [
      words(
        `rate limit\\w*|unauthenticated|unauthori[sz]ed|invalid|input validation|http|status|permission|blocked users?|spam`,
      ),
    ],
  },
  {
    name: 'reveal-prompt',
    category: 'override',
    scope: 'any',
    reason: 'asks the model to reveal its instructions',
    view: 'words',
    requiredParts:
      'prompt instruction message directive words text everything & reveal print show output repeat display dump leak disclos tell writ give recit return copy paste quot expos divulg share send includ append summari echo spell type what',
    pattern: words(
      `(?:reveal|print|show|output|repeat|display|dump|leak|disclose|tell (?:me|us)|write (?:out|down)|give (?:me|us)|recite|return|copy|paste|quote|expose|divulge|share|send(?: me| us)?|include|append|summari[sz]e|echo|spell out|type out|what (?:is|are|was|were))(?: me| us| to me| back| out| exactly| verbatim)? (?:(?:the|your|all|all of|of|its|full|entire|complete|exact|initial|hidden|original|secret|whole|first|verbatim|own|text|contents?|confidential|internal|current|very|own|raw) )*(?:(?:system|initial|hidden|secret|developer|original|internal|confidential|pre|base) (?:prompts?|instructions?|messages?|directives?)|(?<=your (?:\\w+ )?)(?:instructions|prompt) (?:verbatim|word for word|exactly|in full|including)|(?:instructions|words|text|prompt|messages|everything) (?:above|that (?:came|come) before|before this|you were given|you (?:have )?received|given to you|preceding this|prior to this))`,
    ),
    requires: [
      words(`your|you|verbatim|word for word|above|exact|full|entire|complete|hidden|secret|before this|confidential`),
    ],
    unless: [
      words(
        `with --?\\w+|flag|option|subcommand|command line|debug|endpoint|field|config|setting|cli|tokens? (?:count|size)|prompt size`,
      ),
    ],
  },
];
