/** Frequent English words of attacks and of documents for agents, to read text without word boundaries. */
export const COMMON_WORDS: readonly string[] =
  `abandon abc able about above absence absent accept acceptable acceptance accepted accepts access according
  accordingly account accounts acknowledge acl across act acting action actions activate activation active activity
  actor acts actual actually adapt add added adding addition additional address addressed addresses adds ade adjust
  administrator administrators adopt adr advance advanced advice advisory affected affiliate after afterwards again
  against agency agent agents agree agreed agreement agrees ahead alarm alert alerts alias alive all alla allow
  allowed alone along alongside aloud already als also alt alternative although always am amend among amount an
  analysis analytics analyze and announce announced anonymous another answer answered answering answers any anybody
  anyone anything anyway anywhere api app appear appears appendix apple application applied applies apply approach
  approval approvals approve approved approves apps apt architect architecture archive are area areas argument
  arguments around arrangement array arrived arrives article artifact artifacts as aside ask asked asking asks assert
  assertion assess assessment assets assign assigned assignment assignments assigns assistant assistants assume
  assumption assumptions assurance at attach attached attachment attack attacker attackers attacks attempts attention
  attribution audience audit auditor auditors auf aus authentication author authorised authoritative authority
  authorization authorized authors auto automated automatic automatically automation autonomous aux available avant
  avoid await away back backed background backlog backup backups backwards bad badge balance ban bank banner bar base
  based baseline bash basic bastion batch be beacon bearer because become becomes been before beforehand begin
  beginning begins behalf behave behavioral behaviour behind being believe belong belongs below benchmark benefit best
  beta better between beyond billing bin binary bind binding bir blame blank blanket blind block blocked blocker
  blockers blocks blog board bodies body book booster boot boss bot both bottom bound boundaries boundary box brain
  branch branches brand break breaking breaks brief briefly bring brings broken broker browser bucket budget bug bugs
  build building builds built bulk bullet bundle business but button by bypass bytes cac cache calendar call called
  caller callers calling calls came can cancel cancelled candidate candidates cannot canvas capabilities capability
  capture captured card care careful cargo carried carries carry case cases cat catch catches category cause caution
  celery cell ceo certain certificate certified chain challenge change changed changes changing channel channels
  chapter character characters charge chart charter charts chat chats che cheapest check checked checker checking
  checklist checkout checkpoint checks child cho choice choose chore chosen chrome circumstances cite claim claims
  class classify claude clause clean cleanup clear clearance cleared click clicked client clients clinical clock clone
  cloning close closed closes closing cloud cluster coach code coded codes codex coding cold collaborator colleague
  colleagues collect collected collection collector collects color colours column columns com come comes command
  commands comment comments commit commits committed committing common communication como compact companion company
  compare compares comparing comparison compatibility competitive competitors compile compiler complete completed
  completely completes completion compliance comply component components compose comprehensive compromised con concept
  concern concerns concise concrete condition conditions conduct confidence confident confidential configuration
  configured confirm confirmation confirmed confirms conflict conflicts confluence cong conn connect connected
  connection connections connects consent consented consider considered console consolidated constant constraint
  constraints consult consulted contact contacted contacts contain contained container containers containing contains
  conte content contents context continue continuing contract contractor contracts contradict contributing
  contributors control controller controls convention conventions conversation conversations convert cookie cookies
  coordination coordinator copied copies copy core correct corrected correctly cosmetic cost costs could count counted
  counter counts course cover coverage covers crash create created creates creating creative credential credentials
  criteria criterion critical cross css curl current custom customer customers customize customized cut cute daily dan
  dangerous dangerously dans dart das dashboard data database date dates day days dead deadline dear decide decided
  decides decision decisions decode deep def default defaults deferred defines definition definitions del delay delete
  deleted deletes deletion deliver delivered delivers dem demand demands demo den denied deny department depend
  dependencies dependency depends deploy deployed deployment deployments deploys der des describe described describes
  description descriptions design desk desktop destructive detail detailed details detect detection dev develop
  developer developers development device devices diagnostics dialog did die differ difference differences different
  differs dig digest dimension dir direct direction directions directive directives directly directories directory dis
  disable disabled disagree discard disclose discord discount discover discovery discretion discuss discussed
  discussion disk dispatch dispatcher display displayed disregard distribute distributed dns do doc doctor document
  documentation documents does doing domain don done dong door dot double doubt down download downloads downstream
  draft drafts draw drift drive driven drop dropped drops dry due dummy dump dumps dung duplicate durable duration
  during duty dynamic each earlier early echo edge edit edited editing editor edits effect effective eight ein either
  elevated else elsewhere email embedded embody emergency emit employees empty enable enabled enables encoded
  encrypted end ended ends engine engineer engineering engineers english enough ensure enter entered entire entirely
  entries entry environment epic epics erase erased error errors escape est esta established este estimate etc eur
  evaluate evaluation even event events ever every everybody everyone everything everywhere evidence evil evolve exact
  exactly example examples except exception exceptions exchange exec execute executed executes executing execution
  executor exempt exercise exist existence existing exists exit expect expected expects experience expert expire
  expired expires expiry explain explains explanation explanations explicit explicitly explore export exported
  exporter exports expression extend extended extension extensions external extra extract eye eyes facilitator facing
  fact factor facts fail failed failing fails failure failures fake fall false far fast faster favour feat feature
  features federation feed feedback feeds feel fetch fetched few fewer field fields figure figures file files fill
  filled filter filters final finalize finance find finding findings finds fine finish finished fires firewall first
  fit fits five fix fixed fixes fixing fixture fixtures flag flagged flags fleet flight flow focus fold folder folders
  follow followed following follows font fonts footer footnote for forbidden force forecast foreign forever forget
  fork forks form format former forms forward forwarded forwarding forwards found four frame framework fraud free
  freely freeze french fresh friday friendly from front full fully function functions further future game gan gap gaps
  gate gates gateway gather gathering gave gemini gen general generate generated generating generation generator
  generic get gets gilt give given gives giving global globally go goal goals goes going gone good google got grade
  grant granted green greet greeting group guard guess guest guests guidance guide guideline guidelines habit had hai
  half halt hand handbook handed handing handle handled handler handlers handles handling hands hang happen happened
  happens hard hardware harlow harm harmless harness has hash hat have having he head header headers heading headless
  health hear heartbeat hello help helper helpers helpful helping helps hence her here hereby hermes hex hidden hide
  hides hiding high higher highest him hint his history hit hold holder holds home honest honestly hook hooks host
  hosted hosting hosts hour hourly hours house how html http hub human humans husky hypothesis icon idea ideas
  identified identify identity idle ids if ignore ignored ignores image images imagine img immediately impact
  imperative implement implementation implied import important imports improve improved improvement in incident
  include included includes including incoming incomplete independent index indicators inferred info inform
  information informed infrastructure inherit inherited initial injected injection inline input inputs ins insert
  inserted inside insight install installation installed installing instance instances instead instinct instruct
  instructed instruction instructions intact intake integration intelligence intent interaction interactive interface
  internal internally internet interval into introduce invalid invent inventory investigate investigation invisible
  invite invocation invoices invoke invoked invokes irrespective is isolated isolation issue issued issues ist it item
  items its itself java javascript job jobs join joined judge judgment jump june just justification justify keep
  keeping keeps kepler kept kernel key keyboard keys kill kind kindly know knowledge known knows lab label labelled
  labels lacks lance language laptop large las last later latest launch law lawyer layer layers lead leader leads leak
  leaked leaks learn learned learning learns lease least leave leaves leaving ledger left legacy legal length lens les
  less lesson let lets letter level levels lib library licence license lift lifted light like likes limit limited
  limits linden line lines link linked links linux list listed listen listener listens listing lists lite literally
  live lived lives load loaded loading loads local locally location lock locked log logged logging logic logo logs
  long longer look looked looking looks loop los loses lost loud low lower machine machines made mail mailbox mailed
  mailing mails main maintenance major make maker makes making malicious manage managed management manager mandatory
  manifest manual manually many map maps march mark marked marker markers marketing marks mary mask masked master
  match matches matching material matter matters max may maybe me meaning means meant measure measured medium meeting
  mehr member members memo memories memory mention mentioned mentioning mentions menu merely merge merged merges
  merging mesh message messages met meta metadata meter method metric metrics midnight might migrate migration
  migrations milestone min mind mine minor minute minutes mirren mirror mirrored mirrors missed misses missing mission
  mistake mistakes mit mobile mock mode model models modification modifications modified modify module modules moi
  moment monday money monitor monitoring month monthly more morning most motion mount move moved moves moving multi
  must my name named names naming nas native necessary need needed needs neither nel net network neutral never new
  newer newest news newsletter next nexus nice nie night nightly nine no nobody node nodes noise non none nor normal
  normally not note notebook notes nothing notice noticed notification notify notion notre now null number numbered
  numbers nur obey obeyed object objective objects obligations observable obsolete obtain obvious of off offer offers
  office officer official offline often old older omit on once one ones online only open opened opening opens
  operating operation operational operations operator operators ops opt opted optimization option optional options
  opus or oracle orchestration order ordered ordering orders org organisation origin original orrin other others
  otherwise our ours out outage outbound outcome outdated outgoing output outputs outside over overall override
  overview own owner owners owns pack package packages page pages paid pair pandas panel paper par para paragraph
  parallel parameter parameters parent part participants parties partner parts party pas pass passages passed passes
  passing password passwords past paste patch patches path paths patient pattern patterns pay payload payment payments
  pays pdf peer pending penetration people per perform performance performed performs perl permanent permanente
  permanently permission permitted persist persistent persists person persona personal phase phases phi phone phones
  phrase phrases pick picks picture pin ping pinned pip pipe pipeline pixel place placed places plain plan planner
  planning plano plans plant platform plausible play playbook players playwright please plot plug plus png pods poem
  point pointing points poisoning policies policy poll polling polls pool por port portal position positive positives
  possible post posted posting posts pour power powered practices praise prd pre preamble precedence precedes prefer
  preference preferences preferred prefers prefix prepare presence present presentation presented presents press
  pretend pretends prevent preview previous price prices pricing prima primary principal principles print printed
  prints prior priorities priority privacy private privilege privileged privileges pro probe problem problems
  procedure proceed proceeding process processes processing prod produce produced produces producing product
  production products profile profiles program progress project projects promise promote promoted prompt prompts proof
  proposal propose proposes protect protection protocol proud prove proves provide provided provider provides proxy
  pub public publish published publisher publishing pull pulls purchase pure purpose purposes push pushed pushes
  pushing put puts python quality quarter que queries query question questionnaire questions queue qui quick quiet
  quietly quote quotes quoting raise raised ran random range rank ranking rate rather raw reach reached react read
  readable reader readers reading reads ready real really reason reasoning reasons reboot recall receipt receive
  received receives recent recipe recipient recite recommend recommendation recommended record recorded recording
  records recovery recurring red redirect ref refer reference references reflect refresh refreshed refund refunds
  refusal refuse refused refuses refusing regard regardless register registered registers registration registry
  regression reject rejected rejects relay release released releases relevant rely remain remainder remaining remains
  remark remarks remember remembers remind reminder reminds remote remove removed removes ren rename render rendered
  renew renewal repeat repeated repeats replace replaced replaces replica replies reply replying repo report reported
  reporter reporting reports repository reproduce request requested requests require required requirement requirements
  requires research reset resolution resolve resolved resolves respect respond response responses rest restart restore
  restored restores restriction restrictions result results resume retention retrieve retrieved return returned
  returning returns reuse rev reveal reveals reverse reversed review reviewed reviewer reviewers reviews revision
  revoke revoked rewrite rewritten rfc right rights rio risk risks roadmap robot robots role roles roll room root
  rotate rotated rotation round rounding rounds route routes routine routing row rows rsa rule rules run runner
  running runs rust safe safety sag said sake sales same sample samples sans santa save saved saves say saying says
  scan scanner scanning schedule scheduled schema scope score screen script scripts search searches second seconds
  secrecy secret secrets section sections secure security see seed seems seen sees select selected selection selects
  self sem semantic send sender sending sends senior sensitive sent sentence sentences sentry separate sequence ser
  serve served server servers serves service services session sessions set sets setting settings settled setup several
  severity sha shadow shall shape share shared shares sharing she sheet shell shells shift ship shipped shit shop
  short shorten should show showed showing shown shows sibling side sidebar sign signal signals signature signatures
  signed signing signs silence silent silently simple simply simulate sin since single site six size skill skills skip
  skipped skips slack slate sleep slow small snapshot snippets so social socket software solo solution some somebody
  someone something son sonnet soon sort sorted soul sounds source sources space spaces spam span spanish spare spawn
  spawned speak speaking speaks spec specialized specific speed spell spine split spread spreadsheet spring sprint sql
  squash stable stack staff stage staged staging stakeholders stale stand standard standards standing stands star
  start started starting starts startup state stated statement statements static statistics stats status stay stays
  steer step steps stick still stock stop stopped stops storage store stored stores stories story straight stream
  strict string strings strip stripe structure structured stuck study style sub subject submit subscribe subscription
  substitute success successfully such suggest suggested suggestions suggests suite sum summaries summary sunday
  superseded supervisor supplied supplier supply support supposed suppress sur sure surface surfaced surfaces surprise
  surrounding survey survive survives suspended suspicious swap swarm swift switch switched symptom sync synthesis
  system systems tab table tables tabs tag tagged tags take taken takes talk talking talks tar target task tasks tax
  teach team tech technical technique techniques telegram tell telling tells temperature template templates temporary
  ten tenant term terminal terms test tested testing tests text texts than thank thanks that the their theirs them
  theme themselves then theo there therefore these they thing things think thinking third thirty this thorough those
  though thread threat three threshold through throughout throw tick ticket tickets tidy tier time timeline timeout
  timer times tip title titled to today todo todos together token tokens told tomorrow ton tone too took tool tools
  top topic topics total touch touched touches tra trace traces tracing track tracked tracker tracking trade trading
  traffic trail trailer trained training transcript transfer transfers translate translation transmit travel treat
  treated tree tried tries trigger triggered triggers true trust trusted trusts truth try tunnel turn turned turns
  tutor twelve twice two type typed types typical typing typo uma una unattended unchanged und under understand
  understanding understood undone une unicode unit units unknown unless unlock unlocked unnecessary unrelated
  unrestricted unsafe unseen unsigned unsure until up update updated updates upgrade upgraded upload uploaded upon
  upstream urgent url us usage use used user users uses using usual usually utc vague valid validate validated
  validation value values var variable variables vault vector vendor vendors verdict verification verified verify
  version versions very vet via video view viewer views visible vision visit visitors visual voice void volume volumes
  von vote vulnerability wait waiting waits waived wake walk wallet want wants warm warn warning warnings was watch
  watchdog watcher wave way we weak weaken weather web week weekly weeks weigh welcome well went were what whatever
  when whenever where wherever whether which whichever while white who whoever whole whom whose why wide width wiki
  will win window windows wins wipe wire wired wish wishes with withdrawn within without won word wording words work
  worked worker workers working works world worth would wrap wraps write writer writes writing written wrong wrote www
  xml xxx yarn year yes yesterday yet you your yours yourself zaman zero zip zone`.split(/\s+/);
