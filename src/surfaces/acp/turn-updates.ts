import type { PlanEntry, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import {
  type AgentEvent,
  type ChangedFile,
  isJsonObject,
  newId,
  parseJson,
  type ToolStatus,
  withoutForgedBlocks,
} from '../../base/index.ts';
import { redactSecrets, takeEnd } from '../../util/index.ts';
import { describeChanges, describeResult, describeToolCall, fenced, text } from './describe-tool-call.ts';

/** What the client declared that it can show. */
export type ClientViews = { notices: boolean; compaction: boolean };

/** What the updates of a session depend on. */
export type UpdateContext = { workingDirectory: string; views: ClientViews };

/** How much of the output of a running call is shown. */
const MAX_PROGRESS = 4000;

/** Converts the events of one turn. */
export interface TurnUpdates {
  convert(event: AgentEvent): SessionUpdate[];
  /** The updates of a compression that has succeeded. */
  endCompression(summary: string | undefined): SessionUpdate[];
}

/** One converter per turn, because chunks belong to messages. */
export function createTurnUpdates({ workingDirectory, views }: UpdateContext): TurnUpdates {
  const changes = new Map<string, ChangedFile[]>();
  const message = createStreamedMessage(views);
  const showProgress = createProgress();
  let compactionId = '';

  const compaction = (status: string): SessionUpdate[] =>
    views.compaction ? [{ sessionUpdate: 'compaction_update', compactionId, status }] : [];

  function convert(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case 'thinking-started':
        return message.start();
      case 'text-delta':
      case 'reasoning-delta':
        return message.add(event);
      case 'answer-discarded':
        return message.discard(event.reason);
      case 'tool-started':
        return startedCall(event, workingDirectory);
      case 'tool-progress':
        return showProgress(event.callId, event.text);
      case 'file-changed': {
        const { type: _, callId, ...change } = event;
        changes.set(callId, [...(changes.get(callId) ?? []), change]);
        return [];
      }
      case 'tool-finished': {
        const { callId, name, status, content } = event;
        return finishedCall({ callId, name, status, content, changes: changes.get(callId) ?? [] }, workingDirectory);
      }
      case 'subagent': {
        const { callId, task, event: inner } = event;
        if (inner.type !== 'tool-started') return [];
        const { title } = describeToolCall(inner.name, inner.arguments, workingDirectory);
        return showProgress(callId, `${task}: ${title}\n`);
      }
      case 'compression-started':
        compactionId = newId('compaction');
        return compaction('in_progress');
      case 'compression-skipped':
        return compaction('cancelled');
      default:
        return noticeOf(event, views);
    }
  }

  return {
    convert,
    endCompression: (summary) => (views.compaction ? completedCompression(compactionId, summary) : []),
  };
}

/** The message that the model is writing. */
function createStreamedMessage(views: ClientViews) {
  let messageId = newId('message');
  let thoughtId = newId('thought');
  let hasText = false;

  function start(): SessionUpdate[] {
    messageId = newId('message');
    thoughtId = newId('thought');
    hasText = false;
    return [];
  }

  return {
    start,
    add({ type, text: words }: Extract<AgentEvent, { type: 'text-delta' | 'reasoning-delta' }>): SessionUpdate[] {
      if (type === 'reasoning-delta') return [chunk('agent_thought_chunk', words, thoughtId)];
      hasText = true;
      return [chunk('agent_message_chunk', words, messageId)];
    },
    /** The protocol has no way to take text back, so a message says what happened. */
    discard(reason: string): SessionUpdate[] {
      const wasVisible = hasText;
      start();
      if (!wasVisible) return [];
      const title = 'The text above was cut off and is written again.';
      if (views.notices) return [notice('warning', title, reason)];
      return [chunk('agent_message_chunk', `\n\n*${title}*\n\n`, newId('message'))];
    },
  };
}

/** Shows the end of the output of running calls. */
function createProgress(): (callId: string, added: string) => SessionUpdate[] {
  const shown = new Map<string, string>();
  return (callId, added) => {
    const output = takeEnd((shown.get(callId) ?? '') + added, MAX_PROGRESS);
    shown.set(callId, output);
    return [{ sessionUpdate: 'tool_call_update', toolCallId: callId, content: [text(fenced(output))] }];
  };
}

/** What Hermes says about a turn, for clients that show notices. */
function noticeOf(event: AgentEvent, views: ClientViews): SessionUpdate[] {
  if (!views.notices) return [];
  switch (event.type) {
    case 'retry':
      return [notice('info', `Trying again (attempt ${event.attempt}).`, event.message)];
    case 'fallback':
      return [notice('warning', `Continuing with ${event.to} instead of ${event.from}.`, event.reason)];
    case 'warning':
      return [notice('warning', event.message)];
    case 'attachment-described':
      return [notice('info', `${event.by} describes ${event.name}, because the model cannot read it.`)];
    case 'notified':
      return [notice('info', 'Hermes sent the model a notice.', event.text)];
    default:
      return [];
  }
}

export function notice(severity: string, title: string, description = ''): SessionUpdate {
  return { sessionUpdate: 'notice', severity, title, ...(description !== '' && { description }) };
}

/** A compression from its start to its end. */
export function compressionUpdates(summary: string | undefined): SessionUpdate[] {
  const compactionId = newId('compaction');
  return [
    { sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' },
    ...completedCompression(compactionId, summary),
  ];
}

/** A compression that has succeeded, with the text that replaced the messages. */
function completedCompression(compactionId: string, summary: string | undefined): SessionUpdate[] {
  const content = { type: 'text' as const, text: summary ?? '' };
  return [
    ...(summary === undefined ? [] : [{ sessionUpdate: 'compaction_summary_chunk' as const, compactionId, content }]),
    { sessionUpdate: 'compaction_update', compactionId, status: 'completed' },
  ];
}

type ChunkKind = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

export function chunk(sessionUpdate: ChunkKind, words: string, messageId: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text: words }, messageId };
}

/** A call that starts: announced, then in progress. */
export function startedCall(
  call: { callId: string; name: string; arguments: string },
  workingDirectory: string,
): SessionUpdate[] {
  const { callId: toolCallId, name } = call;
  const described = describeToolCall(name, call.arguments, workingDirectory);
  return [
    { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...described, _meta: { tool: name } },
    { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' },
  ];
}

/** A call and its result, as an event or as stored. */
export type FinishedCall = {
  callId: string;
  name: string;
  status: ToolStatus;
  content: string;
  changes: readonly ChangedFile[];
};

/** A call that has ended, and the plan if it changed that. */
export function finishedCall(call: FinishedCall, workingDirectory: string): SessionUpdate[] {
  const { callId: toolCallId, name, status } = call;
  const result = redactSecrets(withoutForgedBlocks(call.content));
  const changed = describeChanges(call.changes, workingDirectory);
  // The diffs say more than the one line that an edit returns.
  const content: ToolCallContent[] = changed.content.length > 0 ? changed.content : describeResult(readable(result));
  const update: SessionUpdate = {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: status === 'ok' ? 'completed' : 'failed',
    content,
    rawOutput: { status, content: result },
  };
  if (changed.locations.length > 0) update.locations = changed.locations;
  return [update, ...(name === 'todo' && status === 'ok' ? planOf(result) : [])];
}

/** The words of a failed call, without the JSON around them. */
function readable(result: string): string {
  const parsed = result.startsWith('{"error":') ? parseJson(result) : undefined;
  return isJsonObject(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : result;
}

const PLAN_STATUSES: ReadonlyMap<unknown, PlanEntry['status']> = new Map<unknown, PlanEntry['status']>([
  ['pending', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
]);

/** The task list as a plan. Cancelled tasks are omitted, because plans have no such state. */
function planOf(result: string): SessionUpdate[] {
  const parsed = parseJson(result);
  if (!isJsonObject(parsed) || !Array.isArray(parsed['todos'])) return [];
  const entries = parsed['todos'].flatMap((item): PlanEntry[] => {
    if (!isJsonObject(item) || typeof item['content'] !== 'string') return [];
    const status = PLAN_STATUSES.get(item['status']);
    return status === undefined ? [] : [{ content: item['content'], priority: 'medium', status }];
  });
  return [{ sessionUpdate: 'plan', entries }];
}
