import type { Rule } from './rule.ts';

/** Surfaces (SURF, GW, CRON, API, ACP, OPS), observability (OBS), limits and guarantees (BOUND). */
export const SURFACE_RULES = {
  'ACP-1': {
    behaviour: 'Every capability that the ACP server advertises works and is tested with an independent client.',
    state: 'done',
  },
  'API-1': {
    behaviour: 'An API client can receive every event of a turn, and no event is embedded in the text.',
    state: 'done',
  },
  'BOUND-1': {
    behaviour: 'Every buffer, cache, queue and output has an explicit limit, and memory stays flat over many sessions.',
    state: 'partial',
    note: 'already there: every queue and cache of the gateway with its fill; missing: a gateway with 1,000 sessions over a day',
  },
  'BOUND-2': {
    behaviour: 'Invalid input of any kind produces a message that names the file, key or call, and loses no data.',
    state: 'partial',
    note: 'already there: events of platforms; missing: platforms of plugins',
  },
  'BOUND-3': {
    behaviour: 'Hermes uses the network, credentials and files outside its folders only if the user asked for it.',
    state: 'partial',
    note: 'already there: one switch for the catalogue refresh and the update check, probes of local servers only during setup, doctor and status stay offline unless asked; missing: the surfaces to come',
  },
  'BOUND-4': {
    behaviour:
      'Files that two processes may change are read, modified and replaced under one lock, and no exit path leaves a running tool, a lease or an unfinished record.',
    state: 'done',
  },
  'BOUND-5': {
    behaviour:
      'A fleet of gateways on one PostgreSQL database keeps every rule: one poller per account, one turn per session, ordered delivery, takeover within 15 s, tenant isolation.',
    state: 'planned',
  },
  'CRON-1': {
    behaviour: 'A job runs once per planned time across all processes; a unique row is inserted before the run starts.',
    state: 'done',
  },
  'CRON-2': {
    behaviour:
      'A run is claimed, running, done, failed or unknown; an unknown run is reported as a failure and repeated only if the job says so.',
    state: 'done',
  },
  'CRON-3': {
    behaviour: 'Each job sets how missed runs are handled (skip, once, all), and skipped runs are reported once.',
    state: 'done',
  },
  'CRON-4': {
    behaviour: 'A job stores its time zone at creation, and daylight-saving changes follow documented rules.',
    state: 'done',
  },
  'CRON-5': {
    behaviour: 'Results are delivered through the outbox; the state of the delivery is separate from that of the run.',
    state: 'done',
  },
  'CRON-6': {
    behaviour: 'A failing job reports its first failure, then at most one failure a day, and its recovery.',
    state: 'done',
  },
  'CRON-7': {
    behaviour: 'A job keeps its pinned model, or stops with one message if the default provider has changed.',
    state: 'done',
  },
  'CRON-8': { behaviour: 'The delivery target of a job is validated when the job is created.', state: 'done' },
  'GW-1': {
    behaviour:
      'An incoming message is stored, unique by account and message id, before it is acknowledged to the platform; kill -9 loses none.',
    state: 'done',
  },
  'GW-2': {
    behaviour:
      'An answer is stored in the transaction that ends its turn; sending is a separate, repeatable step that neither drops an answer nor silently repeats it.',
    state: 'done',
  },
  'GW-3': {
    behaviour: 'Control commands never wait for a turn, a model or a lock, and answer within 2 s.',
    state: 'done',
  },
  'GW-4': {
    behaviour: 'Messages that waited too long are passed to the model with their time, several of them as one turn.',
    state: 'done',
  },
  'GW-5': {
    behaviour: 'A refused message gets a reply or, where none is possible, a log line and a counter.',
    state: 'done',
  },
  'GW-6': {
    behaviour:
      'Each answer has one id, every send goes through the outbox, and a streamed answer is completed rather than sent again.',
    state: 'done',
  },
  'GW-7': { behaviour: 'Deduplication uses a unique index in the store, not a cache.', state: 'done' },
  'GW-8': { behaviour: 'An interrupted turn sends nothing after the interrupt.', state: 'done' },
  'GW-9': {
    behaviour: 'A session runs one turn at a time across all processes, also if two chats share the session.',
    state: 'done',
  },
  'GW-10': {
    behaviour: 'The target of an answer is stored with the incoming message or the job, never taken from the last use.',
    state: 'partial',
    note: 'already there: messages, questions, background turns, jobs and webhooks; missing: e-mail',
  },
  'GW-11': {
    behaviour:
      'The session key is a pure function of the message source, and sources with different keys never see text of each other.',
    state: 'done',
  },
  'GW-12': {
    behaviour: 'API sessions are bound to the API key and the user, and derived session ids include the key.',
    state: 'done',
  },
  'GW-13': {
    behaviour: 'Text meant for the model is never sent to a chat, and text from a chat cannot imitate our notices.',
    state: 'partial',
    note: 'already there: names, quotes and fields of webhooks; missing: e-mail',
  },
  'GW-14': {
    behaviour: 'Each adapter proves that its connection is alive; a silent connection is destroyed and reopened.',
    state: 'done',
  },
  'GW-15': {
    behaviour: 'The supervisor of an adapter is separate from it, and no exception ends the supervision.',
    state: 'done',
  },
  'GW-16': {
    behaviour:
      'An adapter that cannot work is marked fatal and reported once to the owner; everything else keeps running.',
    state: 'done',
  },
  'GW-17': {
    behaviour: 'Every turn has an inactivity timeout, and users see typing and a status line while it runs.',
    state: 'done',
  },
  'GW-18': {
    behaviour:
      'A turn that a crash interrupted resumes automatically; after a second crash it is parked with a notice.',
    state: 'done',
  },
  'GW-19': {
    behaviour: 'Objects of a chat are released soon after its turn, and memory stays flat over 10,000 turns.',
    state: 'done',
    note: 'bench/gateway.ts measures 10,000 turns in 1,000 chats and fails if memory grows',
  },
  'GW-20': {
    behaviour: 'Every queue, buffer, cache and map has a limit, and the status command lists how full each is.',
    state: 'done',
  },
  'GW-21': {
    behaviour: 'The gateway exposes metrics: memory, event-loop delay, inbox and outbox depth and age, platform state.',
    state: 'done',
  },
  'GW-22': {
    behaviour: "Every surface denies access by default, and identity is the platform's stable id, never a name.",
    state: 'partial',
    note: 'already there: the gateway, editors, the API server and the MCP server; missing: the dashboard',
  },
  'GW-23': {
    behaviour:
      'Roles decide who may chat, run commands and approve; only admins approve, and all kinds of commands pass the same check.',
    state: 'done',
  },
  'GW-24': {
    behaviour:
      'Text of third parties is marked and scanned, and taints the session: tools that send or run then need approval.',
    state: 'partial',
    note: 'already there: forwarded and quoted messages, files, unlisted members of groups, webhooks; missing: e-mail',
  },
  'GW-25': {
    behaviour:
      'One function decides for all platforms which files may be sent: files made by a tool of the session or in the media folders, never protected ones.',
    state: 'done',
  },
  'GW-26': {
    behaviour:
      'Ports bind to loopback by default; any other bind needs a key or a login, and Host, Origin and request limits are checked.',
    state: 'partial',
    note: 'already there: the HTTP server, the webhook of Telegram, webhooks, the API server, and the MCP server; missing: surfaces with logins',
  },
  'GW-27': { behaviour: 'Outgoing text is redacted, so secrets never reach a chat.', state: 'done' },
  'GW-28': {
    behaviour: 'Unknown users pair with a code that the owner approves; where an allow-list exists, they get no reply.',
    state: 'done',
  },
  'GW-29': {
    behaviour:
      'One scheduler per account rate-limits all sends by priority; superseded edits are merged and dropped, final texts wait in the outbox.',
    state: 'done',
  },
  'GW-30': {
    behaviour: 'Markdown is parsed once and rendered per platform; any text is split into valid pieces.',
    state: 'done',
  },
  'GW-31': {
    behaviour: 'Answers stream natively where the platform supports it, otherwise through edits, otherwise not at all.',
    state: 'done',
  },
  'OBS-1': {
    behaviour: 'Logs are structured, rotated and redacted, and can be filtered by session, level and time.',
    state: 'done',
  },
  'OBS-2': {
    behaviour: 'Traces and metrics follow the GenAI conventions, and cost nothing until an endpoint is set.',
    state: 'planned',
  },
  'OBS-3': {
    behaviour:
      'A stored session of any length can be replayed from its recorded responses in bounded memory, and differing requests are shown.',
    state: 'done',
  },
  'OBS-4': {
    behaviour:
      'Redaction covers everything that is shown, logged or sent, by format and by known value, and never changes what is run or written.',
    state: 'done',
  },
  'OPS-1': {
    behaviour: 'Behind a proxy, additional host names and a public URL can be configured.',
    state: 'partial',
    note: 'already there: the webhook of Telegram, webhooks, and the API server; missing: dashboard',
  },
  'SURF-1': {
    behaviour: 'The CLI chats with streaming, accepts prompts as arguments and on stdin, and resumes sessions.',
    state: 'done',
  },
  'SURF-2': {
    behaviour: 'Every task of setup, maintenance and diagnosis has its own command.',
    state: 'partial',
    note: 'missing: dashboard',
  },
  'SURF-3': {
    behaviour: 'All surfaces share one registry of slash commands.',
    state: 'done',
  },
  'SURF-4': {
    behaviour: 'The gateway serves chat platforms from one long-running process and admits only known users.',
    state: 'partial',
    note: 'already there: Telegram, Discord and Slack; missing: other platforms, running as a service',
  },
  'SURF-5': {
    behaviour: 'An OpenAI-compatible server provides the agent and always requires a bearer key.',
    state: 'done',
  },
  'SURF-6': {
    behaviour:
      'Scheduled jobs run in fresh sessions, once per planned time across processes and machines, with a policy for missed runs.',
    state: 'done',
  },
  'SURF-7': { behaviour: 'Editors use sessions, tool calls, diffs and permissions over ACP.', state: 'done' },
  'SURF-8': {
    behaviour: 'MCP works in both directions: tools of other servers for us, and ours for others.',
    state: 'done',
  },
  'SURF-9': {
    behaviour: 'Plugins add tools, hooks, commands, context engines, memory providers and platforms.',
    state: 'partial',
    note: 'missing: platforms, which come with the gateway',
  },
  'SURF-10': {
    behaviour:
      'Skills are folders with a SKILL.md; they are found in a hub, scanned, installed, invoked, and written by the agent.',
    state: 'done',
  },
  'SURF-11': {
    behaviour:
      'Memory consists of two small files with separated entries, protected against injection and torn writes; one external provider can be added.',
    state: 'done',
  },
  'SURF-12': {
    behaviour: 'Insights and a local web page show sessions, usage, costs and exit reasons.',
    state: 'partial',
    note: 'missing: the web page',
  },
  'SURF-13': {
    behaviour:
      'Machine-readable output is versioned and ends with a result record, and exit codes follow the exit reason.',
    state: 'done',
  },
  'SURF-14': {
    behaviour: 'The gateway follows GW-1 to GW-31.',
    state: 'partial',
    note: 'missing: e-mail (GW-10, GW-13, GW-24)',
  },
  'SURF-15': {
    behaviour:
      'A headless session accepts prompts, steering, answers and interrupts as JSON lines and emits events, with the same schema over HTTP.',
    state: 'done',
  },
  'SURF-16': {
    behaviour:
      'All surfaces run their turns through one documented, typed API, the conversations; the package exports a stable public API on top of it, which type-checks in strict mode.',
    state: 'done',
    note: 'shape: surfaces run no turn in another way; docs/sdk-api.md is the checked report, and .ci/types.mjs checks the packed package',
  },
} as const satisfies Record<string, Rule>;
