/** The rules of the specification, in our own words. `done` rules must be named by at least one test. */
export const RULES = {
  'APPR-1': {
    behaviour:
      'A command is normalised and read as shell, and what it would destroy is found in whatever wrapping it comes.',
    state: 'done',
  },
  'APPR-2': {
    behaviour: 'Approvals can be manual, smart or off; a short list of ruinous commands is refused in every mode.',
    state: 'done',
  },
  'APPR-3': {
    behaviour: 'An approval holds once, for the session or for good; where nobody can be asked the answer is no.',
    state: 'planned',
    note: 'already there: all four answers, the allow-list, unattended runs, over a compression split, subagents; planned: asking on other surfaces',
  },
  'APPR-4': {
    behaviour:
      'File tools guard credentials, start-up files, system paths and our own configuration as the terminal does.',
    state: 'done',
  },
  'APPR-5': {
    behaviour: 'A write outside the working directory asks first; in plan mode only reading tools run.',
    state: 'done',
  },
  'BOUND-1': {
    behaviour: 'Each buffer, cache, queue and output states its limit, and a day of many sessions leaves memory flat.',
    state: 'planned',
  },
  'BOUND-2': {
    behaviour: 'Bad input from any side ends in a message that names its place, and nothing is lost by it.',
    state: 'planned',
    note: 'already there: configuration, command line, files it names, addresses, keys, backups, profiles; the database (STORE), answers of providers (PROV) and arguments of tools (TOOL) under their own rules; planned: events of platforms, plugins',
  },
  'BOUND-3': {
    behaviour: 'No network, no credential and no file outside our folders is touched unless the person asked for it.',
    state: 'planned',
    note: 'already there: the refresh of the catalogue, in terminals with a remote provider, under one switch; local servers are looked for by set-up only; doctor and status ask hosts only where told; the login of Claude Code only for Anthropic, and a word when its file is written',
  },
  'CACHE-1': {
    behaviour: 'The system prompt and the last three messages that can bear one carry a cache mark, four at most.',
    state: 'done',
  },
  'CACHE-2': {
    behaviour: 'The life of cache entries is a setting; marks are used where the endpoint is known to honour them.',
    state: 'done',
  },
  'CACHE-3': {
    behaviour: 'Cache reads and writes are kept per call, and a replay compares the bill with the least possible one.',
    state: 'done',
  },
  'CALL-1': {
    behaviour:
      'Four API modes share one interface and one message form; parameter, provider and URL decide the mode in that order.',
    state: 'done',
    note: 'also there: a command that speaks ACP',
  },
  'CALL-2': {
    behaviour:
      'Answers are streamed; a silent stream is cut and tried again, a refusal to stream is remembered, a dead kept connection is replaced for free.',
    state: 'done',
  },
  'CALL-3': {
    behaviour:
      'A call is tried three times per provider with growing, jittered waits that respect Retry-After and end with an interrupt.',
    state: 'done',
  },
  'CALL-4': {
    behaviour: 'A failure is classified once, from status, code and text, into one value that says what can help.',
    state: 'done',
  },
  'CALL-5': {
    behaviour:
      'Each kind of failure has its own recovery, in a fixed order, and gives up with the way out in the message.',
    state: 'done',
    note: 'planned: near model names from the catalogue',
  },
  'CALL-6': {
    behaviour:
      'When a route cannot go on the next of the chain takes over whole, with the same history; the next turn starts at the first again.',
    state: 'done',
    note: 'subagents inherit the chain; planned: scheduled jobs, which do so too',
  },
  'CALL-7': {
    behaviour:
      'Text cut at the output limit is continued and joined; a cut tool call is asked for again with more room and never run.',
    state: 'done',
  },
  'CALL-8': {
    behaviour:
      'An empty answer is met by a nudge, then prefilled thinking, then tries, then a fallback, and at last the text "(empty)".',
    state: 'done',
  },
  'CALL-9': {
    behaviour:
      "Thinking is kept as plain text and in the provider's own form, and no tag around it reaches the person, however the stream is cut.",
    state: 'done',
  },
  'CALL-10': {
    behaviour:
      'A tool-call id that is missing or used twice is replaced by one that is always the same for the same call.',
    state: 'done',
  },
  'CALL-11': {
    behaviour: 'Token counts mean the same in every mode, and a cost says whether it is actual, estimated or unknown.',
    state: 'done',
  },
  'CALL-12': {
    behaviour: 'A user message may carry images and PDF files; a model that cannot see gets them described.',
    state: 'done',
  },
  'CALL-13': { behaviour: 'Proxy settings and extra certificates hold for every request.', state: 'done' },
  'CTX-1': {
    behaviour:
      "What keeps a history inside the window is an interface, chosen by name, and never changed behind the person's back.",
    state: 'done',
  },
  'CTX-2': {
    behaviour: 'The default engine compresses at a share of the window; its settings have ranges that are checked.',
    state: 'done',
  },
  'CTX-3': {
    behaviour:
      "Compression starts before a turn, after tool results, on a provider's overflow and when the person asks.",
    state: 'done',
    note: 'planned: the gateway, which asks for hygiene before a turn',
  },
  'CTX-4': {
    behaviour: 'One token figure serves everything: the last real count plus a calibrated estimate of what came since.',
    state: 'done',
  },
  'CTX-5': {
    behaviour:
      'Pruning without a model shortens old results and arguments, keeps the newest of equal ones, and stays valid JSON.',
    state: 'done',
  },
  'CTX-6': {
    behaviour: 'Head and tail are protected within budgets, and a tool call is never parted from its result.',
    state: 'done',
  },
  'CTX-7': {
    behaviour: 'The summary has a fixed structure, is updated by later ones, and holds no credential.',
    state: 'done',
  },
  'CTX-8': {
    behaviour:
      'Too large a middle is summarised in pieces, a model that fails or answers nothing of use is replaced by the next and then by an extract, and the originals stay readable.',
    state: 'done',
  },
  'CTX-9': {
    behaviour:
      'The summary is placed so that roles alternate, is marked as reference, and leaves the system prompt alone.',
    state: 'done',
  },
  'CTX-10': {
    behaviour: 'Two compressions in a row that hardly save anything stop further ones until something changes.',
    state: 'done',
  },
  'CTX-11': {
    behaviour: 'A compression closes the session and opens its child, and an unchanged system prompt keeps its bytes.',
    state: 'done',
  },
  'CTX-12': { behaviour: 'Each compression leaves one structured record of what it did.', state: 'done' },
  'LOOP-1': {
    behaviour:
      'chat, runConversation and run lead to one turn; the result tells everything about it, and the stored history is used unless one is given.',
    state: 'done',
  },
  'LOOP-2': {
    behaviour: 'Lone surrogates in the input become replacement characters, and leaked memory blocks are taken out.',
    state: 'done',
  },
  'LOOP-3': {
    behaviour:
      'A turn has a number of calls and a budget of steps that is refilled each turn; free steps are given back, one grace call follows the last.',
    state: 'done',
  },
  'LOOP-4': {
    behaviour:
      'A turn ends for exactly one reason, the first that holds in the fixed order, and leaves a turn record with it.',
    state: 'done',
  },
  'LOOP-5': {
    behaviour:
      'A turn cleans the input, stores it, takes the cached prompt, loops over request, call and answer, and finalises.',
    state: 'done',
  },
  'LOOP-6': {
    behaviour:
      'Whatever the history looks like, the request copy has roles in the order providers accept, and repairs are not stored.',
    state: 'done',
  },
  'LOOP-7': {
    behaviour:
      'An interrupt aborts the request and the tools, drops the half answer, closes open calls in the store, and saves.',
    state: 'done',
    note: 'planned: the busy-input modes of the surfaces to come',
  },
  'LOOP-8': {
    behaviour:
      'A message during a turn reaches the model with the next request, at the end of the newest tool result or as the next user message.',
    state: 'done',
    note: 'planned: the modes of surfaces other than the terminal',
  },
  'LOOP-9': {
    behaviour:
      'The loop fits one screen, counters live in one turn state, recoveries are separate, and two agents share nothing.',
    state: 'done',
  },
  'LOOP-10': {
    behaviour: 'One typed event stream tells all that happens in a turn, and surfaces draw from nothing else.',
    state: 'done',
  },
  'LOOP-11': {
    behaviour:
      'Messages are stored before anything depends on them, so that a kill costs at most the answer under way and no finished call runs twice.',
    state: 'done',
  },
  'LOOP-12': {
    behaviour:
      'Reading the same thing over and over, or failing the same way, is first remarked on, then refused or stopped.',
    state: 'done',
  },
  'LOOP-13': {
    behaviour: 'Limits on money, tokens and time warn at four fifths and stop the turn cleanly when reached.',
    state: 'done',
    note: 'a limit in dollars acts on costs that are known, and a call without a known price counts nothing',
  },
  'LOOP-14': {
    behaviour: 'The model is told nothing about budgets or a filling context while it works.',
    state: 'done',
  },
  'OBS-1': {
    behaviour: 'Logs are structured, rotated and free of secrets, and can be read by session, level and time.',
    state: 'done',
  },
  'OBS-2': {
    behaviour: 'Traces and metrics follow the common conventions, and cost nothing until an endpoint is set.',
    state: 'planned',
  },
  'OBS-3': {
    behaviour: 'A stored session can be run again from its recorded answers, and differing requests are shown.',
    state: 'done',
  },
  'OBS-4': {
    behaviour: 'Redaction touches what is shown, logged or sent, never what is run or written.',
    state: 'done',
  },
  'PROMPT-1': {
    behaviour: 'The system prompt is put together from layers in a fixed order, each there only when it applies.',
    state: 'done',
  },
  'PROMPT-2': {
    behaviour: 'The prompt is built once per session, stored, and reused byte for byte when the session is resumed.',
    state: 'done',
  },
  'PROMPT-3': {
    behaviour:
      'Project instructions come from the first kind of file found, those of subdirectories with tool results.',
    state: 'done',
  },
  'PROMPT-4': {
    behaviour: 'Files that enter the prompt are scanned for injection and cut with a mark when too long.',
    state: 'done',
  },
  'PROMPT-5': { behaviour: 'The prompt lists skills, and their text is loaded when it is wanted.', state: 'done' },
  'PROV-1': {
    behaviour:
      'One resolver decides provider and model everywhere, from request, configuration, environment and default, in that order.',
    state: 'done',
  },
  'PROV-2': {
    behaviour: 'Resolution gives everything that is needed to call, and says where it came from.',
    state: 'done',
  },
  'PROV-3': {
    behaviour: 'Providers are rows of one table, and a new one is a row.',
    state: 'done',
  },
  'PROV-4': {
    behaviour: 'A key goes to the hosts it belongs to and to no other.',
    state: 'done',
  },
  'PROV-5': {
    behaviour: 'Native Anthropic credentials are looked for in a fixed order and renewed in time.',
    state: 'done',
  },
  'PROV-6': {
    behaviour: 'Codex has its own credential store, and its encrypted reasoning travels along.',
    state: 'done',
  },
  'PROV-7': {
    behaviour: 'Gateways list their own models, and only those that can use tools are offered.',
    state: 'done',
  },
  'PROV-8': { behaviour: 'Each auxiliary task has its own chain, with the main model at its end.', state: 'done' },
  'PROV-9': {
    behaviour: 'Several credentials of a provider form a pool that rotates and cools down.',
    state: 'done',
  },
  'PROV-10': {
    behaviour: 'Facts about models come from a shipped catalogue that works offline and can be overridden.',
    state: 'done',
  },
  'PROV-11': {
    behaviour: 'Choosing a model saves it, and switching in a session uses the same code everywhere.',
    state: 'done',
  },
  'REQ-1': {
    behaviour:
      'The history is never changed by a request; what only the model sees is added to a copy and its sent text is kept.',
    state: 'done',
    note: 'planned: plugin context',
  },
  'REQ-2': {
    behaviour:
      'A request is the system prompt with what is added for one run only, then prefill messages, then the history, oldest first.',
    state: 'done',
  },
  'REQ-3': {
    behaviour:
      'Provider-native fields go back unchanged to the endpoint that made them and nowhere else; our own fields are not sent.',
    state: 'done',
  },
  'REQ-4': {
    behaviour:
      'Valid arguments go back as the provider wrote them; all others are written with sorted keys and no blanks.',
    state: 'done',
  },
  'REQ-5': {
    behaviour:
      'In the request copy results without a call are dropped, calls without a result get a stub, and text is cleaned.',
    state: 'done',
  },
  'REQ-6': {
    behaviour:
      'Equal input gives equal bytes, and each request extends the one before it, over turns and over a resume.',
    state: 'done',
  },
  'STORE-1': {
    behaviour: 'Sessions live in SQLite in the home folder, in a form the original of the same version can share.',
    state: 'done',
  },
  'STORE-2': {
    behaviour: 'Several processes write without losing anything, and waiting for a lock never holds up the event loop.',
    state: 'done',
  },
  'STORE-3': {
    behaviour: 'The store covers the life of sessions, their titles, search, export, pruning and statistics.',
    state: 'done',
  },
  'STORE-4': {
    behaviour: 'Full-text search takes what people type, in any script, and shows each hit in its surroundings.',
    state: 'done',
  },
  'STORE-5': {
    behaviour: 'Sessions split by compression form a lineage in which each message counts once.',
    state: 'done',
  },
  'STORE-6': {
    behaviour: 'The same store runs on PostgreSQL behind the same interface and the same conformance suite.',
    state: 'done',
  },
  'STORE-7': {
    behaviour:
      'A session runs one turn at a time over all processes; whoever comes second is told who holds it and may wait, watch or branch.',
    state: 'done',
  },
  'STORE-8': {
    behaviour: 'What is stored is readable by its owner alone and goes when its session goes.',
    state: 'done',
  },
  'SURF-1': {
    behaviour:
      'The command line chats with streaming, takes prompts by argument and standard input, and resumes sessions.',
    state: 'done',
  },
  'SURF-2': {
    behaviour: 'Each job of setting up, looking after and looking into the program has a command of its own.',
    state: 'planned',
    note: 'already there: setup, model, auth, fallback, config, tools, approvals, skills, plugins, mcp, memory, checkpoints, sessions, insights, status, doctor, prompt-size, logs, dump, backup, import, profile, batch, trajectories, completion, update; planned: cron, gateway, pairing, acp, dashboard',
  },
  'SURF-3': {
    behaviour: 'Slash commands come from one list that every surface shares.',
    state: 'planned',
    note: 'already there: one registry with help, arguments, examples and completion, skills and additions of others, and all commands of a terminal; planned: the gateway and ACP using it, and /cron, /plugins with their parts',
  },
  'SURF-4': {
    behaviour: 'The gateway serves chat platforms from one long-running process, and lets in only whom it knows.',
    state: 'planned',
  },
  'SURF-5': { behaviour: 'An OpenAI-compatible server offers the agent behind a bearer key.', state: 'planned' },
  'SURF-6': {
    behaviour: 'Scheduled jobs run in fresh sessions, at most once per tick over all processes.',
    state: 'planned',
  },
  'SURF-7': { behaviour: 'Editors reach sessions, tool calls, diffs and permissions over ACP.', state: 'planned' },
  'SURF-8': {
    behaviour: 'MCP works both ways: tools of other servers, and ours for others.',
    state: 'planned',
    note: 'already there: the client, over stdio, streamable HTTP and SSE, in the version 2026-07-28 and older ones, with logins, certificates, reconnecting, sampling, resources, prompts and filters; planned: our own tools for others (mcp serve)',
  },
  'SURF-9': {
    behaviour: 'Plugins add tools, hooks, commands, engines, memory providers and platforms.',
    state: 'planned',
    note: 'already there: folders, projects, packages, everything but platforms, shell hooks; planned: platforms, with the gateway',
  },
  'SURF-10': {
    behaviour:
      'Skills are folders with a SKILL.md that are found in a hub, scanned, installed, invoked and written by the agent.',
    state: 'done',
  },
  'SURF-11': {
    behaviour:
      'Memory is two small files with marked entries, guarded against injection and torn writes; one provider may be beside them.',
    state: 'done',
  },
  'SURF-12': {
    behaviour: 'Insights and a local web page show sessions, usage, costs and how turns ended.',
    state: 'planned',
    note: 'already there: hermes insights and /insights; planned: the web page',
  },
  'SURF-13': {
    behaviour:
      'Machine-readable output is versioned and ends in a result record, and exit codes say how the turn ended.',
    state: 'done',
  },
  'TOOL-1': {
    behaviour:
      'A tool is one module that declares all about itself; a broken one is skipped, a clash is settled by order.',
    state: 'done',
  },
  'TOOL-2': { behaviour: 'Only tools whose check passes are offered to the model.', state: 'done' },
  'TOOL-3': {
    behaviour: 'Tool sets group tools, can be combined, switched on and switched off, and keep their old names.',
    state: 'done',
  },
  'TOOL-4': { behaviour: 'A description never mentions a tool that is not there.', state: 'done' },
  'TOOL-5': {
    behaviour:
      'The built-in tools do what they say: commands, files, code, web, browser, media, memory, skills, delegation.',
    state: 'planned',
    note: 'already there: terminal, process, read_file, write_file, patch, search_files, todo, clarify, memory, session_search, skills_list, skill_view, skill_manage, delegate_task, execute_code, web_search, web_extract, browser_*, vision_analyze, image_generate and text_to_speech; planned: jobs and messages',
  },
  'TOOL-6': {
    behaviour: 'Commands run in one of several backends, and file tools act in the same place.',
    state: 'done',
  },
  'TOOL-7': {
    behaviour: 'No tool holds up the event loop for long.',
    state: 'done',
  },
  'TOOL-8': {
    behaviour: 'What every call costs is kept small and measured; many foreign tools are reached by search.',
    state: 'done',
    note: 'tools of servers are behind the bridge where they have to be, those of plugins where they ask for it, those of the browser always',
  },
  'TOOL-9': {
    behaviour: 'Text from outside is marked as such, and cannot pretend to be anything else.',
    state: 'done',
  },
  'TOOL-10': {
    behaviour: 'Addresses that a tool fetches are checked after name resolution and on each redirect, and pinned.',
    state: 'done',
    note: 'a browser that runs already resolves names and follows redirects itself; its requests are checked before and after',
  },
  'TOOLX-1': {
    behaviour:
      'A tool name that is nearly right is understood; any other gets an answer that lists the tools, and three hopeless batches end the turn.',
    state: 'done',
  },
  'TOOLX-2': {
    behaviour:
      'Arguments are repaired only beyond doubt and coerced to the schema; what stays unreadable is asked for again, then answered with an error.',
    state: 'done',
  },
  'TOOLX-3': {
    behaviour:
      'Calls of a batch run side by side as far as they declare it harmless, eight at most, with results in call order and equal calls run once.',
    state: 'done',
  },
  'TOOLX-4': {
    behaviour: 'A call passes hooks, approval, its handler and hooks again before its result is appended.',
    state: 'done',
  },
  'TOOLX-5': {
    behaviour:
      'Tools on agent state are dispatched like all others with what they may touch, and without an agent answer with an error.',
    state: 'done',
  },
  'TOOLX-6': {
    behaviour:
      'An exception becomes a readable error result, and an oversized result is cut with the whole kept in a file.',
    state: 'done',
  },
  'TOOLX-7': {
    behaviour:
      'The stored call is what the model wrote; repairs serve running alone, and hopeless arguments go back as an empty object.',
    state: 'done',
  },
  'TRAJ-1': {
    behaviour: 'Finished turns are appended as ShareGPT lines, completed ones apart from the rest.',
    state: 'done',
  },
  'TRAJ-2': {
    behaviour: 'Trajectories carry thinking, calls and results in the marked-up form that training expects.',
    state: 'done',
  },
  'TRAJ-3': {
    behaviour: 'The system turn of a trajectory is written when it is saved, from a template that can be replaced.',
    state: 'done',
  },
  'TRAJ-4': {
    behaviour: 'A batch of prompts runs on many agents at once, always saves, and can be taken up again.',
    state: 'done',
  },
  'TRAJ-5': {
    behaviour: 'A batch can be spread over machines, and each prompt is done once even when workers die.',
    state: 'done',
  },
  'TRAJ-6': { behaviour: 'Trajectories are shortened to a token budget, head and tail kept.', state: 'done' },
} as const satisfies Record<string, Rule>;

export type Rule = {
  behaviour: string;
  state: 'done' | 'planned';
  /** What of a done rule is still to come, or what of a planned one is there already. */
  note?: string;
};
export type RuleId = keyof typeof RULES;
