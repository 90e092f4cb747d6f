import type { ChannelFault } from '../../contracts/index.ts';

/** What the errors of the Web API mean. Errors that are not listed are `rejected`. */
const ERRORS: Readonly<Record<string, ChannelFault>> = {
  invalid_auth: 'fatal',
  not_authed: 'fatal',
  account_inactive: 'fatal',
  token_revoked: 'fatal',
  token_expired: 'fatal',
  not_allowed_token_type: 'fatal',
  org_login_required: 'fatal',
  access_denied: 'forbidden',
  no_permission: 'forbidden',
  missing_scope: 'forbidden',
  not_in_channel: 'forbidden',
  is_archived: 'forbidden',
  cannot_dm_bot: 'forbidden',
  user_disabled: 'forbidden',
  messages_tab_disabled: 'forbidden',
  restricted_action: 'forbidden',
  restricted_action_read_only_channel: 'forbidden',
  restricted_action_thread_only_channel: 'forbidden',
  restricted_action_non_threadable_channel: 'forbidden',
  cant_update_message: 'forbidden',
  cant_delete_message: 'forbidden',
  edit_window_closed: 'forbidden',
  channel_type_not_supported: 'forbidden',
  channel_not_found: 'not_found',
  message_not_found: 'not_found',
  message_not_in_streaming_state: 'not_found',
  stopped_by_user: 'not_found',
  thread_not_found: 'not_found',
  user_not_found: 'not_found',
  user_not_in_channel: 'not_found',
  file_not_found: 'not_found',
  file_deleted: 'not_found',
  msg_too_long: 'too_long',
  msg_blocks_too_long: 'too_long',
  no_text: 'bad_format',
  invalid_blocks: 'bad_format',
  invalid_blocks_format: 'bad_format',
  ratelimited: 'rate_limited',
  rate_limited: 'rate_limited',
  message_limit_exceeded: 'rate_limited',
  service_unavailable: 'transient',
  request_timeout: 'transient',
  team_added_to_org: 'transient',
  accesslimited: 'transient',
  // Slack says that a part of the operation may have succeeded.
  internal_error: 'uncertain',
  fatal_error: 'uncertain',
};

/** The fault of an error that Slack answered with. `isRepeatable`: doing it twice is the same as doing it once. */
export function faultOfError(error: string, isRepeatable: boolean): ChannelFault {
  const fault = Object.hasOwn(ERRORS, error) ? (ERRORS[error] as ChannelFault) : 'rejected';
  return fault === 'uncertain' && isRepeatable ? 'transient' : fault;
}
