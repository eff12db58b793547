import type { z } from 'zod'
import { safeParse } from '../../base/lib/safe-parse.ts'
import { type ErrorCode, IrisError, toIrisError } from '../../base/protocol/error.ts'
import { agent } from '../../features/agents/handlers/agents.ts'
import { agents, invoke } from '../../features/agents/handlers/invoke-agent.ts'
import { attachment } from '../../features/attachments/handlers/attachments.ts'
import { audit, verified } from '../../features/audit/handlers.ts'
import {
  change as changeChannel,
  list as listChannels,
  skipped as listSkipped,
  replay as replaySkipped,
  test as testChannel,
} from '../../features/channels/handlers/channels.ts'
import * as chatTools from '../../features/channels/handlers/chat-tools.ts'
import * as viewer from '../../features/channels/handlers/viewer.ts'
import {
  status as clusterStatus,
  drain as drainHost,
  forget as forgetHost,
  forgetUnreachable,
  keep,
  leave as leaveCluster,
} from '../../features/cluster/handlers.ts'
import {
  check as checkConfig,
  get as getConfig,
  save as saveConfig,
} from '../../features/configuration/handlers/config.ts'
import { type Contracts, contracts, type OperationName, operationNames } from '../../features/contracts.ts'
import { deleteSession } from '../../features/conversations/handlers/delete.ts'
import { forkSession } from '../../features/conversations/handlers/fork.ts'
import { list as listSessions } from '../../features/conversations/handlers/list-sessions.ts'
import { stats } from '../../features/conversations/handlers/session-stats.ts'
import { turnsOf } from '../../features/conversations/handlers/session-turns.ts'
import { healings } from '../../features/insight/handlers/healings.ts'
import { driftOf, patterns } from '../../features/insight/handlers/insight.ts'
import { decide, reflection } from '../../features/insight/handlers/reflect.ts'
import { late, withAnnouncement } from '../../features/late/handlers.ts'
import { promote } from '../../features/live/handlers.ts'
import { cancelTurn } from '../../features/messages/handlers/cancel.ts'
import { status } from '../../features/messages/handlers/messages.ts'
import { leaveNotice } from '../../features/messages/handlers/notices.ts'
import { report } from '../../features/messages/handlers/report.ts'
import { send } from '../../features/messages/handlers/send.ts'
import { waitForTeam } from '../../features/messages/handlers/session-wait.ts'
import { debug } from '../../features/operator/handlers/debug.ts'
import { logins, revoke as revokeLogin } from '../../features/operator/handlers/logins.ts'
import { getLog } from '../../features/operator/handlers/logs.ts'
import { reboot } from '../../features/operator/handlers/reboot.ts'
import { approve } from '../../features/permission/handlers/approve.ts'
import { answer as answerPermission, list as listPermissions } from '../../features/permission/handlers/permissions.ts'
import { revoke, rules } from '../../features/permission/handlers/rules.ts'
import { dismiss, retry } from '../../features/retry/handlers.ts'
import { date } from '../../features/schedules/handlers/date.ts'
import { scheduled } from '../../features/schedules/handlers/schedules.ts'
import { searchFor } from '../../features/search/handlers.ts'
import { attach } from '../../features/take-over/handlers.ts'
import { list as listTeams } from '../../features/teams/handlers/list-teams.ts'
import { sleep, teamsStatus, wake } from '../../features/teams/handlers/teams.ts'
import { wakeAll } from '../../features/teams/handlers/wake-all.ts'
import { trace, turns } from '../../features/traces/handlers/trace.ts'
import { transcript } from '../../features/transcripts/handlers/turn-transcript.ts'
import { give } from '../../features/typed/handlers.ts'
import { health } from '../../views/health/handlers/health.ts'
import { inbox } from '../../views/inbox/handlers.ts'
import { switchboard } from '../../views/switchboard/handlers.ts'
import { overTime } from '../../views/usage/handlers/stats-over-time.ts'
import { usage } from '../../views/usage/handlers/usage.ts'
import { asMeant } from './as-meant.ts'
import { auditEntry, isAudited } from './audited.ts'
import { type AuthContext, type Call, countedAs, type Domain } from './call.ts'
import { inputWords } from './input-words.ts'
import { may } from './policy.ts'
import { actorOf } from './principal.ts'

type Handler<Name extends OperationName> = (
  input: z.output<Contracts[Name]['input']>,
  call: Call,
  domain: Domain,
) => z.output<Contracts[Name]['output']> | Promise<z.output<Contracts[Name]['output']>>

const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  list_teams: listTeams,
  team_status: teamsStatus,
  team_wake: wake,
  team_launch: wake,
  team_wake_all: wakeAll,
  team_sleep: sleep,
  session_fork: forkSession,
  session_attach: attach,
  send_message: send,
  ask_message: send,
  quick_message: (input, call, domain) => send({ ...input, timeout: -1 }, call, domain),
  message_status: status,
  late_answers: late,
  session_wait: waitForTeam,
  return_value: give,
  chat_reply: chatTools.reply,
  chat_react: chatTools.react,
  chat_send_file: chatTools.sendFile,
  chat_history: chatTools.history,
  retry_message: retry,
  dismiss_failure: dismiss,
  promote_turn: promote,
  notify: leaveNotice,
  session_report: report,
  list_sessions: listSessions,
  session_stats: stats,
  get_inbox: (input, _call, domain) => inbox(input, domain),
  get_switchboard: (input, _call, domain) => switchboard(input, domain),
  list_turns: (input, _call, domain) => turns(input, domain),
  trace_turn: trace,
  stats_over_time: (input, _call, domain) => overTime(input, domain),
  session_turns: (input, _call, domain) => turnsOf(input, domain),
  turn_transcript: transcript,
  get_attachment: attachment,
  search_messages: (input, _call, domain) => searchFor(input, domain),
  list_schedules: (_input, _call, domain) => scheduled(domain),
  get_usage: (input, _call, domain) => usage(input, domain),
  find_patterns: (input, _call, domain) => patterns(input, domain),
  list_drift: (input, _call, domain) => driftOf(input, domain),
  reflect: (input, _call, domain) => reflection(input, domain),
  list_healings: (input, _call, domain) => healings(input, domain),
  decide_suggestion: (input, _call, domain) => decide(input, domain),
  session_cancel: cancelTurn,
  session_reboot: reboot,
  session_delete: deleteSession,
  list_permissions: listPermissions,
  answer_permission: answerPermission,
  list_rules: (_input, _call, domain) => rules(domain),
  revoke_rule: (input, _call, domain) => revoke(input, domain),
  get_logs: (input, _call, domain) => getLog(input, domain),
  get_health: (_input, _call, domain) => health(domain),
  get_date: (_input, _call, { clock }) => date(clock.now()),
  get_agent: agent,
  list_agents: agents,
  invoke_agent: invoke,
  list_audit: (input, _call, domain) => audit(input, domain),
  verify_audit: (input, _call, domain) => verified(input, domain),
  list_logins: (_input, call, domain) => logins(call, domain),
  revoke_login: (input, _call, domain) => revokeLogin(input, domain),
  list_channels: (_input, _call, domain) => listChannels(domain),
  change_channel: (input, _call, domain) => changeChannel(input, domain),
  test_channel: (input, _call, domain) => testChannel(input, domain),
  list_skipped: (input, _call, domain) => listSkipped(input, domain),
  replay_skipped: (input, _call, domain) => replaySkipped(input, domain),
  viewer_overview: (_input, call, domain) => viewer.overview(call, domain),
  viewer_messages: viewer.messages,
  viewer_send: viewer.send,
  viewer_stop: viewer.stop,
  viewer_search: viewer.search,
  cluster_status: (_input, _call, domain) => clusterStatus(domain),
  drain_host: (input, _call, domain) => drainHost(input, domain),
  leave_cluster: (input, _call, domain) => leaveCluster(input, domain),
  forget_host: (input, _call, domain) => forgetHost(input, domain),
  forget_unreachable_hosts: (input, _call, domain) => forgetUnreachable(input, domain),
  keep_servers: (_input, _call, domain) => keep(domain),
  get_config: (_input, _call, domain) => getConfig(domain),
  check_config: (input, _call, domain) => checkConfig(input, domain),
  save_config: saveConfig,
  debug_session: debug,
  permissions__approve: approve,
}

/** Unknown arguments are refused as mistakes. Made once: zod compiles a schema at its first use. */
const strictInputs = Object.fromEntries(
  operationNames.map((name) => [name, contracts[name].input.strict()]),
) as unknown as {
  readonly [Name in OperationName]: z.ZodObject
}

export function isOperation(name: string): name is OperationName {
  return (operationNames as readonly string[]).includes(name)
}

/**
 * Counts the call, checks the caller's right and the input, audits the call, then runs it. Throws an IrisError for
 * every refusal.
 */
export async function callOperation(
  name: OperationName,
  input: unknown,
  call: Call,
  domain: Domain,
): Promise<Record<string, unknown>> {
  let leave = (): void => {}
  try {
    leave = domain.callLimit.enter(countedAs(call.auth))
    checkKey(call.idempotencyKey)
    const handle = handlers[name] as Handler<OperationName>
    const wanted = checked(name, input, call.auth)
    if (isAudited(name)) domain.audit.record({ at: domain.clock.now(), ...auditEntry(name, input, call.auth) })
    const result = await handle(wanted, call, domain)
    count(name, call.auth, 'ok', domain)
    return name === 'late_answers' ? result : withAnnouncement(result, input, call, domain)
  } catch (error) {
    count(name, call.auth, toIrisError(error).code, domain)
    noteRefusal(error, name, call.auth, domain)
    throw withoutSecrets(error, domain)
  } finally {
    leave()
  }
}

/** The key of the transport; the arguments of an operation have checks of their own. */
function checkKey(key: string | undefined): void {
  if (key === undefined || (key.trim() !== '' && key.length <= 200)) return
  throw new IrisError(
    'invalid_input',
    `The idempotency key ${key.trim() === '' ? 'is empty' : 'has more than 200 characters'}.`,
    'Send a key of your own for each message, or none.',
  )
}

function count(
  operation: OperationName,
  { principal: { kind } }: AuthContext,
  result: string,
  { vitals }: Domain,
): void {
  vitals.calls.add({ operation, caller: kind, result })
}

function checked(name: OperationName, input: unknown, auth: AuthContext) {
  if (!may(name, auth.principal)) {
    throw new IrisError(
      'not_allowed',
      `${name} is not allowed for ${notFor(auth.principal)}.`,
      'Ask the person who owns this Iris.',
    )
  }
  const asGiven = safeParse(strictInputs[name], input ?? {})
  const parsed = asGiven.success ? asGiven : safeParse(strictInputs[name], asMeant(strictInputs[name], input))
  if (parsed.success) return parsed.data as never
  const words = inputWords(parsed.error.issues, input, Object.keys(strictInputs[name].shape))
  throw new IrisError(
    'invalid_input',
    `${name}: ${words}${words.endsWith('?') ? '' : '.'}`,
    'Correct the arguments; the tool description says what it accepts.',
  )
}

function notFor({ kind, limitedTo }: AuthContext['principal']): string {
  return limitedTo === undefined ? `${kind}s` : `${kind}s that answer by the role "${limitedTo}"`
}

/** Refusals that are audited, with their action in the audit. */
const audited: Partial<Record<ErrorCode, string>> = {
  from_mismatch: 'from.mismatch',
  not_allowed: 'call.refused',
  too_many_calls: 'call.limited',
}

function noteRefusal(error: unknown, name: OperationName, auth: AuthContext, { refusals }: Domain): void {
  const action = error instanceof IrisError ? audited[error.code] : undefined
  if (action === undefined) return
  refusals.record({
    actor: actorOf(auth.principal),
    action,
    subject: name,
    detail: { why: (error as IrisError).message },
  })
}

/** Errors can quote other programs, such as the last output of a process, so secrets are hidden in them too. */
function withoutSecrets(error: unknown, { secrets }: Domain): unknown {
  if (!(error instanceof IrisError)) return error
  const { code, message, remedy, retryAfterMs } = error
  const { hideInText } = secrets
  return new IrisError(code, hideInText(message), hideInText(remedy), { cause: error, retryAfterMs })
}
