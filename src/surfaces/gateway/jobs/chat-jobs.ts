import type { EnvironmentVariables } from '../../../config/index.ts';
import type { ClaimedChat, JobOrigin, Messaging, ScheduledJobs } from '../../../contracts/index.ts';
import { deferJobs } from '../../../runtime/defer-jobs.ts';
import type { Runtime } from '../../../runtime/index.ts';
import { type OpenedJobs, openJobs } from '../../../runtime/open-jobs.ts';

/** The jobs of the gateway, as its chats and its scheduler use them. */
export function openChatJobs(
  { store, clock, blueprint: { settings } }: Runtime,
  { env, onNotice: onImported }: { env: EnvironmentVariables; onNotice(text: string): void },
) {
  const open = (messaging: Messaging): Promise<OpenedJobs> =>
    openJobs({ home: settings.home, env, store, storage: settings.storage, clock, messaging, onImported });
  return {
    open,
    jobsOf(chat: ClaimedChat, messaging: Messaging): ScheduledJobs {
      return deferJobs(async () => (await open(messaging)).jobs, originOf(chat));
    },
  };
}

/** Jobs that are created in a chat deliver their answers there, unless the user says otherwise. */
function originOf({ conversation: { account, source } }: ClaimedChat): JobOrigin {
  const text = (name: string) => (typeof source[name] === 'string' && source[name] !== '' ? source[name] : undefined);
  const platform = text('platform') ?? account.slice(0, account.indexOf(':'));
  const origin: JobOrigin = { platform, chat_id: text('chatId') ?? '' };
  const [chatName, threadId] = [text('chatName') ?? text('userName'), text('threadId')];
  if (chatName !== undefined) origin.chat_name = chatName;
  if (threadId !== undefined) origin.thread_id = threadId;
  return origin;
}
